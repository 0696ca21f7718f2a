"""What people type out of habit gets the sentence that helps."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ilk
import ilk.tables.pandas
from ilk.base.errors import SourceNotFound
from ilk.cli.main import main
from tests.support.command_line import Run, Screen


@pytest.mark.parametrize("flag", ["-r", "-R", "--recursive"])
def test_folders_are_read_recursively_anyway(flag: str, run: Run) -> None:
    code, out, err = run("scan", flag, ".")
    assert (code, out) == (2, "")
    assert f"folders are read recursively; leave out {flag}. See: ilk scan --help" in err


def test_help_of_a_verb(run: Run) -> None:
    for words in ([], ["scan"], ["store", "check"]):
        assert run("help", *words) == run(*words, "--help")


def test_misspelt_arguments_of_functions() -> None:
    texts = ["one text", "another text"]
    with pytest.raises(TypeError, match=r"find\(\): .*; did you mean 'resemblance'\?"):
        ilk.find(texts, resemblence=0.9)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"find\(\): .*; here it is called 'resemblance'"):
        ilk.find(texts, threshold=0.9)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"deduplicate\(\): .*; did you mean 'keep'\?"):
        ilk.deduplicate(texts, keeps="first")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"argument 'colour'$"):
        ilk.find(texts, colour=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("function", "given", "hint"),
    [
        (ilk.fingerprint, {"texts": ["a"], "recip": "roth2013"}, "did you mean 'recipe'?"),
        (ilk.sets.pairs, {"texts": [{1}], "resemblence": 0.5}, "did you mean 'resemblance'?"),
        (ilk.sets.pairs, {"texts": [{1}], "threshold": 0.5}, "here it is called 'resemblance'"),
        (ilk.sets.join, {"left": [{1}], "rihgt": [{1}]}, "did you mean 'right'?"),
        (ilk.hamming.pairs, {"radios": 3}, "did you mean 'radius'?"),
        (ilk.hamming.groups, {"radios": 3}, "did you mean 'radius'?"),
        (ilk.Store, {"path": "a.ilk", "resemblanc": 0.5}, "did you mean 'resemblance'?"),
        (ilk.compare, {"left": ["a"], "right": ["a"], "recip": 1}, "did you mean 'recipe'?"),
        (ilk.passages, {"source": ["a"], "word": 8}, "did you mean 'words'?"),
        (ilk.hamming.pairs, {"fingerprints": [1], "raduis": 5}, "'raduis'; did you mean 'radius'?"),
        (ilk.sets.pairs, {"texts": [{1}], "treshold": 1}, "here it is called 'resemblance'"),
        (ilk.minhash.signatures, {"texts": ["a"], "sise": 5}, "did you mean 'size'?"),
        (ilk.Recipe, {"bit": 64}, "did you mean 'bits'?"),
        (ilk.Limits, {"txt": 64}, "did you mean 'text'?"),
        (ilk.find(["a"]).plot, {"axx": None}, "did you mean 'ax'?"),
        (ilk.compare(["a"], ["a"]).plot, {"axx": None}, "did you mean 'ax'?"),
        (pd.Series(["a"]).ilk.fingerprint, {"recipee": None}, "did you mean 'recipe'?"),
    ],
)
def test_misspelt_arguments_of_every_function_with_options(
    function: Any, given: dict[str, object], hint: str
) -> None:
    with pytest.raises(TypeError) as caught:
        function(**given)
    assert str(caught.value).endswith(hint), caught.value


def test_misspelt_arguments_of_a_store(tmp_path: Path) -> None:
    with ilk.Store(tmp_path / "a.ilk") as store:
        with pytest.raises(TypeError, match=r"Store.add\(\): .*'sorce'; did you mean 'source'\?"):
            store.add("a text", sorce="a")  # type: ignore[call-arg]
        listed = (
            "'k'; the arguments are text, resemblance, containment, radius, similarity, nearest"
        )
        with pytest.raises(TypeError, match=f"{listed}$"):
            store.check("a text", k=3)  # type: ignore[call-arg]


def test_names_that_are_elsewhere() -> None:
    for name, meant in (("near_pairs", "ilk.tables.near_pairs"), ("dedup", "ilk.deduplicate")):
        with pytest.raises(AttributeError, match=f"'{name}'; did you mean {meant}\\?$"):
            getattr(ilk, name)
    with pytest.raises(AttributeError, match="'colour'$"):
        ilk.colour  # type: ignore[attr-defined]  # noqa: B018
    code = "import ilk; print(ilk.tables.near_pairs.__name__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "near_pairs\n"


def test_options_without_their_names() -> None:
    with pytest.raises(TypeError, match=r"find\(\): too many .*; write resemblance=0.9$"):
        ilk.find(["a"], 0.9)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"find\(\): too many .*; give options by name$"):
        ilk.find(["a"], "first")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="too many positional arguments$"):
        ilk.find(["a"]).plot(None, None)  # type: ignore[call-arg]


def test_a_message_on_a_terminal_is_wrapped_between_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    name = f"{'long' * 20}.zip"
    Path(name).write_bytes(b"PK\3\4 and no more")
    Path("a.txt").write_text("some words")
    for words in (["scan", name, "a.txt"], ["scan", name], ["scan", "a.txt", "--resemblance", "x"]):
        screen = Screen()
        with contextlib.redirect_stderr(screen):
            main(words)
        lines = screen.raw_bytes.getvalue().decode().rpartition("\x1b[K")[2].splitlines()
        assert len(lines) > 1
        wide = [line for line in lines if len(line) > 60]
        assert [line for line in wide if " " in line] == []


def test_texts_in_place_of_paths() -> None:
    with pytest.raises(SourceNotFound) as caught:
        ilk.compare("text a " * 100, "text b")
    said = str(caught.value)
    assert said.endswith("in Python, give a text in a list: [text]")
    assert len(said) < 120
    with pytest.raises(SourceNotFound, match="in Python, give texts in a list$"):
        ilk.find("a text of some words, and no path")
    with pytest.raises(SourceNotFound, match="in Python, give texts in a list$"):
        ilk.find("one text")
    with pytest.raises(SourceNotFound, match="or '-' for standard input$"):
        ilk.find("no/such folder of my old texts")
    with pytest.raises(SourceNotFound, match="or '-' for standard input$"):
        ilk.find("my report.pdf")


def test_a_text_without_words_is_not_compared_by_shares(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.txt").write_text("one text of some words")
    (tmp_path / "b.txt").write_text("")
    (tmp_path / "c.txt").write_text(" \n")
    for left, right, which in (("a", "b", "right"), ("b", "a", "left")):
        code, out, _ = run("compare", tmp_path / f"{left}.txt", tmp_path / f"{right}.txt")
        assert code == 1
        assert out.startswith(f"The two are different: the {which} one has no text.\n")
    out = run("compare", tmp_path / "b.txt", tmp_path / "c.txt")[1]
    assert "%" not in out.splitlines()[0]
