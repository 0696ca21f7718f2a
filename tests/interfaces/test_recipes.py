"""``--recipe`` with its weights and secret on every verb, and ``ilk weights``."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

import ilk
import ilk_papers
from ilk.fingerprints.recipe import SIMILARITY_INDEX
from ilk.fingerprints.recipe_options import PRESETS
from ilk.fingerprints.weights import Weights
from tests.support.command_line import Run

TEXTS = [
    "the quick brown foxes jump over sleeping dogs in the green garden",
    "the quick brown foxes jump over sleeping cats in the green garden",
    "entirely unlike sentences about mountains and rivers",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "texts"
    made.mkdir()
    for number, text in enumerate(TEXTS):
        (made / f"{number}.txt").write_text(text)
    return made


@pytest.fixture
def table(folder: Path, run: Run) -> Path:
    place = folder.parent / "corpus.weights"
    assert run("weights", "build", folder, "-o", place, "--least", "1", "--quiet")[0] == 0
    return place


@pytest.mark.parametrize("name", [name for name in PRESETS if PRESETS[name].weighs is None])
def test_fingerprints_by_a_recipe_s_name(folder: Path, run: Run, name: str) -> None:
    code, out, _ = run("fingerprint", folder, "--recipe", name)
    assert code == 0
    assert out == run("fingerprint", folder, "--recipe", PRESETS[name].recipe)[1]
    expected = ilk.fingerprint(TEXTS, ilk.Recipe.parse(name)).to_pylist()
    assert [int(line.split()[0], 16) for line in out.splitlines()] == [
        int.from_bytes(value, "big") if isinstance(value, bytes) else value for value in expected
    ]


def test_every_verb_takes_a_recipe_s_name(folder: Path, run: Run) -> None:
    code, out, _ = run("compare", folder / "0.txt", folder / "1.txt", "--recipe", "precise")
    assert code == 0
    assert "bits of 128" in out
    words = ("--fingerprint", "pairing=fingerprint,recipe=similarity-index", "--format", "jsonl")
    _, out, _ = run("scan", folder, *words)
    assert json.loads(out.splitlines()[-1])["summary"]["options"]["recipe"] == str(SIMILARITY_INDEX)
    many = [folder / f"{number}.txt" for number in range(3)]
    code, out, err = run("calibrate", *many, "--recipe", "precise", "--copies", "3", "--quiet")
    assert code == 0, err
    assert PRESETS["precise"].recipe in out
    for verb in ("fingerprint", "calibrate", "compare", "weights"):
        explained = run(verb, "--help")[1]
        assert "manku2007" in explained
        assert ("weights=FILE" in explained) == (verb != "weights")


def test_a_store_takes_a_recipe_s_name(folder: Path, run: Run) -> None:
    place = folder.parent / "texts.store"
    code, _, err = run("store", "add", place, folder, "--recipe", "default", "--quiet")
    assert code == 0, err
    ilk.Store(place, recipe=ilk.Recipe.parse("default")).close()
    with pytest.raises(ilk.RecipeMismatch, match="not with recipe=minhash128"):
        ilk.Store(place, recipe=ilk.Recipe.parse("precise"))
    code, _, err = run("store", "add", place, folder, "--recipe", "best")
    assert code == 2
    assert "'best' is not a recipe" in err


def test_a_name_that_is_none_is_refused_with_those_that_are(folder: Path, run: Run) -> None:
    code, out, err = run("fingerprint", folder, "--recipe", "best")
    assert (code, out) == (2, "")
    assert "'best' is not a recipe" in err
    assert ", ".join(PRESETS) in err


def test_weights_are_built_of_a_corpus(folder: Path, table: Path, run: Run) -> None:
    expected = ilk_papers.document_weights(TEXTS, SIMILARITY_INDEX, least=1)
    assert Weights.read(table).digest == expected.digest
    place = folder.parent / "pairs.weights"
    recipe = replace(SIMILARITY_INDEX, width=2)
    code, out, err = run("weights", "build", folder, "-o", place, "--recipe", recipe, "--quiet")
    assert (code, err) == (0, "")
    built = ilk_papers.document_weights(TEXTS, recipe)
    assert out == f"{place}: 9 features of words=2/fold/ilk64/v1, table={built.digest}\n"


def test_fingerprints_weighed_by_a_table(folder: Path, table: Path, run: Run) -> None:
    weighted = replace(SIMILARITY_INDEX, weights=Weights.read(table))
    expected = [f"{value:016x}" for value in ilk.fingerprint(TEXTS, weighted).to_pylist()]
    for recipe in ("similarity-index", weighted):
        code, out, _ = run("fingerprint", folder, "--recipe", f"{recipe},weights={table}")
        assert code == 0
        assert [line.split()[0] for line in out.splitlines()] == expected
    code, _, err = run("fingerprint", folder, "--recipe", weighted)
    assert code == 2
    assert "not given. Give it (--recipe weights)." in err
    code, _, err = run("fingerprint", folder, "--recipe", f"weights={table}")
    assert code == 2
    assert "--recipe weights needs --recipe" in err
    code, _, err = run("fingerprint", folder, "--recipe", f"words-tfidf,weights={table}")
    assert code == 2
    assert "the table of weights was made for 'words=1/fold/ilk64/v1'" in err
    assert run("fingerprint", folder, "--recipe", "roth2013,weights=missing")[0] == 2


def test_fingerprints_by_a_secret_key(folder: Path, run: Run) -> None:
    key = folder.parent / "key"
    key.write_bytes(bytes(range(16)))
    recipe = ilk.Recipe(hash="siphash", secret=key.read_bytes())
    expected = [f"{value:016x}" for value in ilk.fingerprint(TEXTS, recipe).to_pylist()]
    unnamed = "minhash64/words=3/weight=binary/fold/min=3/siphash/v1"
    for written in (recipe, unnamed):
        code, out, _ = run("fingerprint", folder, "--recipe", f"{written},secret={key}")
        assert code == 0
        assert [line.split()[0] for line in out.splitlines()] == expected
    assert "must have one, of 16 bytes" in run("fingerprint", folder, "--recipe", unnamed)[2]
    key.write_bytes(b"short")
    code, _, err = run("fingerprint", folder, "--recipe", f"{recipe},secret={key}")
    assert code == 2
    assert "secret is 5 bytes; it must be 16" in err


def test_no_table_comes_of_nothing(tmp_path: Path, run: Run) -> None:
    place = tmp_path.with_name(f"{tmp_path.name} made") / "w"
    place.parent.mkdir()
    os.mkfifo(tmp_path / "pipe")
    code, out, err = run("weights", "build", tmp_path, "-o", place)
    assert (code, out) == (2, "")
    assert "is a FIFO" in err
    assert "none of the files could be read" in err
    assert not place.exists()
    (tmp_path / "a.txt").write_text("some words some words")
    assert run("weights", "build", tmp_path, "-o", place, "--strict")[0] == 2
    assert run("weights", "build", tmp_path, "-o", place, "--least", "0")[0] == 2
    assert run("weights", "build", tmp_path, "-o", place, "--force")[0] == 0
    code, _, err = run("weights", "build", tmp_path, "-o", place, "--force", "--recipe", "default")
    assert code == 2
    assert "MinHash, which compares sets" in err
