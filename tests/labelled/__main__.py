"""Write the set out: ``python -m tests.labelled FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.labelled.writing import write

if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(
            "name one folder, in which the set is written: python -m tests.labelled FOLDER"
        )
    write(Path(sys.argv[1]))
