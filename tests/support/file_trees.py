"""What stands below a folder, to compare it before and after."""

from __future__ import annotations

import os
from pathlib import Path


def tree(folder: Path) -> dict[bytes, object]:
    """Return all that is below a folder: names, types, modes, times and bytes."""
    found: dict[bytes, object] = {}
    for place, folders, names in os.walk(os.fsencode(folder)):
        found |= {
            os.path.relpath(os.path.join(place, name), os.fsencode(folder)): "folder"
            for name in folders
        }
        for name in names:
            path = os.path.join(place, name)
            status = os.lstat(path)
            content = (
                os.readlink(path) if os.path.islink(path) else Path(os.fsdecode(path)).read_bytes()
            )
            seen = (status.st_mode, status.st_mtime_ns, content, status.st_nlink)
            found[os.path.relpath(path, os.fsencode(folder))] = seen
    return found
