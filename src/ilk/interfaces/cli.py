"""The command line: finds the verb, runs it, turns errors into exit codes.

Exit codes: 0 something was found (or done), 1 nothing was found, 2 an error, 3 an alarm.
Nothing heavy is imported before the verb is known, so that ``ilk --help`` answers at once.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ilk.interfaces.parsing import Parser

#: Every verb by purpose, with its module and what it does.
GROUPS = {
    "documents": {
        "scan": "find duplicates in folders of documents",
        "dedup": "write a data set without its duplicates",
        "apply": "carry out a plan of `ilk scan` or `ilk dedup`",
        "review": "decide in a browser which documents are duplicates",
        "undo": "undo what `ilk apply` did to files",
        "compare": "compare two documents, and show what they share",
        "passages": "find every passage that occurs twice in a collection",
        "store": "keep documents in a file, and ask what a new one is like",
        "serve": "serve a store over HTTP, to people and programs",
        "formats": "list the formats that can be read, and what is missing",
    },
    "columns of fingerprints": {
        "fingerprint": "print the fingerprints of documents, one per line",
        "fill": "fill a column of fingerprints from the texts of a table",
        "sql": "print the SQL to search a column of fingerprints",
    },
    "the web": {
        "urls": "print canonical URLs, and which URLs name the same page",
        "mirrors": "find hosts and folders that mirror one another",
        "changes": "show what changed at URLs that were fetched more than once",
    },
    "measuring": {
        "calibrate": "measure on your documents what share each radius finds",
        "weights": "build tables of weights for fingerprints from a corpus",
        "papers": "repeat the experiments of the papers",
    },
    "the shell": {
        "completion": "print completion for bash, zsh and fish, or a man page",
    },
}

#: Every verb, and what it does.
VERBS = {verb: what for verbs in GROUPS.values() for verb, what in verbs.items()}

ERROR, INTERRUPTED = 2, 130

#: Objects that are made, and not freed, before the collector of circles looks at them.
_BETWEEN_LOOKS = 10_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code."""
    from ilk.interfaces import styling

    words = _verb_first(list(sys.argv[1:] if arguments is None else arguments))
    if arguments is None:
        # The process belongs to the command, so nothing else in it needs them.
        sys.meta_path.insert(0, _Lean(words))
        # Thousands of rows are not garbage, so it pays to scan all of them less often.
        gc.set_threshold(_BETWEEN_LOOKS)
    styling.choose(words)
    name, parser = "ilk", None
    try:
        if not words or words[0] not in VERBS:
            return _without_verb(words)
        import importlib

        name = f"ilk {words[0]}"
        verb = importlib.import_module(f"ilk.interfaces.{words[0]}")
        parser = verb.parser()
        code = verb.run(parser.parse_args(words[1:]))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`ilk scan ... | head`), so there is nobody to report to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        from ilk.interfaces.progress import refused

        return refused("ilk", "interrupted", INTERRUPTED)
    except Exception as error:
        from ilk.errors import IlkError
        from ilk.interfaces.progress import refused

        if not isinstance(error, IlkError | OSError | MemoryError):
            raise
        return refused(name, _reason(error, parser), ERROR)
    return int(code)


def _verb_first(words: list[str]) -> list[str]:
    """Return a command line with ``--color``, which every verb accepts, after the verb."""
    length = 2 if words[:1] == ["--color"] else 1
    if words and words[0].partition("=")[0] == "--color" and words[length : length + 1]:
        return [words[length], *words[:length], *words[length + 1 :]]
    return words


@functools.cache
def commands() -> dict[str, Parser]:
    """Return the parser of every command, including subcommands, by its words."""
    import argparse
    import importlib

    found: dict[str, Parser] = {}

    def add(words: str, parser: Parser) -> None:
        found[words] = parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for name, below in action.choices.items():
                    add(f"{words} {name}", below)

    for verb in VERBS:
        add(verb, importlib.import_module(f"ilk.interfaces.{verb}").parser())
    return found


def _reason(error: Exception, parser: Parser | None) -> str:
    """Return what went wrong, in a line, with options as the user types them."""
    from ilk.interfaces.progress import printable
    from ilk.interfaces.wording import spelled

    said = str(error) or "out of memory"
    if type(error).__module__ == "builtins" and isinstance(error, OSError) and error.strerror:
        place = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
        said = f"{place}{error.strerror}"
    return printable(spelled(said) if parser is None else spelled(said, parser.known()))


class _Lean:
    """Pretends to Arrow that NumPy and pandas are not installed.

    Arrow imports NumPy when it is loaded, and pandas with the first array that it makes, to
    recognise their objects. A command line has none, and importing both takes longer than
    everything else. The papers compute with NumPy; Spark works with both.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._numpy = words[:1] == ["papers"] or "spark" in words or "--engine=spark" in words

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            hidden = "pyspark" not in sys.modules
        else:
            hidden = name == "numpy" and not self._numpy and _importer() == "pyarrow"
        if hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _importer() -> str:
    """Return the package of the module that is importing another one now."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("importlib"):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _without_verb(words: Sequence[str]) -> int:
    from argparse import SUPPRESS

    from ilk.interfaces.options import lines_of
    from ilk.interfaces.parsing import Parser

    width = max(map(len, VERBS))
    lists = (f"{title}:\n{lines_of(verbs, width)}" for title, verbs in GROUPS.items())
    end = "`ilk VERB --help` explains a verb. Start with: ilk scan FOLDER"
    parser = Parser(
        prog="ilk",
        description="Find exact and near-duplicate documents.",
        epilog="\n\n".join([*lists, end]),
        usage="ilk VERB ...",
    )
    parser.add_argument(
        "--version", action="store_true", help="print the version, its recipe, and the extras found"
    )
    if not words:
        parser.print_help(sys.stderr)
        return ERROR
    parser.add_argument("verb", choices=VERBS, metavar="verb", nargs="?", help=SUPPRESS)
    if not parser.parse_args(words).version:
        parser.error("put the verb first")
    from ilk.interfaces import version

    print("\n".join(version.lines()))
    return 0
