"""A wrong command line is one line: what was seen, what was probably meant, where help is."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

import pytest

from ilk.base.errors import OptionError
from ilk.base.kinds import Flag, Text, Whole
from ilk.base.options import Option
from ilk.cli import verbs
from ilk.cli.parsing import Parser
from ilk.cli.wording import spell_parameters_as_flags, suggestion_or_empty
from tests.support.command_line import Run


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("scna FOLDER", "ilk: no verb 'scna'; did you mean scan? See: ilk --help"),
        ("--verson", "ilk: no option --verson; did you mean --version? See: ilk --help"),
        ("scan", "ilk scan: PATH is missing. See: ilk scan --help"),
        ("scan '' FOLDER", "ilk scan: a path is empty; name a file or a folder, or '.' for the"),
        ("passages ''", "ilk passages: a path is empty; name a file or a folder, or '.' for the"),
        (
            "scan --resemblence 0.8 FOLDER",
            "ilk scan: no option --resemblence; did you mean --resemblance? See: ilk scan --help",
        ),
        ("scan --wholly-unlike", "ilk scan: no option --wholly-unlike. See: ilk scan --help"),
        ("scan FOLDER --jobs", "ilk scan: --jobs needs a value. See: ilk scan --help"),
        (
            "scan FOLDER --strict=3",
            "ilk scan: --strict takes no value, such as '3'. See: ilk scan --help",
        ),
        (
            "scan FOLDER --format pairs=3",
            "ilk scan: --format pairs is '3'; it must be True or False.",
        ),
        (
            "scan FOLDER --format pears",
            "ilk scan: --format is 'pears'; it must be one of table, jsonl, csv, parquet, pairs,",
        ),
        (
            "scan FOLDER --format csv,jsonl",
            "ilk scan: --format is csv,jsonl; give csv or jsonl, not both. See: ilk scan --help",
        ),
        ("scan FOLDER --format pairs,flat", "ilk scan: --format has one of pairs, flat, print0,"),
        (
            "scan FOLDER --limit txt=1MB",
            "ilk scan: --limit has no 'txt'; did you mean text? See: ilk scan --help",
        ),
        (
            "scan FOLDER --limit text",
            "ilk scan: --limit text needs a value: text=SIZE. See: ilk scan --help",
        ),
        (
            "scan FOLDER --limit text=1X",
            "ilk scan: --limit text is '1X'; it must be a size such as 2GB",
        ),
        (
            "scan FOLDER --radius 3",
            "ilk scan: no option --radius; did you mean --fingerprint radius? See: ilk scan --help",
        ),
        (
            "fill x.db --table t",
            "ilk fill: --text and --column are missing. See: ilk fill --help",
        ),
        (
            "store chek STORE",
            "ilk store: no verb 'chek'; did you mean check? See: ilk store --help",
        ),
        ("store check STORE", "ilk store: PATH is missing. See: ilk store check --help"),
        (
            "store check STORE x --extrakt fast",
            "ilk store: no option --extrakt; did you mean --extract? See: ilk store check --help",
        ),
        (
            "store remove STORE seven",
            "ilk store: ID is 'seven'; it must be a whole number. See: ilk store remove --help",
        ),
        (
            "papers roth2011 --sed 3",
            "ilk papers: no option --sed; did you mean --seed? See: ilk papers roth2011 --help",
        ),
        ("papers lectur", "ilk papers: no name 'lectur'; did you mean lecture? See: ilk papers"),
        ("compare a b c", "ilk compare: unexpected argument: c. See: ilk compare --help"),
        (
            "fingerprint --as octal x",
            "ilk fingerprint: --as is 'octal'; it must be one of hex, bits, unsigned, signed.",
        ),
        (
            "calibrate FOLDER --pairs-sample few",
            "ilk calibrate: --pairs-sample is 'few'; it must be a whole number of pairs from 0",
        ),
        ("scan FOLDER --threshold 7", "ilk scan: --threshold is '7'; it must be a share above 0"),
        ("scan FOLDER --resemblance=7", "ilk scan: --resemblance is '7'; it must be a share"),
        ("urls x --surt --learn", "ilk urls: give --surt or --learn, not both."),
        ("urls x --profile odd", "ilk urls: --profile is 'odd'; it must be one of"),
        (
            "scan FOLDER --fingerprint radius=3,similarity=90%",
            "ilk scan: --fingerprint radius and --fingerprint similarity say the same thing; give",
        ),
        (
            "scan FOLDER --fingerprint radius=3 --fingerprint pairing=exact",
            "ilk scan: --fingerprint radius and --fingerprint similarity are for fingerprints; the",
        ),
        (
            "dedup FOLDER --exact --key url",
            "ilk dedup: --exact and --key cannot be combined; give one of them.",
        ),
        (
            "dedup x.jsonl --plan p -o o",
            "ilk dedup: --plan only shows what would happen; leave out",
        ),
        ("weights build FOLDER", "ilk weights: a table is written to a file; name it (--output)."),
        ("scan FOLDER --color pink", "ilk scan: --color is 'pink'; it must be one of auto,"),
    ],
)
def test_what_is_wrong_is_one_line(words: str, said: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("some words")
    code, out, err = run(*(word.replace("FOLDER", str(tmp_path)) for word in shlex.split(words)))
    assert (code, out) == (2, "")
    assert err.startswith(said)
    assert err.count("\n") == 1
    assert "usage" not in err


def test_a_verb_of_verbs_alone_prints_its_help(run: Run) -> None:
    code, out, err = run("store")
    assert (code, out) == (2, "")
    assert err.startswith("usage: ilk store")
    assert "show what documents are like, without storing them" in err


def test_errors_of_the_system_have_no_number(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "no key"
    words = ("fingerprint", tmp_path, "--recipe", f"similarity-index,secret={missing}")
    assert run(*words) == (2, "", f"ilk fingerprint: {missing}: No such file or directory\n")


def test_an_alias_is_the_option(run: Run, tmp_path: Path) -> None:
    for name, more in (("a", ""), ("b", " more")):
        (tmp_path / name).write_text(" ".join(map(str, range(100, 200))) + more)
    for share, code in (("0.9", 0), ("0.999", 1)):
        for flag in ("--resemblance", "--threshold"):
            assert run("scan", tmp_path, flag, share)[0] == code


def test_arguments_may_follow_options(run: Run, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text("one two three four")
    words = ("scan", tmp_path / "a", "--jobs", "1", tmp_path / "b", "--quiet", tmp_path / "c")
    code, out, _ = run(*words)
    assert code == 0
    assert "3 documents read" in out
    code, _, err = run(*words[:-1], "--", tmp_path / "-d")
    assert code == 2
    assert "-d" in err


def parser() -> Parser:
    made = Parser(prog="ilk test")
    made.add_option("pairs_sample", Option(Whole(1), "pairs", aliases=("sample",)))
    made.add_option("within", Option(Text(), "a place", metavar="PLACE"))
    made.add_option("fast", Option(Flag(), "hurry"))
    return made


@pytest.mark.parametrize("flag", ["--pairs-sample", "--sample"])
@pytest.mark.parametrize("between", ["=", None])
def test_an_option_is_named_as_it_was_typed(flag: str, between: str | None) -> None:
    words = [flag, "0"] if between is None else [f"{flag}{between}0"]
    with pytest.raises(OptionError, match=f"^{flag} is 0; it must be a whole number, 1 or more"):
        parser().parse_args(words)
    assert parser().parse_args([flag, "7"]) == argparse.Namespace(
        pairs_sample=7, within=None, fast=False, color=None, config=None, configured={}
    )


def test_parameters_are_spelled_as_options_and_nothing_else_is() -> None:
    known = {
        "pairs_sample": "--pairs-sample",
        "pairing": "--pairing",
        "radius": "--fingerprint radius",
    }
    assert spell_parameters_as_flags("give `radius`, or `radius=2`", known) == (
        "give --fingerprint radius, or --fingerprint radius=2"
    )
    assert spell_parameters_as_flags("raise `pairs_sample`", known) == "raise --pairs-sample"
    assert spell_parameters_as_flags('or `pairing="exact"`.', known) == "or --pairing exact."
    assert spell_parameters_as_flags("say `pairing=2`", known) == "say --pairing 2"
    assert spell_parameters_as_flags("pairs_sample is 3", known) == "--pairs-sample is 3"
    for other in ("the pairing is odd", "`odd`", "see `ilk calibrate`", "pairs_sample"):
        assert spell_parameters_as_flags(other, known) == other


def test_the_nearest_is_asked_for_only_if_it_is_near() -> None:
    known = ["--resemblance", "--radius", "roth2011", "postgresql"]
    assert suggestion_or_empty("--RADIUS", known) == "; did you mean --radius?"
    assert suggestion_or_empty("postgres", known) == "; did you mean postgresql?"
    assert suggestion_or_empty("--resemblence", known) == "; did you mean --resemblance?"
    assert suggestion_or_empty("--bogus", [*known, "--jobs"]) == ""
    assert suggestion_or_empty("-", known) == ""


def test_every_verb_refuses_an_unknown_option_with_its_name(run: Run) -> None:
    for verb in verbs.VERBS:
        code, out, err = run(verb, "--no-such-option")
        assert (code, out) == (2, "")
        assert err == f"ilk {verb}: no option --no-such-option. See: ilk {verb} --help\n"


def test_a_name_is_shown_whole_and_a_text_is_not(run: Run) -> None:
    for length, shown in ((150, "a" * 150 + "'"), (5000, "a" * 200 + "...'")):
        for words in (("scan", "a" * length), ("compare", "a" * length, "b")):
            code, _, err = run(*words)
            assert code == 2
            assert shown in err
            assert len(err) < 500
