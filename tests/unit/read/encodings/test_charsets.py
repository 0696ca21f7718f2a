"""The labels of the encodings of pages, read as browsers read them (WHATWG Encoding)."""

from __future__ import annotations

import pytest

from ilk import _kernels
from ilk.read.encodings.decoding import decode_page_unless_binary

#: Per label: Python's name of the encoding in which the bytes are made, and a text in it.
LABELS = {
    "windows-1252": ("cp1252", "naïve “café”"),
    "iso-8859-1": ("cp1252", "naïve “café”"),
    "us-ascii": ("cp1252", "naïve “café”"),
    "windows-874": ("cp874", "ข้อความภาษาไทย “คำ”"),
    "dos-874": ("cp874", "ข้อความภาษาไทย “คำ”"),
    "tis-620": ("cp874", "ข้อความภาษาไทย “คำ”"),
    "windows-949": ("cp949", "한국어 똠방각하"),
    "ks_c_5601-1987": ("cp949", "한국어 똠방각하"),
    "iso-8859-8-i": ("iso8859_8", "שלום עולם"),
    "visual": ("iso8859_8", "שלום עולם"),
    "x-sjis": ("cp932", "素朴な①"),
    "windows-31j": ("cp932", "素朴な①"),
    "x-euc-jp": ("euc_jp", "素朴な文章"),
    "x-cp1251": ("cp1251", "наивный «текст»"),
    "x-cp1250": ("cp1250", "zażółć „gęślą”"),
    "x-mac-cyrillic": ("mac_cyrillic", "наивный текст"),
    "x-mac-roman": ("mac_roman", "naïve “café”"),
    "koi8-ru": ("koi8_u", "наївний текст"),
    "x-gbk": ("gbk", "朴素的文字"),
    "gb2312": ("gb18030", "朴素的文字 㐀"),
    "big5-hkscs": ("big5hkscs", "樸素的文字 嘅"),
    "csisolatin5": ("cp1254", "şöyle ğ “ı”"),
}


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("spelled", ["{}", " {} ", "'{}'"])
def test_a_label_is_read_as_browsers_read_it(label: str, spelled: str) -> None:
    encoding, text = LABELS[label]
    page = f"<html><p>{text}</p>"
    for name in (label, label.upper()):
        decoded = decode_page_unless_binary(
            page.encode(encoding), f"text/html; charset={spelled.format(name)}"
        )
        assert decoded is not None
        assert (decoded.utf8.decode(), decoded.replaced) == (page, False)
        in_page = f"<meta charset={spelled.format(name)}>{page}"
        decoded = decode_page_unless_binary(in_page.encode(encoding), "text/html")
        assert decoded is not None
        assert decoded.utf8.decode() == in_page


@pytest.mark.parametrize("label", ["utf-16", "utf-16be", "replacement", "hz-gb-2312", "nonsense"])
def test_a_label_that_no_page_can_have_is_passed_over(label: str) -> None:
    page = "<p>naïve café, ça va très bien ou même mieux</p>"
    decoded = decode_page_unless_binary(page.encode("cp1252"), f"text/html; charset={label}")
    assert decoded is not None
    assert decoded.utf8.decode() == page


@pytest.mark.parametrize("label", ["latin-1", "latin_1", "iso8859_1"])
def test_other_spellings_that_python_knows_are_read_too(label: str) -> None:
    decoded = decode_page_unless_binary(
        "<p>één “café”</p>".encode("cp1252"), f"text/html; charset={label}"
    )
    assert decoded is not None
    assert decoded.utf8.decode() == "<p>één “café”</p>"


def test_an_encoding_that_does_not_fit_the_bytes_is_passed_over() -> None:
    """Bytes that Windows leaves undefined are controls to browsers, and no text to us."""
    page = "<p>素朴な文章である。昨日は雨が降った。</p>" * 5
    content = page.encode("shift_jis")
    assert b"\x81" in content
    for label in ("windows-1252", "euc-jp"):
        decoded = decode_page_unless_binary(content, f"text/html; charset={label}")
        assert decoded is not None
        assert decoded.utf8.decode() == page


def test_a_byte_order_mark_counts_more_than_a_label() -> None:
    damaged = b"\xef\xbb\xbf<p>" + "naïve café".encode() + b"\xff</p>"
    decoded = decode_page_unless_binary(damaged, "text/html; charset=windows-1252")
    assert decoded is not None
    assert decoded.utf8.decode() == "<p>naïve café\ufffd</p>"


def test_an_encoding_has_one_name_however_it_became_known() -> None:
    content = "<p>naïve “café” où ça</p>".encode("cp1252")
    named, seen = (
        decode_page_unless_binary(content, "text/html; charset=latin1"),
        decode_page_unless_binary(content, ""),
    )
    assert named is not None
    assert seen is not None
    assert (named.encoding, seen.encoding) == ("cp1252", "cp1252")


def test_the_kernel_replaces_what_it_cannot_read() -> None:
    assert _kernels.decode_by_label_keeping_bom("utf-8", b"a\xff") == (
        "a\ufffd".encode(),
        "UTF-8",
        True,
    )
    assert _kernels.decode_by_label_keeping_bom(" Latin1 ", b"\x80") == (
        "€".encode(),
        "windows-1252",
        False,
    )
    assert _kernels.decode_by_label_keeping_bom("latin-1", b"") is None
