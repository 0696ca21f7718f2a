"""No verb writes over what it reads, nor over an existing file without ``--force``.

``-o -`` is standard output everywhere, and the end of a name chooses the format.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import ilk
from tests.support.command_line import Run
from tests.support.families import family_rows, write_rows
from tests.support.outputs import LONG, VERBS


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("linked", [os.fspath, lambda name: f"./{name}", "hard", "symbolic"])
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.usefixtures("place")
def test_no_verb_writes_over_what_it_reads(
    verb: str, linked: str | Callable[[str], str], force: list[str], run: Run
) -> None:
    words = VERBS[verb]
    read = next(word for word in words if Path(word).is_file())
    before = Path(read).read_bytes()
    if callable(linked):
        out = linked(read)
    else:
        # Formats of rows are known by their names.
        out = f"other{Path(read).suffix}"
        Path(out).hardlink_to(read) if linked == "hard" else Path(out).symlink_to(read)
    if verb == "calibrate":
        out = f"./{out}"  # The path of a file, not a name.
    code, printed, err = run(*words, "-o", out, *force)
    assert (code, printed) == (2, "")
    assert "it is one of the input files, which are never overwritten" in err
    assert Path(read).read_bytes() == before


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.usefixtures("place")
def test_an_existing_file_stays_unless_it_is_forced(verb: str, run: Run) -> None:
    out = Path("./there.json" if verb == "calibrate" else "there.jsonl")
    out.write_text("mine")
    code, _, err = run(*VERBS[verb], "-o", out)
    assert code == 2
    assert "it already exists" in err
    assert "--force" in err
    assert out.read_text() == "mine"
    assert run(*VERBS[verb], "-o", out, "--force")[0] in (0, 1)
    assert "mine" not in out.read_bytes().decode("latin-1")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.usefixtures("place")
def test_a_dash_is_standard_output(verb: str, run: Run) -> None:
    before = sorted(os.listdir())
    words = [*VERBS[verb], "--quiet"] if verb != "dedup" else VERBS[verb]
    program = "import sys; from ilk.cli.main import main; sys.exit(main(sys.argv[1:]))"
    child = subprocess.run([sys.executable, "-c", program, *words, "-o", "-"], capture_output=True)
    assert child.returncode in (0, 1), child.stderr
    assert sorted(os.listdir()) == before
    out = "./there.json" if verb == "calibrate" else "there.bin"
    name = "there.jsonl" if verb == "dedup" else out
    assert run(*words, "-o", name)[0] in (0, 1)
    written = Path(name).read_bytes()
    if verb == "calibrate":
        assert json.loads(child.stdout) == json.loads(written)
    else:
        assert child.stdout == written
    assert written


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_every_name_of_standard_output_means_the_same(name: str) -> None:
    """The summary does not end up among the rows, in a pipe nor in a file."""
    words = [sys.executable, "-m", "ilk", "dedup", "in.jsonl", "-o"]
    expected = subprocess.run([*words, "-"], capture_output=True)
    assert expected.returncode == 0, expected.stderr
    assert {type(json.loads(line)) for line in expected.stdout.splitlines()} == {dict}
    child = subprocess.run([*words, name], capture_output=True)
    assert (child.stdout, child.stderr) == (expected.stdout, expected.stderr)
    with Path("out.txt").open("wb") as out:
        assert subprocess.run([*words, name], stdout=out).returncode == 0
    assert Path("out.txt").read_bytes() == expected.stdout


#: Commands that write rows, and would write an account of them beside a file.
ACCOUNTED = (
    ["dedup", "in.jsonl"],
    ["dedup", "in.jsonl", "more/in.jsonl"],
    ["dedup", "in.jsonl", "--annotate"],
    ["dedup", "in.parquet"],
    ["passages", "in.parquet", "--words", "10", "--cut"],
    ["passages", "in.jsonl", "--words", "10", "--drop-above", "0.5"],
    ["apply", "plan"],
)


def _through_a_pipe(words: list[str]) -> bytes:
    """What a command writes to another descriptor, as ``-o >(...)`` names it."""
    inner, outer = os.pipe()
    name = f"/dev/fd/{outer}"
    words = [sys.executable, "-m", "ilk", *words, "-o", name]
    with open(inner, "rb") as seen:
        child = subprocess.Popen(words, pass_fds=[outer], stdout=subprocess.DEVNULL)
        os.close(outer)
        content = seen.read()
    assert child.wait() == 0
    return content


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("words", ACCOUNTED, ids=" ".join)
def test_a_pipe_and_a_device_get_the_rows_of_a_file_and_no_account(
    words: list[str], run: Run
) -> None:
    pq.write_table(pa.Table.from_pylist(family_rows()), "in.parquet")
    Path("more").mkdir()
    write_rows(Path("more/in.jsonl"), family_rows())
    assert run("dedup", "in.jsonl", "--plan", "plan")[0] == 0
    out = f"out{Path(words[1]).suffix or '.jsonl'}"
    assert run(*words, "-o", out)[0] == 0
    before = sorted(os.listdir())
    assert _through_a_pipe(words) == Path(out).read_bytes()
    code, told, _ = run(*words, "-o", "/dev/null")
    assert code == 0
    assert "account is in" not in told
    assert not Path("/dev/null.ilk").exists()
    assert sorted(os.listdir()) == before


@pytest.mark.usefixtures("place")
def test_a_pipe_with_a_name_gets_the_format_that_its_name_says() -> None:
    os.mkfifo("rows.jsonl.gz")
    words = [sys.executable, "-m", "ilk", "dedup", "in.jsonl", "-o"]
    plain = subprocess.run([*words, "-"], capture_output=True, check=True).stdout
    child = subprocess.Popen([*words, "rows.jsonl.gz"], stdout=subprocess.DEVNULL)
    assert gzip.decompress(Path("rows.jsonl.gz").read_bytes()) == plain
    assert child.wait() == 0
    assert not Path("rows.jsonl.gz.ilk").exists()


@pytest.mark.usefixtures("place")
def test_an_alarm_stops_rows_on_their_way_to_a_pipe(run: Run) -> None:
    code, _, err = run("dedup", "in.jsonl", "-o", "/dev/null", "--alarm", "loss=0.1")
    assert code == 3
    assert "Nothing was written" in err
    assert not Path("/dev/null.ilk").exists()


@pytest.mark.usefixtures("place")
def test_rows_without_a_key_are_told_from_rows_without_a_text(run: Run) -> None:
    write_rows(Path("keyed.jsonl"), [{"k": k, "text": LONG} for k in (1, 1, None)])
    _, told, _ = run("dedup", "keyed.jsonl", "--key", "k")
    assert (
        "dropped as key                      1\n  kept without key                    1\n" in told
    )


@pytest.mark.usefixtures("place")
def test_kept_rows_on_standard_output_come_with_nothing_else(run: Run) -> None:
    rows = [row for row in family_rows() if row.get("text")]
    with Path("in.csv").open("w") as file:
        writer = csv.DictWriter(file, ["id", "text", "score"])
        writer.writeheader()
        writer.writerows(rows)
    pq.write_table(pa.Table.from_pylist(family_rows()), "in.parquet")
    for name in ("in.csv", "in.parquet"):
        words = [sys.executable, "-m", "ilk", "dedup", name, "-o", "-"]
        child = subprocess.run(words, capture_output=True)
        assert child.returncode == 0, child.stderr
        out = f"out{Path(name).suffix}"
        assert run("dedup", name, "-o", out)[0] == 0
        assert child.stdout == Path(out).read_bytes()
        assert b"rows read" in child.stderr
    assert not Path("-.ilk").exists()
    code, out, err = run("dedup", "in.jsonl", "-o", "-", "--alarm", "loss=0.1")
    assert (code, out) == (3, "")
    assert "Nothing was written" in err
    assert run("dedup", "in.jsonl", "--plan", "plan")[0] == 0
    code, out, err = run("apply", "plan", "-o", "-")
    assert code == 0
    assert "rows written" in err
    assert run("dedup", "in.jsonl", "-o", "out.jsonl")[0] == 0
    assert out.encode() == Path("out.jsonl").read_bytes()


#: What a verb reads beside its first files: the words that name it, and those that write.
BESIDE = {
    "against, dedup": ("dedup in.jsonl --against other.jsonl", "-o other.jsonl"),
    "against, the page of dedup": ("dedup in.jsonl --against other.jsonl", "--report other.jsonl"),
    "against, scan": ("scan in.jsonl --against other.jsonl", "-o other.jsonl"),
    "against, a plan": ("scan in.jsonl --against other.jsonl", "--plan other.jsonl"),
    "against, passages": ("passages in.jsonl --against other.jsonl", "-o other.jsonl"),
    "against, cut": ("passages in.jsonl --cut --against other.jsonl", "-o other.jsonl"),
    "a row of a file": ("compare other.jsonl#0 other.jsonl#1", "--html other.jsonl"),
    "a list of files": ("scan --files-from other.list", "-o other.list"),
    "a file of options": ("dedup in.jsonl --config other.toml -o o.jsonl", "--report other.toml"),
    "labels": ("dedup in.jsonl --labels other.jsonl", "-o other.jsonl"),
}


@pytest.mark.parametrize("case", BESIDE)
@pytest.mark.usefixtures("place")
def test_what_a_verb_reads_beside_its_files_is_not_written_over(case: str, run: Run) -> None:
    words, writes = (said.split() for said in BESIDE[case])
    read = Path(writes[1])
    if read.suffix == ".jsonl":
        write_rows(read, family_rows()[:2])
    else:
        read.write_text("a.txt\n" if read.suffix == ".list" else "resemblance = 0.9\n")
    if case == "labels":
        read.write_text("in.jsonl#0\tin.jsonl#1\t0\n")
    before = read.read_bytes()
    code, _, err = run(*words, *writes, "--force")
    assert code == 2
    assert "it is one of the input files" in err
    assert read.read_bytes() == before


def test_cut_rows_are_not_written_over_what_they_were_compared_with(place: Path) -> None:
    other = place / "other.jsonl"
    write_rows(other, family_rows()[:2])
    before = other.read_bytes()
    found = ilk.passages(place / "in.jsonl", words=5, against=[other])
    with pytest.raises(ilk.IlkError, match="it is one of the input files"):
        found.write(other, cut=True, force=True)
    assert other.read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        "scan in.jsonl -o same --report same",
        "scan in.jsonl -o same.jsonl --plan ./same.jsonl",
        "scan in.jsonl --plan same --report same",
        "dedup in.jsonl -o same.jsonl --report same.jsonl",
        "dedup in.jsonl --plan same --report same",
        "passages in.jsonl --words 5 --cut -o same.jsonl --report same.jsonl",
        "passages in.jsonl --words 5 -o same --report same",
    ],
)
@pytest.mark.usefixtures("place")
def test_one_name_is_not_given_to_two_outputs(words: str, run: Run) -> None:
    code, _, err = run(*words.split())
    assert code == 2
    assert "would both be written to" in err
    assert not [*Path().glob("same*")]


@pytest.mark.usefixtures("place")
def test_accounts_are_not_written_over_what_is_read(run: Run) -> None:
    assert run("dedup", "in.jsonl", "-o", "out.jsonl")[0] == 0
    dropped = Path("out.jsonl.ilk/dropped.parquet")
    before = dropped.read_bytes()
    words = ["dedup", dropped, "--text", "source"]
    for more in (["-o", "out.jsonl", "--force"], ["--plan", "out.jsonl.ilk"]):
        code, _, err = run(*words, *more)
        assert code == 2, more
        assert dropped.read_bytes() == before
    assert "it is one of the input files" in err
    cut = ["passages", "in.jsonl", "--words", "5", "--cut", "-o", "cut.jsonl"]
    assert run(*cut)[0] == 0
    originals = Path("cut.jsonl.ilk/originals.jsonl")
    before = originals.read_bytes()
    cut[1] = f"{originals}"
    code, _, err = run(*cut, "--force")
    assert (code, originals.read_bytes()) == (2, before)
    assert "it is one of the input files" in err


@pytest.mark.usefixtures("place")
def test_a_report_below_a_folder_that_is_scanned_is_one_of_its_files(run: Run) -> None:
    assert run("scan", ".", "--include", "*.txt", "-o", "found.out")[0] == 0
    assert run("scan", ".", "--include", "*.txt", "-o", "found.out", "--force")[0] == 0
    code, _, err = run("scan", ".", "-o", "found.out", "--force")
    assert code == 2
    assert "it is one of the input files" in err


@pytest.mark.usefixtures("place")
def test_the_end_of_the_name_chooses_the_format(run: Run) -> None:
    for name in ("o.csv", "o.jsonl", "o.parquet", "o.txt", "o.csv.gz"):
        assert run("scan", "a.txt", "b.txt", "-o", name)[0] == 0
    table = pyarrow.csv.read_csv("o.csv")
    assert table["source"].to_pylist() == ["a.txt", "b.txt"]
    assert pyarrow.csv.read_csv(io.BytesIO(gzip.decompress(Path("o.csv.gz").read_bytes()))) == table
    lines = [json.loads(line) for line in Path("o.jsonl").read_text().splitlines()]
    assert [member["source"] for member in lines[0]["members"]] == ["a.txt", "b.txt"]
    assert pq.read_table("o.parquet")["source"].to_pylist() == ["a.txt", "b.txt"]
    assert Path("o.txt").read_text().startswith("near: 2 documents\n")
    assert run("scan", "a.txt", "b.txt", "-o", "p.csv", "--format", "jsonl")[0] == 0
    assert Path("p.csv").read_text().splitlines()[0] == Path("o.jsonl").read_text().splitlines()[0]
    code, _, err = run("urls", "links.txt", "-o", "o2.csv")
    assert code == 2
    assert "--format table or jsonl" in err
    assert not Path("o2.csv").exists()


@pytest.mark.usefixtures("place")
def test_rows_of_several_files_go_into_a_file_or_a_folder_that_is_named_as_one(run: Run) -> None:
    write_rows(Path("more.jsonl"), family_rows())
    code, _, err = run("dedup", "in.jsonl", "more.jsonl", "-o", "clean")
    assert code == 2
    assert "clean.jsonl or clean/" in err
    assert not Path("clean").exists()
    assert run("dedup", "in.jsonl", "more.jsonl", "-o", "clean/")[0] == 0
    assert sorted(os.listdir("clean")) == ["in.jsonl", "more.jsonl"]
    Path("there").mkdir()
    assert run("dedup", "in.jsonl", "more.jsonl", "-o", "there")[0] == 0
    assert sorted(os.listdir("there")) == ["in.jsonl", "more.jsonl"]
    assert run("dedup", "in.jsonl", "more.jsonl", "-o", "both.jsonl")[0] == 0
    assert Path("both.jsonl").is_file()


@pytest.mark.usefixtures("place")
def test_an_export_writes_over_neither_its_store_nor_another_file(run: Run) -> None:
    assert run("store", "add", "letters.ilk", "a.txt")[0] == 0
    Path("letters.parquet").symlink_to("letters.ilk")
    assert run("store", "export", "letters.ilk", "letters.parquet", "--force")[0] == 2
    with sqlite3.connect("letters.ilk") as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    Path("there.parquet").write_text("mine")
    assert run("store", "export", "letters.ilk", "there.parquet")[0] == 2
    assert Path("there.parquet").read_text() == "mine"
    assert run("store", "export", "letters.ilk", "there.parquet", "--force")[0] == 0


@pytest.mark.usefixtures("place")
def test_sql_stays_unless_it_is_forced(run: Run) -> None:
    Path("made.sql").write_text("mine")
    assert run("sql", "sqlite", "-o", "made.sql")[0] == 2
    assert Path("made.sql").read_text() == "mine"
    assert run("sql", "sqlite", "-o", "made.sql", "--force")[0] == 0
    assert run("sql", "sqlite", "-o", "-")[1] == Path("made.sql").read_text()
