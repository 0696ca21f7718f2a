"""One small number per text: similar texts differ in few bits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from ilk import _kernels, arrow
from ilk.base import resources
from ilk.base.errors import RecipeError
from ilk.fingerprints.recipe import Recipe, check_recipe
from ilk.fingerprints.recipe_options import MASKS, stop_words_of_list

#: Why a text has no fingerprint, by the kernel's code.
_REASONS = pa.array([None, "null", "blank", "too few features"], pa.string())


@dataclass(frozen=True, slots=True)
class FingerprintWay:
    """The way from a text to its fingerprint, with its tables.

    Attributes:
        recipe: describes it.
        kernel: the way in the form for the kernels.
    """

    recipe: Recipe
    kernel: _kernels.Recipe


def make_fingerprint_way(recipe: Recipe) -> FingerprintWay:
    """Return the way from text to fingerprint, with its tables.

    Raises:
        RecipeError: the recipe names a table or a key that was not given.
        RecipeMismatch: its stop list is not the installed one.
        MissingExtra: its stop list comes with a package that is not installed.
    """
    for name, held, spelling in (
        ("table", recipe.weights, "weights"),
        ("key", recipe.secret, "secret"),
    ):
        if getattr(recipe, name) != "none" and held is None:
            raise RecipeError(
                f"the recipe names the {name} {getattr(recipe, name)}, which was not given. Give "
                f"it (`{spelling}`)."
            )
    kernel = _kernels.Recipe(
        kind=recipe.kind,
        bits=recipe.bits,
        unit=recipe.unit,
        width=recipe.width,
        weight=recipe.weight,
        ties=recipe.ties,
        normalisation=recipe.normalisation,
        masks=[name for name in MASKS if getattr(recipe, name) != "kept"],
        stop_words=[] if recipe.stop == "none" else stop_words_of_list(recipe.stop),
        minimum=recipe.minimum,
        hash_name=recipe.hash,
        key=recipe.secret,
        table=None if recipe.weights is None else recipe.weights.kernel,
    )
    return FingerprintWay(recipe, kernel)


#: Columns ``source``, ``id``, ``declared``, ``fingerprint`` and ``reason``.
DocumentFingerprintTable: TypeAlias = pa.Table


class FingerprintsOrReasons(NamedTuple):
    """Fingerprints of texts, and why others have none; one of the two is null in every row."""

    fingerprints: pa.Array
    reasons: pa.StringArray


def fingerprints_or_reasons(
    texts: arrow.Chunks, way: FingerprintWay, *, jobs: int
) -> FingerprintsOrReasons:
    """Return the fingerprint of every text, or the reason why it has none.

    Shape: n texts -> n fingerprints (``uint64``, or 16 bytes each for 128 bits) and n strings.

    Source: SimHash: Charikar 2002, section 3. MinHash: Broder 1997, section 3, packed to one bit
    per permutation as Li and Koenig 2010, section 2.
    """
    chunks = [
        _kernels.make_fingerprints(chunk, way.kernel, jobs) for chunk in arrow.kernel_chunks(texts)
    ]
    values = arrow.join_pieces(
        (value for value, _ in chunks), arrow.fingerprint_type(way.recipe.bits)
    )
    codes = arrow.join_pieces((code for _, code in chunks), pa.uint8())
    return FingerprintsOrReasons(values, _REASONS.take(codes))


def feature_sets_empty_for_null(texts: arrow.Texts, way: FingerprintWay, *, jobs: int) -> pa.Array:
    """Return the sorted, distinct features of every text by their numbers: lists of ``uint32``."""
    pieces = (
        _kernels.make_feature_id_sets(chunk, way.kernel, jobs)
        for chunk in arrow.kernel_chunks(texts)
    )
    return arrow.join_pieces(pieces, arrow.SETS)


def fingerprint_texts(
    texts: Any,
    recipe: Recipe | str | None = None,
    *,
    text_column: str | None = None,
    jobs: int | None = None,
) -> pa.Array:
    """Return the fingerprints of texts in memory, even if they name files."""
    way = make_fingerprint_way(check_recipe(recipe))
    return fingerprints_or_reasons(
        arrow.texts_to_read_once(texts, text_column), way, jobs=resources.thread_count(jobs)
    ).fingerprints


def fingerprint_documents(
    batches: Iterable[pa.RecordBatch | pa.Table], recipe: Recipe, *, jobs: int
) -> DocumentFingerprintTable:
    """Return the columns ``source``, ``id``, ``declared``, ``fingerprint`` and ``reason``.

    ``reason`` says why a document has no fingerprint. The column of fingerprints is marked with the
    recipe.
    """
    names, way = ("source", "id", "declared"), make_fingerprint_way(recipe)
    fields = [arrow.DOCUMENTS.field(name) for name in names]
    fields += [arrow.FINGERPRINTS.field(name) for name in ("fingerprint", "reason")]
    schema = arrow.with_fingerprint_field_of_recipe(pa.schema(fields), str(recipe), recipe.bits)
    parts = [schema.empty_table()]
    for batch in batches:
        columns = fingerprints_or_reasons(arrow.import_texts(batch["text"]), way, jobs=jobs)
        parts.append(pa.table([*(batch[name] for name in names), *columns], schema=schema))
    return pa.concat_tables(parts)
