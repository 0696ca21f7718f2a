"""The command line: finds the verb, runs it, turns errors into exit codes.

Exit codes: 0 something was found (or done), 1 nothing was found, 2 an error, 3 an alarm.
Nothing heavy is imported before the verb is known, so that ``ilk --help`` answers at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ilk import __version__

#: Every verb, a module of this room, and what it does.
VERBS = {
    "scan": "groups of exact and near duplicates in folders of documents",
    "calibrate": "which radius finds how much, measured on documents of your own",
    "compare": "every measure between two documents, and the passages they share",
    "dedup": "a data set without its duplicates, and an account of every row",
    "apply": "carry out what `ilk dedup --plan` has decided",
    "fingerprint": "the fingerprints of documents, one a line",
    "sql": "the SQL to search a column of fingerprints, for six databases",
    "fill": "a column of fingerprints of a database's table, filled from its texts",
    "store": "a file of documents that shows what a new one is like",
    "weights": "tables of weights for fingerprints, from the words of a corpus",
    "urls": "canonical URLs, and which addresses name one page",
    "mirrors": "hosts and folders that mirror one another",
    "changes": "one URL fetched several times: unchanged, changed a little, changed",
    "papers": "the experiments of the papers, published beside measured",
}

ERROR = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] not in VERBS:
        return _without_verb(words)
    import importlib

    try:
        verb = importlib.import_module(f"ilk.interfaces.{words[0]}")
        code = verb.run(verb.parser().parse_args(words[1:]))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`ilk scan ... | head`): nothing is left to say, to nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("ilk: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        from ilk.errors import IlkError

        if not isinstance(error, IlkError | OSError | MemoryError):
            raise
        from ilk.interfaces.progress import printable

        print(f"ilk {words[0]}: {printable(str(error)) or 'out of memory'}", file=sys.stderr)
        return ERROR
    return int(code)


def _without_verb(words: Sequence[str]) -> int:
    lines = "\n".join(f"  {name:<12} {what}" for name, what in VERBS.items())
    parser = argparse.ArgumentParser(
        prog="ilk",
        description="Finds documents of the same kind: exact and near-duplicate texts.",
        epilog=f"verbs:\n{lines}\n\n`ilk VERB --help` explains a verb. Start with: ilk scan FOLDER",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"ilk {__version__}")
    parser.add_argument("verb", choices=VERBS, metavar="VERB", help="what to do: see below")
    parser.add_argument("rest", nargs="*", metavar="...", help="what the verb takes")
    if not words:
        parser.print_help(sys.stderr)
        return ERROR
    parser.parse_args(words)
    return ERROR
