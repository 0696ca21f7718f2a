"""What a figure was measured on, without naming the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

#: The instructions on which the kernels' fastest paths stand.
_FEATURES = ("avx2", "avx512bw", "avx512_vpopcntdq", "avx512_vp2intersect")


def description() -> dict[str, Any]:
    """The processor, its cores, the memory, the system and the versions that matter."""
    facts = _processor()
    return {
        "cpu": facts.get("model name", platform.processor() or platform.machine()),
        "features": [name for name in _FEATURES if name in facts.get("flags", "").split()],
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "load": [round(load, 2) for load in os.getloadavg()],
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: _version(name) for name in ("ilk", "numpy", "pyarrow")},
    }


def _processor() -> dict[str, str]:
    """The facts of the first processor, where the system tells them."""
    told = Path("/proc/cpuinfo")
    if not told.is_file():
        return {}
    first = told.read_text().split("\n\n")[0].splitlines()
    pairs = (line.partition(":") for line in first)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
