"""One small number per text: similar texts differ in few bits."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base import packages, resources
from ilk.base.errors import RecipeError
from ilk.fingerprints.recipe import Recipe, checked_recipe
from ilk.fingerprints.recipe_options import (
    KERNEL_HASHES,
    MASKS,
    OTHER_HASHES,
    RABIN_HASH,
    stop_words,
)

#: Why a text has no fingerprint, by the kernel's code.
_REASONS = pa.array([None, "null", "blank", "too few features"], pa.string())


@dataclass(frozen=True, slots=True)
class FingerprintWay:
    """The way from a text to its fingerprint, with its tables.

    Attributes:
        recipe: describes it.
        kernel: the way in the form for the kernels.
        elsewhere: the function that hashes features, if the kernels do not: of texts, or for
            ``RABIN`` of a text, whose features it makes too.
    """

    recipe: Recipe
    kernel: _kernels.Recipe
    elsewhere: Callable[[Any], Any] | None


def way(recipe: Recipe) -> FingerprintWay:
    """Return the way from text to fingerprint, with its tables.

    Raises:
        RecipeError: the recipe names a table or a key that was not given.
        RecipeMismatch: its stop list is not the installed one.
        MissingExtra: its hash or its stop list comes with a package that is not installed.
    """
    for name, held, given in (
        ("table", recipe.weights, "weights"),
        ("key", recipe.secret, "secret"),
    ):
        if getattr(recipe, name) != "none" and held is None:
            raise RecipeError(
                f"the recipe names the {name} {getattr(recipe, name)}, which was not given. Give "
                f"it (`{given}`)."
            )
    ours = recipe.hash in KERNEL_HASHES
    kernel = _kernels.Recipe(
        kind=recipe.kind,
        bits=recipe.bits,
        unit=recipe.unit,
        width=recipe.width,
        weight=recipe.weight,
        ties=recipe.ties,
        normalisation=recipe.normalisation,
        masks=[name for name in MASKS if getattr(recipe, name) != "kept"],
        stop_words=stop_words(recipe.stop),
        minimum=recipe.minimum,
        hash_name=recipe.hash if ours else KERNEL_HASHES[0],
        key=recipe.secret,
        table=None if recipe.weights is None else recipe.weights.kernel,
    )
    return FingerprintWay(recipe, kernel, None if ours else hash_elsewhere(recipe.hash))


def hash_elsewhere(name: str) -> Callable[[Any], Any]:
    """Return the function of a hash that the kernels do not know.

    The last 128 bits of MD5 (RFC 1321) and SHA-1 (RFC 3174) count. Packages register the others as
    entry points of ``ilk.hashes``: functions of n texts that return n numbers, or for
    ``RABIN_HASH`` of a text that returns the hashes of its features.

    Raises:
        MissingExtra: its package is not installed.
    """
    if name in ("md5", "sha1"):
        return lambda texts: [
            int.from_bytes(hashlib.new(name, text.encode()).digest()[-16:], "big") for text in texts
        ]
    point = packages.entry_points_of("hashes").get(name)
    if point is None:
        raise packages.missing("papers")
    function: Callable[[Any], Any] = packages.load(point)
    return function


def fingerprints(
    texts: arrow.Chunks, way: FingerprintWay, *, jobs: int
) -> tuple[pa.Array, pa.Array]:
    """Return the fingerprint of every text, or the reason why it has none.

    Shape: n texts -> n fingerprints (``uint64``, or 16 bytes each for 128 bits) and n strings, one
    of the two null in every row.

    Source: SimHash: Charikar 2002, section 3. MinHash: Broder 1997, section 3, packed to one bit
    per permutation as Li and Koenig 2010, section 2.
    """
    chunks = [
        _kernels.fingerprints(chunk, way.kernel, jobs)
        if way.elsewhere is None
        else _of_runs(chunk, way.elsewhere)
        if way.recipe.hash == RABIN_HASH
        else _hashed_elsewhere(chunk, way, way.elsewhere, jobs)
        for chunk in arrow.kernel_chunks(texts)
    ]
    values = arrow.join_pieces(
        (value for value, _ in chunks), arrow.fingerprint_type(way.recipe.bits)
    )
    return values, _REASONS.take(arrow.join_pieces((reason for _, reason in chunks), pa.uint8()))


def _hashed_elsewhere(
    chunk: pa.Array, way: FingerprintWay, numbers: Callable[[Sequence[str]], list[int]], jobs: int
) -> tuple[pa.Array, pa.Array]:
    """Fingerprint by features hashed with another function, each distinct one once."""
    offsets, features, weights, reasons = _kernels.weighted_features(chunk, way.kernel, jobs)
    known = features.dictionary_encode()
    hashed: Any = numbers(known.dictionary.to_pylist())
    if OTHER_HASHES[way.recipe.hash] == 128:
        hashed = pa.array([number.to_bytes(16, "big") for number in hashed], arrow.WIDE)
    else:
        hashed = pa.array(hashed, pa.uint64())
    hashed = hashed.take(known.indices)
    values = _kernels.accumulate_features(
        offsets, hashed, weights, way.recipe.bits, way.recipe.ties
    )
    return pc.if_else(pc.equal(reasons, 0), values, pa.scalar(None, values.type)), reasons


def _of_runs(chunk: pa.Array, features: Callable[[str], Any]) -> tuple[pa.Array, pa.Array]:
    """Fingerprint by ``RABIN``, whose features are the units of a text as it stands."""
    values: list[int | None] = []
    reasons = []
    for data in chunk:
        text = "" if data.as_py() is None else data.as_py().decode(errors="surrogatepass")
        hashed = pa.array(features(text), pa.uint64())
        blank = not text or text.isspace()
        reasons.append((2 if blank else 0 if len(hashed) else 3) if data.is_valid else 1)
        offsets = pa.array([0, len(hashed)], pa.int64())
        value = _kernels.accumulate_features(offsets, hashed, None, 64, "zero")[0].as_py()
        values.append(None if reasons[-1] else value)
    return pa.array(values, pa.uint64()), pa.array(reasons, pa.uint8())


def feature_sets(texts: arrow.Texts, way: FingerprintWay, *, jobs: int) -> pa.Array:
    """Return the sorted, distinct features of every text by their numbers: lists of ``uint32``."""
    pieces = (
        _kernels.feature_sets(chunk, way.kernel, jobs) for chunk in arrow.kernel_chunks(texts)
    )
    return arrow.join_pieces(pieces, arrow.SETS)


def fingerprint_texts(
    texts: Any,
    recipe: Recipe | str | None = None,
    *,
    text: str | None = None,
    jobs: int | None = None,
) -> pa.Array:
    """Return the fingerprints of texts in memory, even if they name files."""
    made = way(checked_recipe(recipe))
    return fingerprints(arrow.passing(texts, text), made, jobs=resources.threads(jobs))[0]


def fingerprint_documents(
    batches: Iterable[pa.RecordBatch | pa.Table], recipe: Recipe, *, jobs: int
) -> pa.Table:
    """Return ``source``, ``id`` and ``declared`` of documents, fingerprints, and reasons.

    The column of fingerprints is marked with the recipe.
    """
    known, made = ("source", "id", "declared"), way(recipe)
    fields = [arrow.DOCUMENTS.field(name) for name in known]
    fields += [arrow.FINGERPRINTS.field(name) for name in ("fingerprint", "reason")]
    schema = arrow.with_recipe(pa.schema(fields), str(recipe), recipe.bits)
    parts = [schema.empty_table()]
    for batch in batches:
        columns = fingerprints(arrow.texts(batch["text"]), made, jobs=jobs)
        parts.append(pa.table([*(batch[name] for name in known), *columns], schema=schema))
    return pa.concat_tables(parts)
