"""``python -m benchmarks.peers``: make the environments of the packages to compare with.

They take 2.5 GB, nearly all of it for what text-dedup depends on, and for ClickHouse.
"""

from __future__ import annotations

import subprocess
import sys

from benchmarks import peers
from benchmarks.peers import prints


def main() -> int:
    """Make each environment and install what is pinned."""
    for room in (peers, prints):
        pip = room.ENVIRONMENT / "bin" / "pip"
        subprocess.run([sys.executable, "-m", "venv", room.ENVIRONMENT], check=True)
        subprocess.run([pip, "install", "--quiet", "--requirement", room.REQUIREMENTS], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
