"""What is open already gets what a file gets: pipes, named pipes, and files by their numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Run
from tests.support.outputs import VERBS

#: The name of a stream, and what returns all that it has got.
Stream = tuple[str, Callable[[], bytes]]


@pytest.fixture
def stream(request: pytest.FixtureRequest, place: Path) -> Iterator[Stream]:
    kept = place / "kept"
    if request.param == "file":
        kept.write_bytes(b"before\n")
        writes = os.open(kept, os.O_WRONLY | os.O_APPEND)
        yield f"/dev/fd/{writes}", lambda: kept.read_bytes().removeprefix(b"before\n")
        os.close(writes)
    elif request.param == "pipe":
        reads, writes = os.pipe()
        os.set_blocking(reads, False)
        yield f"/dev/fd/{writes}", lambda: os.read(reads, 1 << 16)
        os.close(reads)
        os.close(writes)
    else:
        os.mkfifo(kept)
        reads = os.open(kept, os.O_RDONLY | os.O_NONBLOCK)
        yield str(kept), lambda: os.read(reads, 1 << 16)
        os.close(reads)


PASSAGES = ["passages", "in.jsonl", "--words", "8", "--cut"]


@pytest.mark.parametrize("stream", ["file", "pipe", "named pipe"], indirect=True)
@pytest.mark.parametrize("verb", [*VERBS, "passages"])
def test_a_stream_gets_what_a_file_gets_and_nothing_is_beside_it(
    verb: str, stream: Stream, place: Path, run: Run
) -> None:
    words = VERBS.get(verb, PASSAGES)
    name, got = stream
    before = [sorted(os.listdir(folder)) for folder in (place, "/dev")]
    code, _, err = run(*words, "-o", name)
    assert code in (0, 1), err
    assert [sorted(os.listdir(folder)) for folder in (place, "/dev")] == before
    file = {"dedup": "there.jsonl", "passages": "there.jsonl", "calibrate": "./there.json"}
    out = file.get(verb, "there.bin")
    assert run(*words, "-o", out)[0] in (0, 1)
    assert got() == Path(out).read_bytes() != b""


@pytest.mark.parametrize("stream", ["file", "pipe", "named pipe"], indirect=True)
def test_rows_of_several_files_and_of_a_plan_go_into_a_stream(
    stream: Stream, place: Path, run: Run
) -> None:
    name, got = stream
    Path("more.jsonl").write_bytes(Path("in.jsonl").read_bytes())
    assert run("dedup", "in.jsonl", "more.jsonl", "-o", "there.jsonl")[0] == 0
    assert run("dedup", "in.jsonl", "more.jsonl", "--plan", "plan")[0] == 0
    before = sorted(os.listdir(place))
    for words in (["dedup", "in.jsonl", "more.jsonl"], ["apply", "plan"]):
        code, _, err = run(*words, "-o", name)
        assert code == 0, err
        assert sorted(os.listdir(place)) == before
    assert got() == 2 * Path("there.jsonl").read_bytes()


@pytest.mark.parametrize("verb", [*VERBS, "passages"])
@pytest.mark.usefixtures("place")
def test_a_number_without_an_open_file_is_refused_before_any_work(verb: str, run: Run) -> None:
    code, printed, err = run(*VERBS.get(verb, PASSAGES), "-o", "/dev/fd/999")
    assert (code, printed) == (2, "")
    assert "cannot write /dev/fd/999: no file is open under this number." in err


@pytest.mark.usefixtures("place")
def test_an_input_file_that_is_open_as_a_stream_is_not_written_to(run: Run) -> None:
    content = Path("in.jsonl").read_bytes()
    with Path("in.jsonl").open("ab") as out:
        code, _, err = run("dedup", "in.jsonl", "-o", f"/dev/fd/{out.fileno()}", "--force")
    assert (code, Path("in.jsonl").read_bytes()) == (2, content)
    assert "it is one of the input files" in err
