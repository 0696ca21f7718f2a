"""Decoding real files whose names tell their encoding, where the shared data is at hand."""

from __future__ import annotations

import pytest

from ilk.read.encodings.decoding import decode
from tests.support.fixtures import DATA

BOOKS = DATA / "gutenberg-editions"
DECLARATIONS = DATA / "udhr-nltk" / "udhr"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no shared data in {DATA.parent}")

ENCODINGS = {
    "Arabic": ["cp1256"],
    "Baltic": ["iso8859-4"],
    "Cyrillic": ["cp1251"],
    "EUC": ["euc-jp"],
    "GB2312": ["gb18030"],
    "Greek": ["iso8859-7", "cp1253"],
    "HZ": ["hz"],
    "Hebrew": ["cp1255"],
    "JIS": ["iso2022_jp"],
    "Latin1": ["cp1252"],
    "Latin2": ["iso8859-2", "cp1250"],
    "SJIS": ["cp932"],
    "Turkish": ["cp1254"],
    "UTF8": ["utf-8"],
    "Unicode": ["utf-16-le"],
}


def reads_as(content: bytes, encodings: list[str]) -> bool:
    decoded = decode(content)
    if decoded is None:
        return False
    mark = "\ufeff"
    right = [content.decode(name, "replace").removeprefix(mark) for name in encodings]
    return decoded.utf8.decode() in right


def test_every_book_is_read_in_its_encoding() -> None:
    books = sorted(BOOKS.rglob("*.txt"))
    assert len(books) == 49
    wrong = [
        book.name
        for book in books
        if not reads_as(book.read_bytes(), ["utf-8" if book.stem.endswith("-0") else "cp1252"])
    ]
    assert wrong == []


def test_nearly_every_declaration_is_read_in_the_encoding_its_name_tells() -> None:
    labelled = {
        path: ENCODINGS[path.name.rsplit("-", 1)[-1]]
        for path in sorted(DECLARATIONS.iterdir())
        if path.name.rsplit("-", 1)[-1] in ENCODINGS
    }
    assert len(labelled) > 300
    wrong = {
        path.name for path, names in labelled.items() if not reads_as(path.read_bytes(), names)
    }
    # Two names are wrong (both texts are Windows-1250), Latvian has letters of a font of its own,
    # and two languages of Central America and Peru have few letters outside ASCII.
    assert wrong <= {
        "Arabela-Latin1",
        "Bosnian_Bosanski-Cyrillic",
        "Czech_Cesky-UTF8",
        "Hungarian_Magyar-Latin1",
        "Latvian-Latin1",
        "Mongolian_Khalkha-Cyrillic",
        "Tzeltal-Latin1",
    }
