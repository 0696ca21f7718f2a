"""Shells complete verbs, options and their values, from the table of options."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ilk.base.options import OPTIONS, flag_of
from ilk.cli import verbs
from ilk.cli.commands import make_parsers_of_all_commands
from tests.support.command_line import Run
from tests.support.demands import absent

shtab = pytest.importorskip("shtab")

#: The verbs of the core, in the order of the help.
VERBS = [*verbs.VERBS]


@pytest.fixture
def script(run: Run, tmp_path: Path) -> Path:
    """The script for bash."""
    code, out, err = run("--print-completion", "bash")
    assert (code, err) == (0, "")
    (tmp_path / "ilk.bash").write_text(out)
    return tmp_path / "ilk.bash"


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("ilk sc", ["scan"]),
        ("ilk store ch", ["check"]),
        ("ilk scan --resem", ["--resemblance"]),
        ("ilk scan --thr", ["--threshold"]),
        ("ilk scan --format ", ["table", "jsonl", "csv", "parquet", "pairs", "flat", "print0"]),
        ("ilk scan --limit me", ["memory=", "members="]),
        ("ilk compare --format p", []),
        ("ilk compare --format j", ["jsonl"]),
        ("ilk store check letters.ilk --fing", ["--fingerprint"]),
        ("ilk store check letters.ilk --on-dup", []),
        ("ilk store add letters.ilk --on-duplicate r", ["report", "refuse"]),
        ("ilk sql mar", ["mariadb"]),
        ("ilk fingerprint --as h", ["hex"]),
        ("ilk scan --jobs ", []),
    ],
)
def test_bash_completes(script: Path, typed: str, found: list[str]) -> None:
    *words, last = typed.split(" ")
    program = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_shtab_ilk 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""
    child = subprocess.run(
        ["bash", "--norc", "-c", program, "bash", str(script), *words, last],
        capture_output=True,
        text=True,
        check=True,
        cwd=script.parent,
    )
    assert child.stderr == ""
    assert child.stdout.split()[: len(found) or None] == found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_every_shell_reads_its_script(shell: str, run: Run) -> None:
    code, out, err = run("--print-completion", shell)
    assert (code, err) == (0, "")
    for name in (*VERBS, "resemblance", "threshold", "mariadb"):
        assert name in out
    if shutil.which(shell) is None:
        absent(f"{shell} is not installed")
    child = subprocess.run([shell, "-n"], input=out, text=True, capture_output=True)
    assert (child.returncode, child.stderr) == (0, "")


def test_every_option_that_a_verb_has_by_itself_is_completed(run: Run) -> None:
    _, out, _ = run("--print-completion", "bash")
    for parser in make_parsers_of_all_commands().values():
        for name in parser.entries:
            if parser.entries[name].part is None:
                assert flag_of(name) in out
    assert OPTIONS["limit_memory"].part == ("limit", "memory")


def test_another_shell_is_refused(run: Run) -> None:
    code, _, err = run("--print-completion", "ksh")
    assert code == 2
    assert err.startswith("ilk: --print-completion is 'ksh'; it must be one of bash, zsh, tcsh")


def test_a_script_of_completion_leaves_the_commands_as_they_were(run: Run) -> None:
    before = {
        words: parser.format_help() for words, parser in make_parsers_of_all_commands().items()
    }
    assert run("--print-completion", "bash")[0] == 0
    after = make_parsers_of_all_commands()
    assert {words: parser.format_help() for words, parser in after.items()} == before
    args = after["scan"].parse_args(["x", "--limit", "pairs=5", "--config", "none"])
    assert args.max_pairs == 5
