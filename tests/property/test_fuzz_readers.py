"""Readers of what strangers made, on inputs that are damaged at random.

Whatever comes in, a reader gives documents or a documented error, and reads the next one. Every
input follows from its number, so that one that fails can be made again: ``one(TARGET, NUMBER)``.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import ilk
import ilk_papers
from ilk import read as readers
from ilk.base.errors import IlkError
from ilk.base.run_options import ALONE
from ilk.read.encodings.decoding import decode_page_unless_binary
from ilk.read.files.content import Unreadable
from ilk.read.pages import Pages
from ilk.tasks.labels import read_tab_separated_labels
from ilk_web import urls
from ilk_web.pages import parse_declarations
from tests.support import hostile_files
from tests.support.damage import SECONDS, damaged

#: Inputs of each target in every run, and seconds after which an input has no end.
FEW, ENDLESS = 5, 300

_URLS = [
    "http://user:word@A.Example:80/%7Ea/../b;c?q=1&utm_source=x&q=2#!r",
    "https://xn--bcher-kva.example/%E4%B8%80?a[]=1&&b",
    "http://[2001:db8::1]:65536/a//b?" + "c=d&" * 50,
]
_RECIPES = [str(ilk.Recipe()), "minhash64", "simhash64/words=1/weight=log/fold/min=1/ilk64/v1"]
_PAGES = Pages("all", 30)


def rows(draw: random.Random, folder: Path) -> None:
    kind = draw.choice((hostile_files.rows, hostile_files.odd_rows))
    extension, content = kind(draw)
    path = folder / f"a{extension}"
    path.write_bytes(content)
    reading = readers.Reading.of(text=draw.choice(("text", "id", ["text", "url"])))
    for batch in readers.read_documents(path, reading, ALONE, readers.ReadReport()):
        batch.validate(full=True)


def warc(draw: random.Random, folder: Path) -> None:
    extension = draw.choice((".warc", ".warc.gz"))
    path = folder / f"a{extension}"
    path.write_bytes(damaged(hostile_files.WHOLE[extension], draw))
    for batch in readers.read_documents(path, readers.PLAINLY, ALONE, readers.ReadReport()):
        batch.validate(full=True)


def addresses(draw: random.Random, folder: Path) -> None:
    del folder
    url = damaged(draw.choice(_URLS).encode(), draw).decode("utf-8", "replace")
    for asked in (urls.canonical, urls.explain, urls.surt):
        with contextlib.suppress(IlkError):
            asked(url)
    # The canonical form of a canonical form is itself.
    found = urls.canonical(url)
    assert urls.canonical(found) == found


def pages(draw: random.Random, folder: Path) -> None:
    del folder
    whole = draw.choice((hostile_files.WHOLE[".html"], hostile_files.page(draw)[1][:99_999]))
    content = damaged(whole, draw)
    decoded = decode_page_unless_binary(content, "")
    if decoded is not None:
        for value in parse_declarations(decoded.utf8):
            assert value is None or value == value.strip() != ""
        with contextlib.suppress(Unreadable):
            _PAGES.extract_text(decoded.utf8).data.decode()


def store(draw: random.Random, folder: Path) -> None:
    path = folder / "s.ilk"
    path.write_bytes(hostile_files.store(draw)[1])
    with ilk.Store(path, create=False, jobs=1) as opened:
        opened.validate()
        for ask in (
            lambda: list(opened),
            lambda: opened.check(["harbours and letters and ships"]),
            lambda: opened.add(["a text that is new here"]),
            opened.stats,
            opened.clusters,
        ):
            with contextlib.suppress(IlkError):
                ask()


def settings(draw: random.Random, folder: Path) -> None:
    recipe = damaged(draw.choice(_RECIPES).encode(), draw).decode("utf-8", "replace")
    with contextlib.suppress(IlkError):
        assert ilk.Recipe.parse(str(ilk.Recipe.parse(recipe))).bits in (64, 128)
    whole = draw.choice((_calibration(), b"a\tb\t1\nc\td\t0.5\n"))
    path = folder / "a.ilk-calibration.json"
    path.write_bytes(damaged(whole, draw))
    for read in (ilk_papers.Calibration.load, read_tab_separated_labels):
        with contextlib.suppress(IlkError):
            read(path)


def _calibration() -> bytes:
    if not _KEPT:
        texts = [f"{' '.join(f'w{at}{word}' for word in range(60))}" for at in range(20)]
        found = ilk_papers.calibrate(texts, copies=10, pairs_sample=10, jobs=1)
        _KEPT.append(json.dumps(found.to_dict()).encode())
    return _KEPT[0]


_KEPT: list[bytes] = []

TARGETS: dict[str, Callable[[random.Random, Path], None]] = {
    one.__name__: one for one in (rows, warc, addresses, pages, store, settings)
}


def one(target: str, number: int, folder: Path) -> None:
    """Try an input; its own error is allowed, and nothing else is."""
    faulthandler.dump_traceback_later(ENDLESS, exit=True, file=2)
    try:
        TARGETS[target](random.Random(f"{target} {number}"), folder)
    except IlkError as error:
        if not str(error).strip():
            raise AssertionError(f"{target} {number}: an error without words") from error
    except BaseException as error:
        error.add_note(f"{target} {number}")
        raise
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.mark.parametrize("target", TARGETS)
def test_a_few_damaged_inputs_are_read_or_refused(target: str, tmp_path: Path) -> None:
    for number in range(FEW):
        one(target, number, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_damaged_inputs_are_read_or_refused(target: str, tmp_path: Path) -> None:
    number, end = FEW, time.monotonic() + SECONDS
    while time.monotonic() < end:
        one(target, number, tmp_path)
        number += 1
    assert number > FEW
