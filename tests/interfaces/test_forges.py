"""What forges run in a review: it fails where much is repeated, and leaves what it found."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ilk
from tests.support.demands import package
from tests.support.fixtures import ROOT

YAML = package("yaml")
ACTION: dict[str, Any] = YAML.safe_load((ROOT / "action.yml").read_text())
(JOB,) = YAML.safe_load((ROOT / ".gitlab" / "passages.yml").read_text()).values()

TEXT = " ".join(f"word{n}" for n in range(60))

#: Texts in a folder, what is named of it, and how a check of that ends.
FOLDERS = {
    "clean": ({"a.txt": TEXT, "b c.txt": "Nothing of this is anywhere else."}, ".", 0),
    "repeated": ({"a.txt": TEXT, "b c.txt": f"{TEXT} again"}, ".", 1),
    # As people type them in a block: a name with a space, and a blank line.
    "listed": ({"a.txt": TEXT, "b c.txt": f"{TEXT} again"}, "a.txt\nb c.txt\n\n", 1),
    "missing": ({"a.txt": TEXT}, "b.txt", 2),
}


def in_runner(script: str, folder: Path, variables: dict[str, str]) -> int:
    """Run a script as the runner of a forge does; return how it ends."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(
        bash, cwd=folder, env={**os.environ, **variables, "PATH": path}, check=False
    ).returncode


def written(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


def names_in(log: Path) -> list[str]:
    """The files in which a log has findings."""
    (run,) = json.loads(log.read_text())["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    return [place["artifactLocation"]["uri"] for place in places]


@pytest.mark.parametrize("kind", FOLDERS)
def test_the_action_fails_where_much_is_repeated(kind: str, tmp_path: Path) -> None:
    texts, paths, expected = FOLDERS[kind]
    step, upload = ACTION["runs"]["steps"]
    given = {name: str(entry["default"]) for name, entry in ACTION["inputs"].items()}
    assert given["paths"] == "."
    given["paths"] = paths
    used = {name: re.findall(r"inputs\.([\w-]+)", text) for name, text in step["env"].items()}
    variables = {name: given[one] for name, (one,) in used.items()}
    assert {one for (one,) in used.values()} | {"upload"} == given.keys()
    assert set(re.findall(r"\$\{?([A-Z_]+)", step["run"])) == variables.keys() | {
        "RUNNER_TEMP",
        "GITHUB_OUTPUT",
    }
    said = tmp_path / "said"
    variables |= {"RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(said)}
    folder = written(tmp_path / "texts", texts)
    assert in_runner(step["run"], folder, variables) == expected
    assert ACTION["runs"]["using"] == "composite"
    assert step["shell"] == "bash"
    assert upload["with"]["sarif_file"] == ACTION["outputs"]["sarif"]["value"]
    if expected == 2:
        assert not said.exists()
        return
    log = said.read_text().strip().removeprefix("sarif=")
    assert names_in(Path(log)) == ["b%20c.txt"] * expected


@pytest.mark.parametrize("kind", [kind for kind in FOLDERS if kind != "listed"])
def test_the_job_fails_where_much_is_repeated(kind: str, tmp_path: Path) -> None:
    texts, paths, expected = FOLDERS[kind]
    folder = written(tmp_path / "texts", texts)
    (script,) = JOB["script"]
    (artifact,) = JOB["artifacts"]["paths"]
    assert set(re.findall(r"\$([A-Z_]+)", script)) == JOB["variables"].keys()
    assert in_runner(script, folder, JOB["variables"] | {"ILK_PATHS": paths}) == expected
    assert (folder / artifact).exists() == (expected < 2)
    if expected < 2:
        assert names_in(folder / artifact) == ["b%20c.txt"] * expected


def test_the_page_sets_what_there_is() -> None:
    text = (ROOT / "docs" / "how-to" / "automate.md").read_text()
    workflow, job = (
        YAML.safe_load(block)
        for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        if "ILK_PATHS" in block or "fail-above" in block
    )
    *_, step = workflow["jobs"]["passages"]["steps"]
    assert step["with"].keys() <= ACTION["inputs"].keys()
    assert step["uses"].endswith(f"@v{ilk.__version__}")
    assert job["ilk-passages"]["variables"].keys() <= JOB["variables"].keys()
