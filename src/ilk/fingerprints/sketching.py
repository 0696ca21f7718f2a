"""MinHash signatures and sketches: a few features of a text that similar texts share.

Use them if you need more precision than a fingerprint of 128 bits, or the features themselves and
their places; or to compare with tools that keep them.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base import resources
from ilk.base.arguments import suggest_arguments
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.base.kinds import Choice, Whole
from ilk.fingerprints.recipe import Recipe, check_recipe
from ilk.fingerprints.texts import make_fingerprint_way

#: The most minima of a signature. Its estimate is then within 0.016 of the resemblance (95 %), and
#: it takes 16 KB a text; half the error would take four times as much.
MOST = 4096

#: Columns ``resemblance`` and ``standard_error``.
ResemblanceTable: TypeAlias = pa.Table

#: Columns ``ids`` and ``places``: of every text, the chosen features and where they are.
SketchTable: TypeAlias = pa.Table

#: One of ``METHODS``.
SketchMethod: TypeAlias = Literal["modulo", "winnow", "lowest", "highest"]

#: How a sketch chooses features, and what its number means.
METHODS: dict[SketchMethod, str] = {
    "modulo": "those whose id is 0 modulo the number",
    "winnow": "the least of every window of that number of ids, the rightmost of equals",
    "lowest": "the least ids, up to that number",
    "highest": "the greatest ids, up to that number",
}


@suggest_arguments
def signatures(
    texts: Any, recipe: Recipe | str | None = None, *, size: int = 128, jobs: int | None = None
) -> pa.FixedSizeListArray:
    """Return the MinHash signature of every text: the least images of its features.

    Args:
        texts: n texts, as for ``ilk.fingerprint``.
        recipe: defines the features; of MinHash, of any width. ``Recipe()`` by default.
        size: the number of permutations, 1 to 4096: first those of ``minhash`` fingerprints, then
            more.
        jobs: threads; by default one per processor.

    Returns:
        n lists of ``size`` numbers (``uint32``), null if there would be no fingerprint.

    Raises:
        ColumnTypeError: ``texts`` is not a column of texts.
        OptionError: ``size`` is out of bounds, or the recipe is not of MinHash.

    Source: Broder 1997, section 3.

    >>> signatures(["one and the same text"], size=3).type
    FixedSizeListType(fixed_size_list<item: uint32 not null>[3])
    """
    Whole(1, MOST).check("size", size)
    kernel = _make_minhash_kernel(recipe)
    minima_and_codes = [
        _kernels.make_flat_signatures_or_zeros(chunk, kernel, size, resources.thread_count(jobs))
        for chunk in arrow.kernel_chunks(arrow.texts_to_read_once(texts), slowdown=1 + size // 64)
    ]
    minima = arrow.join_pieces((minima for minima, _ in minima_and_codes), pa.uint32())
    codes = arrow.join_pieces((codes for _, codes in minima_and_codes), pa.uint8())
    kind = pa.list_(pa.field("item", pa.uint32(), nullable=False), size)
    return pa.FixedSizeListArray.from_arrays(minima, type=kind, mask=pc.greater(codes, 0))


@suggest_arguments
def resemblance(left: Any, right: Any) -> ResemblanceTable:
    """Return the resemblance of documents' features as estimated from signatures, pair by pair.

    Args:
        left, right: n signatures each, of one recipe and size. They carry no recipe, so this is not
            checked.

    Returns:
        A table of n rows: ``resemblance``, the share of minima that are equal, and
        ``standard_error``, which is ``sqrt(R (1 - R) / size)``; null if a signature is.

    Raises:
        ColumnTypeError: the columns are not of signatures, or differ in size or length.

    Source: Broder 1997, section 3.
    """
    left, right = _check_signatures(left), _check_signatures(right)
    if left.type != right.type or len(left) != len(right):
        raise ColumnTypeError(
            f"{len(left)} signatures of {left.type.list_size} minima cannot be compared with "
            f"{len(right)} of {right.type.list_size}; give columns of equal length and size."
        )
    size = left.type.list_size
    both_there = pc.and_(left.is_valid(), right.is_valid())
    minima = [side.filter(both_there).flatten() for side in (left, right)]
    equal = _kernels.count_equal_flat_minima(minima[0], minima[1], size)
    ratio = pc.divide(equal.cast(pa.float64()), float(size))
    error = pc.sqrt(pc.divide(pc.multiply(ratio, pc.subtract(1.0, ratio)), float(size)))
    # Each row with both signatures takes the next value.
    rows = pc.subtract(pc.cumulative_sum(both_there.cast(pa.int64())), 1)
    rows = pc.if_else(both_there, rows, pa.scalar(None, pa.int64()))
    return pa.table({"resemblance": ratio.take(rows), "standard_error": error.take(rows)})


@suggest_arguments
def sketches(
    texts: Any,
    method: SketchMethod,
    number: int,
    recipe: Recipe | str | None = None,
    *,
    jobs: int | None = None,
) -> SketchTable:
    """Return a few features of every text, chosen the same way in all, and their places.

    Args:
        texts: n texts, as for ``ilk.fingerprint``.
        method: ``modulo``, ``winnow``, ``lowest`` or ``highest``; see ``METHODS``.
        number: depending on the method, a modulus, a window, or how many; at least 1.
        recipe: defines the features; of MinHash. ``Recipe()`` by default.
        jobs: threads; by default one per processor.

    Returns:
        A table of n rows: ``ids``, the chosen features (``uint32``), ascending and distinct, and
        ``places``, the first chosen place of each among the text's features, from 0. Both are empty
        for a text without features.

    Raises:
        ColumnTypeError: ``texts`` is not a column of texts.
        OptionError: the method is unknown, ``number`` is out of bounds, or the recipe is not of
            MinHash.

    Source: Broder 1997, section 4 (modulo, lowest); Schleimer, Wilkerson and Aiken 2003 (winnow).

    >>> sketches(["a b a b", ""], "lowest", 1, Recipe(width=1))["places"].to_pylist()
    [[1], []]
    """
    Choice(tuple(METHODS)).check("method", method)
    Whole(1, 2**32 - 1).check("number", number)
    kernel = _make_minhash_kernel(recipe)
    columns = [
        _kernels.make_sketch_ids_and_places(
            chunk, kernel, method, number, resources.thread_count(jobs)
        )
        for chunk in arrow.kernel_chunks(arrow.texts_to_read_once(texts))
    ]
    return pa.table(
        {
            "ids": arrow.join_pieces((ids for ids, _ in columns), arrow.SETS),
            "places": arrow.join_pieces((places for _, places in columns), arrow.SETS),
        }
    )


def _make_minhash_kernel(recipe: Recipe | str | None) -> _kernels.Recipe:
    """Return the way from a text to a set of features, in the form for the kernels."""
    recipe = check_recipe(recipe)
    if recipe.kind != "minhash":
        raise OptionError(
            f"the recipe is of {recipe.kind}, but signatures and sketches need sets. Name a "
            "minhash recipe, such as precise."
        )
    return make_fingerprint_way(recipe).kernel


def _check_signatures(values: Any) -> pa.FixedSizeListArray:
    if isinstance(values, pa.ChunkedArray):
        values = arrow.flat(values)
    if not isinstance(values, pa.FixedSizeListArray) or values.type.value_type != pa.uint32():
        seen = getattr(values, "type", type(values).__name__)
        raise ColumnTypeError(f"expected a column of signatures, got {seen}.")
    return values
