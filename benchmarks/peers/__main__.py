"""``python -m benchmarks.peers``: make the environment of the packages to compare with.

It takes 1.3 GB, nearly all of it for what text-dedup depends on.
"""

from __future__ import annotations

import subprocess
import sys

from benchmarks.peers import ENVIRONMENT, REQUIREMENTS


def main() -> int:
    """Make the environment and install what is pinned."""
    pip = ENVIRONMENT / "bin" / "pip"
    subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    subprocess.run([pip, "install", "--quiet", "--requirement", REQUIREMENTS], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
