"""Dropped captures as revisits: warcio reads them back, and each address has its payload."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.archives import DATE, answer, framed, record, request, response, sha1
from tests.support.command_line import Run
from tests.support.fixtures import examples
from warcio.archiveiterator import ArchiveIterator

import ilk
from ilk.plugins import OptionError

WORDS = " ".join(f"word{number}" for number in range(80))
PAYLOADS = [
    WORDS.encode(),
    WORDS.replace("word41", "changed").encode(),
    f"{WORDS}\n".encode(),
    b"another page of a few words",
    b"",
]
IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


def _date(number: int) -> str:
    return f"2020-01-02T03:04:{number:02}Z"


def _in_chunks(payload: bytes, url: str, date: str) -> bytes:
    """The same answer as it was sent; its digest is without the chunks."""
    sent = b"%x\r\n%s\r\n0\r\n\r\n" % (len(payload), payload) if payload else b"0\r\n\r\n"
    return record(
        "response",
        answer(sent, Transfer_Encoding="chunked"),
        WARC_Record_ID=f"<id:{url}:{date}>",
        WARC_Target_URI=url,
        WARC_Date=date,
        WARC_Payload_Digest=sha1(payload),
        Content_Type="application/http; msgtype=response",
    )


def _replay(path: Path) -> dict[tuple[str, str], tuple[str, bytes]]:
    """Return by address and date what replay answers: the first line of its own, and the payload
    of the record that it refers to.
    """
    answers: dict[tuple[str, str], tuple[str, bytes]] = {}
    referring: dict[tuple[str, str], tuple[str, tuple[str, str]]] = {}
    with path.open("rb") as file:
        for one in ArchiveIterator(file):
            head = one.rec_headers
            at = head["WARC-Target-URI"], head["WARC-Date"]
            if one.rec_type == "response":
                answers[at] = one.http_headers["X-Own"], one.content_stream().read()
            elif one.rec_type == "revisit":
                original = head["WARC-Refers-To-Target-URI"], head["WARC-Refers-To-Date"]
                referring[at] = one.http_headers["X-Own"], original
    for at, (own, original) in referring.items():
        answers[at] = own, answers[original][1]
    return answers


@examples(30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(PAYLOADS) - 1), st.booleans(), st.integers(0, 1)),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(["", ".gz"]),
    st.sampled_from(["first", "last"]),
    st.booleans(),
)
def test_every_address_replays_to_the_byte(
    captures: list[tuple[int, bool, int]], codec: str, keep: str, by_digest: bool
) -> None:
    """By digests, all of them do; by texts, those do whose payload stays."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written: list[list[bytes]] = [[], []]
        for number, (payload, chunked, file) in enumerate(captures):
            url, date = f"http://a.example/{number}", _date(number)
            content = PAYLOADS[payload]
            make = _in_chunks(content, url, date) if chunked else response(url, content, date)
            own = make.replace(b"text/html\r\n", f"text/html\r\nX-Own: {number}\r\n".encode(), 1)
            length = int(make.split(b"Content-Length: ")[1].split(b"\r\n")[0])
            longer = length + len(own) - len(make)
            own = own.replace(b"Length: %d\r\n" % length, b"Length: %d\r\n" % longer, 1)
            written[file] += [own, request(url, url, date)]
        paths = []
        for number, records in enumerate(written):
            if records:
                paths.append(folder / f"{number}.warc{codec}")
                paths[-1].write_bytes(framed(records, codec))
        out = folder / f"once.warc{codec}"
        result = ilk.deduplicate(
            paths,
            out,
            key="digest" if by_digest else None,
            keep=keep,
            revisits=True,
            accept_alarm=True,
        )
        before = {at: one for path in paths for at, one in _replay(path).items()}
        after = _replay(out)
        assert after.items() <= before.items()
        stays = sum(result.keep_mask.to_pylist())
        assert len(after) == stays + result.report["revisits"]
        if by_digest:
            assert after == before
        else:
            kept = {answered[1] for answered in after.values()}
            assert {at for at, one in before.items() if one[1] in kept and one[1]} <= after.keys()
        with out.open("rb") as opened:
            kinds = [one.rec_type for one in ArchiveIterator(opened)]
        assert kinds.count("request") == len(after)


def _revisit(url: str, to: str, payload: bytes) -> bytes:
    return record(
        "revisit",
        answer(b"", X_Own="revisit"),
        WARC_Record_ID=f"<id:{url}>",
        WARC_Target_URI=url,
        WARC_Refers_To_Target_URI=to,
        WARC_Refers_To_Date=DATE,
        WARC_Payload_Digest=sha1(payload),
        WARC_Profile=IDENTICAL,
        Content_Type="application/http; msgtype=response",
    )


@pytest.mark.parametrize("keep", ["first", "last"])
def test_what_a_revisit_refers_to_stays_whole(keep: str, tmp_path: Path) -> None:
    """Whichever of the two is dropped, both are in the output as they were."""
    payload = PAYLOADS[0]
    first = response("http://a.example/1", payload, X_Own="first")
    revisit = _revisit("http://a.example/2", "http://a.example/1", payload)
    (tmp_path / "a.warc").write_bytes(first + revisit)
    out = tmp_path / "once.warc"
    result = ilk.deduplicate(tmp_path / "a.warc", out, keep=keep, revisits=True, accept_alarm=True)
    assert out.read_bytes() == first + revisit
    assert (result.report["whole"], result.report["revisits"]) == (1, 0)


def test_a_revisit_names_the_record_that_stays(tmp_path: Path, run: Run) -> None:
    payload = PAYLOADS[0]
    records = [response(f"http://a.example/{n}", payload, _date(n)) for n in range(3)]
    near = response("http://a.example/near", PAYLOADS[1], _date(9))
    (tmp_path / "a.warc.gz").write_bytes(framed([*records, near], ".gz"))
    out = tmp_path / "once.warc.gz"
    code, said, _ = run("dedup", tmp_path / "a.warc.gz", "-o", out, "--revisits", "--accept-alarm")
    assert code == 0
    assert "and 2 dropped captures as revisits, which name what stays" in said
    with out.open("rb") as file:
        original, *others = [(one.rec_type, one.rec_headers) for one in ArchiveIterator(file)]
    assert original[0] == "response"
    assert [kind for kind, _ in others] == ["revisit", "revisit"]
    for number, (_, head) in enumerate(others, 1):
        assert head.protocol == "WARC/1.1"
        assert head["WARC-Record-ID"] == f"<id:http://a.example/{number}:{_date(number)}>"
        assert head["WARC-Profile"] == IDENTICAL
        assert head["WARC-Refers-To"] == f"<id:http://a.example/0:{_date(0)}>"
        assert head["WARC-Refers-To-Target-URI"] == "http://a.example/0"
        assert head["WARC-Refers-To-Date"] == _date(0)
        assert head["WARC-Payload-Digest"] == sha1(payload)
    # What was written is read again, and each revisit has the text of what it names.
    again = ilk.deduplicate(out)
    assert again.documents["digest"].null_count == 0
    assert sum(again.keep_mask.to_pylist()) == 1


def test_what_has_no_revisits_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "to be"}\n')
    with pytest.raises(OptionError, match="JSON lines, which has no revisit records"):
        ilk.deduplicate(tmp_path / "a.jsonl", tmp_path / "b.jsonl", revisits=True)
    (tmp_path / "a.warc").write_bytes(response("http://a.example/", PAYLOADS[0]))
    with pytest.raises(OptionError, match="would hold rows"):
        ilk.deduplicate(tmp_path / "a.warc", tmp_path / "b.jsonl", revisits=True)
    with pytest.raises(OptionError, match="those of `against` are not there"):
        ilk.deduplicate(tmp_path / "a.warc", tmp_path / "b.warc", against=["x"], revisits=True)
    assert not (tmp_path / "b.jsonl").exists()
