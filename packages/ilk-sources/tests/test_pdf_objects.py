"""What a PDF holds beside its pages is found, wherever it is and however its objects are packed."""

from __future__ import annotations

import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import samples

from ilk_sources.documents.pdf_objects import find_unshown_or_all

SECRET = b"nobody else has these words"
PLAIN = samples.pdf()


def test_the_sample_shows_all_but_its_picture() -> None:
    """The picture is among the resources of its page, and no page draws it."""
    picture = re.search(rb"/Subtype /Image.*?stream\n(.*?)\nendstream", PLAIN, re.DOTALL)
    assert picture is not None
    assert find_unshown_or_all(PLAIN).strip() == picture[1].strip()


def pack_stream(data: bytes) -> bytes:
    """The same file, its objects without streams in one stream of objects."""
    objects = re.findall(rb"(\d+) 0 obj\n(.*?)\nendobj\n", data, re.DOTALL)
    plain = [(number, one) for number, one in objects if b"stream" not in one]
    places, body = [], b""
    for number, one in plain:
        places.append(b"%s %d" % (number, len(body)))
        body += one + b" "
    head = b" ".join(places) + b" "
    content = zlib.compress(head + body)
    out = b"%PDF-1.5\n"
    for number, one in objects:
        if b"stream" in one:
            out += b"%s 0 obj\n%s\nendobj\n" % (number, one)
    out += b"900 0 obj\n<< /Type /ObjStm /N %d /First %d /Filter /FlateDecode /Length %d >>\n" % (
        len(plain),
        len(head),
        len(content),
    )
    out += b"stream\n%s\nendstream\nendobj\n" % content
    return (
        out + b"901 0 obj\n<< /Type /XRef /Root 1 0 R /Info 4 0 R >>\nstream\n\nendstream\nendobj\n"
    )


#: Values as they may stand in a file.
values = st.recursive(
    st.sampled_from(
        [b"null", b"true", b"-1.5", b"/Name", b"<0a 0b>", b"(a (b) \\) c)", b"7 0 R", b"(x)"]
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda some: b"[%s]" % b" ".join(some)),
        st.lists(inner, max_size=3).map(
            lambda some: b"<<%s>>" % b" ".join(b"/K%d %s" % it for it in enumerate(some))
        ),
    ),
    max_leaves=6,
)
places = st.sampled_from([b"/Type /Catalog ", b"/Type /Page ", b"/Author", b"/BaseFont", b"/Count"])


@given(place=places, value=values, packing=st.booleans(), alone=st.booleans())
def test_a_key_or_an_object_that_nobody_knows_counts(
    place: bytes, value: bytes, packing: bool, alone: bool
) -> None:
    more = b"<< /SomethingNew [%s (%s)] >>" % (value, SECRET)
    if alone:
        data = PLAIN.replace(b"xref\n", b"99 0 obj\n%s\nendobj\nxref\n" % more, 1)
    else:
        data = PLAIN.replace(place, b"/New %s %s" % (more, place), 1)
    assert SECRET not in find_unshown_or_all(PLAIN)
    data = pack_stream(data) if packing else data
    found = find_unshown_or_all(data)
    assert SECRET in found
    assert len(found) < len(data) / 2, "all of the file, since it was not followed"


@given(data=st.binary(max_size=200), at=st.integers(0, len(PLAIN)), length=st.integers(0, 300))
def test_damage_is_no_error(data: bytes, at: int, length: int) -> None:
    damaged = PLAIN[:at] + data + PLAIN[at + length :]
    assert isinstance(find_unshown_or_all(damaged), bytes)
    assert find_unshown_or_all(data) in (data, b"")


@pytest.mark.parametrize("key", [b"/Root 1 0 R", b"/Info 4 0 R"])
def test_all_of_a_file_counts_that_has_no_dictionary_where_it_must(key: bytes) -> None:
    name = key.split()[0]
    damaged = PLAIN.replace(key, name + b" (a text)")
    assert damaged != PLAIN
    assert find_unshown_or_all(damaged) == damaged


@pytest.mark.parametrize(
    "data", [b"<<" * 100_000, b"1 0 obj\n" + b"[" * 100_000, b"1 0 obj (" * 999]
)
def test_what_is_nested_for_ever_is_no_error(data: bytes) -> None:
    assert find_unshown_or_all(data) == data
