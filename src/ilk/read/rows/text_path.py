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
from ilk.arrow.strings import is_text_or_null_type
from ilk.base.errors import ColumnTypeError
from ilk.read.rows.sources import may_be_column_path, no_such_column_error

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


class LeadingSelector(NamedTuple):
    """The selector that a path begins with, and what follows it."""

    selector: Selector
    following: str


def is_column_or_path_into(path: str, column_name: str) -> bool:
    """Return whether a path is the name of a column, or leads into it."""
    return path == column_name or path.startswith((f"{column_name}.", f"{column_name}["))


def parse_selector_at_start_or_none(path: str) -> LeadingSelector | None:
    """Return the selector that a path begins with, and what follows it; None without one.

    The field of a selector is one step here.

    >>> parse_selector_at_start_or_none("[role=user].content")
    LeadingSelector(selector=Selector(at=None, field=('role',), value='user'), following='.content')
    """
    inside, closed, after = path[1:].partition("]")
    if not path.startswith("[") or not closed or not (after == "" or after[0] in ".["):
        return None
    field, equals, value = inside.partition("=")
    if equals and not field:
        return None
    if equals:
        return LeadingSelector(Selector(field=(field,), value=value), after)
    if not inside:
        return LeadingSelector(Selector(), after)
    if inside.isascii() and inside.isdigit():
        return LeadingSelector(Selector(at=int(inside)), after)
    return None


def has_list_selector(name: str) -> bool:
    """Return whether a name has a selector of a list in it, unless a column has the whole name."""
    return any(
        parse_selector_at_start_or_none(name[at:]) for at, mark in enumerate(name) if mark == "["
    )


def find_steps_to_column(
    source_name: str,
    fields: Iterable[pa.Field],
    column_path: str,
    *,
    through_lists: bool = False,
) -> Steps:
    """Return the steps to a column; with ``through_lists``, they may lead into lists.

    Raises:
        ColumnTypeError: there is no such column, or there are two.
    """
    schema = list(fields)
    steps: list[str | Selector] = []
    inner, remaining = schema, column_path

    def missing_error() -> ColumnTypeError:
        paths = list(text_column_paths(schema)) if through_lists else []
        nested = through_lists and any(map(may_be_column_path, [column_path, *paths]))
        columns = [field.name for field in schema]
        return no_such_column_error(source_name, column_path, columns, paths if nested else None)

    while True:
        leading = [field for field in inner if is_column_or_path_into(remaining, field.name)]
        if not leading:
            raise missing_error()
        # A name with a dot in it is meant before a step into an object, as in JSON lines.
        longest = max(len(field.name) for field in leading)
        field, *same_named = (field for field in leading if len(field.name) == longest)
        if same_named:
            raise ColumnTypeError(
                f"{source_name or 'the table'} has {1 + len(same_named)} columns named "
                f"{field.name}; rename all but one."
            )
        steps.append(field.name)
        kind, remaining = field.type, remaining[longest:]
        while remaining.startswith("["):
            parsed = parse_selector_at_start_or_none(remaining)
            if parsed is None or not through_lists or not is_list(kind):
                raise missing_error()
            selector, remaining = parsed
            kind = kind.value_type
            if selector.field:
                if not pa.types.is_struct(kind):
                    raise missing_error()
                named = find_steps_to_column(source_name, kind.fields, selector.field[0])
                selector = selector._replace(field=tuple(map(str, named)))
            steps.append(selector)
        if not remaining:
            return tuple(steps)
        remaining = remaining[1:]
        if not pa.types.is_struct(kind):
            raise missing_error()
        inner = list(kind.fields)


def column_path_before_lists(steps: Steps) -> str:
    """Return the name of what must be read to follow steps: all before the first list."""
    names: list[str] = []
    for step in steps:
        if isinstance(step, Selector):
            break
        names.append(step)
    return ".".join(names)


def text_column_paths(fields: Iterable[pa.Field], prefix: str = "") -> Iterator[str]:
    """Yield the names that lead to columns of texts."""
    for field in fields:
        kind, name = field.type, prefix + field.name
        while is_list(kind):
            kind, name = kind.value_type, f"{name}[]"
        if is_text_or_null_type(kind):
            yield name
        elif pa.types.is_struct(kind):
            yield from text_column_paths(kind.fields, f"{name}.")


def string_paths_in_object(values: dict[str, Any], prefix: str = "") -> list[str]:
    """Return the names that lead to strings in an object, each once.

    >>> string_paths_in_object({"id": 1, "turns": [{"text": "a"}, {"text": "b"}], "tags": ["x"]})
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


class TextsAndMissingMask(NamedTuple):
    """What a path leads to in each row.

    texts: the texts, joined; null without one.
    is_missing: the rows in which it leads nowhere; None without one. Where it leads to a
        null, or a list on its way is null or has no element, nothing is missing.
    """

    texts: pa.LargeStringArray
    is_missing: pa.BooleanArray | None


def join_texts_in_lists(column: pa.Array, steps: Steps) -> TextsAndMissingMask:
    """Return the texts to which the steps lead from the values of a column.

    The first step is a list, and steps into objects before it were taken. The texts of a row are
    joined.

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
        empty = pc.or_(empty, _mask_of_row_numbers(rows.filter(pc.invert(is_list_there)), count))
        rows = rows.filter(is_list_there)
        empty = pc.or_(
            empty,
            _mask_of_row_numbers(rows.filter(pc.equal(pc.list_value_length(values), 0)), count),
        )
        if step.at is not None:
            values = pc.list_slice(values, step.at, step.at + 1)
        rows = rows.take(pc.list_parent_indices(values))
        values = pc.list_flatten(values)
        if step.field:
            chosen = _mask_of_equal_spelling(pc.struct_field(values, list(step.field)), step.value)
            values, rows = values.filter(chosen), rows.filter(chosen)
    if not is_text_or_null_type(values.type):
        raise ColumnTypeError(f"leads to values of {values.type}")
    is_missing = pc.invert(pc.or_(empty, _mask_of_row_numbers(rows, count)))
    is_there = values.is_valid()
    texts = flat(arrow.import_texts(values.filter(is_there)))
    return TextsAndMissingMask(_join_texts_by_row(texts, rows.filter(is_there), count), is_missing)


def _mask_of_equal_spelling(values: pa.Array, spelling: str) -> pa.BooleanArray:
    """Return where texts, numbers or truth values are spelled like this; nowhere for others."""
    try:
        texts = (
            flat(arrow.import_texts(values))
            if is_text_or_null_type(values.type)
            else values.cast(pa.string())
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # Lists and objects.
        return pa.repeat(False, len(values))
    return pc.fill_null(pc.equal(texts, spelling), False)


def _mask_of_row_numbers(row_numbers: pa.Int64Array, row_count: int) -> pa.BooleanArray:
    return pc.is_in(pa.arange(0, row_count), value_set=row_numbers)


def _join_texts_by_row(
    texts: pa.Array, row_numbers: pa.Int64Array, row_count: int
) -> pa.LargeStringArray:
    """Return the joined texts of each row, null without one; the row numbers of texts ascend."""
    counted = row_numbers.value_counts()
    is_there = _mask_of_row_numbers(counted.field("values"), row_count)
    lengths = pc.replace_with_mask(
        pa.repeat(pa.scalar(0, pa.int64()), row_count), is_there, counted.field("counts")
    )
    ends = pc.cumulative_sum(lengths)
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), ends])
    lists = pa.LargeListArray.from_arrays(offsets, texts)
    joined = pc.binary_join(lists, pa.scalar(BETWEEN, pa.large_string()))
    return pc.if_else(is_there, joined, pa.scalar(None, joined.type))
