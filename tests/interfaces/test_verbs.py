"""``ilk compare``, ``ilk fingerprint``, and what ``ilk`` says of itself."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import ilk
from ilk import arrow
from ilk.base.options import FORMS
from ilk.cli import about, verbs
from ilk.fingerprints.recipe import SIMILARITY_INDEX
from tests.support.command_line import Run

LONG = " ".join(f"word{number}" for number in range(200))


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    texts = [LONG, LONG + " more", "quite other words", " \n", "too few"]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(text)
    return sorted(tmp_path.iterdir())


def test_help_names_every_verb_and_every_verb_helps(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    for verb, what in verbs.VERBS.items():
        assert verb in out
        assert what in out
        code, explained, _ = run(verb, "--help")
        assert code == 0
        assert explained.startswith(f"usage: ilk {verb}")
        assert ("--recipe" in explained) == (verb in {"compare", "fill", "fingerprint"}), verb


def test_no_verb_and_a_wrong_one_are_errors_with_help(run: Run) -> None:
    code, out, err = run()
    assert (code, out) == (2, "")
    assert "usage: ilk" in err
    code, out, err = run("scna", "folder")
    assert (code, out) == (2, "")
    assert "scna" in err
    assert "scan" in err
    code, out, err = run("--version")
    assert (code, err) == (0, "")
    version, recipe, *extras = out.splitlines()
    assert version == f"ilk {ilk.__version__}"
    assert re.fullmatch(
        r"recipe v1, (avx512|avx512f|avx2|portable) instructions, Python 3\.[\d.]+", recipe
    )
    assert str(ilk.Recipe()).endswith("/v1")
    assert all(line.startswith(("extras: ", "not installed: ")) for line in extras)
    # Tests need some of them; none is named twice.
    names = [name for line in extras for name in line.partition(": ")[2].split(", ")]
    assert {"documents", "pages", "polars"} <= set(names)
    assert len(names) == len(set(names))
    assert run("--color", "never")[0] == 2
    assert run("scan")[0] == 2


def test_an_extra_is_found_only_with_all_that_it_brings(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    requirements = {
        "ilk": ["one ; extra == 'a'", "two[b]==1 ; extra == 'b'", "two==1 ; extra == 'c'"],
        "one": [],
        "two": ["three>=1; extra == 'b'"],
    }

    def requires(package: str) -> list[str]:
        if package not in requirements:
            raise metadata.PackageNotFoundError(package)
        return requirements[package]

    monkeypatch.setattr(metadata, "requires", requires)
    monkeypatch.setattr(
        about,
        "requirements_by_extra_if_installed",
        about.requirements_by_extra_if_installed.__wrapped__,
    )
    assert run("--version")[1].splitlines()[2:] == ["extras: a, c", "not installed: b"]


def test_compare_says_every_measure(files: list[Path], run: Run) -> None:
    code, out, err = run("compare", files[0], files[1])
    assert (code, err) == (0, "")
    found = ilk.compare(files[0], files[1])
    assert found.resemblance_interval is not None
    low, high = found.resemblance_interval
    assert found.meaning in out
    for line in (
        "verdict            near\n",
        f"resemblance        {found.resemblance:.4f}   of sets of 3 words\n",
        f"containment        {found.containment_left:.4f}   of A in B\n",
        f"                   {found.containment_right:.4f}   of B in A\n",
        f"cosine             {found.cosine:.4f}   of weighted features, exact\n",
        f"95 % interval {low:.4f} to {high:.4f}\n",
        f"distance           {found.distance}        bits of 64\n",
        f"bit agreement      {found.bit_agreement:.4f}\n",
        "equal texts        no\n",
        "equal bytes        no\n",
        f"recipe             {ilk.Recipe()}\n",
        "1 shared passage, 200 words\n",
        f"A 0-{len(LONG)}, B 0-{len(LONG)}\n",
    ):
        assert line in out


def test_compare_says_what_the_recipe_estimates(files: list[Path], run: Run) -> None:
    _, out, _ = run("compare", files[0], files[1])
    found = ilk.compare(files[0], files[1])
    assert f"resemblance, est.  {found.resemblance_estimate:.4f}   of the recipe's" in out
    assert "cosine, estimated" not in out
    _, out, _ = run("compare", files[0], files[1], "--recipe", SIMILARITY_INDEX)
    found = ilk.compare(files[0], files[1], SIMILARITY_INDEX)
    assert found.cosine_interval is not None
    low, high = found.cosine_interval
    assert f"cosine, estimated  {found.cosine_estimate:.4f}   from" in out
    assert f"95 % interval {low:.4f} to {high:.4f}\n" in out
    assert "resemblance, est." not in out
    _, out, _ = run("compare", files[0], files[1], "--recipe", ilk.Recipe(kind="simhash", bits=32))
    assert "bits of 32\n" in out


def test_compare_in_json_is_the_comparison(files: list[Path], run: Run) -> None:
    code, out, _ = run("compare", files[0], files[1], "--format", "jsonl", "--min-words", "300")
    assert code == 0
    found = json.loads(out)
    assert (found.pop("left"), found.pop("right")) == (str(files[0]), str(files[1]))
    expected = ilk.compare(files[0], files[1], min_words=300).to_dict()
    assert found == json.loads(json.dumps(expected))


def test_compare_ends_with_1_only_if_different(files: list[Path], run: Run) -> None:
    assert run("compare", files[0], files[0])[0] == 0
    assert run("compare", files[0], files[2])[0] == 1
    assert run("compare", files[0], files[1], "--resemblance", "0.999")[0] == 0  # Contained.
    code, out, _ = run("compare", files[0], files[3])
    assert code == 1
    assert "too few features" in out
    code, out, err = run("compare", files[0], files[0].parent / "missing")
    assert (code, out) == (2, "")
    assert "missing" in err
    code, out, err = run("compare", files[0], files[1], "--resemblance", "7")
    assert (code, out) == (2, "")
    assert "at most 1" in err
    assert run("compare", files[0])[0] == 2


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "recipe",
    [
        ilk.Recipe(width=1),
        ilk.Recipe(kind="simhash", bits=32, width=1),
        ilk.Recipe(kind="simhash", bits=128, width=1),
        ilk.Recipe(bits=128, width=1),
    ],
    ids=str,
)
def test_every_form_is_the_same_bits(
    files: list[Path], run: Run, recipe: ilk.Recipe, form: str
) -> None:
    read: dict[str, Callable[[str], int]] = {
        "hex": lambda text: int(text, 16),
        "bits": lambda text: int(text, 2),
        "unsigned": int,
        "signed": lambda text: int(text) % 2 ** max(64, recipe.bits),
    }
    texts = [path.read_text() for path in files]
    expected = ilk.fingerprint(texts, recipe).to_pylist()
    if recipe.bits == 128:
        expected = [v if v is None else int.from_bytes(v, "big") for v in expected]
    assert [value is None for value in expected] == [False, False, False, True, True]
    folder = files[0].parent
    words = ("fingerprint", folder, "--as", form, "--recipe", recipe)
    code, out, _ = run(*words)
    assert code == 0
    lines = [line.split("  ", 1) for line in out.splitlines()]
    assert [name for _, name in lines] == [str(path) for path in files]
    assert [None if v.startswith("(") else read[form](v) for v, _ in lines] == expected
    assert [value for value, _ in lines[3:]] == ["(blank)", "(too few features)"]
    _, out, _ = run(*words, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    values = [read[form](row["fingerprint"]) if row["fingerprint"] else None for row in rows]
    assert values == expected
    _, out, _ = run(*words, "--format", "jsonl")
    records = [json.loads(line) for line in out.splitlines()]
    written = [record["fingerprint"] for record in records]
    assert [None if v is None else read[form](str(v)) for v in written] == expected
    assert [record["reason"] for record in records][3:] == ["blank", "too few features"]


def test_parquet_holds_signed_numbers_and_the_recipe(files: list[Path], run: Run) -> None:
    recipe = ilk.Recipe(unit="chars", width=4)
    out = files[0].parent / "out.parquet"
    words = ["--format", "parquet", "--recipe", recipe, "-o", out]
    code, printed, _ = run("fingerprint", *files, *words)
    assert (code, printed) == (0, "")
    table = pyarrow.parquet.read_table(out)
    assert table.schema.field("fingerprint").type == pa.int64()
    assert arrow.recipe_of_field_or_none(table.schema.field("fingerprint")) == str(recipe)
    texts = [path.read_text() for path in files]
    expected = ilk.fingerprint(texts, recipe)
    assert arrow.import_fingerprints(table["fingerprint"]).equals(expected)


def test_parquet_holds_128_bits_as_bytes(files: list[Path], run: Run) -> None:
    recipe = ilk.Recipe(bits=128)
    out = files[0].parent / "out.parquet"
    words = ["--format", "parquet", "--recipe", recipe, "-o", out]
    assert run("fingerprint", *files, *words)[:2] == (0, "")
    table = pyarrow.parquet.read_table(out)
    assert arrow.recipe_of_field_or_none(table.schema.field("fingerprint")) == str(recipe)
    texts = [path.read_text() for path in files]
    assert arrow.flat(table["fingerprint"]).equals(ilk.fingerprint(texts, recipe))


def test_fingerprint_ends_with_2_if_nothing_could_be_read(files: list[Path], run: Run) -> None:
    link = files[0].parent / "dangling"
    link.symlink_to("nowhere")
    os.mkfifo(files[0].parent / "pipe")
    assert run("fingerprint", files[0].parent)[0] == 0
    assert run("fingerprint", files[0].parent, "--strict")[0] == 2
    code, out, err = run("fingerprint", link)
    assert (code, out) == (2, "")
    assert "dangling" in err
    code, out, err = run("fingerprint", files[0], "--as", "octal")
    assert (code, out) == (2, "")
    assert "unsigned" in err


def test_what_pages_say_of_themselves_stands_beside_their_fingerprints(
    run: Run, tmp_path: Path
) -> None:
    head = "<html lang=en><head><title>A page</title></head>"
    (tmp_path / "a.html").write_text(f"{head}<body><p>{'some words of a page ' * 9}</p></body>")
    _, printed, _ = run("fingerprint", tmp_path, "--extract", "fast", "--format", "jsonl")
    row = json.loads(printed)
    assert (row["declared.title"], row["declared.language"], row["declared.link"]) == (
        "A page",
        "en",
        None,
    )
    _, printed, _ = run("fingerprint", tmp_path, "--format", "jsonl")
    assert json.loads(printed).keys() == {"source", "fingerprint", "reason"}
