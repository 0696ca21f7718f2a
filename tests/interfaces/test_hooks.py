"""What hooks of other tools run: they fail where something is found."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support.command_line import Run
from tests.support.demands import package
from tests.support.fixtures import ROOT

HOOKS = package("yaml").safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.mark.parametrize("hook", HOOKS, ids=[hook["id"] for hook in HOOKS])
@pytest.mark.parametrize("copies", [1, 2])
def test_a_hook_fails_where_something_is_found(
    hook: dict[str, str], copies: int, run: Run, tmp_path: Path
) -> None:
    # Longer than the least passage, 50 words.
    text = " ".join(f"a row of some words {number} that stands in a file" for number in range(6))
    row = f'{{"text": "{text}"}}\n'
    other = '{"text": "nothing of this is written anywhere else, ever"}\n'
    names = ["a.jsonl"] if "files" in hook else ["a.txt", "b.txt"]
    if "files" in hook:
        assert re.search(hook["files"], names[0])
        (tmp_path / names[0]).write_text(copies * row + other)
    else:
        (tmp_path / names[0]).write_text(row)
        (tmp_path / names[1]).write_text(row if copies == 2 else other)
    program, *words = shlex.split(hook["entry"])
    assert program == "ilk"
    code, out, err = run(*words, *(str(tmp_path / name) for name in names))
    assert (code, "error" in err) == (copies - 1, False), out + err
