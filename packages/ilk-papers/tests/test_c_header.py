"""ilk_simhash.h: a compiler's program gives the fingerprints of the recipes."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fixtures import ROOT, examples

import ilk
from ilk_papers import INCLUDE
from ilk_papers.hashes import lookup3
from ilk_papers.holub.all_exhibits import VECTORS
from ilk_papers.roth2013.own_values import shipped_text, texts_by_line_end

NO_FEATURES, NOT_UTF8 = "1", "2"

#: Reads lines of a function and its arguments in hexadecimal, and prints what each gives.
PROGRAM = r"""
#include <stdio.h>
#include "ilk_simhash.h"

static char line[1 << 22];
static char *tokens[1 << 16];

static size_t unhex(char *text) {
    size_t length = strlen(text) / 2;
    for (size_t at = 0; at < length; at++) {
        unsigned value;
        sscanf(text + 2 * at, "%2x", &value);
        text[at] = (char)value;
    }
    text[length] = 0;
    return length;
}

int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        uint64_t made = 0;
        int result = 0;
        size_t count = 0;
        line[strcspn(line, "\n")] = 0;
        for (char *at = strtok(line, ","); at; at = strtok(NULL, ",")) tokens[count++] = at;
        if (!strcmp(tokens[0], "roth2013")) {
            size_t length = unhex(tokens[1] + 1);
            result = ilk_roth2013(tokens[1] + 1, length, &made);
        } else if (!strcmp(tokens[0], "lookup3")) {
            size_t length = unhex(tokens[1] + 1);
            made = ilk_lookup3(tokens[1] + 1, length);
        } else if (!strcmp(tokens[0], "distance")) {
            made = (uint64_t)ilk_distance(strtoull(tokens[1], NULL, 16),
                                          strtoull(tokens[2], NULL, 16));
        } else {
            for (size_t at = 2; at < count; at++) unhex(tokens[at]);
            result = ilk_holub((const char *const *)(tokens + 2), count - 2,
                               (size_t)atoi(tokens[1]), &made);
        }
        if (result) printf("%d\n", result);
        else printf("%016llx\n", (unsigned long long)made);
    }
    return 0;
}
"""

COMPILERS = {"c99": ("cc", "gcc", "clang"), "c++11": ("c++", "g++", "clang++")}

#: Every compiler with its standard: those that are here are asked.
EACH = [(standard, name) for standard, names in COMPILERS.items() for name in names]


def compile_program(
    folder: Path, source: str, standard: str = "c99", compiler: str | None = None
) -> Path:
    """Compile a program of the header, every warning an error; skip where there is no compiler."""
    asked = [compiler] if compiler else COMPILERS[standard]
    compiler = next(filter(None, map(shutil.which, asked)), None)
    if compiler is None:
        pytest.skip(f"no compiler of {standard}: none of {', '.join(asked)} is here")
    file = folder / ("program.c" if standard == "c99" else "program.cc")
    file.write_text(source)
    words = ("-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{INCLUDE}")
    made = folder / "program"
    subprocess.run([compiler, f"-std={standard}", *words, file, "-o", made], check=True)
    return made


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(tmp_path_factory.mktemp("header"), PROGRAM)


def answers(program: Path, asked: Sequence[str]) -> list[str]:
    """What the program prints for some lines."""
    text = "".join(f"{line}\n" for line in asked)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    return done.stdout.split()


def roth2013(text: bytes) -> str:
    return f"roth2013,x{text.hex()}"


def holub(width: int, tokens: Sequence[str]) -> str:
    return ",".join(["holub", str(width), *(token.encode().hex() for token in tokens)])


def fingerprints_by_recipe(texts: Sequence[str], recipe: str) -> list[str]:
    made = ilk.fingerprint(list(texts), recipe=recipe).to_pylist()
    return [NO_FEATURES if value is None else f"{value:016x}" for value in made]


@pytest.mark.parametrize(("standard", "compiler"), EACH)
def test_the_authors_fingerprints_come_out_of_c_and_cpp(
    tmp_path: Path, standard: str, compiler: str
) -> None:
    program = compile_program(tmp_path, PROGRAM, standard, compiler)
    address = texts_by_line_end(shipped_text("gettysburg.txt"))["CRLF, none at the end"]
    constitution = texts_by_line_end(shipped_text("us-const.txt"))["CRLF"]
    asked = [roth2013(text.encode()) for text in (address, constitution)]
    assert answers(program, asked) == ["2f470b3dd7a4c041", "f5190f797a2f229d"]


def test_lookup3_passes_its_authors_self_test(program: Path) -> None:
    """Those of the self-test with seeds 0; then every length around its blocks of 12 bytes."""
    golden = {text: b << 32 | c for text, seeds, c, b in VECTORS if seeds == (0, 0)}
    lengths = ["x" * length for length in range(40)]
    asked = [f"lookup3,x{text.encode().hex()}" for text in [*golden, *lengths]]
    made = [int(answer, 16) for answer in answers(program, asked)]
    assert made == [*golden.values(), *(lookup3(text.encode(), 64) for text in lengths)]


def test_distances_are_counted(program: Path) -> None:
    asked = ["distance,a3dbf34f76ea0510,a39bf85f76ea1510", "distance,0,ffffffffffffffff"]
    assert [int(answer, 16) for answer in answers(program, asked)] == [6, 64]


def test_any_text_has_the_fingerprint_of_the_recipe(program: Path) -> None:
    texts = [
        "",
        " ",
        "abc",
        "abcd",
        " \u2003\u3000  ",
        "aaaaaaaa",
        "naïve café",
        "漢字仮名交じり文",
    ]
    texts += ["\U0001f600", "\U0001f600\U0001f601", "a\U0010ffff b", "\0\0\0\0\0", "\ud7ff\ue000ab"]
    asked = [roth2013(text.encode()) for text in texts]
    assert answers(program, asked) == fingerprints_by_recipe(texts, "roth2013")


@examples(20, deadline=None)
@given(texts=st.lists(st.text(max_size=30), min_size=1, max_size=50))
def test_random_texts_have_the_fingerprint_of_the_recipe(program: Path, texts: list[str]) -> None:
    asked = [roth2013(text.encode()) for text in texts]
    assert answers(program, asked) == fingerprints_by_recipe(texts, "roth2013")


@pytest.mark.parametrize(
    "broken",
    [
        b"abc\xff",
        b"abcd\xc3",
        b"\xc0\x80abc",
        b"\xed\xa0\x80abc",
        b"\xf4\x90\x80\x80abc",
        b"a\x80bc",
    ],
)
def test_what_is_no_utf_8_has_no_fingerprint(program: Path, broken: bytes) -> None:
    with pytest.raises(UnicodeDecodeError):
        broken.decode()
    assert answers(program, [roth2013(broken)]) == [NOT_UTF8]


@examples(20, deadline=None)
@given(
    texts=st.lists(
        st.lists(st.from_regex(r"[a-z0-9]{1,14}", fullmatch=True), min_size=1, max_size=9),
        min_size=1,
        max_size=30,
    )
)
@pytest.mark.parametrize(("recipe", "width"), [("holub", 1), ("holub-super", 3)])
def test_tokens_have_the_fingerprint_of_the_recipe(
    program: Path, recipe: str, width: int, texts: list[list[str]]
) -> None:
    asked = [holub(width, tokens) for tokens in texts]
    assert answers(program, asked) == fingerprints_by_recipe(
        [" ".join(each) for each in texts], recipe
    )


def test_the_example_of_the_page_prints_what_it_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "fingerprints-in-c.md").read_text()
    (source,) = re.findall(r"^```c\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (printed,) = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    program = compile_program(tmp_path, source)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == printed
