"""Nothing is called near that was not verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ilk
from tests.support.command_line import Run

#: Texts of the same words, so that their fingerprints agree, and of hardly a common shingle.
FORWARD = " ".join(f"word{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(120))
BACKWARD = " ".join(reversed(FORWARD.split()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two near-duplicates, and the words of one of them backwards."""
    for name, text in (("a", FORWARD), ("b", f"{FORWARD} more"), ("c", BACKWARD)):
        (tmp_path / f"{name}.txt").write_text(text)
    return tmp_path


def test_pairs_within_a_radius_are_verified(folder: Path, run: Run) -> None:
    for part in ("similarity=80%", "radius=12"):
        code, out, _ = run("scan", folder, "--fingerprint", f"{part},recipe={_recipe()}")
        assert code == 0
        assert "near: 2 documents" in out
        assert "c.txt" not in out
        assert "verified at resemblance >= 0.8" in out
        assert "bits of another" not in out


def test_what_bits_alone_have_found_is_shown_on_request(folder: Path, run: Run) -> None:
    words = ("scan", folder, "--fingerprint", "similarity=80%,unverified")
    code, out, _ = run(*words)
    assert code == 0
    assert "within 12 bits: 3 documents" in out
    assert f"  stays  99.2%  near          {folder}/b.txt" in out
    assert f"  stays   0.0%  within 12 bits  {folder}/c.txt" in out
    assert "Of 2 members, 1 reaches the resemblance of 0.8; 1 was found by bits alone." in out
    assert (
        out.splitlines()[-2] == "exact: every document within 12 bits of another is in its family"
    )
    _, out, _ = run(*words, "--format", "jsonl")
    cluster, last = (json.loads(line) for line in out.splitlines())
    assert cluster["kind"] == "within 12 bits"
    verdicts = [member["verdict"] for member in cluster["members"]]
    assert verdicts == ["identical", "near", "within 12 bits"]
    assert cluster["members"][2]["resemblance"] == 0
    assert (last["summary"]["near"], last["summary"]["within_bits"]) == (1, 1)
    _, out, _ = run(*words, "--format", "pairs")
    assert out.count("within 12 bits") == 3  # Two pairs, and the promise.
    assert "every pair within 12 bits is here" in out


def test_a_resemblance_says_what_is_verified(folder: Path) -> None:
    options = {"similarity": "80%", "resemblance": 1}
    assert len(ilk.find(folder, **options)) == 0  # type: ignore[arg-type]
    every = ilk.find(folder, **options, unverified=True)  # type: ignore[arg-type]
    assert every.report["within_bits"] == 2


def test_unverified_needs_bits(folder: Path, run: Run) -> None:
    code, out, err = run("scan", folder, "--fingerprint", "unverified")
    assert (code, out) == (2, "")
    assert "--fingerprint radius" in err


def _recipe() -> ilk.Recipe:
    from ilk.fingerprints.recipe import SIMILARITY_INDEX

    return SIMILARITY_INDEX
