"""``python -m ilk`` is ``ilk``."""

import sys

from ilk.interfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
