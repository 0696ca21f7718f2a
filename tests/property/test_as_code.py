"""Programs: comparing them is comparing their words, as a plain loop over Pygments spells them."""

from __future__ import annotations

import tempfile
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
from ilk.search.programs import check_as
from tests.fixtures import examples

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


def words_of(program: str) -> list[str]:
    """The words of a program in Python: this has strings without a gap, and no directives."""
    words: list[str] = []
    end_of_string = -1
    lexer: Any = get_lexer_by_name("python")
    for at, kind, value in lexer.get_tokens_unprocessed(program):
        if not value.strip() or kind in kinds.Comment or kind in kinds.String.Doc:
            continue
        if kind in kinds.String:
            if end_of_string != at:
                words.append("s")
            end_of_string = at + len(value)
        elif kind in kinds.Name:
            words.append("n")
        elif kind in kinds.Number:
            words.append("0")
        else:
            words.append("".join(value.split()))
    return words


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
    as_ = check_as("code:c")
    assert as_ is not None
    for program in (ONE, ONE.replace("\n", "\r\n"), "int é = 1 ≤ 2; // ü\r", ""):
        words = as_.words_of(program, None)
        assert words is not None
        written = words.text.split(" ") if words.text else []
        places = zip(words.begins, written, strict=True)
        assert all(words.text.startswith(one, at) for at, one in places)
        plain = as_.words_of(program.replace("\r\n", "\n"), None)
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
    with pytest.raises(OptionError, match="without `as_`"):
        ilk.deduplicate(pa.table({"text": ["a"]}), as_="code:c", against=tmp_path / "s.ilk")
