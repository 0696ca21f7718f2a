"""Run one command and report what it used: ``launch.py DESCRIPTOR COMMAND...``.

The system credits a child with the memory its parent had when it was started. This small process
stands between a large parent and the command, so that the peak told is the command's own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys


def main() -> int:
    """Run the command, write ``{"cpu": seconds, "peak": bytes}``, and return its exit code."""
    child = subprocess.Popen(sys.argv[2:])
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    report = {"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss * unit}
    with os.fdopen(int(sys.argv[1]), "w") as out:
        json.dump(report, out)
    return child.returncode


if __name__ == "__main__":
    sys.exit(main())
