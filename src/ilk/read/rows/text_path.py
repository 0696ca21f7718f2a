"""Where the text of a row is: ``text``, ``meta.title``, ``turns[0].text``,
``messages[role=user].content``.

A dot leads into an object, and brackets lead into a list: ``[]`` to every element, ``[0]`` to one
place, ``[role=user]`` to the objects with this value in a field. A name counts as it stands if a
row or a table has it, whatever it has in it; of several such names, the longest counts. What is
found along a path is joined in order, with a blank line between texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import flat, is_list
from ilk.arrow.strings import is_text
from ilk.base.errors import ColumnTypeError
from ilk.read.rows.sources import may_name_nested_column, no_column_error

#: What stands between the texts of a row.
BETWEEN = "\n\n"


class Selector(NamedTuple):
    """What a step takes of a list: by default every element.

    at: the place of the only one, from 0.
    field: the name of a field of the elements, as steps; only those with this ``value`` count.
    """

    at: int | None = None
    field: tuple[str, ...] = ()
    value: str = ""


#: The name of a column, and the steps that lead into it: names of fields, and selectors of lists.
Steps: TypeAlias = tuple[str | Selector, ...]


def leads_into(name: str, column: str) -> bool:
    """Return whether a name is that of a column, or leads into it."""
    return name == column or name.startswith((f"{column}.", f"{column}["))


def parse_selector(rest: str) -> tuple[Selector, str] | None:
    """Return the selector that the rest of a path begins with, and what follows it.

    None if the brackets are no selector. The field of a selector is one step here.

    >>> parse_selector("[role=user].content")
    (Selector(at=None, field=('role',), value='user'), '.content')
    """
    inside, closed, after = rest[1:].partition("]")
    if not rest.startswith("[") or not closed or not (after == "" or after[0] in ".["):
        return None
    field, equals, value = inside.partition("=")
    if equals:
        return (Selector(field=(field,), value=value), after) if field else None
    if not inside:
        return Selector(), after
    return (Selector(at=int(inside)), after) if inside.isascii() and inside.isdigit() else None


def may_lead_into_lists(name: str) -> bool:
    """Return whether a name has a selector of a list in it, unless a column has the whole name."""
    return any(parse_selector(name[at:]) for at, mark in enumerate(name) if mark == "[")


def find_steps(
    source: str, fields: Iterable[pa.Field], name: str, *, through_lists: bool = False
) -> Steps:
    """Return the steps to a column; with ``through_lists``, they may lead into lists.

    Raises:
        ColumnTypeError: there is no such column, or there are two.
    """
    schema = list(fields)
    steps: list[str | Selector] = []
    inner, rest = schema, name

    def missing_error() -> ColumnTypeError:
        paths = list(text_paths(schema)) if through_lists else []
        nested = through_lists and any(map(may_name_nested_column, [name, *paths]))
        columns = [field.name for field in schema]
        return no_column_error(source, name, columns, paths if nested else None)

    while True:
        there = [field for field in inner if leads_into(rest, field.name)]
        if not there:
            raise missing_error()
        # A name with a dot in it is meant before a step into an object, as in JSON lines.
        longest = max(len(field.name) for field in there)
        field, *others = (field for field in there if len(field.name) == longest)
        if others:
            raise ColumnTypeError(
                f"{source or 'the table'} has {1 + len(others)} columns named {field.name}; "
                "rename all but one."
            )
        steps.append(field.name)
        kind, rest = field.type, rest[longest:]
        while rest.startswith("["):
            parsed = parse_selector(rest)
            if parsed is None or not through_lists or not is_list(kind):
                raise missing_error()
            selector, rest = parsed
            kind = kind.value_type
            if selector.field:
                if not pa.types.is_struct(kind):
                    raise missing_error()
                named = find_steps(source, kind.fields, selector.field[0])
                selector = selector._replace(field=tuple(map(str, named)))
            steps.append(selector)
        if not rest:
            return tuple(steps)
        rest = rest[1:]
        if not pa.types.is_struct(kind):
            raise missing_error()
        inner = list(kind.fields)


def name_before_lists(steps: Steps) -> str:
    """Return the name of what must be read to follow steps: all before the first list."""
    names: list[str] = []
    for step in steps:
        if isinstance(step, Selector):
            break
        names.append(step)
    return ".".join(names)


def text_paths(fields: Iterable[pa.Field], prefix: str = "") -> Iterator[str]:
    """Yield the names that lead to columns of texts."""
    for field in fields:
        kind, name = field.type, prefix + field.name
        while is_list(kind):
            kind, name = kind.value_type, f"{name}[]"
        if is_text(kind):
            yield name
        elif pa.types.is_struct(kind):
            yield from text_paths(kind.fields, f"{name}.")


def paths_of_values(values: dict[str, Any], prefix: str = "") -> list[str]:
    """Return the names that lead to strings in an object, each once.

    >>> paths_of_values({"id": 1, "turns": [{"text": "a"}, {"text": "b"}], "tags": ["x"]})
    ['turns[].text', 'tags[]']
    """
    paths: dict[str, None] = {}
    waiting: list[tuple[str, Any]] = [(prefix + name, value) for name, value in values.items()]
    while waiting:
        name, value = waiting.pop(0)
        if isinstance(value, str):
            paths[name] = None
        elif isinstance(value, dict):
            waiting[:0] = [(f"{name}.{field}", inner) for field, inner in value.items()]
        elif isinstance(value, list):
            waiting[:0] = [(f"{name}[]", inner) for inner in value]
    return list(paths)


class TextsAtPath(NamedTuple):
    """What a path through lists leads to in each row.

    texts: the texts, joined; null without one.
    is_missing: the rows in which it leads nowhere. Where it leads to a null, or a list on its way
        is null or has no element, nothing is missing.
    """

    texts: pa.LargeStringArray
    is_missing: pa.BooleanArray


def texts_of_lists(column: pa.Array, steps: Steps) -> TextsAtPath:
    """Follow the steps after a column's name from its values.

    Raises:
        ColumnTypeError: there are no texts at their end.
    """
    count = len(column)
    values, rows = column, pa.arange(0, count)
    empty = pa.repeat(False, count)
    for step in steps:
        if isinstance(step, str):
            values = pc.struct_field(values, [step])
            continue
        is_list_there = values.is_valid()
        values = values.filter(is_list_there).cast(pa.large_list(values.type.value_field))
        empty = pc.or_(empty, _mask_of_rows(rows.filter(pc.invert(is_list_there)), count))
        rows = rows.filter(is_list_there)
        empty = pc.or_(
            empty, _mask_of_rows(rows.filter(pc.equal(pc.list_value_length(values), 0)), count)
        )
        if step.at is not None:
            values = pc.list_slice(values, step.at, step.at + 1)
        rows = rows.take(pc.list_parent_indices(values))
        values = pc.list_flatten(values)
        if step.field:
            chosen = _mask_with_value(pc.struct_field(values, list(step.field)), step.value)
            values, rows = values.filter(chosen), rows.filter(chosen)
    if not is_text(values.type):
        raise ColumnTypeError(f"leads to values of {values.type}")
    is_missing = pc.invert(pc.or_(empty, _mask_of_rows(rows, count)))
    is_there = values.is_valid()
    texts = flat(arrow.import_texts(values.filter(is_there)))
    return TextsAtPath(_join_by_row(texts, rows.filter(is_there), count), is_missing)


def _mask_with_value(values: pa.Array, value: str) -> pa.BooleanArray:
    """Return where texts, numbers or truth values are spelled like this."""
    try:
        spelled = (
            flat(arrow.import_texts(values)) if is_text(values.type) else values.cast(pa.string())
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # Lists and objects.
        return pa.repeat(False, len(values))
    return pc.fill_null(pc.equal(spelled, value), False)


def _mask_of_rows(rows: pa.Int64Array, count: int) -> pa.BooleanArray:
    return pc.is_in(pa.arange(0, count), value_set=rows)


def _join_by_row(texts: pa.Array, rows: pa.Int64Array, count: int) -> pa.LargeStringArray:
    """Join texts whose rows are equal; the rows ascend, and those without a text have null."""
    counted = rows.value_counts()
    is_there = _mask_of_rows(counted.field("values"), count)
    lengths = pc.replace_with_mask(
        pa.repeat(pa.scalar(0, pa.int64()), count), is_there, counted.field("counts")
    )
    ends = pc.cumulative_sum(lengths)
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), ends])
    lists = pa.LargeListArray.from_arrays(offsets, texts)
    joined = pc.binary_join(lists, pa.scalar(BETWEEN, pa.large_string()))
    return pc.if_else(is_there, joined, pa.scalar(None, joined.type))
