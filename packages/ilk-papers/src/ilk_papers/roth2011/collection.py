"""The paper's 15 documents, assembled from parts that are cut out of texts or generated.

Source: Roth 2011, the table of documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ilk.companions import read
from ilk.plugins import OptionError
from ilk_papers.standins import make_stand_in

#: Every document: its parts, and the characters and words that the paper gives it.
DOCUMENTS = {
    "Java source": (("java",), 3632, 213),
    "class file": (("class",), 18468, 2711),
    "Gettysburg Address": (("gettysburg",), 1473, 270),
    "Proverbs": (("proverbs 1-16", "proverbs 17-24", "proverbs 25-31"), 91384, 19157),
    "Proverbs 1-16": (("proverbs 1-16",), 42069, 8376),
    "Proverbs 1-24": (("proverbs 1-16", "proverbs 17-24"), 69016, 13736),
    "Proverbs 25-31": (("proverbs 25-31",), 22368, 4421),
    "log": (("log",), 3115, 347),
    "Constitution, copy": (("preamble", "articles", "amendments"), 48067, 7669),
    "Constitution without amendments": (("preamble", "articles"), 32006, 5039),
    "Constitution without preamble": (("articles", "amendments"), 47728, 7617),
    "Constitution": (("preamble", "articles", "amendments"), 48067, 7669),
    "Declaration less one sentence": (("opening", "grievances", "closing"), 8147, 1337),
    "Declaration without grievances": (("opening", "sentence", "closing"), 4093, 682),
    "Declaration": (("opening", "sentence", "grievances", "closing"), 8179, 1341),
}

#: A size as the paper gives it.
CharactersAndWords: TypeAlias = tuple[int, int]

#: The size of every part in characters and words, as the sizes of the documents have it. (The
#: words of the Proverbs' parts add up to 18,157; the paper's 19,157 must be a slip.)
SIZES = {
    "java": (3632, 213),
    "class": (18468, 2711),
    "log": (3115, 347),
    "gettysburg": (1473, 270),
    "proverbs 1-16": (42069, 8376),
    "proverbs 17-24": (26947, 5360),
    "proverbs 25-31": (22368, 4421),
    "preamble": (339, 52),
    "articles": (31667, 4987),
    "amendments": (16061, 2630),
    "opening": (1700, 284),
    "sentence": (32, 4),
    "grievances": (4086, 659),
    "closing": (2361, 394),
}

_PROVERBS, _CONSTITUTION = "proverbs-kjv.txt", "us-constitution-with-amendments.txt"
_DECLARATION, _GETTYSBURG = "declaration-of-independence.txt", "gettysburg.txt"

#: The texts of the paper that are in the public domain; ``SOURCES.md`` there says where from.
TEXTS = Path(__file__).parent.parent / "texts"

#: The parts of ``documents`` that are generated if no file is given.
GENERATED = ("java", "class", "log")

#: Where a part stands: its file, how it begins, and how what follows it begins.
CUTS = {
    "gettysburg": (_GETTYSBURG, "Four score", None),
    "proverbs 1-16": (_PROVERBS, "1:1 ", "\n17:1 "),
    "proverbs 17-24": (_PROVERBS, "\n17:1 ", "\n25:1 "),
    "proverbs 25-31": (_PROVERBS, "\n25:1 ", "\nPrevious"),
    "preamble": (_CONSTITUTION, "We the people", "Article I\n"),
    "articles": (_CONSTITUTION, "Article I\n", "AMENDMENTS TO"),
    "amendments": (_CONSTITUTION, "AMENDMENTS TO", "-----"),
    "opening": (_DECLARATION, "When in the Course", "To prove this"),
    "sentence": (_DECLARATION, "To prove this", "He has refused his Assent"),
    "grievances": (_DECLARATION, "He has refused his Assent", "In every stage"),
    "closing": (_DECLARATION, "In every stage", "December, 1972"),
}


def generate_parts(seed: int, sizes: Mapping[str, CharactersAndWords] = SIZES) -> dict[str, str]:
    """Return every part as a stand-in of its size."""
    return {
        name: make_stand_in(name if name in GENERATED else "prose", characters, words, seed)
        for name, (characters, words) in sizes.items()
    }


def read_or_generate_parts(
    folder: Path, seed: int, files_by_part: Mapping[str, Path] | None = None
) -> dict[str, str]:
    """Return every part: given, or cut out of the texts in a folder, or else generated.

    Args:
        folder: the four texts that ``CUTS`` names; ``TEXTS`` has those of the paper.
        seed: of what is generated.
        files_by_part: files for parts by name, such as ``java``.

    Raises:
        SourceNotFound: a file does not exist.
        OptionError: a file is not the expected text, or there is no such part.
    """
    texts = {
        file: _read_document_with_unix_line_ends(folder / file) for file, _, _ in CUTS.values()
    }
    parts = generate_parts(seed)
    for name, (file, begin, end) in CUTS.items():
        parts[name] = _text_from_mark_to_end_mark_if_found(texts[file], begin, end, folder / file)
    for name, path in (files_by_part or {}).items():
        if name not in parts:
            raise OptionError(f"{name!r} is not a part; choose one of {', '.join(parts)}.")
        parts[name] = _read_document_with_unix_line_ends(path)
    return parts


@dataclass(frozen=True, slots=True)
class ZonedDocuments:
    """Documents with names, and the place of each in a group of similar ones.

    Attributes:
        texts: by name.
        zones: rows of the documents of every zone, by its name; a document may be in none.
    """

    texts: dict[str, str]
    zones: dict[str, list[int]]


def read_zoned_documents(list_file: Path) -> ZonedDocuments:
    """Return the documents of a list: a path and a zone a line, with a tab between.

    Paths are relative to the list; a line without a zone is a document that is like no other.

    Raises:
        SourceNotFound: a file does not exist.
        OptionError: there are fewer than two documents, or one is named twice.
    """
    texts: dict[str, str] = {}
    zones: dict[str, list[int]] = {}
    for line in _read_document_with_unix_line_ends(list_file).splitlines():
        name, _, zone = (part.strip() for part in line.partition("\t"))
        if not name:
            continue
        if name in texts:
            raise OptionError(f"{list_file} names {name} twice.")
        if zone:
            zones.setdefault(zone, []).append(len(texts))
        texts[name] = _read_document_with_unix_line_ends(list_file.parent / name)
    if len(texts) < 2:
        raise OptionError(f"{list_file} has {len(texts)} documents; at least two can be compared.")
    return ZonedDocuments(texts, zones)


def join_parts(parts: Mapping[str, str]) -> dict[str, str]:
    """Return the 15 documents by name, in the order of ``DOCUMENTS``."""
    return {name: "".join(parts[part] for part in of) for name, (of, _, _) in DOCUMENTS.items()}


def _read_document_with_unix_line_ends(path: Path) -> str:
    return str(read.read_one_document(path)["text"][0].as_py()).replace("\r\n", "\n")


def _text_from_mark_to_end_mark_if_found(text: str, begin: str, end: str | None, path: Path) -> str:
    start = text.find(begin)
    if start < 0:
        raise OptionError(
            f"{path} lacks {begin!r}, where it is to be cut; use the text as Project Gutenberg "
            "and Bible readers print it, or leave out the folder to use the texts of the package."
        )
    stop = -1 if end is None else text.find(end, start + 1)
    return text[start:] if stop < 0 else text[start:stop]
