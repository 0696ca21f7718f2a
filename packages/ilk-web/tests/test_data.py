"""Archives that others have written: the same records as FastWARC and warcio find."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator
from tests.support.fixtures import DATA
from warcio.archiveiterator import ARCIterator

from ilk_web.warc import cutting, forms
from ilk_web.warc.cutting import ArchiveRecord, Damage
from ilk_web.warc.heads import Head

FILES = sorted(path for path in (DATA / "warc").rglob("*arc*") if path.is_file())
WARCS = [path for path in FILES if ".warc" in path.name]


def _every(head: Head) -> bool:
    del head
    return True


def cut(path: Path) -> tuple[list[ArchiveRecord], list[Damage]]:
    told: list[int] = []
    kind = forms.recognise_form(str(path)) or forms.WARC
    found = list(cutting.read_records(str(path), kind, _every, told.append))
    sound = [each for each in found if isinstance(each, ArchiveRecord)]
    return sound, [each for each in found if isinstance(each, Damage)]


@pytest.mark.parametrize("path", WARCS or [DATA], ids=lambda path: path.name)
def test_fastwarc_finds_the_same_records(path: Path, data: Path) -> None:
    if not path.is_file():
        pytest.skip(f"there are no archives in {data}")
    found, damaged = cut(path)
    ours = [(each.head.first_value_or_empty("warc-record-id"), each.head.length) for each in found]
    read = ArchiveIterator(str(path), fsspec_args=False, parse_http=False, quirks_mode=True)
    said = [(each.record_id, each.content_length) for each in read]
    if damaged:
        # A record whose length lies is one to FastWARC.
        assert set(ours) < set(said)
    else:
        # One file begins in a way that FastWARC does not read.
        assert ours == said or (path.suffix == ".bad" and not said)


@pytest.mark.parametrize("name", ["example.arc", "example.arc.gz"])
def test_warcio_finds_the_same_records(name: str, data: Path) -> None:
    paths = [path for path in FILES if path.name == name]
    if not paths:
        pytest.skip(f"there is no {name} in {data}")
    found, damaged = cut(paths[0])
    with paths[0].open("rb") as file:
        said = [each.raw_stream.read() for each in ARCIterator(file, no_record_parse=True)]
    assert damaged == []
    # It takes the lines of the first record for a part of its head.
    assert [each.body for each in found][1:] == said[1:]
