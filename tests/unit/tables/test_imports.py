"""No package of a tool is loaded where it is not used."""

from __future__ import annotations

import subprocess
import sys

import pytest

TOOLS = ("datasets", "datatrove", "duckdb", "pandas", "polars", "pyspark", "scrapy", "twisted")


@pytest.mark.parametrize(
    "program",
    [
        "import ilk",
        "from ilk.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        "import ilk; ilk.deduplicate(['one two three', 'one two three'])",
    ],
)
def test_ilk_alone_loads_no_tool(program: str) -> None:
    loaded = f"{program}\nimport sys\nprint('LOADED', *sys.modules)"
    child = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True)
    names = child.stdout.rpartition("LOADED")[2].split()
    assert "ilk" in names
    allowed = {"pandas"} if "deduplicate" in program else set()  # pyarrow looks for it by itself.
    assert not set(TOOLS) & set(names) - allowed
    assert not [name for name in names if name.startswith("ilk.tables")]
