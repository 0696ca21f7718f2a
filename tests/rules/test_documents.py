"""What the documents show runs as it is shown."""

from __future__ import annotations

import ast
import contextlib
import gzip
import io
import json
import re
import shlex
import sqlite3
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from ilk.cli import main as cli
from ilk.cli.commands import make_parsers_of_all_commands
from tests.support import samples
from tests.support.archives import framed, page, response
from tests.support.demands import absent
from tests.support.fixtures import ROOT

#: Without the first page, whose commands follow one another: ``test_site`` runs it.
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*/*.md"))]


def _blocks(language: str) -> list[tuple[str, str]]:
    """Every fenced block of a language, with its document and line."""
    found = []
    for document in DOCUMENTS:
        text = document.read_text()
        for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, match.start()) + 1
            found.append((f"{document.relative_to(ROOT)}:{line}", match.group(1)))
    return found


PYTHON, CONSOLE = _blocks("python"), _blocks("console")

#: The page whose commands follow one another, and the blocks that stand alone.
IN_ORDER = "docs/how-to/clean-a-folder.md:"
ALONE = [(place, text) for place, text in CONSOLE if not place.startswith(IN_ORDER)]


def _furnish(folder: Path) -> None:
    """Make what the documents speak of."""
    text = "the quick brown fox jumps over the lazy dog"
    (folder / "reports").mkdir()
    for name in ("draft-1.txt", "draft-2.txt", "new.txt", "reports/a.txt", "reports/b.txt"):
        (folder / name).write_text(text)
    for name in ("submissions", "others", "notes", "essays"):
        (folder / name).mkdir()
        (folder / name / f"{name}.txt").write_text(f"{text} of {name}")
    for name in (
        "homework/ada.py",
        "homework/bob.py",
        "assignments/ada/a.py",
        "assignments/bob/b.py",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("def fox(lazy, dog):\n    return [over(dog) for over in lazy]\n")
    (folder / "reports" / "c.docx").write_bytes(samples.docx([text]))
    letter = samples.message([text], title="A fox", report_pdf=samples.pdf([[text]]))
    (folder / "reports" / "letter.eml").write_bytes(bytes(letter))
    (folder / "reports" / "old.zip").write_bytes(samples.zipped({"in/d.txt": text.encode()}))
    (folder / "handout.txt").write_text("Hand it in by Friday at noon.")
    (folder / "links.txt").write_text("http://example.org/index.html?utm_source=x\n")
    row = {"key": 1, "title": "A fox", "text": text, "body": text, "body.main": text}
    crawled = {"url": "http://a.example/", "text": text, "links": ["/fox"]}
    (folder / "crawl.jsonl").write_text(json.dumps(crawled))
    chat = {"messages": [{"role": "user", "content": text}]}
    (folder / "chat.jsonl").write_text(2 * (json.dumps(chat) + "\n"))
    row |= {"url": "http://example.org/fox?from=x", "lang": "en", "published": "2026-11-29"}
    lines = 2 * (json.dumps(row) + "\n")
    for name in ("news", "train", "test", "questions", "functions"):
        (folder / f"{name}.jsonl").write_text(lines)
    (folder / "evals").mkdir()
    item = {"id": "q1", "question": "What is quick and brown?", "answer": f"A fox: {text}"}
    (folder / "evals" / "foxes.jsonl").write_text(json.dumps(item) + "\n")
    (folder / "news.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    pages = (response(f"http://{host}.example/", page("fox")) for host in "ab")
    (folder / "crawl.warc.gz").write_bytes(framed(pages, ".gz"))
    (folder / "more.csv").write_text(f"title,body.main\nA fox,{text}\n")
    with contextlib.closing(sqlite3.connect(folder / "library.db")) as library:
        library.execute("CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT, fp BIGINT)")


def test_there_are_snippets() -> None:
    assert len([place for place, _ in PYTHON if place.startswith("README")]) >= 5


def _printing_lines(node: ast.AST) -> set[int]:
    """Return the lines that call ``print``, but for those of functions."""
    inner = [
        _printing_lines(child)
        for child in ast.iter_child_nodes(node)
        if not isinstance(child, ast.FunctionDef)
    ]
    lines = set[int]().union(*inner)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
        lines.add(node.lineno)
    return lines


@pytest.mark.parametrize(("place", "code"), PYTHON, ids=[place for place, _ in PYTHON])
def test_python_runs(
    place: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for package in re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE):
        if find_spec(package) is None:
            absent(f"the package {package} is not installed")
    printed = set[int]()

    def note_line(*values: object) -> None:
        assert [str(value) for value in values] != []
        printed.add(sys._getframe(1).f_lineno)

    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, place, "exec"), {"__name__": "snippet", "print": note_line})
    assert _printing_lines(ast.parse(code)) - printed == set(), "lines that print nothing"


@pytest.mark.parametrize(("place", "text"), ALONE, ids=[place for place, _ in ALONE])
def test_commands_run(
    place: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder that has what the documents speak of."""
    _furnish(tmp_path)
    monkeypatch.chdir(tmp_path)
    for line in text.splitlines():
        if line.startswith("$ ilk "):
            assert cli.main(shlex.split(line, comments=True)[2:]) in (0, 1), f"{place}: {line}"


def test_commands_of_a_page_run_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Someone who reads it from top to bottom types all of them in one folder."""
    _furnish(tmp_path)
    monkeypatch.chdir(tmp_path)
    blocks = [(place, text) for place, text in CONSOLE if place.startswith(IN_ORDER)]
    assert len(blocks) >= 8
    before = sorted(Path("reports").iterdir())
    for place, text in blocks:
        for line in text.splitlines():
            if line.startswith("$ ilk "):
                assert cli.main(shlex.split(line, comments=True)[2:]) in (0, 1), f"{place}: {line}"
    assert sorted(Path("reports").iterdir()) == before


def test_commands_in_the_readme_are_commands(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the table, in its order."""
    _furnish(tmp_path)
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"`(ilk [a-z]+ [^`]*)`", (ROOT / "README.md").read_text())
    assert len(commands) >= 10
    for command in commands:
        words = shlex.split(command)[1:]
        if words[0] == "serve":  # It would serve until somebody ends it.
            make_parsers_of_all_commands()["serve"].parse_args(words[1:])
        else:
            assert cli.main(words) in (0, 1), command
    assert capsys.readouterr().err.count("Traceback") == 0


def test_the_readme_prints_what_the_first_scan_prints() -> None:
    """The block is run in docs/getting-started.md, word by word."""
    first = re.findall(r"^```console\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)[0]
    assert first in (ROOT / "docs" / "getting-started.md").read_text()
