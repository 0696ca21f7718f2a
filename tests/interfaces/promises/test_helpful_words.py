"""What people type out of habit gets the sentence that helps."""

from __future__ import annotations

import pytest

import ilk
from ilk.base.errors import SourceNotFound
from tests.running import Run


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


def test_texts_in_place_of_paths() -> None:
    with pytest.raises(SourceNotFound) as caught:
        ilk.compare("text a " * 100, "text b")
    said = str(caught.value)
    assert said.endswith("in Python, give a text in a list: [text]")
    assert len(said) < 120
