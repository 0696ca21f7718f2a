"""One package with the settings of its documentation: ``documented.py PACKAGE ASKED FOUND``.

Runs in the packages' own environment, so that it imports nothing of the benchmarks. ``ASKED`` holds
texts; where its metadata have a resemblance and words per shingle, the pairs that the package takes
to be near-duplicates go to ``FOUND``, unverified; else its fingerprints, as numbers that equal
texts have all in common.

Settings that the documentation leaves to the user are those of the question: the threshold, the
words per shingle, and lower case.
"""

from __future__ import annotations

import itertools
import pickle
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather

Pairs = Iterable[tuple[int, int]]
Numbers = np.ndarray[Any, Any]

_BITS = 64


@dataclass(frozen=True, slots=True)
class Question:
    """Texts, the least resemblance of the pairs that are wanted, and the words per shingle."""

    texts: list[str]
    resemblance: float
    words: int


class Package(Protocol):
    """One way in which a package finds near-duplicates."""

    def pairs(self, asked: Question) -> Pairs:
        """The rows of what it takes to be near-duplicates, in any order, twice or once."""

    def prints(self, texts: list[str]) -> Numbers:
        """For n texts the k numbers of their fingerprints."""


class GaoyaMinHash:
    """MinHashStringIndex, its constructor's defaults: 20 bands of 5 hashes, single words."""

    def pairs(self, asked: Question) -> Pairs:
        """What shares a band and is estimated to reach the threshold."""
        index = _gaoya("minhash").MinHashStringIndex(
            jaccard_threshold=asked.resemblance,
            lowercase=True,
            ngram_range=(asked.words, asked.words),
        )
        return _asked_one_by_one(index, asked.texts)

    def prints(self, texts: list[str]) -> Numbers:
        """The 100 hashes."""
        index = _gaoya("minhash").MinHashStringIndex(lowercase=True, ngram_range=(1, 1))
        return np.array(index.minhash_index.bulk_hash_docs(texts), np.uint32)


class GaoyaSimHash:
    """SimHashStringIndex, its constructor's defaults: 64 bits, 6 blocks, distance 5."""

    def pairs(self, asked: Question) -> Pairs:
        """What is near: it has no threshold."""
        return _asked_one_by_one(self._index(), asked.texts)

    def prints(self, texts: list[str]) -> Numbers:
        """The 64 bits."""
        index = self._index().index
        found = np.array([index.doc2signature(text) for text in texts], np.uint64)
        return _bits(found.view(np.uint8).reshape(-1, _BITS // 8))

    def _index(self) -> Any:
        return _gaoya("simhash").SimHashStringIndex(lowercase=True, ngram_range=(1, 1))


class Datasketch:
    r"""MinHashLSH of 128 permutations; the user's shingles are of ``\w+`` here."""

    permutations = 128

    def pairs(self, asked: Question) -> Pairs:
        """What shares a band; their number and width follow from the threshold."""
        index = import_module("datasketch").MinHashLSH(
            threshold=asked.resemblance, num_perm=self.permutations
        )
        signatures = [self._signature(text, asked.words) for text in asked.texts]
        for row, signature in enumerate(signatures):
            index.insert(row, signature)
        return ((row, other) for row, s in enumerate(signatures) for other in index.query(s))

    def prints(self, texts: list[str]) -> Numbers:
        """The 128 hashes of single words."""
        return np.array([self._signature(text, 1).hashvalues for text in texts], np.uint32)

    def _signature(self, text: str, words: int) -> Any:
        tokens = re.findall(r"\w+", text.lower())
        shingles = {" ".join(tokens[at : at + words]) for at in range(len(tokens) - words + 1)}
        signature = import_module("datasketch").MinHash(num_perm=self.permutations)
        signature.update_batch([shingle.encode() for shingle in shingles])
        return signature


class TextDedupMinHash:
    """``python -m text_dedup.minhash``: 250 permutations, clusters of what shares a band."""

    def pairs(self, asked: Question) -> Pairs:
        """All pairs of its clusters."""
        options = f"--threshold={asked.resemblance}", f"--ngram={asked.words}"
        return _clustered("minhash", asked.texts, *options)

    def prints(self, texts: list[str]) -> Numbers:
        """The 250 hashes of its 5-word shingles."""
        module = import_module("text_dedup.minhash")
        defaults = import_module("text_dedup.utils").MinHashArgs()
        random = np.random.RandomState(defaults.seed)
        prime = np.uint64((1 << 61) - 1)
        factors, terms = (
            random.randint(low, prime, size=defaults.num_perm, dtype=np.uint64) for low in (1, 0)
        )
        rows = [
            module.embed_func(
                text,
                row,
                num_perm=defaults.num_perm,
                ngram_size=defaults.ngram,
                min_length=defaults.min_length,
                hashranges=[(0, defaults.num_perm)],
                permutations=(factors, terms),
                hash_func=lambda shingle: module.sha1_hash(shingle, d=32),
                dtype=np.uint64,
                max_hash=np.uint32((1 << 32) - 1),
                modulo_prime=prime,
            )[module.SIGNATURE_COLUMN][0]
            for row, text in enumerate(texts)
        ]
        return np.frombuffer(b"".join(rows), ">u8").reshape(len(texts), -1).astype(np.uint32)


class TextDedupSimHash:
    """``python -m text_dedup.simhash``: 64 bits, 3 characters, distance 3."""

    def pairs(self, asked: Question) -> Pairs:
        """All pairs of its clusters: it has no threshold."""
        return _clustered("simhash", asked.texts)

    def prints(self, texts: list[str]) -> Numbers:
        """The 64 bits."""
        module = import_module("text_dedup.simhash")
        ngram = import_module("text_dedup.utils").SimHashArgs().ngram
        rows = [
            module.embed_func(
                text, row, ngram=ngram, permutations=[], hash_func=module.xxh3_64_digest
            )[module.SIGNATURE_COLUMN]
            for row, text in enumerate(texts)
        ]
        return _bits(np.frombuffer(b"".join(rows), np.uint8).reshape(-1, _BITS // 8))


def _gaoya(kind: str) -> Any:
    return import_module(f"gaoya.{kind}")


def _asked_one_by_one(index: Any, texts: list[str]) -> Iterator[tuple[int, int]]:
    """What an index of all the texts answers to each."""
    for row, text in enumerate(texts):
        index.insert_document(row, text)
    for row, text in enumerate(texts):
        yield from ((row, other) for other in index.query(text))


def _clustered(module: str, texts: list[str], *options: str) -> Iterator[tuple[int, int]]:
    """The pairs of the clusters that a script of text-dedup makes of texts."""
    with tempfile.TemporaryDirectory() as folder:
        asked, found = Path(folder, "asked"), Path(folder, "found")
        import_module("datasets").Dataset.from_dict({"text": texts}).save_to_disk(asked)
        command = [sys.executable, "-m", f"text_dedup.{module}", "--local", f"--path={asked}"]
        command += [f"--output={found}", "--column=text", "--debug", "--num_proc=1", *options]
        subprocess.run(command, check=True, cwd=folder)
        with Path(found, "uf.pkl").open("rb") as file:
            forest = pickle.load(file)
    clusters = defaultdict(list)
    for row in list(forest.parent):
        clusters[forest.find(row)].append(row)
    for members in clusters.values():
        yield from itertools.combinations(members, 2)


def _bits(octets: Numbers) -> Numbers:
    """The bits of n rows of bytes, each a number."""
    return np.unpackbits(octets, axis=1)


PACKAGES: dict[str, Package] = {
    "gaoya MinHash": GaoyaMinHash(),
    "gaoya SimHash": GaoyaSimHash(),
    "datasketch MinHash LSH": Datasketch(),
    "text-dedup MinHash": TextDedupMinHash(),
    "text-dedup SimHash": TextDedupSimHash(),
}


def main() -> None:
    """Answer one question."""
    name, asked, found = sys.argv[1:]
    table = feather.read_table(asked)
    texts = table.column("text").to_pylist()
    question = table.schema.metadata or {}
    if question:
        resemblance, words = float(question[b"resemblance"]), int(question[b"words"])
        near = PACKAGES[name].pairs(Question(texts, resemblance, words))
        pairs = {(min(pair), max(pair)) for pair in near if pair[0] != pair[1]}
        left, right = np.array(sorted(pairs), np.int64).reshape(-1, 2).T
        answer = pa.table({"left": left, "right": right})
    else:
        numbers = PACKAGES[name].prints(texts).astype(np.uint32)
        flat = pa.FixedSizeListArray.from_arrays(pa.array(numbers.ravel()), numbers.shape[1])
        answer = pa.table({"print": flat})
    feather.write_feather(answer, found, "uncompressed")


if __name__ == "__main__":
    main()
