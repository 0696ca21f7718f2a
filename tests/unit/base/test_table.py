"""The table of options: functions and commands take their defaults, checks and help from it."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ilk
import ilk_papers
from ilk.base import options
from ilk.base.errors import OptionError
from ilk.base.kinds import Choice, Flag, Share, Size, Text, Whole
from ilk.base.options import CONTAINMENT, GROUPS, flag_of
from ilk.base.options import OPTIONS as OF_CORE
from ilk.cli import verbs
from ilk.cli.commands import make_parsers_of_all_commands
from ilk_papers.options import MEASUREMENT
from ilk_server.options import SERVICE
from ilk_sources.databases.options import FILLING
from ilk_web import changes, mirrors
from ilk_web.options import MIRRORS

#: The options of the core, and those that packages declare for several places.
OPTIONS = OF_CORE | MEASUREMENT | MIRRORS | FILLING | SERVICE

FUNCTIONS: list[Callable[..., Any]] = [
    ilk.find,
    ilk.deduplicate,
    ilk_papers.calibrate,
    ilk.compare,
    mirrors.find,
    changes.find,
    ilk.Store.__init__,
    ilk.Store.check,
    ilk.Store.check_many,
    ilk.Store.similar,
    ilk.Store.sync,
    ilk.sets.pairs,
    ilk.sets.join,
    ilk.sets.containment,
    ilk.hamming.pairs,
    ilk.passages,
    ilk.hamming.join,
    ilk.hamming.groups,
]

#: Keyword arguments that no command has: Python alone passes such things.
OF_PYTHON = {
    "b",
    "create",
    "exists",
    "limits",
    "recipe",
    "tally",
    "progress",
    "texts",
    "timeout",
}

#: Options of one command alone, which are not in the table.
OWN = {
    "ilk calibrate": {"picture"},
    "ilk compare": {"passages"},
    "ilk passages": {"show"},
    "ilk sql": {"table", "column", "name"},
    "ilk fill": {"table", "column", "watch-new", "add-column"},
    "ilk serve": {"texts"},
    "ilk store add": {"texts", "on-duplicate"},
    "ilk store update": {"source", "title", "metadata"},
    "ilk store sync": {"texts"},
    "ilk store import": {"texts"},
    "ilk store validate": {"sample"},
    "ilk urls": {"profile", "surt", "explain", "learn"},
    "ilk mirrors": {"alternatives", "link", "pages"},
    "ilk changes": {"order"},
    "ilk papers roth2011": {"documents", "part", "zones", "files", "highest", "lowest", "out"},
    "ilk papers roth2011 index": {"combination"},
    "ilk papers roth2013": {"files", "documents", "generate", "out"},
    "ilk papers lecture": {"search", "out"},
    "ilk papers simhash-page": {"prints", "out"},
    "ilk papers explain": {"method"},
    "ilk papers holub": {"out"},
}


PARSERS = {one.prog: one for one in make_parsers_of_all_commands().values()}

#: The most options that the verb with the most has for people; ``scan`` had 58. ``--help`` counts
#: too, and ``--among`` came after the bound of 36; then ``--size``, ``--newer``, ``--older``,
#: ``--depth`` and ``--identical``, which people of other file tools type; ``--within``,
#: ``--ignore``, ``--ignore-text``, ``--by``, ``--as``, ``--window``, ``--date``, ``--only-against``
#: and ``--folder-as-document``, each asked of other tools.
MOST = 50


def squeezed(text: str) -> str:
    """A text without white space: help is wrapped, at hyphens too."""
    return "".join(text.split())


def test_there_is_a_parser_for_every_verb_and_an_entry_for_every_own_option() -> None:
    assert {f"ilk {verb}" for verb in verbs.VERBS} <= set(PARSERS)
    assert set(OWN) <= set(PARSERS)
    assert not {name for names in OWN.values() for name in names} & {*OPTIONS, "help"}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__qualname__)
def test_every_keyword_has_the_default_of_the_table_or_none(function: Callable[..., Any]) -> None:
    seen = set()
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is inspect.Parameter.empty:
            continue
        seen.add(name)
        if name not in OPTIONS:
            assert name in OF_PYTHON, name
        elif name == "containment" and parameter.default is not None:
            assert parameter.default == OPTIONS[name].const == CONTAINMENT
        elif (function, name) == (ilk.find, "keep"):
            assert parameter.default == "original", "files have names and times, rows do not"
        elif OPTIONS[name].repeated and OPTIONS[name].default is None:
            assert parameter.default in (None, ()), name
        elif parameter.default is not None:
            assert parameter.default == OPTIONS[name].default, name
            assert type(parameter.default) is type(OPTIONS[name].default), name
    assert seen & set(OPTIONS)


@pytest.mark.parametrize("name", OPTIONS)
def test_every_default_is_a_value_that_is_allowed(name: str) -> None:
    option = OPTIONS[name]
    assert OPTIONS[name].check(name, None) == (
        None if option.default is None else OPTIONS[name].check(name, OPTIONS[name].default)
    )
    if option.const is not None:
        assert OPTIONS[name].check(name, option.const) is not None
    assert option.help[0].islower()
    assert not option.help.endswith(".")
    if option.default is not None and not isinstance(option.kind, Flag):
        assert option.help_with_default != option.help, "help names the default"


@pytest.mark.parametrize(
    "name", [name for name in OPTIONS if not isinstance(OPTIONS[name].kind, Text)]
)
def test_what_is_not_allowed_is_refused_by_the_name_of_the_option(name: str) -> None:
    with pytest.raises(OptionError, match=rf"^{name} is 'nonsense'; it must be "):
        OPTIONS[name].check(name, "nonsense")
    assert OPTIONS[name].kind.convert_word_if_possible("nonsense") == "nonsense" or isinstance(
        OPTIONS[name].kind, Flag
    )


def test_shares_and_sizes_of_the_table_are_read_as_they_are_written() -> None:
    for name, option in OPTIONS.items():
        if isinstance(option.kind, Share):
            share = float(option.kind.highest * 4 / 5)
            written = (f"{share * 100:g}%", share, f"{share:g}")
            assert len({OPTIONS[name].check(name, value) for value in written}) == 1
        elif isinstance(option.kind, Size):
            assert OPTIONS[name].check(name, "1.5GB") == 1_500_000_000
        elif isinstance(option.kind, Whole):
            assert OPTIONS[name].check(name, option.kind.low) == option.kind.low
        elif isinstance(option.kind, Choice):
            assert [OPTIONS[name].check(name, word) for word in option.kind.allowed] == [
                *option.kind.allowed
            ]


@pytest.mark.parametrize("prog", PARSERS)
def test_help_names_only_options_of_the_table_or_its_own(prog: str) -> None:
    parser = PARSERS[prog]
    also = {alias for option in OPTIONS.values() for alias in option.aliases}
    alone = {name for name, option in parser.entries.items() if option.part is None}
    known = {flag_of(name)[2:] for name in (*OPTIONS, *GROUPS)} | also | {"help"}
    below = {name for one in PARSERS if one.startswith(f"{prog} ") for name in OWN.get(one, ())}
    flags = {flag for action in parser._actions for flag in action.option_strings}
    long = {flag.removeprefix("--") for flag in flags if flag.startswith("--")}
    assert long - known == OWN.get(prog, set())
    assert {flag_of(name)[2:] for name in (*alone, *parser.parts)} <= long
    shown = parser.format_help()
    named = set(re.findall(r"(?<![\w-])--([a-z][a-z0-9-]*)", shown))
    assert long <= named
    assert named <= known | OWN.get(prog, set()) | below


@pytest.mark.parametrize("prog", PARSERS)
def test_help_is_that_of_the_table_with_the_default(prog: str) -> None:
    parser = PARSERS[prog]
    shown = squeezed(parser.format_help())
    for name, option in parser.entries.items():
        assert squeezed(option.help_with_default) in shown, name
    for action in parser._actions:
        if not action.option_strings or action.dest not in OPTIONS or action.required:
            continue
        entry, usual = parser.entries[action.dest], OPTIONS[action.dest]
        assert type(entry.kind) is type(usual.kind), action.dest


@pytest.mark.parametrize("prog", PARSERS)
def test_a_default_of_the_table_is_left_to_the_library(prog: str) -> None:
    """It stands there once, and a value that was given differs from one that was not."""
    parser = PARSERS[prog]
    words = [word for a in parser._actions if not a.option_strings for word in _words(a)]
    words += [word for n, o in parser.entries.items() if o.required for word in (f"--{n}", "x")]
    args = parser.parse_args(words)
    for name, entry in parser.entries.items():
        known = name in OF_CORE and entry.default == OF_CORE[name].default
        if isinstance(entry.kind, Flag):
            assert getattr(args, name) is False, name
        elif known and not entry.required:
            assert getattr(args, name) is None, name
        elif not entry.required:
            assert getattr(args, name) == entry.default, name


def _words(action: argparse.Action) -> list[str]:
    """Return a word for an argument; none for one that may be left out."""
    if isinstance(action, argparse._SubParsersAction) or action.nargs in ("?", "*"):
        return []
    return ["7" if action.type is int else str(next(iter(action.choices or ["x"])))]


def test_no_verb_of_the_core_has_too_many_options() -> None:
    counts = {
        name: sum(bool(action.option_strings) for action in parser._actions)
        for name, parser in make_parsers_of_all_commands().items()
    }
    assert counts["scan"] <= MOST
    assert len(verbs.VERBS) <= 11


@pytest.mark.parametrize("prog", PARSERS)
def test_the_short_help_has_the_usual_options_and_names_the_long_one(prog: str) -> None:
    parser = PARSERS[prog]
    actions = [action for action in parser._actions if action.option_strings]
    brief = parser.format_help(brief=True)
    if len(actions) <= 15:
        assert brief == parser.format_help()
        return
    assert f"{prog} --help" in brief.splitlines()[-1]
    shown = set(re.findall(r"(?<![\w-])--([a-z][a-z0-9-]*)(?=[ ,=\n])", brief)) - {"help"}
    usual = {
        name.replace("_", "-")
        for one, option in parser.entries.items()
        if option.usual and option.part is None
        for name in (one, *option.aliases)
    }
    assert usual <= shown
    assert (
        len(
            {
                action.dest
                for action in actions
                if set(action.option_strings) & {f"--{name}" for name in shown}
            }
        )
        <= 15
    )


def test_every_part_belongs_to_an_option_of_its_command() -> None:
    for name, option in OPTIONS.items():
        if option.part is not None:
            whole, part = option.part
            assert whole in (*GROUPS, *OPTIONS), name
            assert re.fullmatch("[a-z0-9-]+", part), name
    named = [option.part for option in OPTIONS.values() if option.part is not None]
    assert len(named) == len(set(named))


def test_every_text_is_of_an_option() -> None:
    texts = Path(options.__file__).with_suffix(".txt").read_text("utf-8")
    assert re.findall(r"^\w+(?=: )", texts, re.MULTILINE) == [*OF_CORE, *GROUPS]
