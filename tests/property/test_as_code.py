"""Programs: comparing them is comparing their words, as a plain loop over Pygments spells them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments import token as kinds
from pygments.lexers import get_lexer_by_name

import ilk
from ilk.base.errors import OptionError
from ilk.search.programs import check_as_code_if_given
from tests.reference import passages as reference
from tests.support.fixtures import examples

_NAMES = st.sampled_from(["a", "total", "my_list", "x1", "größe"])
_VALUES = st.one_of(
    _NAMES, st.sampled_from(["1", "0x1F", "2.5e3", '"text"', "'t'", 'f"{a}"', "None", "f(a, b)"])
)
_LINES = st.one_of(
    st.builds("{} = {}".format, _NAMES, _VALUES),
    st.builds("for {} in range({}):\n    print({})".format, _NAMES, _VALUES, _VALUES),
    st.builds("if {} <= {} and not {}:\n    return {}".format, _VALUES, _NAMES, _NAMES, _VALUES),
    st.builds("# {} {}".format, _NAMES, _NAMES),
    st.just(""),
)
PROGRAMS = st.lists(_LINES, max_size=12).map(lambda lines: "\n".join(lines) + "\n")


def tokens_of(program: str) -> Iterator[tuple[int, int, str]]:
    """Where each word of a program in Python begins and ends, in bytes, and the word.

    This has strings without a gap, and no directives.
    """
    last: tuple[int, int, str] | None = None
    lexer: Any = get_lexer_by_name("python")
    for at, kind, value in lexer.get_tokens_unprocessed(program):
        if not value.strip() or kind in kinds.Comment or kind in kinds.String.Doc:
            continue
        start = len(program[:at].encode())
        end = start + len(value.encode())
        if kind in kinds.String:
            word = "s"
            if last is not None and last[1:] == (start, word):
                last = last[0], end, word
                continue
        elif kind in kinds.Name:
            word = "n"
        elif kind in kinds.Number:
            word = "0"
        else:
            word = "".join(value.split())
        if last is not None:
            yield last
        last = start, end, word
    if last is not None:
        yield last


def words_of(program: str) -> list[str]:
    """The words of a program in Python."""
    return [word for _, _, word in tokens_of(program)]


def shingles(words: list[str]) -> set[tuple[str, ...]]:
    width = max(1, min(3, len(words)))
    return {tuple(words[at : at + width]) for at in range(len(words) + 1 - width)}


@examples(10)
@given(programs=st.lists(PROGRAMS, min_size=2, max_size=5), least=st.sampled_from([0.3, 0.8]))
def test_programs_are_compared_by_their_words(programs: list[str], least: float) -> None:
    sets = [shingles(words_of(program)) for program in programs]
    expected = {}
    for one, other in combinations(range(len(programs)), 2):
        left, right = sets[one], sets[other]
        share = len(left & right) / max(1, len(left | right))
        folded = [" ".join(programs[at].lower().split()) for at in (one, other)]
        if folded[0] and (share >= least or folded[0] == folded[1]):
            expected[one, other] = 1.0 if folded[0] == folded[1] else share
    options: dict[str, Any] = {"by": "words", "resemblance": least}
    found = ilk.find(programs, as_="code:python", **options).pairs.to_pylist()
    of = {(row["left"], row["right"]): row for row in found}
    assert {pair: row["resemblance"] for pair, row in of.items() if row["verdict"] == "near"} == {
        pair: share
        for pair, share in expected.items()
        if pair in of and of[pair]["verdict"] == "near"
    }
    assert {*of} == {*expected}
    for (one, other), row in of.items():
        # What is equal is said of the programs as they are.
        assert (row["verdict"] == "identical") == (programs[one] == programs[other])
    table = pa.table({"text": programs})
    result = ilk.deduplicate(table, as_="code:python", **options)
    kept: list[int] = []
    for row in range(len(programs)):
        if not any((one, row) in expected for one in kept):
            kept.append(row)
    assert result.keep_mask.to_pylist() == [row in kept for row in range(len(programs))]
    again = ilk.deduplicate(table, as_="code:py", memory="2GB", **options)
    assert again.keep_mask.equals(result.keep_mask)
    with tempfile.TemporaryDirectory() as folder:
        for at, program in enumerate(programs):
            Path(folder, f"{at}.py").write_bytes(program.encode())
        if all(program.strip() for program in programs):  # Empty files have equal bytes.
            files = ilk.find(Path(folder), as_="code", **options).pairs.to_pylist()
            own = [(row["left"], row["right"], row["resemblance"], row["verdict"]) for row in found]
            assert sorted(
                (row["left"], row["right"], row["resemblance"], row["verdict"]) for row in files
            ) == sorted(own)


ONE = """#include <stdio.h>
/* Rotates a word. */
int rotate(char *word, int by) {
    for (int at = 0; word[at] != '\\0'; at++)
        word[at] = (word[at] - 'a' + by) % 26 + 'a';
    printf("done: %s\\n", word);
    return 0;
}
"""
OTHER = """#include "other.h"
int caesar(char *text, int offset)
{
    // every letter
    for (int i = 0; text[i] != '\\0'; i++) text[i] = (text[i] - 'A' + offset) % 26 + 'A';
    puts2("rotated", text);   return 1;
}
""".replace("puts2", "fprintf")


def test_a_program_with_every_name_changed_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text(ONE)
    (tmp_path / "other.c").write_text(OTHER)
    plain = ilk.compare(tmp_path / "one.c", tmp_path / "other.c")
    found = ilk.compare(tmp_path / "one.c", tmp_path / "other.c", as_="code")
    assert plain.resemblance < 0.35
    assert (found.verdict, found.resemblance) == ("near", 1.0)
    # Passages are those of the texts as they are.
    longest = found.passages[0]
    assert ONE[longest.left_start : longest.left_end] == longest.text
    assert longest.text.startswith("#include <stdio.h>")
    assert longest.text.endswith("}")
    assert OTHER[longest.right_start : longest.right_end].startswith('#include "other.h"')
    # Which name became which, and where both say the same, in each program as it is.
    assert plain.name_changes is None
    assert "name_changes" not in plain.to_dict()
    changes = found.name_changes or []
    names = {"rotate": "caesar", "word": "text", "by": "offset", "at": "i", "printf": "fprintf"}
    assert {one.here: one.there for one in changes} == names
    assert [one.places for one in changes] == [5, 5, 2, 1, 1]
    assert found.to_dict()["name_changes"][0] == {"here": "at", "there": "i", "places": 5}
    page = found.html("one.c", "other.c")
    (number,) = set(re.findall(r'<a class="src0" id="[lr]t(\d+)"', page))
    assert f'id="lt{number}" href="#rt{number}"' in page
    assert re.search(r"<td><bdi>rotate</bdi></td><td><bdi>caesar</bdi></td>", page)
    assert "The same tokens" not in plain.html()
    (pair,) = ilk.find(tmp_path, as_="code").pairs.to_pylist()
    assert pair["resemblance"] == 1
    rows = pa.table({"text": [ONE, OTHER]})
    assert ilk.deduplicate(rows, as_="code:c").report["kept"] == 1
    # A hand-out is no evidence: what is left of both is nothing.
    assert not ilk.find(tmp_path, as_="code", ignore_text=tmp_path / "one.c").pairs.num_rows


def test_text_beside_programs_counts_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one = 1\n")
    (tmp_path / "b.py").write_text("two = 2\n")
    (tmp_path / "a.json").write_text('{"a": "one name"}')
    (tmp_path / "b.json").write_text('{"b": "quite another value"}')
    found = ilk.find(tmp_path, as_="code", resemblance=0.5)
    assert [row["resemblance"] for row in found.pairs.to_pylist()] == [1.0]
    assert any(
        "2 documents are compared as text, since their names do not tell a language" in line
        for line in found.report["advice"]
    )
    assert found.report["options"]["as"] == "code"


def test_lines_and_signs_are_where_they_were() -> None:
    as_ = check_as_code_if_given("code:c")
    assert as_ is not None
    for program in (ONE, ONE.replace("\n", "\r\n"), "int é = 1 ≤ 2; // ü\r", ""):
        words = as_.parse_if_program(program, None)
        assert words is not None
        written = words.text.split(" ") if words.text else []
        places = zip(words.begins, written, strict=True)
        assert all(words.text.startswith(one, at) for at, one in places)
        plain = as_.parse_if_program(program.replace("\r\n", "\n"), None)
        assert plain is not None
        assert plain.text == words.text
        for at, start in enumerate(words.starts):
            assert program[start : words.ends[at]].strip() == program[start : words.ends[at]]


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no document has the name of a program"):
        ilk.find(["a = 1", "b = 2"], as_="code")
    with pytest.raises(OptionError, match="rows have no file names"):
        ilk.deduplicate(pa.table({"text": ["a = 1"]}), as_="code")
    with pytest.raises(OptionError, match="knows no language 'klingon'"):
        ilk.find(["a"], as_="code:klingon")
    with pytest.raises(OptionError, match="`as_` is 'prose'; it must be code"):
        ilk.find(["a"], as_="prose")
    with pytest.raises(OptionError, match="leave out `noise`, or `as_`"):
        ilk.find(["a"], as_="code:c", noise=0.05)
    with pytest.raises(OptionError, match="nothing is left to `ignore`"):
        ilk.find(["a"], as_="code:c", ignore="digits")
    with pytest.raises(OptionError, match="`as_` has no effect with `exact`"):
        ilk.deduplicate(pa.table({"text": ["a"]}), as_="code:c", exact=True)
    with ilk.Store(tmp_path / "s.ilk", exact=True, texts=True) as store:
        store.add(["a b c"])
    with pytest.raises(
        OptionError, match=r"compares texts as they are, and the search programs .*\(`as_`\)"
    ):
        ilk.deduplicate(pa.table({"text": ["a"]}), as_="code:c", against=tmp_path / "s.ilk")


@examples(12)
@given(
    programs=st.lists(PROGRAMS, min_size=2, max_size=4),
    least=st.sampled_from([3, 6]),
    base=st.none() | PROGRAMS,
)
def test_passages_of_programs_are_runs_of_their_words(
    programs: list[str], least: int, base: str | None
) -> None:
    words = [words_of(program) for program in programs]
    found = ilk.passages(programs, words=least, as_="code:python")
    names = ("passage", "doc", "start", "end", "occurrences", "earlier_doc", "earlier_start")
    assert found.table.select(names).to_pylist() == reference.runs(words, least)
    assert found.coverage["words"].to_pylist() == [len(each) for each in words]
    for row in found.table.to_pylist():
        # What is shown is the program as it was written, and its words are those that are equal.
        tokens = list(tokens_of(programs[row["doc"]]))[row["start"] : row["end"]]
        assert (tokens[0][0], tokens[-1][1]) == (row["start_byte"], row["end_byte"])
        if row["earlier_doc"] is not None:
            first = row["earlier_start"]
            there = words[row["earlier_doc"]][first : first + len(tokens)]
            assert [word for _, _, word in tokens] == there
    apart = [row for row in reference.shares(words, least) if row[0]]
    copied = found.copied_parts()
    assert sorted(one.elsewhere for one in copied) == sorted(row[0] for row in apart)
    for one in copied:
        program = programs[one.doc]
        pieces = [program[piece.start : piece.end].encode() for piece in one.pieces]
        spans = [len(program[: piece.start].encode()) for piece in one.pieces]
        inside = [
            (start, end)
            for begin, piece in zip(spans, pieces, strict=True)
            for start, end, _ in tokens_of(program)
            if begin <= start and end <= begin + len(piece)
        ]
        assert len(inside) == one.elsewhere
        assert (one.quoted, one.cited) == (0, 0)
    with tempfile.TemporaryDirectory() as folder:
        for at, program in enumerate(programs):
            Path(folder, f"{at}.py").write_bytes(program.encode())
        if all(program.strip() for program in programs):  # Empty files are no documents.
            files = ilk.passages(Path(folder), words=least, as_="code")
            assert files.table.equals(found.table)
    if base is not None and base.strip():
        # What stands in the base is not there: of its words in a row, fewer than that are left.
        without = ilk.passages(programs, words=least, as_="code:python", ignore_text=[base])
        known = words_of(base)
        grams = {tuple(known[at : at + least]) for at in range(len(known) + 1 - least)}
        for row in without.table.to_pylist():
            run = words[row["doc"]][row["start"] : row["end"]]
            assert not any(
                tuple(run[at : at + least]) in grams for at in range(len(run) + 1 - least)
            )


def test_passages_of_programs_beside_a_reference_and_on_a_page(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "one.c").write_text(ONE)
    (tmp_path / "own" / "notes.txt").write_text("Rotates a word by letters.")
    (tmp_path / "other.c").write_text(OTHER)
    found = ilk.passages(
        tmp_path / "own", words=20, as_="code", against=tmp_path / "other.c", work=tmp_path / "work"
    )
    (row,) = found.table.to_pylist()
    shown = (tmp_path / "own" / "one.c").read_bytes()[row["start_byte"] : row["end_byte"]]
    assert (shown.decode(), row["earlier_doc"]) == (ONE.rstrip(), 0)
    assert any("1 document is compared as text" in line for line in found.report["advice"])
    assert found.report["options"]["as"] == "code"
    page = found.page()
    assert "rotate(char *word, int by)" in page
    # What is to be typed next is what programs can have.
    assert "--cut" not in page
    assert "ilk compare A B --as code --html pair.html" in page
    (result,) = found.sarif()["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["endLine"]) == (1, 8)
    written = found.write(tmp_path / "left.jsonl", drop_above=0.5)
    assert written == {"documents": 1, "dropped": 1}


def test_what_is_not_defined_for_passages_of_programs_is_refused(tmp_path: Path) -> None:
    for text in (ONE, OTHER):
        (tmp_path / f"{text[9:12].strip('<')}.c").write_text(text)
    with pytest.raises(OptionError, match="leave out `unit` or `as_`"):
        ilk.passages(tmp_path, unit="line", as_="code")
    with pytest.raises(OptionError, match="leave out `containment` or `as_`"):
        ilk.passages(tmp_path, against=tmp_path, containment=0.9, as_="code")
    with pytest.raises(OptionError, match="no document has the name of a program"):
        ilk.passages(["a = 1"], as_="code")
    found = ilk.passages(tmp_path, words=20, as_="code")
    with pytest.raises(OptionError, match="programs have none"):
        found.cut()
    with pytest.raises(OptionError, match="programs have none"):
        found.write(tmp_path / "cut.jsonl", cut=True)
    assert not (tmp_path / "cut.jsonl").exists()
