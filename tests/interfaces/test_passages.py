"""``ilk passages``: what it prints and writes."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from html import unescape
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.command_line import Run

QUOTED = " ".join(f"q{n}" for n in range(60))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("a", f"{QUOTED}."), ("b", f"As they said: «{QUOTED}»"), ("c", "alone")):
        (tmp_path / f"{name}.txt").write_text(text)
    return tmp_path


def test_the_table_shows_passages_with_their_places(folder: Path, run: Run) -> None:
    code, out, err = run("passages", folder)
    assert (code, err) == (0, "")
    assert out == (
        "60 words, 2 places\n"
        "  q0 q1 q2 q3 q4 q5 q6 q7 q8 q9 q10 q11 "
        "q12 q13 q14 q15 q16 q17 q18 q19 ...\n"
        f"    {folder}/a.txt, words 1 to 60\n"
        f"    {folder}/b.txt, words 4 to 63\n"
        "\n"
        "3 documents of 124 words read; 1 passage in 2 of them.\n"
        "             120 words ( 96.8%) are in another document too\n"
        "              60 words ( 48.4%) are in an earlier document\n"
        "               0 words (  0.0%) are repeated in their own document only\n"
        "exact: every run of at least 50 words that occurs at two places\n"
    )


def test_every_occurrence_is_a_row_of_the_other_formats(folder: Path, run: Run) -> None:
    code, out, _ = run("passages", folder, "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert rows[-1]["summary"]["passages"] == 1
    expected = {
        "passage": 0,
        "doc": 1,
        "start": 3,
        "end": 63,
        "start_byte": 16,
        "end_byte": 16 + len(QUOTED),
        "occurrences": 2,
        "earlier_doc": 0,
        "earlier_start": 0,
        "source": f"{folder}/b.txt",
        "id": None,
        "earlier_source": f"{folder}/a.txt",
    }
    assert rows[1] == expected
    code, out, _ = run("passages", folder, "--format", "csv")
    (first, second) = csv.DictReader(io.StringIO(out))
    assert (first["earlier_doc"], second["earlier_doc"]) == ("", "0")
    file = folder.parent / "found.parquet"
    assert run("passages", folder, "--format", "parquet", "-o", file)[0] == 0
    assert pq.read_table(file).to_pylist()[1] == expected


def test_shorter_runs_and_other_places_by_option(folder: Path, run: Run) -> None:
    code, out, _ = run("passages", folder, "--words", "61")
    assert code == 0
    assert out.startswith("3 documents of 124 words read; 0 passages in 0 of them.\n")
    other = folder.parent / "test.jsonl"
    other.write_text(json.dumps({"text": QUOTED}) + "\n")
    code, out, _ = run("passages", folder, "--against", other, "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()][:-1]
    assert [row["earlier_source"] for row in rows] == [f"{other}#0"] * 2
    assert run("passages", folder, "--across", "folder", "--format", "csv")[1].count("\n") == 1


def test_more_passages_than_are_shown(tmp_path: Path, run: Run) -> None:
    texts = [" ".join(f"p{doc // 6}w{n}" for n in range(50 + doc // 6)) for doc in range(12)]
    pq.write_table(pa.table({"text": texts}), tmp_path / "rows.parquet")
    code, out, _ = run("passages", tmp_path / "rows.parquet", "--show", "1")
    assert code == 0
    assert out.startswith("51 words, 6 places\n")
    assert "    ... and 1 more\n" in out
    assert "2 passages in 12 of them, 1 shown (--show)." in out


def test_passages_that_overlap_with_shown_ones(tmp_path: Path, run: Run) -> None:
    words = [f"w{n}" for n in range(100)]
    texts = [words, ["x", *words[:60]], ["y", *words[40:]], ["z", *words[40:], "z"]]
    for name, text in zip("abcd", texts, strict=True):
        (tmp_path / f"{name}.txt").write_text(" ".join(text))
    out = " ".join(run("passages", tmp_path, "--show", "100")[1].split())
    assert "2 passages in 4 of them, 1 shown, since others overlap with these; --format csv" in out


def test_a_wrong_option_is_a_line(folder: Path, run: Run) -> None:
    code, out, err = run("passages", folder, "--words", "0")
    assert (code, out) == (2, "")
    assert err.startswith("ilk passages: --words is 0; it must be a whole number of words")
    code, _, err = run("passages", folder, "--across", "author")
    assert code == 2
    assert "files have no columns" in err


def test_cut_and_dropped_rows_are_written(folder: Path, run: Run) -> None:
    output = folder.parent / "out.jsonl"
    code, out, err = run("passages", folder, "--cut", "-o", output)
    assert (code, err) == (0, "")
    said = "60 words of passages stay, since their sentences have other words (--mid-sentence).\n"
    assert out.endswith(f"0 cuts; the account is in {output}.ilk.\n{said}")
    cut = ("--cut", "--mid-sentence", "--force")
    code, out, err = run("passages", folder, *cut, "-o", output)
    assert (code, err) == (0, "")
    assert out.endswith(
        f"3 documents written to {output}.\n1 cut; the account is in {output}.ilk.\n"
    )
    texts = [json.loads(line)["text"] for line in output.read_text().splitlines()]
    assert texts == [f"{QUOTED}.", "As they said", "alone"]
    assert run("passages", folder, "--cut", "-o", output)[0] == 2
    code, out, _ = run("passages", folder, "--drop-above", "50%", "--force", "-o", output)
    assert "1 dropped document;" in out
    assert len(output.read_text().splitlines()) == 2


def test_rows_are_written_to_a_file_alone(folder: Path, run: Run) -> None:
    code, out, err = run("passages", folder, "--cut")
    assert (code, out) == (2, "")
    assert err == "ilk passages: --cut and --drop-above write rows; name a file: --output.\n"
    code, _, err = run(
        "passages", folder, "--cut", "--drop-above", "1", "-o", folder.parent / "x.jsonl"
    )
    assert (code, err) == (
        2,
        "ilk passages: give exactly one of --cut and --drop-above.\n",
    )


def test_a_page_shows_where_passages_lie(folder: Path, run: Run) -> None:
    (folder / "<&>.txt").write_text(f"<script>x</script> {QUOTED}")
    page = folder.parent / "page.html"
    assert run("passages", folder, "--report", page, "--quiet")[0] == 0
    shown = page.read_text()
    assert "<h3>60 words</h3>" in shown
    assert "3 places in 3 documents" in shown
    assert shown.count("<script") == 1
    assert "<script>x" not in shown
    assert "&lt;&amp;&gt;.txt" in shown
    # Words 0 to 60 of 60, and 3 to 63 of 63, in per cent of the characters; the third is quoted.
    marks = re.findall(r'<rect class="src\d" x="([\d.]+)%" width="([\d.]+)%" height="100%"', shown)
    assert marks == [("0.00", "99.57"), ("7.66", "92.34")]
    assert "3 of 4 documents have words of others" in shown
    assert run("passages", folder, "--report", page)[0] == 2


def head_of(page: Path) -> str:
    """Return the title of a page, and what stands before its first section, without tags."""
    written = page.read_text().partition("<section")[0]
    title, body = re.findall("<title>.*?</title>", written), written.partition("<header")[2]
    return " ".join(unescape(re.sub("<[^>]+>", " ", "".join(title) + body)).split())


def test_a_page_on_files_says_where_it_looked_and_what_to_do_next(tmp_path: Path, run: Run) -> None:
    for name in ("essays/a.txt", "essays/b.txt", "books/c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(QUOTED)
    essays, books, page = tmp_path / "essays", tmp_path / "books", tmp_path / "page.html"
    words = ("passages", essays, "--report", page, "--force")
    assert run(*words)[0] == 0
    head = head_of(page)
    assert head.startswith(f"ilk: passages in {essays}/ ")
    assert "--ignore-text FILE leaves these out. Next: ilk compare A B --html pair.html" in head
    assert "--cut" not in head
    assert "2 of 2 documents have words of others" in head
    assert "in the text" not in page.read_text(), "a key of one mark tells nothing"
    assert run(*words, "--against", books)[0] == 0
    head = head_of(page)
    assert head.startswith(f"ilk: passages in {essays}/ that are in {books}/ ")
    assert "--ignore-text" not in head
    assert run(*words, "--ignore-text", books)[0] == 0
    assert "--ignore-text" not in head_of(page)


def test_the_answer_stands_out_on_a_page(tmp_path: Path, run: Run) -> None:
    rows, items, page = (tmp_path / name for name in ("rows.jsonl", "items.jsonl", "page.html"))
    rows.write_text(json.dumps({"text": QUOTED}) + "\n")
    items.write_text("".join(json.dumps({"text": text}) + "\n" for text in (QUOTED, "others")))
    assert run("passages", rows, "--against", items, "--report", page)[0] == 0
    emphasized = re.findall('class="go"><dt>(.*?)<br>', page.read_text())
    assert emphasized == ["of the words are in the reference too"]
    head = head_of(page)
    assert "1 of 2 items of evaluation sets is found in 1 document " in head
    assert "--cut -o clean.jsonl" in head
    assert run("passages", rows, items, "--report", page, "--force")[0] == 0
    emphasized = re.findall('class="go"><dt>(.*?)<br>', page.read_text())
    assert emphasized == ["are in an earlier document"]


def test_of_all_its_words_a_document_cannot_have_more_elsewhere(tmp_path: Path, run: Run) -> None:
    own = " ".join(f"own{number}" for number in range(500))
    texts = {"a": QUOTED, "b": QUOTED, "c": f"{own} one two three four five", "d": ""}
    texts["d"] = f"{own.replace('own', 'other')} one two three four five"
    (tmp_path / "in").mkdir()
    for name, text in texts.items():
        (tmp_path / "in" / f"{name}.txt").write_text(text)
    page = tmp_path / "page.html"
    assert run("passages", tmp_path / "in", "--report", page)[0] == 0
    assert "2 of 4 documents have 100.0% of their words elsewhere</h1>" in page.read_text()
    assert "2 documents have 100.0% of their words elsewhere. 2 others" in page.read_text()


def test_rows_of_csv_keep_all_but_what_is_cut(tmp_path: Path, run: Run) -> None:
    source, output = (tmp_path / name for name in ("in.csv", "out.csv"))
    source.write_text(f'n;text\n1;"A ""so"" {QUOTED}"\n2;{QUOTED}\n')
    assert run("passages", source, "--cut", "-o", output)[0] == 0
    assert output.read_text() == source.read_text().replace(f"2;{QUOTED}", "2;")


def test_what_is_repeated_only_in_a_group_is_said_so(tmp_path: Path, run: Run) -> None:
    for name in ("a/1.txt", "a/2.txt", "b/3.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("one two three four five six" if name < "b" else "other words")
    for across, own in ((None, "document"), ("folder", "folder")):
        words = [] if across is None else ["--across", across]
        _, out, _ = run("passages", tmp_path, "--words", "3", *words)
        (line,) = (line for line in out.splitlines() if "repeated in" in line)
        assert line.endswith(f"are repeated in their own {own} only")
        assert line.split()[0] == ("0" if across is None else "12")


#: What the summary says of words, by what counts: in every case it must be true of these words.
SAID = {
    "alone": (
        "are in another document too",
        "are in an earlier document",
        "are repeated in their own document only",
    ),
    "against": ("are in the reference too", None, "are repeated here, and not in the reference"),
    "folder": (
        "are in another folder too",
        "are in an earlier document of another folder",
        "are repeated in their own folder only",
    ),
    "source": (
        "are in another file too",
        "are in an earlier document of another file",
        "are repeated in their own file only",
    ),
}


def words_of_sentences(
    texts: list[list[str]], groups: list[int], least: int, held: int
) -> tuple[int, int, int]:
    """Count words in another group, in an earlier document of one, and only in their own."""
    places: dict[tuple[str, ...], list[int]] = {}
    for doc, text in enumerate(texts):
        for at in range(len(text) - least + 1):
            places.setdefault(tuple(text[at : at + least]), []).append(doc)
    counts = [0, 0, 0]
    for doc, text in list(enumerate(texts))[held:]:
        kinds: list[set[int]] = [set(), set(), set()]
        for at in range(len(text) - least + 1):
            docs = places[tuple(text[at : at + least])]
            others = [other for other in docs if groups[other] != groups[doc]]
            covered = range(at, at + least)
            kinds[0].update(covered if others else ())
            kinds[1].update(covered if any(other < doc for other in others) else ())
            own = [other for other in docs if groups[other] == groups[doc]]
            kinds[2].update(covered if len(own) > 1 else ())
        kinds[2] -= kinds[0]
        counts = [count + len(kind) for count, kind in zip(counts, kinds, strict=True)]
    return counts[0], counts[1], counts[2]


@pytest.mark.parametrize("case", SAID)
def test_each_sentence_of_the_summary_is_true(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed in range(12):
        drawn = random.Random(seed)
        texts = [
            [drawn.choice("abc") * drawn.randint(1, 2) for _ in range(drawn.randint(0, 14))]
            for _ in range(6)
        ]
        texts[0] = texts[0] or ["a"]
        names = [f"{seed}/{'xy'[doc // 4]}/{doc}.txt" for doc in range(6)]
        for name, text in zip(names, texts, strict=True):
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(" ".join(text))
        held = 4 if case == "against" else 0
        groups = list(range(6)) if case in ("alone", "source") else [0] * 4 + [1] * 2
        source = f"{seed}/y" if held else str(seed)
        words = ["--against", f"{seed}/x"] if held else []
        words += [] if case in ("alone", "against") else ["--across", case]
        page = f"{seed}.html"
        code, out, err = run("passages", source, "--words", "3", *words, "--report", page)
        assert (code, err) == (0, ""), err
        counts = words_of_sentences(texts, groups, 3, held)
        lines = [line for line in out.splitlines() if " words (" in line]
        expected = [(n, what) for n, what in zip(counts, SAID[case], strict=True) if what]
        said = [(int(line.split()[0]), line.split(") ")[1]) for line in lines]
        assert said == expected, seed
        written = Path(page).read_text()
        for number, what in expected:
            assert (what in written) == bool(number), what
        for other in set(filter(None, sum(SAID.values(), ()))) - set(SAID[case]):
            assert other + "<" not in written


def test_no_passage_is_said_of_what_was_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("one", "two"):
        Path(folder).mkdir()
        text = " ".join(f"{folder}{number}" for number in range(20))
        for name in ("a.txt", "b.txt"):
            Path(folder, name).write_text(text)
    cases = {
        "No passage is in the reference": ["one", "--against", "two"],
        "No passage occurs in two folders": ["one", "two", "--across", "folder"],
    }
    for heading, words in cases.items():
        run("passages", *words, "--words", "8", "--report", "page.html", "--force")
        page = Path("page.html").read_text()
        assert heading in page
        assert "No passage occurs twice" not in page


def test_hooks_end_with_1_for_more_than_is_allowed(folder: Path, run: Run) -> None:
    assert run("passages", folder, "--expect-none")[0] == 1
    assert run("passages", folder, "--expect-none", "--words", "61")[0] == 0
    code, _, err = run("passages", folder, "--fail-above", "96%")
    assert (code, err) == (1, "ilk: 96.8% of the words are in passages (--fail-above).\n")
    assert run("passages", folder, "--fail-above", "97%")[0] == 0
    assert run("passages", folder, "--fail-above", "0")[0] == 1
    # Of words that are repeated here alone, none is in the reference.
    other = folder.parent / "other.txt"
    other.write_text("alone")
    assert run("passages", folder, "--against", other, "--fail-above", "0")[0] == 0
    code, _, err = run("passages", folder, "--expect-none", "--fail-above", "1")
    assert code == 2
    assert "--fail-above has no effect with --expect-none" in err


@pytest.mark.parametrize("gate", [["--fail-above", "5%"], ["--expect-none"]])
def test_a_gate_that_reads_nothing_lets_nothing_pass(
    gate: list[str], tmp_path: Path, run: Run
) -> None:
    code, _, err = run("passages", tmp_path, *gate)
    assert (code, "no document was read" in err) == (2, True)
    code, _, err = run("passages", tmp_path)
    assert (code, "nothing to compare: no document was read" in err) == (0, True)
