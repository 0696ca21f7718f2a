"""The texts that were written by hand: files of blocks, each below a line with its name."""

from __future__ import annotations

import functools
from pathlib import Path

_HERE = Path(__file__).parent

#: The name of a block that holds a short text in every line.
HEADLINES = "headlines"


@functools.cache
def blocks(file: Path) -> tuple[tuple[str, str], ...]:
    """The name and the text of every block of a file; a name may recur."""
    found = []
    for block in file.read_text(encoding="utf-8").removeprefix("# ").split("\n# "):
        name, _, text = block.partition("\n")
        found.append((name, text.strip("\n") + "\n"))
    return tuple(found)


@functools.cache
def prose() -> dict[tuple[str, str], str]:
    """Every longer text, by its language and name."""
    return {
        (file.stem, name): text
        for file in sorted(_HERE.glob("texts/*.txt"))
        for name, text in blocks(file)
        if name != HEADLINES
    }


@functools.cache
def headlines() -> dict[str, list[str]]:
    """The short texts of every language that has some."""
    return {
        file.stem: text.splitlines()
        for file in sorted(_HERE.glob("texts/*.txt"))
        for name, text in blocks(file)
        if name == HEADLINES
    }


def form(name: str) -> str:
    """A template, with the names of its gaps in braces."""
    return dict(blocks(_HERE / "forms" / "forms.txt"))[name]


def contents(name: str) -> list[str]:
    """The paragraphs of a name, without the line end behind them."""
    return [text[:-1] for known, text in blocks(_HERE / "forms" / "contents.txt") if known == name]


def entries(name: str) -> list[str]:
    """The short entries of a name, which stand in a line each."""
    return dict(blocks(_HERE / "forms" / "entries.txt"))[name].splitlines()


def quotations() -> dict[str, str]:
    """The texts that others quote, by name."""
    return dict(blocks(_HERE / "forms" / "quotations.txt"))
