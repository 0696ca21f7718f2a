"""``ilk dedup`` and ``ilk apply`` as a user meets them."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import ilk
from tests.support.command_line import Run
from tests.support.families import family_rows, write_rows


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_rows(tmp_path / "in.jsonl", family_rows())


@pytest.mark.usefixtures("source")
def test_a_summary_tells_what_was_kept_and_dropped(run: Run) -> None:
    code, out, err = run("dedup", "in.jsonl", "-o", "out.jsonl")
    assert (code, err) == (0, "")
    kept = len(Path("out.jsonl").read_bytes().splitlines())
    assert out.startswith(f"{len(family_rows())} rows read, {kept} kept.\n")
    assert "exact: every row at resemblance >= 0.8 to a row that stays is dropped" in out
    assert sorted(os.listdir("out.jsonl.ilk")) == [
        "clusters.parquet",
        "dropped.parquet",
        "pairs.parquet",
        "report.html",
        "report.json",
    ]


@pytest.mark.usefixtures("source")
def test_the_last_lines_say_where_the_account_of_the_other_rows_is(run: Run) -> None:
    def last_lines(*words: str) -> list[str]:
        code, out, err = run("dedup", *words)
        assert (code, err) == (0, "")
        return out.split("\n\n")[-1].splitlines()

    lines = last_lines("in.jsonl", "-o", "out.jsonl")
    kept = len(Path("out.jsonl").read_bytes().splitlines())
    assert lines == [
        f"out.jsonl: {kept} rows.",
        "Why each other row went: out.jsonl.ilk/report.html (and dropped.parquet)",
    ]
    assert last_lines("out.jsonl", "-o", "again.jsonl") == [f"again.jsonl: {kept} rows."]
    lines = last_lines("in.jsonl", "-o", "every.jsonl", "--annotate")
    assert lines[0] == f"every.jsonl: {len(family_rows())} rows."
    assert lines[1].startswith("Why each row has its verdict: every.jsonl.ilk/report.html")
    Path("in.jsonl").write_bytes(Path("in.jsonl").read_bytes() + b"no row\n")
    lines = last_lines("in.jsonl", "-o", "some.jsonl")
    assert lines[2] == "Rows that could not be read: some.jsonl.ilk/rejected.jsonl"
    assert Path("some.jsonl.ilk/rejected.jsonl").exists()
    assert "report.html" not in run("dedup", "in.jsonl")[1]


def test_a_large_cluster_that_is_no_alarm_is_advice(run: Run, tmp_path: Path) -> None:
    template = " ".join(map(str, range(100, 200)))
    texts = [f"{template} {number}" for number in range(12)]
    texts += [" ".join(f"{number * at}" for at in range(1, 90)) for number in range(300, 600)]
    rows = write_rows(tmp_path / "rows.jsonl", [{"text": text} for text in texts])
    code, _, err = run("dedup", str(rows), "--alarm", "documents=10")
    assert code == 0
    assert "cluster 0 has 12 documents, more than 10, and they are not all copies" in err
    assert run("dedup", str(rows))[2] == ""
    code, _, err = run("scan", str(rows), "--format", "summary")
    assert (code, "12 documents, more than" in err) == (0, False)


def test_kept_rows_of_csv_are_byte_for_byte_those_read_also_with_formulas(
    run: Run, tmp_path: Path
) -> None:
    rows = b'id,text\n"=HYPERLINK(""x"")",some words\n+1,other words\n@a,-b\n'
    (tmp_path / "in.csv").write_bytes(rows)
    assert run("dedup", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv"))[0] == 0
    assert (tmp_path / "out.csv").read_bytes() == rows


@pytest.mark.usefixtures("source")
def test_without_an_output_nothing_is_written(run: Run) -> None:
    code, out, _ = run("dedup", "in.jsonl", "--format", "jsonl")
    assert code == 0
    *clusters, last = (json.loads(line) for line in out.splitlines())
    assert [cluster["cluster"] for cluster in clusters] == list(range(len(clusters)))
    members = [member for cluster in clusters for member in cluster["members"]]
    dropped = last["summary"]["documents"] - last["summary"]["kept"]
    assert len(members) - len(clusters) == dropped > 0
    keeper = next(m for m in clusters[0]["members"] if m["source"] == clusters[0]["keeper"])
    assert (keeper["distance"], keeper["resemblance"]) == (0, 1.0)
    assert os.listdir() == ["in.jsonl"]


def test_strict_ends_with_2_if_something_was_not_read_and_the_output_is_there(
    run: Run, source: Path
) -> None:
    Path("there.txt").write_text("a text that is there")
    write_rows(Path("list.jsonl"), [{"path": "there.txt"}, {"path": "missing.txt"}])
    Path("bad.jsonl").write_bytes(source.read_bytes() + b"no row\n")
    Path("past.jsonl").write_text('{"text": "a text of last year"}\nno row\n')
    for number, (words, note) in enumerate(
        [
            (["list.jsonl", "--files-in", "path"], "not read: missing.txt: there is no such file"),
            (["bad.jsonl"], ""),
            (["in.jsonl", "--against", "past.jsonl"], "not read: past.jsonl:2: "),
        ]
    ):
        once, again = Path(f"once-{number}.jsonl"), Path(f"again-{number}.jsonl")
        code, out, err = run("dedup", *words, "-o", once)
        assert (code, note in err) == (0, True), (out, err)
        code, _, err = run("dedup", *words, "-o", again, "--strict")
        assert (code, note in err) == (2, True), err
        assert again.read_bytes() == once.read_bytes() != b""
        assert run("dedup", *words, "--strict", "--quiet")[::2] == (2, "")
    assert run("dedup", "in.jsonl", "-o", "whole.jsonl", "--strict")[0] == 0


@pytest.mark.usefixtures("source")
def test_an_alarm_ends_with_3_and_writes_what_to_look_at(run: Run) -> None:
    words = ("dedup", "in.jsonl", "--alarm", "loss=0.1")
    code, out, err = run(*words, "-o", "out.jsonl")
    assert code == 3
    assert err.count("rows to near-duplicates, more than 10%") == 1
    assert "No output was written. Look at out.jsonl.ilk (report.html) first" in err
    assert "then accept it (--accept-alarm)" in err
    assert "the largest:" in out
    assert not Path("out.jsonl").exists()
    code, _, err = run(*words)
    assert (code, err.count("more than 10%")) == (3, 1)
    assert run("apply", "out.jsonl.ilk", "-o", "planned.jsonl")[0] == 3
    assert run("apply", "out.jsonl.ilk", "-o", "planned.jsonl", "--accept-alarm")[0] == 0
    assert run(*words, "-o", "out.jsonl", "--accept-alarm")[0] == 0
    assert Path("out.jsonl").read_bytes() == Path("planned.jsonl").read_bytes()


def test_an_alarm_adds_nothing_until_the_same_command_accepts_it(run: Run, source: Path) -> None:
    """Rows that `apply` wrote would be missing in the store, and tomorrow's copies would stay."""
    words = ("dedup", source.name, "--against", "past.ilk", "--add", "--alarm", "loss=0.1")
    assert run(*words)[0] == 3
    assert not Path("past.ilk").exists()
    assert run(*words, "-o", "out.jsonl")[0] == 3
    assert not Path("past.ilk").exists()
    code, _, err = run("apply", "out.jsonl.ilk", "-o", "out.jsonl", "--accept-alarm")
    assert code == 2
    assert "adds the rows that stay to past.ilk. Nothing was written or added." in err
    assert "Give the command of that run again, with --accept-alarm." in err
    assert not Path("out.jsonl").exists()
    code, out, _ = run(*words, "-o", "out.jsonl", "--accept-alarm")
    with ilk.Store("past.ilk", create=False) as store:
        assert (code, f"{len(store)} rows added to past.ilk." in out) == (0, True)


def test_a_first_night_that_fails_leaves_no_store(run: Run, source: Path) -> None:
    words = ("dedup", source.name, "--against", "past.ilk", "--add", "-o", "out.jsonl")
    assert run(*words, "--within", "lang")[0] == 2
    assert not Path("past.ilk").exists()
    ilk.Store("past.ilk", exact=True, texts=True, within="lang").close()
    code, _, err = run(*words, "--accept-alarm")
    assert (code, "No document was ever added to past.ilk: you may delete it." in err) == (2, True)
    Path("past.ilk").unlink()
    assert run(*words, "--accept-alarm")[0] == 0
    assert "you may delete it" not in run(*words, "--within", "id", "--force")[2]


def test_a_reference_with_another_column_of_texts_says_so(run: Run, source: Path) -> None:
    write_rows(Path("bodies.jsonl"), [{"id": "x", "body": "one text of some words"}])
    words = ("dedup", "bodies.jsonl", "--against", source.name, "--text", "body")
    code, _, err = run(*words)
    assert code == 2
    assert "no row has a value named body (it has " in err
    assert "rename the column of one, or, if both are lines of JSON, repeat --text." in err
    assert run(*words, "--text", "text")[0] == 0


def test_a_plan_is_applied_later(run: Run, source: Path) -> None:
    assert run("dedup", "in.jsonl", "--plan", "plan")[0] == 0
    code, out, _ = run("apply", "plan", "-o", "out.jsonl")
    assert code == 0
    kept = len(Path("out.jsonl").read_bytes().splitlines())
    assert out == f"{kept} rows written to out.jsonl.\n"
    source.write_bytes(source.read_bytes() + b'{"text": "more"}\n')
    code, _, err = run("apply", "plan", "-o", "again.jsonl")
    assert code == 2
    assert "has changed since the plan was made" in err


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["in.jsonl", "-o", "in.jsonl"], "which are never overwritten"),
        (["in.jsonl", "-o", "out.parquet"], "JSON lines"),
        (["in.jsonl", "-o", "no/such/out.jsonl"], "there is no folder"),
        (["in.jsonl", "--text", "body"], "named body"),
        (["gone.jsonl"], "there is no 'gone.jsonl'"),
        (["in.jsonl", "--keep", "max:id"], "column id holds"),
        (["in.jsonl", "--keep", "max:none"], "no row has the column none"),
        (["in.jsonl", "--plan", "p", "-o", "o.jsonl"], "--plan only shows"),
        (["in.jsonl", "--exact", "--key", "id"], "give one of them"),
        (["notes.txt"], "rows"),
    ],
)
def test_what_cannot_be_done_is_refused(run: Run, words: list[str], message: str) -> None:
    Path("notes.txt").write_text("no rows")
    before = sorted(os.listdir())
    code, out, err = run("dedup", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert [name for name in sorted(os.listdir()) if not name.endswith(".ilk")] == before


@pytest.mark.usefixtures("source")
def test_many_files_give_one_or_one_each(run: Run) -> None:
    rows = family_rows()
    write_rows(Path("one.jsonl"), rows[:20])
    write_rows(Path("two.jsonl"), rows[20:])
    assert run("dedup", "in.jsonl", "-o", "whole.jsonl")[0] == 0
    assert run("dedup", "one.jsonl", "two.jsonl", "-o", "both.jsonl")[0] == 0
    assert Path("both.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert run("dedup", "one.jsonl", "two.jsonl", "-o", "each/")[0] == 0
    each = [Path(f"each/{name}.jsonl").read_bytes() for name in ("one", "two")]
    assert b"".join(each) == Path("whole.jsonl").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="RLIMIT_FSIZE is of POSIX")
def test_a_full_disk_leaves_nothing_under_the_final_name(source: Path) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    words = [sys.executable, "-m", "ilk", "dedup", "in.jsonl", "-o", "out.jsonl"]
    ended = subprocess.run(words, capture_output=True, preexec_fn=limited, cwd=source.parent)
    assert ended.returncode == 2
    assert b"cannot write" in ended.stderr
    assert b"Traceback" not in ended.stderr
    assert not Path("out.jsonl").exists()
    assert not [name for name in os.listdir() if name.startswith(".out")]


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the resident size is read from /proc")
@pytest.mark.usefixtures("source")
@pytest.mark.parametrize(("rows", "words", "memory"), [(40_000, 600, 220)])
def test_the_process_holds_about_as_much_as_it_may(rows: int, words: int, memory: int) -> None:
    line = json.dumps({"text": f"{' '.join(f'{word}xROW' for word in range(words))} end"})
    lines = [line.replace("ROW", str(row)) for row in range(rows)]
    Path("large.jsonl").write_text("\n".join([*lines, *lines[:100], lines[0].replace("end", "")]))
    alone, narrow, threaded = (
        _deduplicate_and_measure("large.jsonl", jobs, allowed)
        # What a second thread needs to read ahead is more than what one needs for all.
        for jobs, allowed in [(1, 2_000), (1, memory), (2, memory + 70)]
    )
    assert alone.kept == narrow.kept == threaded.kept
    assert alone.kept.count(b"\n") == rows
    # With room it takes more, so the bound is what keeps it below.
    assert narrow.peak < memory * 1_000_000 < alone.peak
    assert not alone.in_files
    assert narrow.in_files
    assert threaded.in_files
    assert alone.threads == narrow.threads == 0 < threaded.threads
    # Two threads take 350 MB where they may.
    assert threaded.peak < 1.1 * (memory + 70) * 1_000_000


class _Outcome(NamedTuple):
    """The rows that a process kept, its peak of memory in bytes, whether it put sets into files,
    and how many threads read ahead.
    """

    kept: bytes
    peak: int
    in_files: bool
    threads: int


def _deduplicate_and_measure(source: str, jobs: int, megabytes: int) -> _Outcome:
    program = """if True:
        import sys, threading
        from ilk.cli.main import main
        from ilk.search.read_documents import MappedColumns
        called = []
        def note_calls(holder, name, spell_call):
            call = getattr(holder, name)
            def note_and_call(*args):
                called.append(spell_call(*args))
                return call(*args)
            setattr(holder, name, note_and_call)
        note_calls(MappedColumns, "append", lambda *_: "append")
        note_calls(threading.Thread, "start", lambda thread: thread.name)
        code = main()
        peak, = (line.split()[1] for line in open("/proc/self/status") if "VmHWM" in line)
        print(peak, called.count("append"), called.count("ilk-ahead"))
        sys.exit(code)"""
    out = f"{jobs}-{megabytes}.jsonl"
    words = ["--quiet", "--jobs", str(jobs), "--memory", f"{megabytes}MB", "-o", out]
    child = subprocess.run(
        [sys.executable, "-c", program, "dedup", source, *words], capture_output=True
    )
    assert (child.returncode, child.stderr) == (0, b"")
    peak, in_files, threads = map(int, child.stdout.splitlines()[-1].split())
    return _Outcome(Path(out).read_bytes(), peak * 1024, bool(in_files), threads)


@pytest.mark.usefixtures("source")
def test_families_are_listed_and_reported_as_by_scan(run: Run) -> None:
    code, out, _ = run("dedup", "in.jsonl", "--top", "1", "--report", "page.html")
    assert code == 0
    numbers, _, families = out.partition("to a row that stays is dropped\n")
    assert "rows read" in numbers
    keepers = [line for line in families.splitlines() if line.lstrip().startswith("keep ")]
    assert len(keepers) == 1
    assert "the largest:" not in out
    page = Path("page.html").read_text()
    assert page.count('<article class="family"') > 1
    run("dedup", "in.jsonl", "--report", "few.html", "--limit", "families=1", "--format", "summary")
    few = Path("few.html").read_text()
    assert few.count('<article class="family"') == 1
    assert (
        run("dedup", "in.jsonl", "--format", "summary")[1]
        == numbers + "to a row that stays is dropped\n"
    )
    code, _, err = run("dedup", "in.jsonl", "--report", "page.html")
    assert (code, "it already exists" in err) == (2, True)


@pytest.mark.usefixtures("source")
def test_the_largest_families_come_first_in_every_form(run: Run) -> None:
    rows = run("dedup", "in.jsonl", "--format", "jsonl")[1].splitlines()
    every = [json.loads(line) for line in rows[:-1]]
    sizes = [len(cluster["members"]) for cluster in every]
    rows = run("dedup", "in.jsonl", "--format", "jsonl", "--sort", "size")[1].splitlines()
    assert [len(json.loads(row)["members"]) for row in rows[:-1]] == sorted(sizes, reverse=True)
    rows = run("dedup", "in.jsonl", "--format", "csv", "--top", "1")[1].splitlines()
    assert len(rows) == 1 + max(sizes)
    rows = run("dedup", "in.jsonl", "--format", "summary,jsonl")[1].splitlines()
    assert [list(json.loads(row)) for row in rows] == [["summary"]]
    code, _, err = run("dedup", "in.jsonl", "--format", "summary,csv")
    assert (code, "a summary has no rows" in err) == (2, True)


def test_the_largest_clusters_have_their_kinds(tmp_path: Path, run: Run) -> None:
    """What differs in numbers alone is not called near."""
    words = " ".join(f"word{n}" for n in "abcdefghijklmnopqrstuvwxyz")
    texts = [f"{words} page {n}" for n in range(4)] + ["one two three four five"] * 3
    others = words.replace("word", "other")
    texts += [f"{others} end", f"{others} end of"]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    out = run("dedup", path, "-o", tmp_path / "out.jsonl")[1]
    kinds = [line.split() for line in out.splitlines() if f"{path}#" in line]
    assert [kind[:2] for kind in kinds] == [
        ["4", "numbers_only"],
        ["3", "identical"],
        ["2", "near"],
    ]
