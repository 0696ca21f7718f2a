"""``python -m ilk`` is ``ilk``."""

import sys

from ilk.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
