"""A process that runs command lines one after another, within a limit of memory.

A question is a line of JSON, the words of a command; the answer one with the exit code and the
beginning of standard output and standard error.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import traceback
from typing import IO

from ilk.cli import main as cli


def main() -> None:
    limit = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as noted:
            os.dup2(out.fileno(), 1)
            os.dup2(noted.fileno(), 2)
            code = ended(json.loads(line))
            sys.stdout.flush()
            sys.stderr.flush()
            shown = [_read(file) for file in (out, noted)]
        answers.write(json.dumps([code, *shown]) + "\n")
        answers.flush()


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(100_000).decode("utf-8", "replace")


def ended(words: list[str]) -> object:
    try:
        return cli.main(words)
    except SystemExit as end:
        return end.code
    except BaseException:
        traceback.print_exc()
        return "traceback"


if __name__ == "__main__":
    main()
