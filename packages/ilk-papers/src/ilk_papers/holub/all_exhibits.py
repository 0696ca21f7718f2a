"""Holub's hash on example texts, step by step."""

from __future__ import annotations

from itertools import combinations

from ilk.companions import ignore_progress
from ilk.plugins import Step
from ilk_papers.frame import (
    Exhibit,
    Progress,
    Report,
    Value,
    make_exhibit,
    make_exhibits,
)
from ilk_papers.hashes import JENKINS, lookup3
from ilk_papers.holub import method
from ilk_papers.holub.method import PRESETS
from ilk_papers.simhash import distance, signs_of_votes

TEXTS = (
    "to be or not to be that is the question",
    "to be or not to be that was the question",
    "the question is that: not to be or to be",
    "all the world is a stage and all of us are merely players",
)

#: The length of V is the number of bits of the hash.
_WIDTHS = (16, 32, 64)

#: What lookup3's author prints that his own test gives: text, seeds, c and b.
VECTORS = (
    ("", (0, 0), 0xDEADBEEF, 0xDEADBEEF),
    ("", (0, 0xDEADBEEF), 0xBD5B7DDE, 0xDEADBEEF),
    ("", (0xDEADBEEF, 0xDEADBEEF), 0x9C093CCD, 0xBD5B7DDE),
    ("Four score and seven years ago", (0, 0), 0x17770551, 0xCE7226E6),
    ("Four score and seven years ago", (0, 1), 0xE3607CAE, 0xBD371DE4),
    ("Four score and seven years ago", (1, 0), 0xCD628161, 0x6CBEA4B3),
)

#: The steps of ``run``, with their seconds.
STEPS = (Step("holub: tables", 0.05),)


def run(*, progress: Progress = ignore_progress) -> Report:
    """Return the hash's self-test, one text step by step, and the distances of four."""
    return Report(
        make_exhibits(
            "holub",
            [_lookup3_test_vectors_table, _steps_table, _distances_table, _hashes_table],
            progress,
        )
    )


def _lookup3_test_vectors_table() -> Exhibit:
    rows = []
    for text, (first, second), c, b in VECTORS:
        value = lookup3(text.encode(), 64, (first, second))
        rows.append((text, f"{first:x} {second:x}", f"{b << 32 | c:016x}", f"{value:016x}"))
    columns = ("text", "seeds", "published", "computed")
    note = (
        "Holub's page names Jenkins' hash, but not which of his: one-at-a-time, lookup2 or lookup3."
        " The last table has all three."
    )
    return make_exhibit("lookup3", "lookup3: its author's self-test", columns, rows, note=note)


def _steps_table() -> Exhibit:
    weighted = method.count_weights(method.tokens(TEXTS[0]))
    rows = []
    for count in range(1, len(weighted) + 1):
        token, weight = list(weighted.items())[count - 1]
        of = method.add_weighted_votes(dict(list(weighted.items())[:count]))
        shown = " ".join(f"{int(value):+d}" for value in of[:12])
        hashed = f"{lookup3(token.encode(), method.BITS):016x}"
        rows.append((token, weight, hashed, shown, f"{signs_of_votes(of, ties=0):016x}"))
    columns = ("token", "weight", "hash", "V, its lowest 12 of 64", "signs")
    return make_exhibit("steps", f"{TEXTS[0]!r}, token by token", columns, rows)


def _distances_table() -> Exhibit:
    rows: list[tuple[Value, ...]] = []
    for name, preset in PRESETS.items():
        for bits in _WIDTHS:
            prints = [method.charikar_hash(text, preset, bits) for text in TEXTS]
            apart = [distance(a, b) for a, b in combinations(prints, 2)]
            rows.append((name, preset.tokens, bits, *apart))
    pairs = [f"{a} and {b}" for a, b in combinations(range(1, len(TEXTS) + 1), 2)]
    note = "\n".join(f"{at}: {text}" for at, text in enumerate(TEXTS, 1))
    columns = ("preset", "tokens", "bits", *pairs)
    return make_exhibit("distances", "Distances in bits", columns, rows, note=note)


def _hashes_table() -> Exhibit:
    """Show the texts' hashes by each hash that the page may mean, and what changes with it."""
    rows: list[tuple[Value, ...]] = []
    for name, hashed in JENKINS.items():
        prints = [method.charikar_hash(text, hash_function=hashed) for text in TEXTS]
        apart = [distance(a, b) for a, b in combinations(prints, 2)]
        rows.append(
            (name, *(f"{value:016x}" for value in prints[:2]), apart[0], apart[1], apart[2])
        )
    note = (
        "One-at-a-time here takes the steps of Jenkins' hash of 32 bits on numbers of 64. The "
        "hashes of a text differ, and the texts that are near stay near: only hashes of one kind "
        "can be compared."
    )
    columns = ("hash", "of text 1", "of text 2", "1 and 2", "1 and 3", "1 and 4")
    return make_exhibit(
        "jenkins", "The three hashes that the page may mean", columns, rows, note=note
    )
