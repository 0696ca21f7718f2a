"""Whatever stands in an archive, and whatever happens to its bytes, sound records are read."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.archives import CODECS, framed, record

from ilk.read.rows.opening import open_rows
from ilk_web.warc import cutting, messages
from ilk_web.warc.cutting import ArchiveRecord, Damage
from ilk_web.warc.forms import WARC
from ilk_web.warc.heads import Head

bodies = st.lists(st.binary(max_size=300), max_size=8)
groups = st.lists(st.integers(1, 3), min_size=8, max_size=8)


def _every(head: Head) -> bool:
    del head
    return True


def cut(content: bytes) -> tuple[list[ArchiveRecord], list[Damage]]:
    """The records in some bytes, and what is damaged."""
    told: list[int] = []
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(content)
        found = list(cutting.read_records(file.name, WARC, _every, told.append))
    sound = [each for each in found if isinstance(each, ArchiveRecord)]
    return sound, [each for each in found if isinstance(each, Damage)]


@pytest.mark.parametrize("codec", CODECS)
@given(bodies=bodies, groups=groups)
@example(bodies=[b"\n\nWARC/1.0\r\n", b"\r\n\r\n"], groups=[1] * 8)
def test_records_are_read_as_they_were_written(
    codec: str, bodies: list[bytes], groups: list[int]
) -> None:
    """Whatever their bodies are, and however many lie in a frame."""
    rest = [record("resource", body, id=str(at)) for at, body in enumerate(bodies)]
    frames: list[bytes] = []
    for size in groups:
        frames.append(b"".join(rest[:size]))
        rest = rest[size:]
    found, damaged = cut(framed([each for each in frames if each], codec))
    assert damaged == []
    assert [each.body for each in found] == bodies
    assert [each.head.first_value_or_empty("id") for each in found] == [
        str(at) for at in range(len(bodies))
    ]


@pytest.mark.parametrize("codec", CODECS)
@given(data=st.data())
def test_damage_costs_the_records_it_touches_and_the_next(codec: str, data: st.DataObject) -> None:
    bodies = data.draw(st.lists(st.binary(min_size=70, max_size=300), min_size=1, max_size=6))
    written = [record("resource", body, id=str(at)) for at, body in enumerate(bodies)]
    frames = [framed([each], codec) for each in written]
    content = b"".join(frames)
    begin = data.draw(st.integers(len(frames[0]), len(content)))
    end = data.draw(st.integers(begin, min(len(content), begin + 400)))
    instead = data.draw(st.binary(max_size=100))
    found, _ = cut(content[:begin] + instead + content[end:])
    ends = [sum(map(len, frames[: at + 1])) for at in range(len(frames))]
    # What stands right before the damage may be taken for a part of it.
    before = [str(at) for at, last in enumerate(ends) if last < begin]
    behind = [str(at) for at, first in enumerate([0, *ends[:-1]]) if first > end][1:]
    ids = [each.head.first_value_or_empty("id") for each in found]
    assert ids[: len(before)] == before
    assert ids[len(ids) - len(behind) :] == behind


@given(content=st.binary(max_size=2000))
@example(content=b"WARC/1.0\r\nContent-Length: 0\r\n\r\n")
@example(content=b"\x1f\x8b\x08")
@example(content=b"\x5d\x2a\x4d\x18\xff\xff\xff\xff")
def test_anything_may_be_called_an_archive(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.warc", "a.arc.gz"):
            path = Path(folder, name)
            path.write_bytes(content)
            data_set = open_rows(path)
            assert data_set.count_rows() >= 0
            data_set.write(range(data_set.count_rows()), f"{folder}/out/")


@given(payload=st.binary(max_size=500), cuts=st.lists(st.integers(1, 200), max_size=5))
def test_chunks_are_undone(payload: bytes, cuts: list[int]) -> None:
    sent, at = b"", 0
    for size in [*cuts, len(payload) or 1]:
        part = payload[at : at + size]
        sent += b"%X\r\n%b\r\n" % (len(part), part) if part else b""
        at += size
    assert messages.join_chunks_if_any(sent + b"0\r\n\r\n") == payload
