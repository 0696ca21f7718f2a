"""The lecture's applications of near-duplicate detection, each on generated texts.

They call the library like any user. Mirrors and addresses are not about texts, and not here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

import ilk
from ilk_papers.measure.edits import edit_text
from ilk_papers.seeded import draw_below, seeded_draw
from ilk_papers.standins import generate_prose

#: A mail sent to many people, slightly different for each.
_MAIL = (
    "Dear {name}, you have been chosen out of {number} people for our prize of {number} euros. To "
    "claim it send your name and address to the office of prizes before the end of the month, and "
    "mention the code {number}. This offer is only for you and it does not come again, so answer "
    "today. With kind regards, the office of prizes of the city."
)

_PAGE = "Catalogue of parts\nHome | Parts | Contact\n{fields}\nPrices include tax.\nBack to top"


def find_clusters_of_two_or_more(texts: Sequence[str], min_resemblance: float) -> list[list[int]]:
    """Return the clusters of related texts: the rows of every group of at least two."""
    members = ilk.find(pa.array(texts, pa.large_string()), resemblance=min_resemblance).clusters
    groups: dict[int, list[int]] = {}
    for row in members.select(["cluster", "doc"]).to_pylist():
        groups.setdefault(row["cluster"], []).append(row["doc"])
    return [sorted(rows) for rows in groups.values() if len(rows) > 1]


def extract_lines_outside_template(pages: Sequence[str]) -> list[list[str]]:
    """Return the data in pages of one template: of each page the lines that few have.

    A line that at least half of the pages have belongs to the template.
    """
    having = Counter(line for page in pages for line in {*page.splitlines()})
    return [[line for line in page.splitlines() if 2 * having[line] < len(pages)] for page in pages]


class Catalogue(NamedTuple):
    """Pages of one template, and the data in each."""

    pages: list[str]
    data: list[list[str]]


def generate_catalogue(page_count: int, seed: int) -> Catalogue:
    """Return pages of one template, and the data that was put into each."""
    draw = seeded_draw(seed)
    data = [
        [
            f"Part {at}",
            f"Weight: {draw_below(draw, 10**9)} g",
            f"Price: {draw_below(draw, 10**9)} euros",
        ]
        for at in range(page_count)
    ]
    return Catalogue([_PAGE.format(fields="\n".join(lines)) for lines in data], data)


@dataclass(frozen=True, slots=True)
class Plagiarism:
    """A work that took a passage: how both compare, and the words of the longest passage."""

    compared: ilk.Comparison
    longest: int


def measure_plagiarism(source: str, work: str) -> Plagiarism:
    """Return how much of a work is in a source, and its longest passage."""
    compared = ilk.compare([source], [work])
    return Plagiarism(compared, max((each.words for each in compared.passages), default=0))


class PlagiarisedWork(NamedTuple):
    """A source, and a work that copies from it."""

    source: str
    work: str


def generate_plagiarism(seed: int) -> PlagiarisedWork:
    """Return a source of 600 words, and a work of 600 with 200 from the source."""
    source, own = generate_prose(600, seed).split(), generate_prose(400, seed + 1).split()
    return PlagiarisedWork(" ".join(source), " ".join(own[:200] + source[300:500] + own[200:]))


def generate_mails(variants: int, singletons: int, seed: int) -> list[str]:
    """Return variants of one mail to many, then mails that are no variants."""
    draw = seeded_draw(seed)
    made = [
        _MAIL.format(name=f"name{at}", number=draw_below(draw, 10**6)) for at in range(variants)
    ]
    return made + [generate_prose(60, seed + at) for at in range(singletons)]


def generate_revisions(count: int, seed: int) -> list[str]:
    """Return a document of 400 words and its revisions, each with a twentieth replaced."""
    versions = [generate_prose(400, seed)]
    for at in range(1, count):
        versions.append(
            edit_text(
                versions[-1],
                "replace",
                0.05,
                spread="block",
                seed=f"{seed} {at}",
                foreign=generate_prose(400, seed + 1),
            )
        )
    return versions


class TwoDocumentsAndConcatenation(NamedTuple):
    """Two documents, and the one that they were merged into."""

    first: str
    second: str
    merged: str


def generate_two_documents_and_their_concatenation(seed: int) -> TwoDocumentsAndConcatenation:
    """Return two documents of 300 words, and the one that they were merged into."""
    first, second = generate_prose(300, seed), generate_prose(300, seed + 1)
    return TwoDocumentsAndConcatenation(first, second, first + second)
