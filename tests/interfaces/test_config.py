"""Options from ``ilk.toml`` in the working folder, or from the file of ``--config``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ilk.base.errors import OptionError
from ilk.base.kinds import Text
from ilk.base.options import Option
from ilk.cli import config
from ilk.cli.commands import make_parsers_of_all_commands
from tests.support.command_line import Run

TEXT = " ".join(map(str, range(100, 200)))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with two documents that share 0.98 of their shingles."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(TEXT)
    (tmp_path / "in" / "b.txt").write_text(f"{TEXT} more")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def options(run: Run, *words: str) -> dict[str, object]:
    """The options in the report of a scan."""
    code, out, err = run("scan", "in", "--format", "summary,jsonl", *words)
    assert code in (0, 1), err
    return dict(json.loads(out.splitlines()[-1])["summary"]["options"])


def test_the_table_of_the_verb_wins_over_the_top_and_the_command_line_over_both(run: Run) -> None:
    Path("ilk.toml").write_text(
        'resemblance = 0.7\nshingle = 4\nexclude = ["*.bak", "x"]\n'
        '[scan]\nresemblance = "90%"\nlimit = {text = "1MB", nesting = 3}\n'
        "[dedup]\nresemblance = 0.6\n[store.check]\ncontainment = 0.9\n"
    )
    found = options(run)
    assert (found["resemblance"], found["shingle"]) == (0.9, 4)
    assert found["exclude"] == ["*.bak", "x"]
    limits = found["limits"]
    assert isinstance(limits, dict)
    assert (limits["text"], limits["nesting"]) == (1_000_000, 3)
    found = options(run, "--resemblance", "0.5", "--limit", "text=2MB", "--exclude", "y")
    assert (found["resemblance"], found["shingle"], found["exclude"]) == (0.5, 4, ["y"])
    limits = found["limits"]
    assert isinstance(limits, dict)
    assert (limits["text"], limits["nesting"]) == (2_000_000, 3)


def test_a_named_file_takes_the_place_of_the_one_in_the_folder(run: Run) -> None:
    Path("ilk.toml").write_text("shingle = 4\n")
    Path("mine.toml").write_text("shingle = 5\n")
    assert options(run)["shingle"] == 4
    assert options(run, "--config", "mine.toml")["shingle"] == 5
    assert options(run, "--config", "none")["shingle"] == 3


def test_the_report_and_a_note_say_what_came_from_the_file(run: Run) -> None:
    Path("ilk.toml").write_text('resemblance = 0.9\nlimit = "text=1MB"\nwalk = "rows"\n')
    words = ("scan", "in", "--format", "jsonl", "--resemblance", "0.8")
    code, out, err = run(*words)
    assert code == 0
    assert "ilk: from ilk.toml: --limit text 1000000, --walk rows\n" in err
    report = json.loads(out.splitlines()[-1])["summary"]
    assert report["configured"] == {
        "file": "ilk.toml",
        "options": {"limit_text": "1000000", "rows": "True"},
    }
    Path("ilk.toml").unlink()
    report = json.loads(run(*words)[1].splitlines()[-1])["summary"]
    assert "configured" not in report


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "resemblence = 0.9",
            "ilk.toml: there is no option resemblence; did you mean resemblance?",
        ),
        (
            "[scan]\nlinkag = 1",
            "ilk.toml in [scan]: there is no option linkag; did you mean linkage?",
        ),
        ("[scna]\nstrict = true", "ilk.toml: there is no option scna; did you mean scan?"),
        ("[scan.deep]\nstrict = true", "ilk.toml in [scan]: there is no option deep"),
        ("resemblance = 7", "ilk.toml: resemblance is 7; it must be a share"),
        ("limit = {txt = 1}", "ilk.toml: limit has no 'txt'; did you mean text?"),
        ('limit.text = "1X"', "ilk.toml: limit text is '1X'; it must be a size"),
        ("strict = 1", "ilk.toml: strict is 1; it must be True or False"),
        ("jobs = ", "ilk.toml cannot be read"),
        ("config = 'x'", "ilk.toml: there is no option config"),
        ("scan = 5", "ilk.toml: there is no option scan."),
    ],
)
def test_what_is_unknown_or_out_of_bounds_is_refused(content: str, said: str, run: Run) -> None:
    Path("ilk.toml").write_text(content)
    code, out, err = run("scan", "in")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"ilk scan: {said}")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('convert = ["txt=cat {}"]', "convert"),
        ('extract = {ocr = "cat {}"}', "ocr"),
        ('extract = "fast,ocr=cat {}"', "ocr"),
        ("force = true", "force"),
        ('[scan]\nplan = "p"', "plan"),
        ('labels = "p"', "labels"),
        ('against = ["http://127.0.0.1:1/x.parquet"]', "against"),
    ],
)
def test_a_file_that_merely_lies_there_runs_and_writes_nothing(
    content: str, name: str, run: Run
) -> None:
    Path("ilk.toml").write_text(content)
    code, out, err = run("scan", "in")
    assert (code, out) == (2, "")
    assert err.startswith(f"ilk scan: ilk.toml names {name}, which a file that merely lies in")
    assert not Path("p").exists()


def test_a_file_that_merely_lies_there_names_no_files_tables_or_addresses() -> None:
    """The placeholder of an option shows what it names, so the test finds new options too."""
    named = ("FILE", "FILE.png", "DIR", "PATH", "TSV", "OTHER", "URL", "OUT", "TABLE", "COMMAND")
    tried = 0
    for words, parser in make_parsers_of_all_commands().items():
        for name, option in parser.entries.items():
            if (
                option.part
                or name in ("config", "profile")
                or not str(option.metavar).endswith(named)
            ):
                continue
            Path("ilk.toml").write_text(f'[{".".join(words.split())}]\n{name} = "x"\n')
            with pytest.raises(
                OptionError, match=f"ilk.toml names {name.replace('_', '-')}, which"
            ):
                config.read_options_from_config_file(
                    None, command=parser.prog, options=parser.entries, parts=parser.parts
                )
            tried += 1
    assert tried > 40


def test_a_file_that_merely_lies_there_opens_no_way_for_other_machines(run: Run) -> None:
    Path("rows.jsonl").write_text('{"text": "a"}\n')
    Path("ilk.toml").write_text('engine = "spark,master=spark://elsewhere:7077"\n')
    code, out, err = run("dedup", "rows.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith("ilk dedup: ilk.toml names master, which a file that merely lies in")


def test_a_file_that_was_named_may_run_programs(run: Run) -> None:
    Path("mine.toml").write_text('convert = ["txt=cat {}"]\n')
    code, out, err = run("scan", "in", "--config", "mine.toml")
    assert code == 0, err
    assert "2 documents read" in out


def test_options_of_other_verbs_are_no_error(run: Run) -> None:
    Path("ilk.toml").write_text("words = 60\ntop = 3\n")
    assert run("formats")[0] == 0
    assert run("compare", "in/a.txt", "in/b.txt")[0] == 0


def test_a_missing_file_is_an_error(run: Run) -> None:
    code, out, err = run("scan", "in", "--config", "absent.toml")
    assert (code, out) == (2, "")
    assert err.startswith("ilk scan: absent.toml cannot be read: No such file")


def test_a_nul_in_a_value_is_an_error_of_its_option(run: Run) -> None:
    Path("mine.toml").write_text('output = "out\\u0000put"\n')
    code, out, err = run("scan", "in", "--config", "mine.toml")
    assert (code, out) == (2, "")
    assert err.startswith("ilk scan: mine.toml: output is 'out\\x00put'; no name of a file")
    for words in (["scan", "in", "--report", "a\0"], ["store", "sync", "a\0", "in"]):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert "an argument is 'a\\x00'; no name of a file" in err


def test_a_name_that_is_refused_is_not_suggested(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('config = "other.toml"\n')
    code, _, noted = run("scan", tmp_path, "--config", tmp_path / "own.toml")
    assert code == 2
    assert "there is no option config" in noted
    assert "did you mean config?" not in noted


def test_an_option_says_itself_that_a_file_that_merely_lies_there_may_not_set_it() -> None:
    Path("ilk.toml").write_text('mine = "x"\n')
    for refused in (True, False):
        own = {"mine": Option(Text(), "of a package", refused_in_default_config=refused)}
        if refused:
            with pytest.raises(OptionError, match=r"ilk.toml names mine, which a file that merely"):
                config.read_options_from_config_file(None, command="ilk own", options=own, parts={})
            assert config.read_options_from_config_file(
                "ilk.toml", command="ilk own", options=own, parts={}
            ) == {"mine": "x"}
        else:
            assert config.read_options_from_config_file(
                None, command="ilk own", options=own, parts={}
            ) == {"mine": "x"}


def test_an_option_of_a_package_may_stand_at_the_top_for_its_commands(run: Run) -> None:
    Path("ilk.toml").write_text("port = 8018\nshingle = 4\n")
    assert options(run)["shingle"] == 4
    args = make_parsers_of_all_commands()["serve"].parse_args(["s.ilk"])
    assert (args.port, args.configured) == (8018, {"port": 8018, "shingle": 4})
    Path("ilk.toml").write_text("prot = 8018\n")
    code, _, err = run("scan", "in")
    assert (code, "there is no option prot" in err) == (2, True)
    Path("ilk.toml").write_text("[scan]\nport = 8018\n")
    code, _, err = run("scan", "in")
    assert (code, "ilk.toml in [scan]: there is no option port" in err) == (2, True)
