"""Keeper policies: which document of a cluster stays. A policy ranks all documents, best first."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import flat
from ilk.base.errors import OptionError
from ilk.base.options import COLUMN_POLICIES, OPTIONS, ORIGINAL, POLICIES, ROW_POLICIES, TIMES
from ilk.search.originals import AGE, Folders, rank_folders_if_any_file
from ilk.search.staying import HELD

_BEST_FIRST = {
    "last": "descending",
    "longest": "descending",
    "shortest": "ascending",
    "newest": "descending",
    "oldest": "ascending",
    "max": "descending",
    "min": "ascending",
}

#: The policy whose column is known once the pairs are.
CENTRAL = "central"

#: What decides between a file and a part of one, before any policy.
ON_DISK = "a file on disk"

#: A resemblance of 1 as a whole number.
_ONE = 1 << 32

_COLUMNS = {"last": "doc", "longest": "length", "shortest": "length"}


def order_documents_best_first(
    documents: pa.Table,
    policies: Sequence[str],
    *,
    read_column: Callable[[str], pa.ChunkedArray] | None = None,
    baseline_size: int = 0,
    roots: Sequence[str] = (),
    folders: Folders | None = None,
) -> pa.Array:
    """Return the rows of ``documents``, best keeper first; files on disk before what is in them.

    Args:
        documents: n documents with ``doc``, ``source``, ``length`` and ``modified``, and with
            ``central`` if it is known (``scaled_resemblance_sums_of_documents``); if not, all tie.
        policies: names of ``POLICIES``, most important first. Ties go to the first in source order;
            a document without a value comes last.
        read_column: returns another column of the documents by its name; None if they have no
            others.
        baseline_size: the first documents, as many as these, come before all others.
        roots: the folders that were given, from which the paths of ``prefer`` may count.
        folders: what ``rank_folders_if_any_file`` returned for them; None if it was not called.

    Returns:
        n row numbers (``int64``).

    Raises:
        OptionError: a policy is unknown, or its column is of the wrong type.
    """
    table = documents.select(["doc"])
    orders = [("held", "descending"), ("file", "descending")]
    table = table.append_column("held", pc.less(documents["doc"], baseline_size))
    table = table.append_column("file", _are_files_on_disk(documents))
    for number, key in enumerate(
        _sort_keys_of_policies(
            documents, policies, read_column=read_column, roots=roots, folders=folders
        )
    ):
        table = table.append_column(f"key{number}", key.values)
        orders.append((f"key{number}", key.order))
    # The row last: no two tie there, so that the order is one.
    return pc.sort_indices(table, sort_keys=[*orders, ("doc", "ascending")]).cast(pa.int64())


def scaled_resemblance_sums_of_documents(
    representatives: pa.Array, representative_pairs: arrow.PairTable
) -> pa.Int64Array:
    """Return for each document the sum of its resemblances to all documents that it is like.

    Copies count like others. Sums are whole numbers (parts of 2^32), so the order of addition does
    not matter.

    Args:
        representatives: per document the best one with an equal digest.
        representative_pairs: ``PAIRS``.

    Returns:
        n sums (``int64``).
    """
    counts = pc.value_counts(representatives)
    at = pc.index_in(pa.arange(0, len(representatives)), value_set=counts.field(0))
    size = pc.fill_null(counts.field(1).take(at), 0)
    share = pc.round(pc.multiply(flat(representative_pairs["resemblance"]), float(_ONE))).cast(
        pa.int64()
    )
    left, right = (flat(representative_pairs[side]) for side in ("left", "right"))
    rows = pa.concat_arrays([left, right])
    parts = [pc.multiply(share, size.take(right)), pc.multiply(share, size.take(left))]
    table = pa.table({"row": rows, "part": pa.concat_arrays(parts)})
    sums = table.group_by("row", use_threads=False).aggregate([("part", "sum")])
    place = pc.index_in(pa.arange(0, len(size)), value_set=flat(sums["row"]))
    others = pc.fill_null(flat(sums["part_sum"]).take(place), 0)
    return pc.add(pc.multiply(pc.subtract(size, 1), _ONE), others).take(representatives)


def deciding_policies(
    documents: pa.Table,
    policies: Sequence[str],
    *,
    better_rows: pa.Array,
    worse_rows: pa.Array,
    read_column: Callable[[str], pa.ChunkedArray] | None = None,
    roots: Sequence[str] = (),
    folders: Folders | None = None,
) -> pa.Array:
    """Return for each pair of rows the policy that ranks one before the other, as text.

    Args:
        documents, policies, read_column, roots, folders: as for ``order_documents_best_first``.
        better_rows, worse_rows: m rows each.
    """
    cases, names = [], []
    disk = _SortKey(pa.chunked_array([flat(_are_files_on_disk(documents))]), "descending", ON_DISK)
    for key in (
        disk,
        *_sort_keys_of_policies(
            documents, policies, read_column=read_column, roots=roots, folders=folders
        ),
    ):
        values = flat(key.values)
        if pa.types.is_null(values.type):  # Not every version of Arrow can compare them.
            values = values.cast(pa.int8())
        one, other = values.take(better_rows), values.take(worse_rows)
        differ = pc.fill_null(pc.not_equal(one, other), False)
        cases.append(pc.or_(differ, pc.xor(one.is_valid(), other.is_valid())))
        names.append(
            key.reason if isinstance(key.reason, str) else key.reason(better_rows, worse_rows)
        )
    rules = pa.StructArray.from_arrays(cases, [f"{at}" for at in range(len(cases))])
    return pc.case_when(rules, *names, "first")


def reasons_to_drop_or_null(
    documents: pa.Table,
    policies: Sequence[str],
    *,
    docs: pa.Array,
    keepers: pa.Array,
    read_column: Callable[[str], pa.ChunkedArray] | None,
    baseline_size: int,
    roots: Sequence[str] = (),
    folders: Folders | None = None,
) -> pa.Array:
    """Return for each member of a cluster why it does not stay; null for keepers.

    Args:
        documents, policies, read_column, baseline_size, roots, folders: as for
            ``order_documents_best_first``.
        docs, keepers: m rows each.
    """
    policy = deciding_policies(
        documents,
        policies,
        better_rows=keepers,
        worse_rows=docs,
        read_column=read_column,
        roots=roots,
        folders=folders,
    )
    policy = pc.if_else(pc.less(keepers, baseline_size), HELD, policy)
    return pc.if_else(pc.equal(docs, keepers), None, policy)


class _SortKey(NamedTuple):
    """A column, the order in which its best comes first, and a phrase for what it decides by.

    The words are a text, or a function of pairs of rows that the column tells apart.
    """

    values: pa.ChunkedArray
    order: str
    reason: str | Callable[[pa.Array, pa.Array], pa.Array]


def _sort_keys_of_policies(
    documents: pa.Table,
    policies: Sequence[str],
    *,
    read_column: Callable[[str], pa.ChunkedArray] | None,
    roots: Sequence[str],
    folders: Folders | None,
) -> list[_SortKey]:
    """Return the sort keys of the policies; those after ``first`` or ``last`` have no effect, since
    no two rows tie there.
    """
    keys = []
    for policy in policies:
        name, _, argument = policy.partition(":")
        _refuse_unfit_policy(policy, has_columns=read_column is not None)
        if name == "first":
            keys.append(_SortKey(documents["doc"], "ascending", policy))
        elif name == ORIGINAL:
            keys += _sort_keys_of_original(documents, folders)
        elif name == CENTRAL:
            known = CENTRAL in documents.column_names
            values = documents[CENTRAL] if known else pa.nulls(len(documents), pa.int64())
            values = pa.chunked_array([values]) if not known else values
            keys.append(_SortKey(values, "descending", policy))
        elif name == "prefer":
            keys.append(
                _SortKey(
                    _do_sources_match_pattern(documents["source"], argument, roots),
                    "descending",
                    policy,
                )
            )
        else:
            own = _COLUMNS.get(name, "modified")
            values = (
                _check_numbers_or_times(read_column(argument), name, argument)
                if argument and read_column
                else documents[own]
            )
            keys.append(_SortKey(values, _BEST_FIRST[name], policy))
    return keys


def columns_of_policies(policies: Iterable[str]) -> list[str]:
    """Return the columns of rows that policies name, each once.

    >>> columns_of_policies(["max:stars", "prefer:docs/*", "first"])
    ['stars']
    """
    parts = (policy.partition(":") for policy in policies if not policy.startswith("prefer:"))
    return list(dict.fromkeys(column for _, _, column in parts if column))


def refuse_unfit_policies(
    policies: Sequence[str], *, has_columns: bool = False, excluded_policies: Collection[str] = ()
) -> None:
    """Refuse policies that are unknown, or have no effect together, before any work.

    Args:
        policies: the policies.
        has_columns: whether the documents are rows with columns; if so, they have no modification
            time.
        excluded_policies: policies that are known elsewhere alone.

    Raises:
        OptionError: a policy is unknown, or would have no effect beside another one.
    """
    alone = [policy for policy in policies if has_columns and policy in ROW_POLICIES]
    if alone and len(policies) > 1:
        raise OptionError(
            f"keep is {', '.join(map(repr, policies))}; with {alone[0]!r} no row of a cluster "
            "stays, so no other policy has an effect. Leave out one or the other."
        )
    for policy in policies:
        _refuse_unfit_policy(policy, has_columns=has_columns, excluded_policies=excluded_policies)


def _refuse_unfit_policy(
    policy: str, *, has_columns: bool, excluded_policies: Collection[str] = ()
) -> None:
    name, _, argument = OPTIONS["keep"].kind.check("keep", policy).partition(":")
    if has_columns and policy in TIMES:
        raise OptionError(
            f"keep is {policy!r}; rows have no modification time, so name a column: "
            f"{policy}:COLUMN."
        )
    takes_column = has_columns and f"{name}:COLUMN" in COLUMN_POLICIES
    allowed = [*POLICIES, *(COLUMN_POLICIES | ROW_POLICIES if has_columns else ())]
    allowed = [name for name in allowed if name not in excluded_policies]
    if policy in allowed or (argument and (name == "prefer" or takes_column)):
        return
    raise OptionError(f"keep is {policy!r}; it must be one of {', '.join(allowed)}.")


#: A whole number of at most 64 bits, without a zero before it, as a code may have.
_WHOLE_NUMBER = "^(0|-?[1-9][0-9]{0,17})$"


def _check_numbers_or_times(
    values: pa.ChunkedArray, policy_name: str, column_name: str
) -> pa.ChunkedArray:
    """Return the column as the times or numbers that the policy needs.

    Whole numbers may be written as strings, as ids often are.
    """
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        digits = pc.match_substring_regex(values, _WHOLE_NUMBER)
        if values.null_count < len(values) and pc.all(digits).as_py():
            return values.cast(pa.int64())
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    time = pa.types.is_timestamp(kind) or pa.types.is_date(kind)
    if number or time or pa.types.is_null(kind):
        return values
    raise OptionError(
        f"keep is '{policy_name}:{column_name}', and the column {column_name} holds {kind}; it "
        "must hold numbers, or times as ISO 8601 writes them, such as 2013-02-28T12:00:00."
    )


def prefer_policies_without_match(
    documents: pa.Table, policies: Sequence[str], roots: Sequence[str]
) -> list[str]:
    """Return the policies whose pattern matches no document."""
    pattern_of = {
        policy: policy.partition(":")[2] for policy in policies if policy.startswith("prefer:")
    }
    sources = documents["source"]
    return [
        policy
        for policy, pattern in pattern_of.items()
        if not pc.any(_do_sources_match_pattern(sources, pattern, roots)).as_py()
    ]


def _are_files_on_disk(documents: pa.Table) -> pa.ChunkedArray | pa.BooleanArray:
    """Return whether each document is a file on disk, and not in another one, or a row."""
    if "file" not in documents.column_names:
        return pa.repeat(False, len(documents))
    return pc.fill_null(pc.equal(documents["file"], documents["source"]), False)


def _sort_keys_of_original(documents: pa.Table, ranked_folders: Folders | None) -> list[_SortKey]:
    """Return the keys of what a person would keep; documents that are no files all tie."""
    folders = ranked_folders or rank_folders_if_any_file(documents)
    if folders is None:
        return []

    def reasons_of_folders_or_null(better: pa.Array, worse: pa.Array) -> pa.Array:
        sides = zip(
            *(folders.places.take(rows).to_pylist() for rows in (better, worse)), strict=True
        )
        return pa.array(
            (
                None if one == other else folders.explain_precedence_unless_one_on_disk(one, other)
                for one, other in sides
            ),
            pa.string(),
        )

    return [
        _SortKey(pa.chunked_array([folders.ranks]), "ascending", reasons_of_folders_or_null),
        _SortKey(documents["modified"], "ascending", AGE),
    ]


def _do_sources_match_pattern(
    sources: pa.ChunkedArray, pattern: str, roots: Sequence[str]
) -> pa.ChunkedArray:
    """Return whether a glob matches the name of each document, its path, or that below a root."""
    matches = re.compile(fnmatch.translate(pattern)).match
    tops = tuple(root.rstrip("/") + "/" for root in roots)

    def matched_paths(name: str) -> Iterator[str]:
        yield from (name, name.rpartition("/")[2])
        for top in tops:
            if name.startswith(top):
                yield from (name[len(top) :], name[len(top) - 1 :])

    encoded: Any = flat(sources.dictionary_encode())
    names = encoded.dictionary.to_pylist()
    found = pa.array([any(map(matches, matched_paths(name))) for name in names], pa.bool_())
    return pa.chunked_array([found.take(encoded.indices)], pa.bool_())
