"""Records cut out of archives, and all that may be wrong with the bytes of a file."""

from __future__ import annotations

import base64
import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.archives import CODECS, framed, record, response

from ilk_web.warc import cutting, forms, frames, gzipped, heads
from ilk_web.warc.cutting import ArchiveRecord, Damage
from ilk_web.warc.forms import ARC, WARC, Form
from ilk_web.warc.heads import Head

#: Bodies that have all about them that a head has.
BODIES = [b"", b"\r\n\r\n", b"WARC/1.0\r\n", b"\0" * 500, bytes(range(256)) * 300, b"short"]


def records(path: Path, kind: Form = WARC, **limits: int) -> list[ArchiveRecord]:
    return [each for each in _all(path, kind, limits) if isinstance(each, ArchiveRecord)]


def damage(path: Path, kind: Form = WARC, **limits: int) -> list[Damage]:
    return [each for each in _all(path, kind, limits) if isinstance(each, Damage)]


def _all(path: Path, kind: Form, limits: dict[str, int]) -> list[ArchiveRecord | Damage]:
    return list(cutting.read_records(str(path), kind, _every, _untold, **limits))


def _every(head: Head) -> bool:
    del head
    return True


def _untold(size: int) -> None:
    del size


def ids(path: Path) -> list[str]:
    return [each.head.first_value_or_empty("id") for each in records(path)]


@pytest.fixture(params=CODECS)
def codec(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def some(*numbers: int, **fields: str) -> list[bytes]:
    draw = random.Random(1)
    return [record("resource", draw.randbytes(3000), id=str(n), **fields) for n in numbers]


@pytest.mark.parametrize("together", [False, True], ids=["a frame each", "one frame"])
def test_records_come_as_they_were_written(codec: str, together: bool, tmp_path: Path) -> None:
    path = tmp_path / "a"
    written = [record("resource", body, id=str(at)) for at, body in enumerate(BODIES)]
    path.write_bytes(framed([b"".join(written)] if together else written, codec))
    assert forms.recognise_form(str(path)) is WARC
    found = records(path)
    assert damage(path) == []
    assert [each.body for each in found] == BODIES
    assert [each.size for each in found] == [len(each) - 4 for each in written]
    content = path.read_bytes()
    if codec and together:
        assert {each.end for each in found} == {-1}
        return
    begins = [each.place.frame for each in found]
    assert [each.end for each in found] == [*begins[1:], len(content)]
    for each, whole in zip(found, written, strict=True):
        assert content[each.place.frame : each.end] == CODECS[codec](whole)


def test_frames_may_be_cut_anywhere(tmp_path: Path) -> None:
    """As parallel compressors do it."""
    path = tmp_path / "a.gz"
    content = b"".join(some(0, 1, 2))
    path.write_bytes(framed([content[at : at + 100] for at in range(0, len(content), 100)], ".gz"))
    assert ids(path) == ["0", "1", "2"]
    assert damage(path) == []


def test_a_record_stands_in_its_own_frame_wherever_the_others_end(tmp_path: Path) -> None:
    """Frames with some records, without any, and with only a part of one."""
    path = tmp_path / "a.gz"
    one, two, three, four = some(0, 1, 2, 3)
    parts = [b"", one + two[:100], two[100:], b"", b"\r\n", three, four[:-4], four[-4:], b""]
    packed = [gzip.compress(part, mtime=0) for part in parts]
    path.write_bytes(b"".join(packed))
    begins = [sum(map(len, packed[:at])) for at in range(len(packed))]
    assert [tuple(each.place) for each in records(path)] == [
        (begins[1], 0),
        (begins[1], len(one)),
        (begins[5], 0),
        (begins[6], 0),
    ]
    assert [each.end for each in records(path)] == [-1, -1, begins[6], len(path.read_bytes())]
    assert damage(path) == []


def _damaged() -> list[bytes]:
    """Archives of gzip that are cut off, or changed, somewhere."""
    draw = random.Random(3)
    written = [record("resource", body, id=str(at)) for at, body in enumerate(BODIES)]
    whole = [
        framed(written, ".gz"),
        framed([b"".join(written)], ".gz"),
        framed([record("resource", b"\0" * (1 << 20)), *written], ".gz"),
    ]
    found = [*whole, whole[0] + bytes(99), whole[0] + b"what is this?"]
    for content in whole * 20:
        at = draw.randrange(len(content))
        found += [content[:at], content[:at] + draw.randbytes(3) + content[at + 3 :]]
    return found


def test_damage_costs_no_more_than_it_would_with_fastwarc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is slower, but gives what comes before the damage."""
    path = tmp_path / "a.gz"
    for content in _damaged():
        path.write_bytes(content)
        found = [(each.head, each.body) for each in records(path)]
        with monkeypatch.context() as only:
            only.setattr(cutting, "GzipFrames", frames.Frames)
            assert [(each.head, each.body) for each in records(path)] == found


def test_zlib_reads_the_same_as_isal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gz"
    for content in _damaged():
        path.write_bytes(content)
        found = _all(path, WARC, {})
        with monkeypatch.context() as only:
            only.setattr(gzipped, "find_spec", lambda _: None)
            assert _all(path, WARC, {}) == found


def test_heads_are_read_as_they_are_meant(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(
        b"WARC/0.18\nwarc-type:  Response \nWARC-Concurrent-To: a\nWARC-Concurrent-To: b\n"
        b"X: one\n two\nnonsense\nContent-Length: 3\n\nabc\n\n"
    )
    (found,) = records(path)
    assert found.head.kind == "response"
    assert found.head.values_of("warc-concurrent-to") == ["a", "b"]
    assert found.head.first_value_or_empty("x") == "one two"
    assert found.head.first_value_or_empty("y") == ""
    assert found.body == b"abc"


def test_a_record_without_a_type_is_a_record(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(record("", b"abc") + record("resource", b"def"))
    assert [(each.head.kind, each.body) for each in records(path)] == [
        ("", b"abc"),
        ("resource", b"def"),
    ]


LIES: dict[str, tuple[bytes, str]] = {
    "longer than the file": (record("resource", b"x" * 50, length=10**9), "is cut off"),
    "longer than the record": (record("resource", b"x" * 50, length=900), "900 bytes long"),
    "shorter than the record": (record("resource", b"x" * 50, length=20), "20 bytes long"),
    "negative": (record("resource", b"x" * 50, length=-5), "Content-Length of '-5'"),
    "no number": (record("resource", b"x" * 50, length="many"), "Content-Length of 'many'"),
    "beyond all numbers": (record("resource", b"x" * 50, length=2**70), "Content-Length of"),
    "none": (record("resource", b"x").replace(b"Content-Length", b"X"), "no Content-Length"),
    "two": (
        record("resource", b"x").replace(b"Content-L", b"Content-Length: 7\r\nContent-L"),
        "Content-Length of '7'",
    ),
    "no head": (b"WARC/1.0\r\n" + b"a" * (1 << 17), "a head that does not end"),
    "ends of lines": (b"\r\n" * (1 << 16), "only of line breaks"),
    "no record": (b"garbage \0 of all kinds\r\n", "is not a record"),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_lies_is_told_and_the_rest_is_read(lie: str, codec: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    bad, reason = LIES[lie]
    before, *behind = some(0, 1, 2)
    if not codec:
        bad = bad.rstrip(b"\n") + b"\n"  # Where nothing else tells, a record begins a line.
    path.write_bytes(framed([before, bad, *behind], codec))
    assert ids(path) == ["0", "1", "2"]
    (told,) = damage(path)
    if lie != "ends of lines":
        assert told.offset == len(CODECS[codec](before))
    assert reason in told.reason


def test_what_lies_within_a_frame_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    for bad, _ in LIES.values():
        path.write_bytes(gzip.compress(b"".join([*some(0), bad, b"\n", *some(1, 2)])))
        assert ids(path) == ["0", "1", "2"]
        assert len(damage(path)) == 1


@pytest.mark.parametrize("codec", [".gz", ".zst", ".lz4"])
@pytest.mark.parametrize("how", ["cut", "garbage", "changed", "end"])
def test_a_frame_that_is_damaged_is_told_and_the_rest_is_read(
    how: str, codec: str, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    first, bad, *rest = (framed([each], codec) for each in some(0, 1, 2, 3))
    middle = len(bad) // 2
    damaged = {
        "cut": bad[:middle],
        "garbage": bad + b"what is this?",
        "changed": bad[:200] + bytes(b ^ 0x5A for b in bad[200:300]) + bad[300:],
        "end": bad[:-2] + b"\xff\xff",
    }
    path.write_bytes(b"".join([first, damaged[how], *rest]))
    found, told = ids(path), damage(path)
    if how == "garbage":
        assert found == ["0", "1", "2", "3"]
    elif how == "cut":
        assert found == ["0", "2", "3"]
    # What is changed in a frame without a checksum of its own leaves no trace.
    assert set(found) >= {"0", "2", "3"}
    assert all(each.offset > 0 for each in told)
    assert bool(told) or how in ("changed", "end")


def test_a_head_of_a_frame_that_makes_no_sense_is_not_the_end(tmp_path: Path) -> None:
    """An extra field that is longer than the file, as one byte too many makes it."""
    path = tmp_path / "a.gz"
    first, bad, last = (gzip.compress(each) for each in some(0, 1, 2))
    path.write_bytes(first + bad[:3] + b"\x04" + bad[3:10] + b"\xff" * 4 + bad[10:] + last)
    assert ids(path) == ["0", "2"]
    (cut_off,) = damage(path)
    assert "no frame follows" in cut_off.reason


@pytest.mark.parametrize("cut", [1, 3, 9, 100, 1500, 2990])
def test_a_file_that_ends_early_is_read_up_to_there(codec: str, cut: int, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(framed(some(0, 1), codec)[:-cut])
    found = ids(path)
    assert found == ["0", "1"] or (found == ["0"] and damage(path))
    # One that is not whole is not copied as a frame.
    if codec and len(found) == 2:
        assert records(path)[-1].end == -1


#: A record of a page, and what is left of its archive where it is cut off.
_TEXT = base64.b64encode(random.Random(7).randbytes(150_000))


@pytest.mark.parametrize("together", [False, True], ids=["a frame each", "one frame"])
@pytest.mark.parametrize("part", [0.7, 0.9])
def test_the_last_record_is_kept_as_far_as_the_file_goes(
    codec: str, part: float, together: bool, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    written = [*some(0), record("resource", _TEXT, id="1")]
    content = framed([b"".join(written)] if together else written, codec)
    path.write_bytes(content[: int(len(content) * part)])
    first, last = records(path)
    assert (first.head.first_value_or_empty("id"), first.missing) == ("0", 0)
    assert last.head.first_value_or_empty("id") == "1"
    assert last.body is not None
    # zstd and LZ4 give whole blocks.
    assert len(last.body) > part * len(_TEXT) - (1 << 17)
    assert last.body == _TEXT[: len(last.body)]
    assert last.missing == len(_TEXT) - len(last.body)
    assert last.end == -1
    assert damage(path) == []


def test_a_record_cut_off_before_others_is_damage(codec: str, tmp_path: Path) -> None:
    """Its length may be a lie, and what follows it is no part of it."""
    path = tmp_path / "a"
    lie = record("resource", b"short\n", id="1", length=10**6)
    path.write_bytes(framed([*some(0), lie, *some(2)], codec))
    assert [(each.head.first_value_or_empty("id"), each.missing) for each in records(path)] == [
        ("0", 0),
        ("2", 0),
    ]
    (told,) = damage(path)
    assert "is cut off" in told.reason


def test_the_last_record_of_an_arc_is_kept_as_far_as_the_file_goes(
    codec: str, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    line = VERSIONS[1].format(length=len(_TEXT)).encode()
    content = framed([line + _TEXT + b"\n", line + _TEXT + b"\n"], codec)
    path.write_bytes(content[: len(content) * 9 // 10])
    first, last = records(path, ARC)
    assert (first.missing, damage(path, ARC)) == (0, [])
    assert last.body is not None
    assert last.body == _TEXT[: len(last.body)]
    assert last.missing == len(_TEXT) - len(last.body) > 0


def test_the_head_of_a_shortened_record_says_its_length() -> None:
    whole = record("response", b"", length=900, WARC_Block_Digest="sha1:a", X_Length="900")
    short = heads.head_of_truncated_record(whole, 12)
    head = heads.parse_warc_head(short)
    assert (head.kind, head.length, head.first_value_or_empty("x-length")) == (
        "response",
        12,
        "900",
    )
    assert (
        head.first_value_or_empty("warc-block-digest"),
        head.first_value_or_empty("warc-truncated"),
    ) == ("", "unspecified")
    assert heads.parse_warc_head(heads.head_of_truncated_record(short, 3)).fields[
        "content-length"
    ] == ["3"]
    line = VERSIONS[2].format(length=4000).encode()
    assert heads.head_of_truncated_record(line, 12) == VERSIONS[2].format(length=12).encode()


def test_a_file_that_ends_within_a_frame_says_so(codec: str, tmp_path: Path) -> None:
    """Also where each record in it is whole: a checksum is missing, or a mark of the end."""
    path = tmp_path / "a"
    path.write_bytes(framed([b"".join(some(0, 1))], codec)[:-3])
    if codec:
        assert ids(path) == ["0", "1"]
        assert [each.reason for each in damage(path)] == ["is cut off, or no frame follows it"]
    else:  # A line break is missing, which says nothing of any record.
        assert (ids(path), damage(path)) == (["0", "1"], [])


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(record("resource", b"", length=10**8) * 2000),
        gzip.compress(b"WARC/1.0\r\n") + frames.MAGIC[".gz"] * 100_000,
        gzip.compress((record("resource", b"") + record("resource", b"", length=99)) * 2000),
    ],
    ids=["records that claim the rest", "false frames", "every other record"],
)
def test_no_file_is_read_without_end(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(content)
    told = damage(path, max_wasted_bytes=1 << 22)
    assert len(told) < 500
    assert "so much is damaged that the rest was not read" in told[-1].reason


GOOD = record("resource", b"good", id="good")
LIE = record("resource", b"hello", length=7)


@pytest.mark.parametrize(
    ("content", "whole"),
    [
        (lambda n: b"WARC/1.1\r\n" * n + GOOD, True),
        (lambda n: b"WARC/1.1\r\nA: b\r\n" * n + b"\r\n" + GOOD, True),
        (lambda n: gzip.compress(b"WARC/1.1\r\n\r\n") * (n // 40) + gzip.compress(GOOD), True),
        (lambda n: LIE * (n // 20), False),
        (lambda n: gzip.compress(GOOD + bytes(n * 100)), True),
    ],
    ids=["lines", "heads", "members", "lies", "zeros"],
)
def test_the_work_after_damage_grows_with_the_file(
    content: Callable[[int], bytes],
    whole: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = 0

    def counted(original: Callable[..., bytes]) -> Callable[..., bytes]:
        def method(*args: Any) -> bytes:
            nonlocal read
            piece = original(*args)
            read += len(piece)
            return piece

        return method

    monkeypatch.setattr(frames.Frames, "read", counted(frames.Frames.read))
    for name in ("read", "read_until"):
        monkeypatch.setattr(gzipped.GzipFrames, name, counted(getattr(gzipped.GzipFrames, name)))
    work = []
    for count in (40_000, 80_000):
        path, read = tmp_path / str(count), 0
        path.write_bytes(content(count))
        found = records(path)
        assert not whole or [each.head.first_value_or_empty("id") for each in found][-1:] == [
            "good"
        ]
        work.append(read)
    assert work[1] <= 2.3 * work[0]


def test_a_record_too_large_for_memory_is_passed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    large = record("resource", b"x" * 1025, id="large")
    path.write_bytes(large + record("resource", b"x" * 1024, id="small"))
    assert [
        (each.head.first_value_or_empty("id"), each.body)
        for each in records(path, max_body_bytes=1 << 10)
    ] == [
        ("large", None),
        ("small", b"x" * 1024),
    ]


@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b"WARC/", b"\r\n\r\n"])
def test_what_is_no_archive_has_no_records(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    assert forms.recognise_form(str(path)) is None
    assert records(path) == []
    assert bool(damage(path)) == bool(content.strip())


VERSIONS = {
    1: "http://a.org/ 192.0.2.1 20200102030405 text/html {length}\n",
    2: "http://a.org/a b 192.0.2.1 20200102030405 text/html 200 - - 0 x.arc {length}\n",
}


@pytest.mark.parametrize("version", VERSIONS)
def test_arcs_are_read(version: int, codec: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    note = f"{version} 0 InternetArchive\nURL IP-address Archive-date\n".encode()
    first = f"filedesc://x.arc 0.0.0.0 20200102030405 text/plain {len(note)}\n"
    if version == 2:
        first = first.replace(f" {len(note)}", f" 200 - - 0 x.arc {len(note)}")
        note = note.replace(b"URL IP", b"URL IP")
    line = VERSIONS[version].format(length=4).encode()
    bad = VERSIONS[version].format(length=4000).encode()
    path.write_bytes(
        framed(
            [first.encode() + note + b"\n", line + b"one!\n", bad + b"two\n", line + b"\n\n\n\n\n"],
            codec,
        )
    )
    assert forms.recognise_form(str(path)) is ARC
    found = records(path, ARC)
    assert [each.head.kind for each in found] == ["warcinfo", "response", "response"]
    assert [each.body for each in found[1:]] == [b"one!", b"\n\n\n\n"]
    assert found[1].head.first_value_or_empty("warc-date") == "2020-01-02T03:04:05Z"
    assert (
        found[1].head.first_value_or_empty("warc-target-uri")
        == ("http://a.org/", "http://a.org/a b")[version - 1]
    )
    assert len(damage(path, ARC)) == 1


def test_a_dictionary_of_zstd_is_used(tmp_path: Path) -> None:
    """As WARC files of Zstandard have it in their first frame."""
    from fastwarc.stream_io import ZstdWriter, zstd_train_dictionary_from_samples

    written = [response(f"http://a.org/{n}", b"<p>the same all over %d" % n) for n in range(200)]
    dictionary = zstd_train_dictionary_from_samples(written, 2000)
    for packed in (False, True):
        path = tmp_path / "a.zst"
        with path.open("wb") as out:
            writer = ZstdWriter(out, dictionary=dictionary, compress_dictionary_frame=packed)
            for each in written:
                writer.write(each)
                writer.finish()
            writer.close()
        found = records(path)
        assert len(found) == 200
        reader = frames.Frames(str(path), found[7].place)
        assert reader.read(found[7].size) + b"\r\n\r\n" == written[7]
        assert not reader.frames_are_independent
        reader.close()


@pytest.mark.parametrize("codec", ["", ".gz"])
def test_warcio_reads_the_same(codec: str, tmp_path: Path) -> None:
    from warcio.archiveiterator import ArchiveIterator

    path = tmp_path / "a"
    path.write_bytes(framed([response(f"http://a.org/{n}", b"<p>%d" % n) for n in range(9)], codec))
    with path.open("rb") as file:
        said = [
            (each.rec_headers.get_header("WARC-Target-URI"), each.raw_stream.read())
            for each in ArchiveIterator(file, no_record_parse=True)
        ]
    assert said == [
        (each.head.first_value_or_empty("warc-target-uri"), each.body) for each in records(path)
    ]


@pytest.mark.parametrize(("longer", "found"), [(0, ["1", "2", "3"]), (1, ["1", "3"])])
def test_a_head_has_its_limit_of_bytes(longer: int, found: list[str], tmp_path: Path) -> None:
    # The mark of a record is read before.
    head = len(record("resource", b"x", id="2", pad="p")) - len(b"x") - 4 - len(b"WARC/")
    pad = "p" * (heads.LONGEST - head + 1 + longer)
    written = [
        record("resource", b"x", id=str(n), **({"pad": pad} if n == 2 else {})) for n in (1, 2, 3)
    ]
    (tmp_path / "a").write_bytes(framed(written, ""))
    assert ids(tmp_path / "a") == found
    assert len(damage(tmp_path / "a")) == longer


@pytest.mark.parametrize("kind", [".zst", ".lz4"])
def test_frames_to_skip_may_come_first(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{kind}"
    to_skip = b"\x50\x2a\x4d\x18\x04\0\0\0size"
    between = to_skip if kind == ".zst" else b""
    path.write_bytes(b"".join((to_skip, *(framed([it], kind) + between for it in some(1, 2, 3)))))
    assert frames.read_codec_extension_or_empty(str(path)) == kind
    if kind == ".zst":
        assert ids(path) == ["1", "2", "3"]
    else:  # The reader of LZ4 skips none, and says so.
        assert "SkippableFrame" in damage(path)[0].reason


def test_empty_frames_hide_no_record(codec: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    empty = CODECS[codec](b"")
    path.write_bytes(empty * 3 + empty.join(framed([it], codec) for it in some(1, 2, 3)) + empty)
    assert ids(path) == ["1", "2", "3"]
    assert damage(path) == []


@pytest.mark.parametrize("compressed", [False, True])
def test_a_dictionary_of_any_bytes_is_told(compressed: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.zst"
    broken = b"\x37\xa4\x30\xec" + b"\xff" * 60
    held = CODECS[".zst"](broken) if compressed else broken
    head = b"\x5d\x2a\x4d\x18" + len(held).to_bytes(4, "little") + held
    path.write_bytes(head + framed(some(1, 2), ".zst"))
    with pytest.raises(OSError, match="the dictionary is damaged"):
        frames.Frames(str(path))
