"""Text or binary: the two are kept apart, on texts and binaries of many kinds."""

from __future__ import annotations

import gzip
import io
import marshal
import math
import random
import struct
import sys
import tarfile
import zipfile
import zlib

import pytest

from ilk.read.encodings.kinds import (
    HEAD,
    escaped_cjk_encoding_if_any,
    is_binary,
    wide_encoding_if_any,
)

ENGLISH = "It was the best of times, it was the worst of times.\nSo far the period.\n"
GERMAN = "Fünf Äpfel und große Öfen: »Süßes« für die Gäste.\n"
RUSSIAN = "Все люди рождаются свободными и равными в своём достоинстве.\n"
GREEK = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι.\n"
HEBREW = "כל בני אדם נולדו בני חורין ושווים בערכם.\n"
ARABIC = "يولد جميع الناس أحرارا متساوين في الكرامة.\n"
HINDI = "सभी मनुष्यों को गौरव और अधिकारों के मामले में स्वतन्त्रता प्राप्त है।\n"
JAPANESE = "すべての人間は、生まれながらにして自由であり。\n"
CHINESE = "人人生而自由,在尊严和权利上一律平等。\n"
KOREAN = "모든 인간은 태어날 때부터 자유로우며 평등하다.\n"
EMOJI = "Well done 👍🏽, see you 👋 soon 🚀\n"
TEXTS = [
    ENGLISH, GERMAN, RUSSIAN, GREEK, HEBREW, ARABIC, HINDI, JAPANESE, CHINESE, KOREAN, EMOJI,
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("times", [1, 40, 3000])
@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"],
)
def test_a_text_in_unicode_is_text(text: str, times: int, encoding: str) -> None:
    content = (text * times).encode(encoding)
    assert not is_binary(content)
    assert not is_binary(content[:HEAD])
    found = wide_encoding_if_any(content)
    if encoding.startswith("utf-8"):
        assert found is None
    else:
        assert found is not None
        name, mark = found
        assert content[mark:].decode(name) == text * times


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "cp1252"),
        (GERMAN, "cp850"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "cp866"),
        (GREEK, "cp1253"),
        (HEBREW, "cp1255"),
        (ARABIC, "cp1256"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc-jp"),
        (JAPANESE, "iso2022_jp"),
        (CHINESE, "gb18030"),
        (KOREAN, "cp949"),
        (KOREAN, "iso2022_kr"),
    ],
)
def test_a_text_in_an_older_encoding_is_text(text: str, encoding: str) -> None:
    for times in (1, 40, 3000):
        assert not is_binary((text * times).encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_few_controls_do_not_make_a_text_binary(encoding: str) -> None:
    text = (GERMAN * 210)[:10_000]
    assert not is_binary((text[:5000] + "\0" + text[5000:]).encode(encoding))
    assert not is_binary((text + "\x1a").encode(encoding))
    assert not is_binary(("\0" + text).encode(encoding))
    assert not is_binary("ö\0".encode(encoding))
    assert not is_binary(b"\0")
    assert not is_binary(b"")


def test_lists_whose_items_end_in_nul_are_text() -> None:
    assert not is_binary(b"".join(b"docs/name-%d.txt\0" % number for number in range(5000)))


def test_overstruck_and_coloured_text_is_text() -> None:
    assert not is_binary(b"".join(b"%c\b%c" % (char, char) for char in ENGLISH.encode()) * 100)
    assert not is_binary(b"\x1b[31merror\x1b[0m: wrong\r\n\f\tnext\n" * 100)


@pytest.mark.parametrize("size", [200, 1000, HEAD, 3 * HEAD])
def test_noise_is_binary(size: int) -> None:
    rng = random.Random(size)
    for _ in range(50):
        assert is_binary(rng.randbytes(size))


def archive() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:  # Stored, so the text can be read in the bytes.
        file.writestr("word/document.xml", ENGLISH * 1000)
    return stream.getvalue()


def tar_of_texts() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as file:
        member = tarfile.TarInfo("a.txt")
        member.size = len(ENGLISH) * 1000
        file.addfile(member, io.BytesIO(ENGLISH.encode() * 1000))
    return stream.getvalue()


def module() -> bytes:
    functions = (
        f"def function_{n}(a, b):\n    'Add.'\n    return a + b * {n}\n" for n in range(99)
    )
    return marshal.dumps(compile("".join(functions), "module", "exec"))


BINARIES = {
    "pdf": b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" + ENGLISH.encode() * 100,
    "zip": archive(),
    "empty zip": b"PK\x05\x06" + bytes(18),
    "tar": tar_of_texts(),
    "gzip": gzip.compress(ENGLISH.encode()),
    "zlib": zlib.compress(random.Random(6).randbytes(3000)),
    "ole2": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + ENGLISH.encode() * 100,
    "png": b"\x89PNG\r\n\x1a\n" + ENGLISH.encode() * 100,
    "compiled module": module(),
    "doubles": struct.pack("<1000d", *(math.sin(number) for number in range(1000))),
    "integers": struct.pack("<3000i", *range(3000)),
    "shorts": struct.pack("<3000h", *range(3000)),
    "samples": bytes(int(127 + 120 * math.sin(number / 9)) for number in range(6000)),
    "zeros": bytes(5000),
    "controls": bytes(range(1, 7)) * 100,
    "short fields": b"".join(b"\x01%07d\x02" % number for number in range(500)),
    "strings behind nuls": b"".join(b"%-8d" % n + bytes(8) for n in range(500)),
}


@pytest.mark.parametrize("name", BINARIES)
def test_what_is_no_text_is_binary(name: str) -> None:
    assert is_binary(BINARIES[name])
    assert is_binary(BINARIES[name][:HEAD])


def test_the_running_interpreter_is_binary() -> None:
    with open(sys.executable, "rb") as file:
        assert is_binary(file.read(HEAD))


@pytest.mark.parametrize("start", ["%PDF", "PK", "BZh", "GIF", "Rar!", "ustar", "MZ", "7z"])
def test_a_text_may_start_as_some_containers_do(start: str) -> None:
    assert not is_binary((start + " is how it starts.\n" + ENGLISH).encode())


def test_a_head_that_ends_within_a_character_is_text() -> None:
    text = "\0" * 200 + "中" * HEAD
    for cut in range(HEAD - 3, HEAD + 1):
        assert not is_binary(text.encode()[:cut])


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff"])
def test_a_byte_order_mark_before_noise_is_no_text(mark: bytes) -> None:
    content = mark + random.Random(7).randbytes(5000)
    assert wide_encoding_if_any(content) is None
    assert is_binary(content)


def test_a_wide_text_may_hold_a_lone_surrogate_or_be_cut() -> None:
    content = "\ufeff".encode("utf-16-le") + (GERMAN * 99).encode("utf-16-le")
    for damaged in (content[:500] + b"\x00\xd8" + content[500:], content[:-1]):
        assert wide_encoding_if_any(damaged) == ("utf-16-le", 2)
        assert not is_binary(damaged)


@pytest.mark.parametrize("text", [b"\x1b[1mbold\x1b[0m", b"costs \x1b$5 today", b"\x1b$B!", b""])
def test_other_escapes_are_no_encoding(text: bytes) -> None:
    assert escaped_cjk_encoding_if_any(text) is None
