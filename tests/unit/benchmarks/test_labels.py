"""Labels mean documents: whoever wrote them, from wherever they stood."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from benchmarks.accuracy import __main__ as command
from benchmarks.accuracy import fitting, labels, naming
from benchmarks.accuracy.documents import DocumentError, opened

NAMES = ["a.txt", "b.txt", "deep/a.txt", "deep/c.1.md"]

Labelled = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "set"
    for name in NAMES:
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name} and what else a text has to say of itself")
    return made


@pytest.fixture
def labelled(tmp_path: Path) -> Labelled:
    def write(*lines: str) -> Path:
        path = tmp_path / "labels.tsv"
        path.write_bytes("".join(lines).encode("utf-8", "surrogateescape"))
        return path

    return write


@pytest.mark.parametrize("before", ["", "./", "set/", "{above}/set/"])
def test_labels_may_name_the_folder_or_not(folder: Path, before: str) -> None:
    before = before.format(above=folder.parent.resolve())
    with opened(folder) as documents:
        asked = [f"{before}{name}" for name in NAMES]
        assert naming.meant([*asked, "other/a.txt"], documents) == dict(
            zip(asked, NAMES, strict=True)
        )


def test_labels_of_another_width_are_told(folder: Path) -> None:
    texts = [" ".join(str((row * word * word) % 97) for word in range(60)) for row in (1, 1, 2)]
    texts[1] = texts[1].replace("4", "four")
    for name, text in zip(NAMES, texts, strict=False):
        (folder / name).write_text(text)
    with opened(folder) as documents:
        pairs = list(combinations(NAMES[:3], 2))
        measured = {pair: documents.resemblance(*pair, 2) for pair in pairs}
        assert fitting.note(measured, documents, 2) is None
        told = "the labels were measured with --shingle 2, and 5 was asked for"
        assert fitting.note(measured, documents, 5) == told
        assert fitting.note(dict.fromkeys(pairs, 1.0), documents, 5) is None
        assert fitting.note(dict.fromkeys(pairs, 0.97), documents, 5) is None


def test_where_no_label_reads_so_the_folder_was_renamed(folder: Path) -> None:
    with opened(folder) as documents:
        assert naming.meant(
            ["old/b.txt", "old/deep/a.txt", "c.1.md", "old/deep/c.1", "/x/a.txt", "z"], documents
        ) == {
            "old/b.txt": "b.txt",
            "old/deep/a.txt": "deep/a.txt",
            "c.1.md": "deep/c.1.md",
            "old/deep/c.1": "deep/c.1.md",
        }


def test_lines_of_a_file_are_documents(tmp_path: Path, labelled: Labelled) -> None:
    rows = [
        {"id": "x/1", "text": "Üben, üben"},
        {"id": 2, "text": None, "more": [1]},
        {"id": "\ud800", "text": "\ud800 a"},
    ]
    path = tmp_path / "set.jsonl"
    path.write_text("\ufeff" + "\n\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with opened(path) as documents:
        assert [documents.tokens(name) for name in documents.files] == [
            ["üben", "üben"],
            [],
            ["a"],
        ]
        known = labels.read_pairs(labelled("x/1\t2\t1\n"), documents)
        assert known.resemblance == {("2", "x/1"): 1.0}
        assert known.scope == documents.files.keys()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "there are no documents in"),
        ('{"id": 1, "text": "a"}\n{"id"', "line 2: not JSON"),
        ('{"text": "a"}', "line 1: expected"),
        ("[1]", "line 1: expected"),
        ('{"id": 1}', "line 1: expected"),
        ('{"id": 1, "text": ["a"]}', "line 1: the text is list"),
        ('{"id": 1, "text": "a"}\n{"id": "1", "text": "b"}', "line 2: there is a document '1'"),
    ],
)
def test_a_file_that_reads_otherwise_is_refused(
    tmp_path: Path, content: str, expected: str
) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(content)
    with pytest.raises(DocumentError, match=expected), opened(path):
        pass


def test_documents_that_are_not_there_are_refused(tmp_path: Path) -> None:
    for path, expected in (("nowhere", "there is no"), ("empty", "there are no documents in")):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(DocumentError, match=expected), opened(tmp_path / path):
            pass


def test_labels_in_the_folder_are_no_document(folder: Path) -> None:
    path = folder / "labels.tsv"
    path.write_text("a.txt\tb.txt\n")
    with opened(folder, path) as documents:
        assert sorted(documents.files) == NAMES


def test_names_that_are_not_utf8_are_escaped(folder: Path, labelled: Labelled) -> None:
    (folder / "caf\udce9").write_text("a text")
    with opened(folder) as documents:
        known = labels.read_pairs(labelled("caf\udce9\ta.txt\t0.5\n"), documents)
        assert known.resemblance == {("a.txt", "caf\\xe9"): 0.5}


@pytest.mark.parametrize(
    ("lines", "known"),
    [
        (["\ufeffleft\tright\tresemblance\r\n", "\r\n", " a.txt\tb.txt \t 0.5\tnote\r\n"], 0.5),
        (["b.txt\ta.txt\n", "x\ty\n", "a.txt\ta.txt\n"], 1.0),
        (["a.txt\tb.txt\t1e-1\n", "b.txt\ta.txt\t0.10\n"], 0.1),
    ],
)
def test_pairs_are_read_as_people_write_them(
    folder: Path, labelled: Labelled, lines: list[str], known: float
) -> None:
    with opened(folder) as documents:
        read = labels.read_pairs(labelled(*lines), documents)
        assert read.resemblance == {("a.txt", "b.txt"): known}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], "is empty"),
        (["a.txt,b.txt,0.5\n"], "line 1: expected 2 cells with tabs"),
        (["a.txt\tb.txt\n", "a.txt\n"], "line 2: expected 2 cells"),
        (["a.txt\tb.txt\t0,5\n"], "line 1: expected a number in the third column, got '0,5'"),
        (["a.txt\tb.txt\tnan\n"], "line 1: expected a number"),
        (["a.txt\tb.txt\t3\n"], "says 3 of a.txt and b.txt; expected a resemblance"),
        (["a.txt\tb.txt\t0.5\n", "b.txt\ta.txt\t0.6\n"], "line 2: 0.5 was said"),
        (["a.txt\tb.txt\t0.5\n", "a.txt\tdeep/a.txt\n"], "line 1: there is a third column in some"),
        (["x\ty\t0.5\n"], "no line of .* like x and y, documents like a.txt"),
    ],
)
def test_pairs_that_read_otherwise_are_refused(
    folder: Path, labelled: Labelled, lines: list[str], expected: str
) -> None:
    with opened(folder) as documents, pytest.raises(labels.LabelError, match=expected):
        labels.read_pairs(labelled(*lines), documents)


def test_families_that_contradict_are_refused(folder: Path, labelled: Labelled) -> None:
    with opened(folder) as documents:
        again = labelled("a.txt\tx\tone note\n", "set/a.txt\tx\tanother\n")
        assert labels.read_families(again, documents)["a.txt"] == "x"
        for lines, expected in (
            (["a.txt\tx\n", "set/a.txt\ty\n"], "line 2: another line says otherwise of a.txt"),
            (["q\tx\n"], "no line of .* names a document; lines read like q"),
        ):
            with pytest.raises(labels.LabelError, match=expected):
                labels.read_families(labelled(*lines), documents)


@pytest.mark.parametrize("kind", ["folder", "jsonl"])
def test_one_command_prints_one_line(
    kind: str,
    tmp_path: Path,
    labelled: Labelled,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    common = " ".join(f"word{n}" for n in range(100))
    texts = {"1": common, "2": f"{common} more", "3": " ".join(f"other{n}" for n in range(100))}
    source = tmp_path / "set"
    if kind == "folder":
        source.mkdir()
        for name, text in texts.items():
            (source / name).write_text(text)
    else:
        rows = [json.dumps({"id": int(name), "text": text}) for name, text in texts.items()]
        source.write_text("\n".join(rows))
    pairs = labelled("a\tb\tJ\n", "set/1\tset/2\t0.98\n")

    def printed(*arguments: str) -> dict[str, object]:
        told = ["accuracy", "--documents", str(source), *arguments, "--shingle", "5"]
        monkeypatch.setattr("sys.argv", told)
        assert command.main() == 0
        (line,) = capsys.readouterr().out.splitlines()
        scores: dict[str, object] = json.loads(line)
        return scores

    at_one = printed("--pairs", str(pairs), "--resemblance", "0.8")
    assert (at_one["precision"], at_one["recall"], at_one["documents"]) == (1.0, 1.0, 3)
    at_all = printed("--pairs", str(pairs), "--resemblance", "0.8", "--curve")
    assert (at_all["average_precision"], at_all["negatives"]) == (1.0, 2)
    families = labelled("1\tx\t1.9\n", "2\tx\t1.10\n", "3\tx\t2\n")
    assert printed("--clusters", str(families))["b3_precision"] == 1.0
    assert printed("--versions", str(families))["spearman"] == pytest.approx(0.5)
    graded = labelled("1\t2\t9\n", "1\t3\t2\n", "2\t3\t1\n")
    assert printed("--graded", str(graded))["spearman"] == pytest.approx(0.75**0.5)
