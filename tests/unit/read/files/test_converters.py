"""Programs of the user's own: what they are given, what they give, and how they may fail."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from ilk.base.errors import IlkError
from ilk.read.files.converters import parse_converter, run_converter
from ilk.read.report import Failure
from tests.support.readers import Read

PYTHON = [sys.executable, "-I", "-c"]


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkdir("docs")


def write(name: str, content: bytes = b"%PDF-1.7 some words\n") -> None:
    Path(name).write_bytes(content)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("pdf=pdftotext {} -", ("pdf", ["pdftotext", "{}", "-"])),
        (".PDF=pdftotext", ("pdf", ["pdftotext"])),
        (" doc =antiword", ("doc", ["antiword"])),
        ("x='/opt/my tool' --to='a b' {}", ("x", ["/opt/my tool", "--to=a b", "{}"])),
        ("x=env A=b c", ("x", ["env", "A=b", "c"])),
        ("x=a; b | c > $d *", ("x", ["a;", "b", "|", "c", ">", "$d", "*"])),
        ("x=''", ("x", [""])),
    ],
)
def test_a_spec_is_an_extension_and_a_list_of_arguments(
    spec: str, expected: tuple[str, list[str]]
) -> None:
    assert parse_converter(spec) == expected


@pytest.mark.parametrize(
    "spec",
    ["", "pdf", "pdf=", "pdf=  ", "=cat", ".=cat", "a/b=cat", "tar.gz=cat", "a b=cat", "p='"],
)
def test_a_bad_spec_is_refused_with_the_fix(spec: str) -> None:
    with pytest.raises(IlkError) as caught:
        parse_converter(spec)
    assert repr(spec) in str(caught.value)
    assert "--convert 'pdf=pdftotext {} -'" in str(caught.value)


def test_what_the_program_prints_is_the_text_and_the_rest_is_the_files(read: Read) -> None:
    write("docs/a.PDF")
    write("docs/b.txt", b"plain\n")
    write("docs/copy.bin", b"\0" * 100)
    upper = [*PYTHON, "import sys; print(open(sys.argv[1]).read()[9:].upper())", "{}"]
    rows, tally = read("docs", convert={"pdf": upper})
    assert [(row["source"], row["text"]) for row in rows] == [
        ("docs/a.PDF", "SOME WORDS\n\n"),
        ("docs/b.txt", "plain\n"),
    ]
    assert rows[0]["size"] == len(b"%PDF-1.7 some words\n")
    write("docs/c.txt", b"words without end\n")
    write("docs/d.pdf", b"words without end\n")
    converted, _ = read("docs/c.txt", "docs/d.pdf", convert={".pdf": upper})
    assert converted[0]["bytes_digest"] == converted[1]["bytes_digest"]
    assert tally.skipped == {".bin": 1}


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [
        (["{}"], ["docs/a.x"]),
        ([], ["docs/a.x"]),
        (["-q"], ["-q", "docs/a.x"]),
        (["{}", "-"], ["docs/a.x", "-"]),
        (["--in={}", "{}{}"], ["--in=docs/a.x", "docs/a.xdocs/a.x"]),
        (["$HOME; *", "{}"], ["$HOME; *", "docs/a.x"]),
    ],
)
def test_the_path_replaces_the_braces_or_follows(
    read: Read, arguments: list[str], seen: list[str]
) -> None:
    write("docs/a.x")
    program = [*PYTHON, "import sys; print(sys.argv[1:])", *arguments]
    (row,), _ = read("docs", convert={"x": program})
    assert row["text"] == f"{seen}\n"


@pytest.mark.parametrize("name", ["a b.x", "$(touch pwned).x", "{}.x", "line\nbreak.x", "'.x"])
def test_a_path_is_one_argument_whatever_is_in_it(read: Read, name: str) -> None:
    write(f"docs/{name}")
    program = [*PYTHON, "import sys; print(ascii(sys.argv[1:]))", "{}"]
    (row,), _ = read("docs", convert={"x": program})
    assert row["text"] == f"{[f'docs/{name}']!r}\n"
    assert os.listdir() == ["docs"]


def test_a_path_is_never_an_option(read: Read) -> None:
    write("-e.x")
    (row,), _ = read("-e.x", convert={"x": [*PYTHON, "import sys; print(sys.argv[1])"]})
    assert (row["source"], row["text"]) == ("-e.x", "./-e.x\n")


def test_standard_input_is_empty(read: Read) -> None:
    write("docs/a.x")
    program = [*PYTHON, "import sys; print(repr(sys.stdin.read()))", "{}"]
    reading, writing = os.pipe()
    os.write(writing, b"not for the program")
    os.close(writing)
    own = os.dup(0)
    os.dup2(reading, 0)
    try:
        (row,), _ = read("docs", convert={"x": program})
    finally:
        os.dup2(own, 0)
        os.close(own)
        os.close(reading)
    assert row["text"] == "''\n"


def test_the_output_is_decoded_as_a_file_is(read: Read) -> None:
    write("docs/a.x")
    write("docs/b.x")
    show = "import os, sys; os.write(1, {'a': b'Gr\\xf6\\xdfe', 'b': b''}[sys.argv[1][-3]])"
    rows, tally = read("docs", convert={"x": [*PYTHON, show, "{}"]})
    assert [row["text"] for row in rows] == ["Größe", ""]
    assert tally.encodings == {"cp1252": 1, "utf-8": 1}


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.exit('\\n  no such page \\nmore')", "no such page"),
        ("import sys; sys.exit(3)", "ended with exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "killed by signal 9"),
        ("import os; os.write(2, b'b\\xe4d' * 999); os._exit(1)", "b\ufffdd" * 166 + "b\ufffd"),
        ("import os; os.write(1, bytes(range(256)) * 9)", "it printed something that is not text"),
    ],
)
def test_a_program_that_fails_is_a_failure_with_its_own_words(
    read: Read, code: str, reason: str
) -> None:
    write("docs/a.x")
    write("docs/b.txt", b"plain\n")
    rows, tally = read("docs", convert={"x": [*PYTHON, code, "{}"]})
    assert [row["source"] for row in rows] == ["docs/b.txt"]
    assert tally.failures == [Failure("docs/a.x", f"{sys.executable}: {reason}")]
    assert tally.skipped == {}


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("no-such-program", "there is no such program"),
        ("./docs", "permission denied"),
        ("docs/a.x", "permission denied"),
    ],
)
def test_a_program_that_cannot_be_run_is_a_failure(read: Read, program: str, reason: str) -> None:
    write("docs/a.x")
    rows, tally = read("docs", convert={"x": [program]})
    assert rows == []
    assert tally.failures == [Failure("docs/a.x", f"{program}: {reason}")]


def test_after_the_time_limit_the_program_dies_with_all_it_started(read: Read) -> None:
    write("docs/a.x")
    write("docs/b.txt", b"plain\n")
    os.mkfifo("alive")
    reading = os.open("alive", os.O_RDONLY | os.O_NONBLOCK)
    # Both the shell and its child hold the FIFO open, so its end tells that both are dead.
    script = "exec 3> alive; echo started >&3; (sleep 60; echo survived >&3) & wait"
    rows, tally = read("docs", convert={"x": ["sh", "-c", script]}, convert_timeout=2)
    os.set_blocking(reading, True)
    with open(reading, "rb") as file:
        assert file.read() == b"started\n"
    assert [row["source"] for row in rows] == ["docs/b.txt"]
    assert tally.failures == [Failure("docs/a.x", "sh: it did not end within 2 s")]


def test_a_child_that_keeps_the_output_open_keeps_nobody_waiting(read: Read) -> None:
    write("docs/a.x")
    os.mkfifo("stop")
    script = "echo text; (read line < stop) & exit 0"
    (row,), _ = read("docs", convert={"x": ["sh", "-c", script]})
    assert row["text"] == "text\n"
    Path("stop").write_text("now\n")  # Blocks until the child reads: it was alive all the while.


def test_more_than_a_pipe_holds_is_read(read: Read) -> None:
    write("docs/a.x")
    code = "import os, sys; sys.stdout.write('word ' * 200_000); sys.stderr.write('e' * 200_000)"
    (row,), _ = read("docs", convert={"x": [*PYTHON, code]})
    assert row["text"] == "word " * 200_000


def test_a_file_that_cannot_be_read_is_not_converted(read: Read) -> None:
    os.mkfifo("docs/a.x")
    os.symlink("nothing", "docs/b.x")
    rows, tally = read("docs", convert={"x": ["touch", "ran"]}, links=True)
    assert rows == []
    assert [failure.source for failure in tally.failures] == ["docs/a.x", "docs/b.x"]
    assert not os.path.exists("ran")


@pytest.mark.parametrize("seconds", ["0.15", "30"])
def test_an_interrupt_is_an_interrupt_whether_the_program_has_ended_or_not(seconds: str) -> None:
    """Python waits a moment for a child when it is interrupted, and this one may end in it."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            run_converter(["sleep", seconds], "0", 60)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
