"""What is known of a capture: its payload, its text, its digest, and what is wrong with them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import brotli
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.archives import DATE, answer, page, record, response, sha1

from ilk.read.encodings.decoding import decode_page_unless_binary
from ilk.read.pages import Pages
from ilk_web.warc import cutting, digests, forms, messages
from ilk_web.warc.captures import KINDS, Capture, extract_capture
from ilk_web.warc.crawl import read_at_most_bytes_at
from ilk_web.warc.cutting import ArchiveRecord
from ilk_web.warc.heads import Head
from ilk_web.warc.messages import Broken

TEXT = "The main text goes on for a while, naïve as it is. " * 10
PAGE = f"<html><body><nav>Home</nav><main><p>{TEXT}</p></main></body></html>".encode()


@pytest.fixture
def pages() -> Iterator[Pages]:
    made = Pages("fast", 20)
    yield made
    made.pool.end_children()


def wanted(head: Head) -> bool:
    return head.kind in KINDS


def capture(content: bytes, pages: Pages, folder: Path, largest: int = cutting.LARGEST) -> Capture:
    path = folder / "one.warc"
    path.write_bytes(content)
    told: list[int] = []
    (found,) = cutting.read_records(
        str(path), forms.WARC, wanted, told.append, max_body_bytes=largest
    )
    assert isinstance(found, ArchiveRecord)
    return extract_capture(found, pages)


def chunked(payload: bytes, size: int = 100) -> bytes:
    cut = [payload[at : at + size] for at in range(0, len(payload), size)]
    return b"".join(b"%x;x=y\r\n%b\r\n" % (len(part), part) for part in cut) + b"0\r\n\r\n"


def test_a_response_is_known_whole(pages: Pages, tmp_path: Path) -> None:
    found = capture(response("http://a.org/", PAGE), pages, tmp_path)
    assert (found.url, found.date, found.status) == ("http://a.org/", DATE, 200)
    assert found.content_type == "text/html"
    assert found.digest == sha1(PAGE)
    assert (found.text or b"").decode().strip() == TEXT.strip()
    assert found.problems == ()
    assert found.time is not None
    assert found.time.year == 2020


ENCODED = {
    "gzip": gzip.compress(PAGE),
    "x-gzip": gzip.compress(PAGE),
    "deflate": zlib.compress(PAGE),
    "Deflate": zlib.compress(PAGE)[2:-4],
    "br": brotli.compress(PAGE),
    "zstd": bytes(pa.compress(PAGE, "zstd", asbytes=True)),
    "identity": PAGE,
    "gzip, br": brotli.compress(gzip.compress(PAGE)),
    # Undone by the recorder, which left the field.
    "gzip ": PAGE,
    " zstd": PAGE,
}


@pytest.mark.parametrize("encoding", ENCODED)
@pytest.mark.parametrize("transfer", ["", "chunked"])
def test_encodings_and_chunks_are_undone(
    encoding: str, transfer: str, pages: Pages, tmp_path: Path
) -> None:
    payload = ENCODED[encoding]
    sent = chunked(payload) if transfer else payload
    http = answer(sent, Content_Encoding=encoding, Transfer_Encoding=transfer)
    for told in (payload, sent):
        fields = {"WARC_Target_URI": "http://a.org/", "WARC_Payload_Digest": sha1(told)}
        found = capture(record("response", http, **fields), pages, tmp_path)
        assert found.problems == ()
        assert (found.text or b"").decode().strip() == TEXT.strip()


def test_chunks_that_were_undone_are_no_lie() -> None:
    assert messages.join_chunks_if_any(PAGE) == PAGE
    assert messages.join_chunks_if_any(b"") == b""


@pytest.mark.parametrize(
    ("sent", "rest"),
    [
        (b"5\r\nhello\r\nffffff\r\nwo", b"hellowo"),
        (b"5\r\nhello\r\nZZ\r\nwo", b"hello"),
        (b"5\r\nhello", b"hello"),
        (b"ffffffffffffffff\r\nhello", b"hello"),
        (b"5\r\nhello\r\n" + b"9" * 20000, b"hello"),
    ],
)
def test_chunks_that_lie_are_told(sent: bytes, rest: bytes, pages: Pages, tmp_path: Path) -> None:
    with pytest.raises(Broken, match="its chunks") as told:
        messages.join_chunks_if_any(sent)
    assert told.value.rest == rest
    http = answer(sent, Transfer_Encoding="chunked", Content_Type="text/plain")
    found = capture(record("response", http), pages, tmp_path)
    assert found.text == rest
    assert "its chunks" in found.problems[0]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "compress"])
def test_an_encoding_that_cannot_be_undone_is_told(encoding: str) -> None:
    sent = {"gzip": b"\x1f\x8b\x08", "zstd": b"\x28\xb5\x2f\xfd"}.get(encoding, b"") + b"\xff" * 99
    with pytest.raises(Broken, match=encoding) as told:
        messages.decode_body_unless_decoded(sent, encoding)
    assert told.value.rest == sent


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_told(encoding: str) -> None:
    bomb = b"\0" * (1 << 24)
    sent = {
        "gzip": gzip.compress(bomb),
        "deflate": zlib.compress(bomb),
        "br": brotli.compress(bomb, quality=1),
        "zstd": bytes(pa.compress(bomb, "zstd", asbytes=True)),
    }
    with pytest.raises(Broken, match="more than 65,536 bytes"):
        messages.decode_body_unless_decoded(sent[encoding], encoding, 1 << 16)


def test_a_digest_that_does_not_match_is_told(pages: Pages, tmp_path: Path) -> None:
    good = response("http://a.org/", PAGE)
    assert capture(good, pages, tmp_path).problems == ()
    bad = good.replace(b"goes on", b"went on")
    found = capture(bad, pages, tmp_path)
    assert found.problems == (f"its payload does not match its digest {sha1(PAGE)}",)
    assert b"went on" in (found.text or b"")


def test_digests_are_read_in_every_spelling() -> None:
    # sha1("abc"), RFC 3174, section 7.3; sha256("abc"), FIPS 180-4, example.
    base32, hexadecimal = (
        "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
        "a9993e364706816aba3e25717850c26c9cd0d89d",
    )
    for told in (f"sha1:{base32}", f"SHA-1:{base32.lower()}", f"sha1:{hexadecimal}"):
        assert digests.matches_digest_if_readable(told, [b"x", b"abc"]) is True
        assert digests.matches_digest_if_readable(told, [b"x"]) is False
    sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digests.matches_digest_if_readable(f"sha256:{sha256}", [b"abc"]) is True
    assert digests.spell_sha1(b"abc") == f"sha1:{base32}"
    for unreadable in (
        "",
        "sha1",
        "sha1:",
        "sha1:short",
        "sha1:!",
        f"what:{base32}",
        f"md5:{base32}",
    ):
        assert digests.matches_digest_if_readable(unreadable, [b"abc"]) is None


@given(content=st.binary(max_size=9), name=st.sampled_from(["md5", "sha1", "sha384", "sha512"]))
def test_digests_are_read_in_base32(content: bytes, name: str) -> None:
    digits = base64.b32encode(hashlib.new(name, content).digest()).decode()
    for written in (digits, digits.rstrip("="), digits.lower()):
        assert digests.matches_digest_if_readable(f"{name}:{written}", [content]) is True
        assert digests.matches_digest_if_readable(f"{name}:{written}", [content + b"x"]) is False
    for wrong in (digits[1:], "A" + digits, digits.replace(digits[3], "1"), "_" + digits[1:]):
        assert digests.matches_digest_if_readable(f"{name}:{wrong}", [content]) is None


ODD = {
    "NULs": (b"<p>some words\0" * 50, "text/html", False),
    "an image": (b"not looked at", "image/png", True),
    "bytes": (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "application/octet-stream", True),
    "no type": (PAGE, "", False),
    "plain text": (b"just text", "text/plain", False),
}


@pytest.mark.parametrize("what", ODD)
def test_what_has_no_text_has_none(what: str, pages: Pages, tmp_path: Path) -> None:
    payload, media, empty = ODD[what]
    found = capture(response("http://a.org/", payload, Content_Type=media), pages, tmp_path)
    assert (found.text is None) is empty
    assert found.problems == ()


def test_a_text_that_is_none_is_told(pages: Pages, tmp_path: Path) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + b"\0" * 100
    found = capture(response("http://a.org/", picture), pages, tmp_path)
    assert found.text is None
    assert found.problems == ("is not text, though its type is text/html",)


def test_what_is_no_http_is_its_own_payload(pages: Pages, tmp_path: Path) -> None:
    fields = {"WARC_Target_URI": "dns:a.org", "Content_Type": "text/dns"}
    found = capture(record("response", b"a.org. 1 IN A 192.0.2.1", **fields), pages, tmp_path)
    assert found.text == b"a.org. 1 IN A 192.0.2.1"
    assert (found.status, found.content_type) == (None, "text/dns")
    found = capture(record("resource", PAGE, Content_Type="text/html"), pages, tmp_path)
    assert (found.text or b"").decode().strip() == TEXT.strip()
    found = capture(record("conversion", b"a text", Content_Type="text/plain"), pages, tmp_path)
    assert found.text == b"a text"


@pytest.mark.parametrize(
    "http",
    [b"", b"HTTP/1.1", b"HTTP/1.1 abc def\r\n", b"HTTP/1.0 200\n\n", b"\r\n\r\n", b"\0" * 99],
)
def test_an_answer_of_nothing_is_empty(http: bytes, pages: Pages, tmp_path: Path) -> None:
    fields = {"Content_Type": "application/http"}
    found = capture(record("response", http, **fields), pages, tmp_path)
    assert not (found.text or b"").strip(b"\0")
    assert found.status in (None, 200)
    assert found.problems == ()


@pytest.mark.parametrize("date", ["", "2020", "yesterday", "2020-01-02", "9999-99-99T00:00:00Z"])
def test_a_date_that_is_none_is_kept_as_it_is(date: str, pages: Pages, tmp_path: Path) -> None:
    found = capture(response("http://a.org/", PAGE, date), pages, tmp_path)
    assert found.time is None
    assert found.id == f"http://a.org/ {date}"


def test_a_suspicious_extraction_is_told(pages: Pages, tmp_path: Path) -> None:
    nothing = b"<html><body>" + b"<div></div>" * 2000 + b"</body></html>"
    found = capture(response("http://a.org/", nothing), pages, tmp_path)
    assert found.text is None
    assert "suspicious extraction" in found.problems[0]


def test_an_entity_bomb_is_a_page(pages: Pages, tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = (
        f'<!DOCTYPE html [<!ENTITY e0 "ha">{entities}]><html><body><p>{TEXT}&e11;</p></body></html>'
    )
    found = capture(response("http://a.org/", bomb.encode()), pages, tmp_path)
    assert len(found.text or b"") < 10 * len(bomb)


CHARSETS = [
    ("naïve café", "utf-8", "text/html; charset=iso-8859-1", ""),
    ("naïve “café”", "cp1252", "text/html; charset=ISO-8859-1", ""),
    ("naïve “café”", "cp1252", "text/html; charset='latin1'", "utf-8"),
    ("наивный", "koi8-r", "text/html; charset=koi8-r", "windows-1251"),
    ("наивный", "cp1251", "text/html", "windows-1251"),
    ("наивный", "cp1251", "text/html; charset=nonsense", "windows-1251"),
    ("素朴な", "shift_jis", "text/html", "Shift_JIS"),
    ("素朴な", "iso2022_jp", "text/html; charset=iso-2022-jp", ""),
    ("朴素的", "gb18030", "text/html", "gb2312"),
    ("naïve café", "utf-16", "text/html; charset=iso-8859-1", ""),
]


@pytest.mark.parametrize(("text", "encoding", "media", "meta"), CHARSETS)
def test_the_server_tells_the_charset_then_the_page(
    text: str, encoding: str, media: str, meta: str
) -> None:
    html = f"<html><head>{f'<meta charset={meta}>' if meta else ''}</head><p>{text}</p></html>"
    found = decode_page_unless_binary(html.encode(encoding), media)
    assert found is not None
    assert found.utf8.decode() == html


@pytest.mark.parametrize("name", ["punycode", "idna", "unicode_escape", "base64", "rot13", "utf-7"])
def test_what_is_no_charset_of_pages_is_none(name: str) -> None:
    content = "naïve café, ça va très bien".encode("cp1252")
    found = decode_page_unless_binary(content, f"text/html; charset={name}")
    assert found is not None
    assert found.utf8.decode() == "naïve café, ça va très bien"


def test_a_charset_that_does_not_fit_is_passed_over() -> None:
    content = "naïve café, ça va très bien".encode("cp1252")
    found = decode_page_unless_binary(content, "text/html; charset=euc-kr")
    assert found is not None
    assert "naïve" in found.utf8.decode()


def test_what_is_too_large_is_told(pages: Pages, tmp_path: Path) -> None:
    found = capture(response("http://a.org/", page("w")), pages, tmp_path, 100)
    assert found.text is None
    assert "bytes, but at most" in found.problems[0]


def test_bytes_are_read_at_a_place_without_pread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    with (tmp_path / "a").open("rb") as file:
        there = read_at_most_bytes_at(file.fileno(), 3, 4)
        monkeypatch.delattr(os, "pread")
        assert read_at_most_bytes_at(file.fileno(), 3, 4) == there == b"456"
