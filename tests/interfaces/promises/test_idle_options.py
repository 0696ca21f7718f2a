"""An option that has no effect where it stands is an error: in every verb, and in functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk.base.errors import OptionError
from ilk.base.kinds import Choice, Flag
from ilk.base.options import Option
from ilk.cli.commands import make_parsers_of_all_commands
from ilk.cli.parsing import Parser
from tests.support.command_line import Run

COMMANDS = make_parsers_of_all_commands()

#: When an option that needs no other one changes something: all the others must be declared.
EFFECTS = {
    "the input has something that it is about": (
        "text id rows folder_as_document links gitignore no_hidden one_file_system size newer "
        "older depth include "
        "exclude convert extract replies ocr cache encoding "
        "files_in url date files_from same_site within window labels common_blocks noise keep "
        "linkage key column table documents part zones files combination source title metadata"
    ),
    "something reaches the limit": (
        "convert_timeout limit_memory limit_text limit_unpacked limit_ratio limit_nesting "
        "max_pairs memory max_hosts limit_body limit_seconds limit_requests alarm_documents "
        "alarm_share alarm_loss accept_alarm batch least strict"
    ),
    "it decides what is looked for": (
        "min_words ignore_text nearest by as_ "
        "resemblance containment shingle against pairing recall radius similarity exact identical "
        "words unit across among passages against_text ignore search method profile learn "
        "alternatives pages order explain surt"
    ),
    "it decides how fingerprints are made, or numbers drawn": (
        "recipe weights secret copies pairs_sample sample seed highest lowest count "
        "generate prints texts on_duplicate"
    ),
    "it decides what is shown or written, and where": (
        "format pairs flat print0 summary sort expect_none fail_above items output report plan "
        "diff html show cut drop_above keep_up_to force as picture out watch_new color quiet "
        "config name"
    ),
    "it decides how the work is done, or what is done to files": (
        "jobs work engine move_to trash hardlink symlink drop script yes host port allow_host "
        "add_token open add_column additions notify mcp"
    ),
    "it refuses it by itself elsewhere": (
        "report_members unverified weights secret cut drop_above"
    ),
}


def conditions(parser: Parser, name: str) -> tuple[list[str], list[str]]:
    """The options that one needs, and those that leave it idle, of a command."""
    option = parser.entries[name]
    needs = [other for other in option.needs if other in parser.entries]
    return needs, [other for other in option.idle_with if other in parser.entries]


def typed(parser: Parser, name: str) -> list[str]:
    """An option with a value that it allows, as words of a command."""
    option = parser.entries[name]
    flag, _, part = parser.option_or_part_as_typed(name).partition(" ")
    value = "" if isinstance(option.kind, Flag) else allowed(option)
    if part:
        return [flag, f"{part}={value}" if value else part]
    return [flag, value] if value else [flag]


def typed_with_needs(parser: Parser, name: str) -> list[str]:
    """An option, and what it needs itself, as words of a command."""
    needs, _ = conditions(parser, name)
    return [*typed(parser, name), *(typed_with_needs(parser, needs[0]) if needs else [])]


def allowed(option: Option) -> str:
    if isinstance(option.kind, Choice):
        return str(option.kind.allowed[-1])
    for value in ("5", "0.9", "0.1", "1", "7d", "x"):
        try:
            option.kind.check("it", option.kind.convert_word_if_possible(value))
        except OptionError:
            continue
        return value
    raise AssertionError(option)


DECLARED = [
    (words, name)
    for words, parser in COMMANDS.items()
    for name in parser.entries
    if any(conditions(parser, name))
]


def test_every_option_has_an_effect_or_says_what_it_needs() -> None:
    told = {name for names in EFFECTS.values() for name in names.split()}
    for words, parser in COMMANDS.items():
        for name in parser.entries:
            assert any(conditions(parser, name)) or name in told, (words, name)


def refusal(parser: Parser, words: list[str]) -> str:
    """What a parser says of words; "" if it takes them."""
    named = (action for action in parser._actions if not action.option_strings)
    places = [next(iter(action.choices or ["1"])) for action in named]
    try:
        parser.parse_args([*places, *words])
    except OptionError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("words", "name"), DECLARED, ids=map(" ".join, DECLARED))
def test_an_option_without_effect_is_refused(words: str, name: str) -> None:
    parser = COMMANDS[words]
    needs, idle = conditions(parser, name)
    own = typed(parser, name)
    if needs:
        assert f"`{name}` has no effect without `{needs[0]}`" in refusal(parser, own)
        for other in needs:
            assert "has no effect" not in refusal(parser, [*own, *typed_with_needs(parser, other)])
    enough = typed_with_needs(parser, needs[0]) if needs else []
    for other in idle:
        said = refusal(parser, [*own, *enough, *typed(parser, other)])
        assert f"`{name}` has no effect with `{other}`" in said
    text = parser.format_help()
    assert "; only with" in text or "; not with" in text


def test_the_command_spells_them_as_they_are_typed(run: Run) -> None:
    code, out, err = run("scan", "x", "--limit", "words=6")
    assert (code, out) == (2, "")
    assert "--limit words has no effect without --containment or --among" in err


def test_a_file_of_options_is_for_many_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ilk.toml").write_text("[scan.limit]\nfamilies = 3\n")
    Path("a.txt").write_text("a text")
    code, _, err = run("scan", "a.txt")
    assert code == 1, err


def test_functions_refuse_the_same() -> None:
    texts = [" ".join(f"word{number}" for number in range(60))] * 2
    cases: dict[str, dict[str, Any]] = {
        "`annotate` has no effect without `output`": {"annotate": True},
        "`force` has no effect without `output`": {"force": True},
        "`resemblance` has no effect with `exact`": {"exact": True, "resemblance": 0.9},
        "`keep_numbers_only` has no effect with `key`": {"key": "text", "keep_numbers_only": True},
        "`recall` has no effect without `pairing`": {"recall": 0.9},
    }
    for message, options in cases.items():
        with pytest.raises(OptionError, match=message):
            ilk.deduplicate(texts, **options)
    assert ilk.deduplicate(texts, annotate=False, force=False).report["kept"] == 1
    assert ilk.deduplicate(texts, exact=True, resemblance=0.8).report["kept"] == 1


@pytest.fixture
def essays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ten essays, one of which has a quarter of another."""
    monkeypatch.chdir(tmp_path)
    Path("essays").mkdir()
    words = {doc: [f"word{doc}x{number}" for number in range(200)] for doc in range(10)}
    words[3][100:150] = words[7][20:70]
    for doc, text in words.items():
        Path("essays", f"{doc}.txt").write_text(" ".join(text))
    return Path("essays")


def test_a_class_is_compared_with_itself(essays: Path, run: Run) -> None:
    code, out, err = run("scan", essays, "--among", "--report", "page.html")
    assert (code, err) == (0, "")
    assert "Found elsewhere, word for word: 2 documents" in out
    assert "25.0%  essays/3.txt: 50 of 200 words; essays/7.txt 50" in out
    page = Path("page.html").read_text()
    assert "2 of 10 documents have words of others" in page
    assert run("scan", essays, "--among", "--containment")[:2] == run("scan", essays, "--among")[:2]
    result = ilk.find(essays)
    assert [one["elsewhere"] for one in result.shares(among=True)] == [50, 50]
    (essays / "3.txt").unlink()
    code, out, _ = run("scan", essays, "--among", "--report", "none.html")
    assert code == 1
    assert "No words of others in 9 documents" in Path("none.html").read_text()


def test_a_page_of_containment_speaks_of_containment(essays: Path, run: Run) -> None:
    run("scan", essays, "--containment", "--report", "page.html")
    page = Path("page.html").read_text()
    assert "No document is contained in another, of 10" in page
    assert "words of others" not in page.split("<h2")[0].split("<dl")[0]
    Path(essays, "part.txt").write_text(" ".join(f"word5x{number}" for number in range(80)))
    run("scan", essays, "--containment", "--report", "some.html")
    assert "1 of 11 documents is contained in another" in Path("some.html").read_text()


def test_options_change_what_is_found(essays: Path, run: Run) -> None:
    text = " ".join(f"word5x{number}" for number in range(198))
    Path(essays, "near.txt").write_text(f"{text} other words")
    Path(essays, "again.txt").write_text(Path(essays, "1.txt").read_text())
    plain = run("scan", essays)
    for words in (
        ["--resemblance", "1"],
        ["--containment", "0.2"],
        ["--among"],
        ["--top", "1"],
        ["--keep", "last"],
        ["--include", "[0-9].txt"],
        ["--exclude", "again.txt"],
        ["--format", "summary"],
        ["--format", "pairs"],
        ["--format", "flat"],
        ["--format", "print0"],
        ["--format", "jsonl"],
        ["--expect-none"],
        ["--fingerprint", "radius=1"],
        ["--limit", "blocks=1"],
    ):
        assert run("scan", essays, *words) != plain, words
