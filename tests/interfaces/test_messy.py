"""A messy folder is cleaned: nothing is lost, and the second time there is nothing to do."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest

from tests.property.test_cleaning import Leaf, covered, leaves
from tests.support import messy_folder
from tests.support.command_line import Run
from tests.support.file_trees import tree


def files(folder: Path) -> dict[Path, bytes]:
    paths = (path for path in sorted(folder.rglob("*")) if not path.is_symlink())
    return {path: path.read_bytes() for path in paths if path.is_file()}


def all_of(content: bytes) -> list[Leaf]:
    whole = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    if whole.startswith(b"\xff\xfe"):
        whole = whole.decode("utf-16").encode("latin-1")
    if whole[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(whole)) as archive:
            parts = [archive.extractfile(info) for info in archive]
            return [leaf for part in parts if part for leaf in leaves(part.read())]
    return leaves(whole.removesuffix(b"\x1a" * 90))


def test_a_messy_folder_is_cleaned_twice(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert messy_folder.make(Path("in")) == 126
    before, was = files(Path("in")), tree(Path("in"))
    others = tree(Path("in-of-others"))
    code, out, _ = run("scan", "in", "--plan", "plan.jsonl", "--format", "jsonl")
    assert code == 0
    could_go = json.loads(out.splitlines()[-1])["summary"]["could_go"]
    assert run("apply", "plan.jsonl", "--move-to", "in/aside", "--yes")[0] == 0
    after = files(Path("in"))
    staying = {path: content for path, content in after.items() if "aside" not in path.parts}
    moved = {path: content for path, content in before.items() if path not in staying}
    size = sum(map(len, moved.values()))
    assert (could_go["files"], could_go["bytes"]) == (len(moved), size)
    assert could_go["proved"] == {"files": len(moved), "bytes": size}
    assert len(moved) > 50
    kept = {leaf for content in staying.values() for leaf in all_of(content)}
    for path, content in moved.items():
        if content not in staying.values():
            assert all(covered(leaf, kept) for leaf in all_of(content)), path
    assert run("scan", "in", "--plan", "again.jsonl")[0] == 0
    code, out, _ = run("apply", "again.jsonl", "--move-to", "in/aside", "--yes")
    assert (code, out) == (0, "0 files moved, 0 B.\n")
    assert run("undo", "plan.jsonl.log.jsonl", "--yes")[0] == 0
    assert tree(Path("in")) == was
    assert tree(Path("in-of-others")) == others
