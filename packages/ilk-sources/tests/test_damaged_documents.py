"""Every reader meets documents that are damaged at random, and none harms the next one."""

from __future__ import annotations

import random
import time

import pytest
from tests.support import samples
from tests.support.damage import SECONDS, damaged

from ilk import Limits
from ilk.read.files.content import Unreadable
from ilk.read.formats.parts import TextPart
from ilk.read.formats.reader import FormatReader
from ilk.read.formats.table import recognise_format_of_bytes_if_known

MADE = samples.SAMPLES | {
    ".zip": lambda: samples.zipped({"a.txt": samples.TEXT, "b.pdf": samples.pdf()}),
    ".tar": lambda: samples.tarred({"a.txt": samples.TEXT, "b.pdf": samples.pdf()}),
    ".tgz": lambda: samples.tarred({"a.txt": samples.TEXT}, "w:gz"),
    ".mbox": lambda: b"From a Fri Jan  2 03:04:05 2026\n" + bytes(samples.message(title="A title")),
}


def fuzzed(extension: str, seconds: float) -> int:
    """Return how many damaged documents were read, or refused with a reason."""
    content, draw = MADE[extension](), random.Random(extension)
    reasons: set[str] = set()
    formats, count, end = FormatReader(Limits.of(memory="1GB"), 20), 0, time.monotonic() + seconds
    while time.monotonic() < end or count < 5:
        data = damaged(content, draw)
        form = recognise_format_of_bytes_if_known(f"a{extension}", data)
        if form is not None and form.is_readable:
            try:
                for part in formats.read_parts(form, data):
                    if isinstance(part, TextPart):
                        part.data.decode()
            except Unreadable as error:
                reasons.add(str(error))
        count += 1
    assert not [reason for reason in reasons if not reason or "\n" in reason]
    # The next one is read.
    form = recognise_format_of_bytes_if_known(f"a{extension}", content)
    assert form is not None
    assert list(formats.read_parts(form, content))
    with formats.pool.children_ended_and_none_started():
        pass
    return count


@pytest.mark.parametrize("extension", MADE)
def test_a_few_damaged_documents_harm_nothing(extension: str) -> None:
    assert fuzzed(extension, 0) == 5


@pytest.mark.long
@pytest.mark.parametrize("extension", MADE)
def test_damaged_documents_harm_nothing(extension: str) -> None:
    assert fuzzed(extension, SECONDS) > 5
