"""Texts of DOS: frames are no letters, and what fills a text up to a block is no binary."""

from __future__ import annotations

import random

import pytest

from ilk.read.encodings.decoding import decode
from ilk.read.encodings.kinds import is_binary
from tests.support.readers import Read

_SAID = {
    "cp437": "the harbour was quiet and café after café closed before ten",
    "cp850": "die Tür führt über den Höfen großer Häuser vorbei",
    "cp852": "książka leży obok którego siedzi mężczyzna z łódką",
    "cp866": "дом на горе над рекой где",
}
_WORDS = {page: said.split() for page, said in _SAID.items()}


def framed(
    words: list[str], lines: int, seed: int, sides: str = "\u2502", rule: str = "\u2500"
) -> str:
    rng = random.Random(seed)
    rows = [" ".join(rng.choices(words, k=6)) for _ in range(lines)]
    wide = max(map(len, rows))
    inner = [f"{sides} {row:{wide}} {sides}" for row in rows]
    corners = "\u250c\u2510\u2514\u2518" if sides == "\u2502" else "\u2554\u2557\u255a\u255d"
    edge = rule * (wide + 2)
    top, bottom = corners[0] + edge + corners[1], corners[2] + edge + corners[3]
    return "\r\n".join([top, *inner, bottom]) + "\r\n"


@pytest.mark.parametrize("page", _WORDS)
@pytest.mark.parametrize("look", ["\u2502\u2500", "\u2551\u2550"])
def test_a_framed_text_is_read_in_its_page(page: str, look: str) -> None:
    for seed in range(10):
        text = framed(_WORDS[page], 4 + seed, seed, *look)
        found = decode(text.encode(page))
        assert found is not None
        assert found.utf8.decode() == text


def test_frames_around_plain_words_are_frames() -> None:
    text = framed(["nothing", "but", "plain", "words"], 5, 1)
    found = decode(text.encode("cp437"))
    assert found is not None
    assert found.utf8.decode() == text


def test_a_space_of_dos_is_no_letter() -> None:
    content = b"one\xff\xff two \xff three \xff\r\n" * 9
    found = decode(content)
    assert found is not None
    assert "\u00ff" not in found.utf8.decode()


@pytest.mark.parametrize("fill", [b"\0" * 100, b"\x1a", b"\x1a" * 128, b"\0\x1a" * 64])
def test_a_text_that_is_filled_up_is_a_text(fill: bytes) -> None:
    text = ("Caf\u00e9 for everybody, and nothing else.\r\n" * 20).encode("cp437")
    assert not is_binary(text + fill)
    found = decode(text + fill)
    assert found is not None
    assert found.utf8.endswith(b"else.\r\n")


def test_a_few_nuls_make_no_binary() -> None:
    content = ("x" * 500 + "\r\n").encode() * 80 + "caf\u00e9".encode("cp437") * 9
    assert not is_binary(
        content[:20000] + b"\0" * 6 + content[20000:30000] + b"\0" * 40 + content[30000:]
    )
    compiled = b"\x03\0\0\0\x01\0\0\0s\x1c\0\0\0e\0Z\x01\xff" * 50 + b"docstring " * 3000
    assert is_binary(compiled)


def test_an_encoding_can_be_named_for_plain_files(read: Read, tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path), "a.txt")
    path.write_bytes("\u0111\u0107\u0161".encode("cp852"))
    rows, _ = read(path, encoding="cp852")
    assert rows[0]["text"] == "\u0111\u0107\u0161"
    path.write_text("\u0111\u0107\u0161", "utf-8")
    assert read(path, encoding="cp852")[0][0]["text"] == "\u0111\u0107\u0161"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("cp850", "La libertà della città è un bene; la società però non può farne a meno.\r\n"),
        ("cp850", "Perché la società non può farlo più, è la libertà che manca a tutti.\r\n"),
        ("cp1252", "“We should wait…” he said—and so they did, the whole night…\n"),
    ],
)
def test_signs_give_way_to_letters_where_a_language_has_them(page: str, text: str) -> None:
    """In Windows-1252 the "à" of DOS is three dots, the "ò" a bullet, and the "é" a comma."""
    decoded = decode(text.encode(page))
    assert decoded is not None
    assert decoded.utf8.decode() == text
