"""What one kind of source needs is loaded for it alone, and named where it is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.support.table_texts import without

LIBRARIES = {"duckdb", "pypdfium2", "python_calamine", "sqlalchemy", "striprtf"}


@pytest.mark.parametrize(
    "program",
    [
        "import ilk_sources; ilk_sources.script('sqlite', table='t'); ilk_sources.register",
        "import ilk_sources.databases.cli.fill, ilk_sources.databases.reader",
        "from ilk_sources.documents import books, mail, office, pdf",
    ],
)
def test_no_library_is_loaded_before_it_is_used(program: str) -> None:
    shown = f"{program}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, check=True)
    assert not LIBRARIES & {*done.stdout.decode().split()}


@pytest.mark.parametrize(
    ("package", "module"),
    [
        ("sqlalchemy", "ilk_sources.databases.filling"),
        ("duckdb", "ilk_sources.databases.filling"),
        ("duckdb", "ilk_sources.duckdb"),
    ],
)
def test_the_extra_of_a_missing_library_is_named(package: str, module: str) -> None:
    said = without(package, module)
    assert f"this needs {package}, which is not installed: pip install 'ilk[sql]'" in said
    assert "pip install -e 'packages/ilk-sources[sql]'" in said
