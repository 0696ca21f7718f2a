"""The command line as a process of its own: pipes, signals, full disks, what it imports."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ilk

ILK = [sys.executable, "-m", "ilk"]

#: An environment in which Python writes when a buffer is full, as it does by default.
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    for number in range(200):
        (made / f"{number:03}.txt").write_text("one two three four")
    return made


def test_standard_input_is_not_compared_with_itself() -> None:
    """The second text would be empty."""
    child = subprocess.run([*ILK, "compare", "-", "-"], input=b"a text", capture_output=True)
    assert child.returncode == 2
    assert b"standard input can be read only once" in child.stderr


def test_standard_input_is_a_document(tmp_path: Path) -> None:
    (tmp_path / "same.txt").write_text("one two three four")
    words = [*ILK, "scan", "-", str(tmp_path), "--format", "jsonl"]
    child = subprocess.run(words, input=b"one two three four", capture_output=True)
    assert (child.returncode, child.stderr) == (0, b"")
    (cluster, _) = (json.loads(line) for line in child.stdout.splitlines())
    assert (cluster["kind"], cluster["keeper"]) == ("identical", "-")


@pytest.mark.parametrize("form", ["table", "jsonl", "csv"])
def test_a_reader_that_has_gone_is_no_error(folder: Path, form: str) -> None:
    """As in ``ilk scan --format pairs | head -1``: 19,900 pairs are more than a pipe holds."""
    words = [
        *ILK,
        "scan",
        "--format",
        f"pairs,{form}",
        "--quiet",
        str(folder),
    ]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline()
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("verb", ["scan", "fingerprint"])
def test_a_full_disk_behind_standard_output_is_an_error(folder: Path, verb: str) -> None:
    words = [*ILK, verb, "--quiet", str(folder)]
    with Path("/dev/full").open("wb") as full:
        child = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, env=BUFFERED)
    assert child.returncode == 2
    assert b"No space left" in child.stderr
    assert b"Traceback" not in child.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("words", ["--help", "--version", "scan --help", "scan -h", "formats"])
def test_help_that_cannot_be_written_is_an_error(words: str, buffered: bool) -> None:
    environment = BUFFERED | ({} if buffered else {"PYTHONUNBUFFERED": "1"})
    with Path("/dev/full").open("wb") as full:
        child = subprocess.run(
            [*ILK, *words.split()], stdout=full, stderr=subprocess.PIPE, env=environment
        )
    assert child.returncode == 2
    assert b"No space left" in child.stderr


@pytest.mark.parametrize("closed", [0, 1, 2])
@pytest.mark.parametrize(
    "words", ["scan {0}", "scan --files-from - {0}", "scan - {0}", "--version"]
)
def test_standard_streams_may_be_closed(folder: Path, words: str, closed: int) -> None:
    """A service, or `>&-`, starts programs without them."""
    line = shlex.join([*ILK, *words.format(folder).split()])
    sign = "<" if closed == 0 else ">"
    child = subprocess.run(
        ["sh", "-c", f"{line} {closed}{sign}&-"], input=b"", capture_output=True, env=BUFFERED
    )
    assert child.returncode == 0
    assert bool(child.stdout) == (closed != 1)
    assert b"Traceback" not in child.stderr


def test_a_full_disk_behind_a_file_leaves_what_stood_there(folder: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk."""
    out = tmp_path / "out.jsonl"
    out.write_text("before")
    program = f"""
import resource, signal, sys
from ilk.cli.main import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
words = ["scan", {str(folder)!r}, "--format", "pairs,jsonl", "-o", {str(out)!r}, "--force"]
sys.exit(main(words))
"""
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert child.returncode == 2
    assert f"cannot write {out}: File too large" in child.stderr
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "out.jsonl"]


def test_ctrl_c_ends_it_with_130() -> None:
    """The child reads once it has taken more than a pipe holds.

    The end of its input follows the signal, which may reach it just before it waits for more.
    """
    words = [*ILK, "scan", "-"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stderr is not None
        assert child.stdout is not None
        child.stdin.write(bytes(1 << 20))
        child.stdin.flush()
        child.send_signal(signal.SIGINT)
        child.stdin.close()
        assert child.wait() == 130
        assert child.stderr.read() == b"ilk: interrupted\n"
        assert child.stdout.read() == b""


def test_help_and_version_load_nothing_heavy() -> None:
    program = """
import sys
from ilk.cli.main import main
try:
    main([sys.argv[1]])
except SystemExit as end:
    assert end.code == 0
print(sorted({"pyarrow", "numpy"} & set(sys.modules)))
"""
    for word, said in (("--help", "ilk scan FOLDER"), ("--version", f"ilk {ilk.__version__}")):
        child = subprocess.run(
            [sys.executable, "-c", program, word], capture_output=True, text=True, check=True
        )
        assert said in child.stdout
        assert child.stdout.splitlines()[-1] == "[]"


def _modules_of(*words: str) -> set[str]:
    """Return the modules that a command has loaded when it ends well."""
    program = "import sys; from ilk.cli.main import main; assert main(sys.argv[1:]) == 0"
    told = "print('modules:', *sys.modules)"
    command = [sys.executable, "-c", f"{program}; {told}", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *_, last = done.stdout.splitlines()
    assert last.startswith("modules: ")
    return {*last.split()[1:]}


@pytest.mark.parametrize("words", [(), ("--identical",)])
def test_a_scan_loads_no_frames(folder: Path, words: tuple[str, ...]) -> None:
    program = "import sys; from ilk.cli.main import main; main(); print(*sys.modules)"
    command = [sys.executable, "-c", program, "scan", str(folder), *words, "--format", "summary"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not {"numpy", "pandas"} & {*done.stdout.splitlines()[-1].split()}


def test_the_version_loads_no_verb_and_no_option() -> None:
    modules = _modules_of("--version")
    assert "ilk.cli.about" in modules
    assert not {name for name in modules if name.startswith(("ilk_", "ilk.read", "ilk.tasks"))}
    assert not modules & {"ilk.cli.options", "ilk.cli.parsing", "ilk.base.options"}


def test_a_search_of_rows_does_not_look_for_packages(tmp_path: Path) -> None:
    """To read the metadata of what is installed takes longer than most modules."""
    rows = tmp_path / "rows.jsonl"
    lines = (f'{{"text": "{name} {name} {name}"}}\n' for name in ("one", "two", "three"))
    rows.write_text("".join(lines))
    modules = _modules_of("dedup", str(rows), "-o", str(tmp_path / "out.jsonl"))
    assert "ilk.tasks.result" in modules
    assert "importlib.metadata" not in modules


def test_no_environment_variable_changes_a_result(folder: Path) -> None:
    words = [*ILK, "scan", str(folder), "--format", "jsonl"]
    odd = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "TZ": "Asia/Tokyo", "COLUMNS": "20"}
    outputs = []
    for more in ({}, odd):
        done = subprocess.run(words, capture_output=True, check=True, env=os.environ | more)
        *clusters, last = done.stdout.splitlines()
        outputs.append((clusters, json.loads(last)["summary"] | {"seconds": {}}))
    assert outputs[0] == outputs[1]
