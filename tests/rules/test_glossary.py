"""The words of GLOSSARY.md are the only ones for what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ilk.arrow import schemas, verdicts
from tests.support.fixtures import ROOT

#: Before "of which", what makes it plain English: "each of which".
_NATIVE = "".join(
    f"(?<!{word} )" for word in ("each", "one", "none", "some", "all", "part", "first", "lowest")
)

#: Words that the glossary replaces, and phrases that a native engineer would not write.
BANNED = {
    r"\b(is|are|was|were) told\b": "report, show, print",
    r"\bso many\b": "as many as, or the number",
    r"\b(is|are) none\b": "no X",
    r"\bweightiest\b": "most important",
    r"\bhas not the\b": "lacks the",
    r"\bgoes on from\b": "resumes",
    r"\bwhat becomes of\b": "what happens to",
    r"\bdupes?\b|(?<!/)\bdups\b": "duplicate",
    r"\bif nothing (else )?is said\b(?! (of|in|for))": "by default",
    r"\bTells? whether\b": "Return whether",
    r"\b[Tt]ells? no\b": "names no",
    r"\bone's own (frame|documents|words)\b": "your own",
    r"\bcolumns behind\b": "columns after",
    r"\b(run|it) goes on when\b": "resumes",
    r"\bis to be (read|done|made) by\b": "reads, does, makes",
    r"\bthe weightier\b": "the more important",
    r"\bto this amount\b": "by this much",
    r"\bhas not (a|an|any)\b": "has no",
    r"\bthat are to be read\b": "to read",
    rf"{_NATIVE}\bof which\b": "two sentences, or whose",
}


#: What a person reads: documents, and the comments and docstrings of all sources.
READ = {
    ".": ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "Makefile"],
    "docs": ["**/*.md", "**/*.py"],
    "src/ilk": ["**/*.py", "**/*.pyi"],
    "packages": ["**/*.py"],
    "tests": ["**/*.py"],
    "benchmarks": ["**/*.py"],
    "scripts": ["*"],
    "rust": ["*/README.md", "**/*.rs"],
    ".github": ["**/*.yml"],
    ".ci": ["*"],
}


def _files() -> Iterator[Path]:
    for folder, patterns in READ.items():
        for pattern in patterns:
            found = [path for path in sorted((ROOT / folder).glob(pattern)) if path.is_file()]
            assert found, f"{folder} has no {pattern}"
            yield from (path for path in found if _is_ours(path))


def _is_ours(path: Path) -> bool:
    """Return whether a file is read: not this one, nor what other packages have installed."""
    return path != Path(__file__) and path.suffix != ".pyc" and ".venv" not in path.parts


@pytest.mark.parametrize("pattern", BANNED, ids=BANNED.values())
def test_banned_words_do_not_come_back(pattern: str) -> None:
    expression = re.compile(pattern)
    seen = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in _files()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if expression.search(line)
    ]
    assert not seen, f"write {BANNED[pattern]} instead:\n" + "\n".join(seen[:40])


def test_the_glossary_defines_every_verdict_and_column() -> None:
    glossary = (ROOT / "GLOSSARY.md").read_text()
    words = {value for value in vars(verdicts).values() if isinstance(value, str)}
    named = [word for word in words if word.isidentifier() and f"`{word}`" not in glossary]
    assert not named
    measures = {"distance", "resemblance", "verdict", "cluster", "keeper"}
    assert measures <= set(schemas.CLUSTERS.names)
