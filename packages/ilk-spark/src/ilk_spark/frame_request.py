"""The request for a data frame, checked once and passed on together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk.companions import (
    CENTRAL,
    Query,
    SearchPlan,
    measures,
    query_with_base_text_if_given,
    search_plan,
)
from ilk.plugins import Choice, ColumnTypeError, OptionError, Reading, arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Bits of the sketches that separate texts with a common rare shingle from strangers, and the
#: chance that they lose a pair just at the least resemblance.
_BITS, _LOST = 128, 1e-10

#: Ways to candidates, and the most rows that are joined by their rare shingles by default.
_PAIRINGS, _EXACT = Choice(("exact", "bands")), 10**9

#: The most bands, and the most least images in one.
_MOST_BANDS, _WIDEST = 24, 16

#: Names, in ilk's own frames, of the columns that order rows, and of those for policies.
_ORDER, _VALUE = "order_", "value_"


class BandShape(NamedTuple):
    """How many bands of least images a text sends, and how many images are in each."""

    bands: int
    width: int


@dataclass(frozen=True)
class FrameRequest:
    """The request for a data frame.

    Attributes:
        query: what near-duplicates are, and which of them stays.
        text: the columns of texts.
        id: the column that names a row.
        order_by: the columns to order rows by; ties are broken by id.
        pairing: ``exact`` or ``bands``; if None, the number of rows decides.
        only_against: whether rows are compared with those of the baseline alone.
    """

    query: Query
    text: tuple[str, ...]
    id: str
    order_by: tuple[str, ...]
    pairing: str | None = None
    only_against: bool = False

    @classmethod
    def check_options_and_read_base_text(
        cls,
        query: Query,
        text: str | Sequence[str],
        *,
        id: str,
        order_by: str | Sequence[str] | None,
        pairing: str | None = None,
        ignore_text: Any = None,
        only_against: bool = False,
    ) -> FrameRequest:
        """Combine options into a request; the base text, if there is one, is read here.

        Raises:
            NothingRead, SourceNotFound: the base text cannot be read.
            OptionError: an option is unknown; or a policy needs names of files, which rows of a
                frame lack.
        """
        if query.keep_up_to != 1:
            raise OptionError(
                'on Spark, one row of a cluster stays; leave out `keep_up_to`, and `keep="none"`.'
            )
        for policy in query.keep:
            if policy == CENTRAL:
                raise OptionError(
                    f"`keep` is {policy!r}, which needs all pairs; on Spark, choose another policy."
                )
            if policy.startswith("prefer:"):
                raise OptionError(
                    f"`keep` is {policy!r}, but rows of a data frame are in no file. Order them by "
                    "a column: `order_by`."
                )
        chosen_pairing = None if pairing is None else _PAIRINGS.check("pairing", pairing)
        query = query_with_base_text_if_given(query, ignore_text, Reading.of(), jobs=1)
        return cls(
            query=query,
            text=_names_as_tuple(text),
            id=id,
            order_by=_names_as_tuple(order_by or ()),
            pairing=chosen_pairing,
            only_against=only_against,
        )

    def with_chosen_or_default_pairing(self, row_count: int) -> FrameRequest:
        """Return the same with the way to candidates that was chosen, or suits the rows."""
        default = "exact" if row_count <= _EXACT else "bands"
        return self if self.pairing is not None else replace(self, pairing=default)

    @property
    def least_resemblance(self) -> float:
        """Return the least resemblance."""
        numerator, denominator = self.resemblance_ratio
        return numerator / denominator

    @property
    def band_shape_or_none(self) -> BandShape | None:
        """Return the number of bands and their width; None if rare shingles are joined.

        They are as wide as possible for the wanted recall.
        """
        if self.pairing != "bands":
            return None
        for width in range(_WIDEST, 0, -1):
            missed = 1 - self.least_resemblance**width
            least = math.log(max(1 - float(self.query.recall), _LOST))
            count = math.ceil(least / math.log(missed)) if 0 < missed < 1 else 1
            if count <= _MOST_BANDS or width == 1:
                return BandShape(count, width)
        raise AssertionError("a width is always found")

    @property
    def promise_sentence(self) -> str:
        """Return which share of the near-duplicates is found, in a sentence."""
        return self._pair_promise_sentence + (
            "; compared with the reference alone" if self.only_against else ""
        )

    @property
    def _pair_promise_sentence(self) -> str:
        if self.band_shape_or_none is None:
            return search_plan.promise_sentence(
                SearchPlan(query=self.query, pairing="exact"), search_plan.ROWS
            )
        count, width = self.band_shape_or_none
        found = 1 - (1 - self.least_resemblance**width) ** count
        return (
            f"by {count} bands of {width}: pairs verified at resemblance >= "
            f"{self.least_resemblance}; expected to find {found:.2%} of those just at it, and more "
            "of the others"
        )

    @property
    def policy_columns(self) -> tuple[str, ...]:
        """Return the columns that policies use."""
        named = (policy.partition(":")[2] for policy in self.query.keep)
        return tuple(dict.fromkeys(name for name in named if name))

    @property
    def extra_columns_by_new_name(self) -> dict[str, str]:
        """Return the user's columns to keep for a row besides its id, by their new names."""
        ordering = {f"{_ORDER}{at}": name for at, name in enumerate(self.order_by)}
        return ordering | {f"{_VALUE}{at}": name for at, name in enumerate(self.policy_columns)}

    @property
    def keeper_ranking_columns_unless_by_order(self) -> tuple[str, ...]:
        """Return which known columns decide which of two rows stays, if their order does not.

        These are names of ``extra_columns_by_new_name`` columns, and the length.
        """
        if self.query.keep[:1] in ((), ("first",), ("last",)):
            return ()
        return (
            "length",
            *(place for place in self.extra_columns_by_new_name if place.startswith(_VALUE)),
        )

    @property
    def resemblance_ratio(self) -> tuple[int, int]:
        """Return the least resemblance in the form for the kernels."""
        assert self.query.resemblance is not None, "the exact way always has a threshold"
        return measures.kernel_ratio_at_most(self.query.resemblance)

    @property
    def sketch_radius(self) -> int:
        """Return how many bits of their sketches may differ for a pair that is alike.

        A bit differs with probability (1 - resemblance) / 2 (Li and Koenig 2010, section 2).
        """
        differing = (1 - self.least_resemblance) / 2
        fitting = (
            at
            for at in range(_BITS)
            if measures.binomial_upper_tail(at + 1, _BITS, differing) < _LOST
        )
        return next(fitting, _BITS)

    def refuse_unfit_frame(self, frame: DataFrame) -> None:
        """Refuse a frame that lacks a column, or whose texts are not strings.

        Raises:
            ColumnTypeError: it has another type, or does not exist.
            TypeError: it is not a data frame.
        """
        from pyspark.sql.types import AtomicType, StringType

        fields = getattr(getattr(frame, "schema", None), "fields", None)
        if fields is None:  # A class would not do: those of Spark Connect are others.
            raise TypeError(f"{frame!r:.60} is not a data frame of Spark.")
        have = {field.name: field.dataType for field in fields}
        for name in (*self.text, self.id, *self.order_by, *self.policy_columns):
            if name not in have:
                raise ColumnTypeError(
                    f"there is no column {name}; the columns are {', '.join(have)}."
                )
        for name in self.text:
            if not isinstance(have[name], StringType):
                kind = have[name].simpleString()
                raise ColumnTypeError(f"the column {name} holds {kind}; it must hold strings.")
        for name in (self.id, *self.order_by):
            if not isinstance(have[name], AtomicType):
                kind = have[name].simpleString()
                raise ColumnTypeError(
                    f"the column {name} holds {kind}; it must hold values that can be ordered."
                )

    def refuse_differing_column_types(self, frame: DataFrame, other: DataFrame) -> None:
        """Refuse a frame whose columns have other types than those of another frame.

        Raises:
            ColumnTypeError: Spark would convert one of them, and ids would be different rows.
        """
        for name in (self.id, *self.extra_columns_by_new_name.values()):
            kinds = [one.schema[name].dataType.simpleString() for one in (frame, other)]
            if kinds[0] != kinds[1]:
                raise ColumnTypeError(
                    f"the column {name} holds {kinds[0]} in one frame, and {kinds[1]} in the "
                    "other; cast one of them."
                )

    def order_rows(self, table: pa.Table) -> pa.Table:
        """Return rows in the order of the data set, those of a baseline first."""
        names = [
            "id",
            *(name for name in self.extra_columns_by_new_name if name.startswith(_ORDER)),
        ]
        keys = table.select(names).append_column("own", _baseline_first_sort_key(table))
        order = [("own", "ascending"), *((name, "ascending") for name in names[1:])]
        return table.take(pc.sort_indices(keys, sort_keys=[*order, ("id", "ascending")]))

    def policy_column_reader(self, table: pa.Table) -> _PolicyColumnReader:
        """Return a function that returns the columns of policies by name."""
        places = {
            name: place
            for place, name in self.extra_columns_by_new_name.items()
            if place.startswith(_VALUE)
        }
        return _PolicyColumnReader(table, places)


class _PolicyColumnReader:
    """The columns of policies, by the names that the user knows."""

    def __init__(self, table: pa.Table, places: dict[str, str]) -> None:
        self._table, self._places = table, places

    def __call__(self, name: str) -> pa.ChunkedArray:
        return self._table[self._places[name]]


def count_baseline_rows(table: pa.Table) -> int:
    """Return how many rows are in the baseline."""
    return int(pc.sum(table["held"]).as_py() or 0)


def _baseline_first_sort_key(table: pa.Table) -> pa.Array:
    return pc.invert(arrow.flat(table["held"])).cast(pa.int8())


def _names_as_tuple(names: str | Iterable[Any]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
