"""Files that are byte for byte the same are reported as identical, whatever they are."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

import ilk
from tests.support.command_line import Run

LONG = " ".join(f"word{number}" for number in range(200))
IMAGE = b"\x89PNG\r\n\x1a\n" + random.Random(1).randbytes(5000)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = Path("files")
    (made / "deep").mkdir(parents=True)
    (made / "a.txt").write_text(LONG)
    (made / "deep" / "a copy.txt").write_text(LONG + " more")
    for name in ("logo.png", "deep/logo2.png", "deep/no extension"):
        (made / name).write_bytes(IMAGE)
    (made / "other.png").write_bytes(IMAGE[:-1] + b"x")
    (made / "single.bin").write_bytes(IMAGE + b"more")
    large = random.Random(2).randbytes(1 << 20)
    for name in ("x.zip", "y.docx"):  # Damaged ones: no text can be made of them.
        (made / name).write_bytes(b"PK\x03\x04" + large)
    return made


def test_identical_files_are_found_by_their_bytes(run: Run) -> None:
    code, out, err = run("scan", "files", "--format", "jsonl")
    assert code == 0
    *clusters, last = (json.loads(line) for line in out.splitlines())
    groups = [[member["source"] for member in cluster["members"]] for cluster in clusters]
    assert ["files/a.txt", "files/deep/a copy.txt"] in groups
    assert ["files/deep/logo2.png", "files/deep/no extension", "files/logo.png"] in groups
    assert ["files/x.zip", "files/y.docx"] in groups
    kinds = {cluster["members"][0]["source"]: cluster["kind"] for cluster in clusters}
    assert kinds["files/deep/logo2.png"] == kinds["files/x.zip"] == "identical"
    assert last["summary"]["documents"] == 7
    for cluster in clusters:
        for member in cluster["members"]:
            if cluster["kind"] == "identical":
                assert member["verdict"] == "identical"
                assert member["resemblance"] == 1.0
    assert "compared only by their bytes" in err


def test_every_way_to_look_at_them_agrees(folder: Path, run: Run) -> None:
    found = ilk.find(folder)
    pairs = {(p["left"], p["right"]): p["verdict"] for p in found.pairs.to_pylist()}
    shares = {p["verdict"]: p["resemblance"] for p in found.pairs.to_pylist()}
    assert shares["identical"] == 1.0
    assert sorted(pairs.values()) == ["identical"] * 4 + ["near"]
    assert found.texts([0]).to_pylist() == [LONG]
    assert found.texts([found.documents.num_rows - 1]).to_pylist() == [None]
    assert run("scan", "files", "--format", "pairs")[1].count("identical") == 4
    for how in (["--fingerprint", "pairing=fingerprint"], ["--linkage", "connected"]):
        _, out, _ = run("scan", "files", "--format", "jsonl", *how)
        lines = [json.loads(line) for line in out.splitlines()[:-1]]
        assert sum(line["kind"] == "identical" for line in lines) == 2, how


def test_alone_they_are_enough(folder: Path, run: Run) -> None:
    for name in ("a.txt", "deep/a copy.txt"):
        (folder / name).unlink()
    code, out, _ = run("scan", "files")
    assert code == 0
    assert "5 documents read" in out
    for name in ("logo.png", "y.docx", "deep/no extension"):
        (folder / name).unlink()
    # None is like another, and none has a text: they were compared all the same, by their bytes.
    code, out, err = run("scan", "files")
    assert (code, "compared only by their bytes" in err) == (1, True), err
    assert "files/deep/logo2.png" not in out


def test_the_numbers_tell_of_every_file_of_a_folder(folder: Path, run: Run) -> None:
    camera = folder / "camera"
    camera.mkdir()
    (camera / "logo.png").write_bytes(IMAGE)
    for name in ("only.png", "here.png"):
        (camera / name).write_bytes(IMAGE + name.encode())
    (camera / "note.txt").write_text("a text that stands nowhere else")
    code, out, _ = run("scan", "files", "--format", "summary", "--report", "page.html")
    assert code == 0
    # Each of the 13 files is in one of these two numbers.
    assert "9 documents read, 8 of them in 3 families." in out
    assert "4 other files were compared only by their bytes, and have no copy here." in out
    page = Path("page.html").read_text("utf-8")
    assert "<dt>other files, compared by bytes</dt><dd>4</dd>" in page
    (of_camera,) = re.findall(r'<bdi>camera</bdi>.*?<td class="n">(.*?)</td>', page, re.S)
    assert of_camera == "1 of 4"


def test_bytes_in_a_reference_neither_go_nor_count(folder: Path, run: Run) -> None:
    reference = Path("reference")
    reference.mkdir()
    (reference / "a.txt").write_text(LONG)
    for name in ("one.png", "two.png"):
        (reference / name).write_bytes(IMAGE)
    assert len(list(folder.rglob("*.png"))) == 3
    code, out, _ = run("scan", "files", "--against", "reference")
    assert code == 0
    assert "reference/one.png" not in out
    assert "reference/two.png" not in out
    code, out, _ = run("scan", "files", "--against", "reference", "--format", "print0")
    assert "reference/" not in out
    assert "files/a.txt" in out
