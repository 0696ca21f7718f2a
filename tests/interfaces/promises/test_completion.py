"""Shells complete verbs, options and their values, from the table of options."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ilk.base.options import OPTIONS
from ilk.cli import main as cli
from ilk.cli.completion import SHELLS
from tests.demands import absent
from tests.running import Run


@pytest.fixture
def script(run: Run, tmp_path: Path) -> Path:
    """The script for bash, and a folder with a file in it."""
    code, out, err = run("completion", "bash")
    assert (code, err) == (0, "")
    (tmp_path / "ilk.bash").write_text(out)
    return tmp_path / "ilk.bash"


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("ilk sc", ["scan"]),
        ("ilk ", list(cli.VERBS)),
        ("ilk store ch", ["check"]),
        ("ilk scan --resem", ["--resemblance"]),
        ("ilk scan --thr", ["--threshold"]),
        ("ilk scan --format ", list(OPTIONS["format"].kind.allowed)),  # type: ignore[attr-defined]
        ("ilk compare --format p", []),
        ("ilk compare --format j", ["jsonl"]),
        ("ilk store check letters.ilk --simi", ["--similarity"]),
        ("ilk store check letters.ilk --on-dup", []),
        ("ilk store --color never add letters.ilk --on-duplicate r", ["report", "refuse"]),
        ("ilk papers roth2013 ma", ["make-corpus"]),
        ("ilk papers roth2011 index --comb", ["--combination"]),
        ("ilk sql mar", ["mariadb"]),
        ("ilk completion ", [*SHELLS, "man"]),
        ("ilk fingerprint --as h", ["hex"]),
        ("ilk scan --jobs ", []),
        ("ilk scan --secret ", []),  # A path, which bash completes itself.
        ("ilk scan document", []),
    ],
)
def test_bash_completes(script: Path, typed: str, found: list[str]) -> None:
    *words, last = typed.split(" ")
    program = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_ilk 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""
    child = subprocess.run(
        ["bash", "--norc", "-c", program, "bash", str(script), *words, last],
        capture_output=True,
        text=True,
        check=True,
    )
    assert child.stderr == ""
    assert child.stdout.split() == found


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_reads_its_script(shell: str, run: Run) -> None:
    code, out, err = run("completion", shell)
    assert (code, err) == (0, "")
    for name in (*cli.VERBS, "make-corpus", "resemblance", "threshold", "mariadb"):
        assert name in out
    if shutil.which(shell) is None:
        absent(f"{shell} is not installed")
    child = subprocess.run([shell, "-n"], input=out, text=True, capture_output=True)
    assert (child.returncode, child.stderr) == (0, "")


def test_another_shell_is_refused(run: Run) -> None:
    code, _, err = run("completion", "tcsh")
    assert code == 2
    assert err.startswith(
        "ilk completion: shell is 'tcsh'; it must be one of bash, zsh, fish, man."
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_it_is_evaluated_as_help_says(script: Path) -> None:
    child = subprocess.run(
        ["bash", "--norc", "-c", f'eval "$(cat {script})"; complete -p ilk'],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    )
    assert child.stdout.strip() == "complete -o default -F _ilk ilk"


def test_the_page_of_the_manual_has_every_command_and_option(run: Run) -> None:
    code, page, err = run("completion", "man")
    assert (code, err) == (0, "")
    for words, parser in cli.commands().items():
        assert f"\n.SS ilk {words}\n" in page
        for name in parser.entries:
            assert name == "color" or name.replace("_", "\\-") in page
    if shutil.which("groff") is None:
        absent("groff is not installed")
    laid = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-"],
        input=page,
        capture_output=True,
        text=True,
    )
    assert laid.stderr == ""
    assert "EXIT STATUS" in laid.stdout
