"""The wheel that ``make wheel`` leaves in ``dist/`` installs where there is no compiler, and works.

The environment is empty: a home without files, and on the path only what pip has put there.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import ilk
from tests import samples
from tests.archives import framed, page, response
from tests.conftest import ROOT
from tests.demands import absent

pytestmark = pytest.mark.long

#: What is installed beside ilk in one go. Spark is half a gigabyte, and has tests of its own.
EXTRAS = (
    "archives,datasets,documents,duckdb,gzip,hashes,mysql,pages,pandas,papers,plots,polars,postgres,"
    "service,stopwords"
)

#: The public example of each extra that a page shows: the first Python of that page.
PAGES = {
    "datasets": "how-to/hugging-face.md",
    "duckdb": "how-to/duckdb.md",
    "pandas": "how-to/pandas.md",
    "polars": "how-to/polars.md",
}

#: A table that is not there.
_COLUMNS = ("--table", "t", "--text", "body", "--column", "fp")

#: A recipe of a hash that a package brings.
_HASHED = "simhash64/words=1/weight=log/fold/min=3/murmur128/v1"

#: Commands that need the package of an extra, and what they print.
COMMANDS: dict[str, tuple[Sequence[str], str]] = {
    "archives": (("scan", "crawl.warc.gz", "--extract", "all"), "exact"),
    "documents": (("scan", "reports"), "b.pdf"),
    "gzip": (("scan", "rows.jsonl.gz", "--text", "text"), "identical"),
    "hashes": (("fingerprint", "reports", "--recipe", _HASHED), "a.txt"),
    "mysql": (("fill", "mysql://nobody@127.0.0.1:9/none", *_COLUMNS), "cannot"),
    "pages": (("scan", "pages", "--extract", "quality"), "one.html"),
    "papers": (("papers", "roth2013", "example", "a text"), "text"),
    "plots": (("calibrate", "reports", "--picture", "picture.png"), "recommended"),
    "postgres": (("fill", "postgresql://nobody@127.0.0.1:9/none", *_COLUMNS), "cannot"),
    "service": (("serve", "nowhere/none.ilk"), "nowhere"),
    "stopwords": (("fingerprint", "reports", "--recipe", "words-tf"), "a.txt"),
}


def _wheel() -> Path:
    wheels = sorted((ROOT / "dist").glob(f"ilk-{ilk.__version__}-*.whl"))
    if not wheels:
        absent("there is no wheel of this version in dist/; make it: make wheel")
    return wheels[-1]


@pytest.fixture(scope="module")
def wheel() -> Path:
    return _wheel()


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and its extras, and nothing that compiles."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "env", with_pip=True)
    (folder / "home").mkdir()
    what = f"{wheel}[{EXTRAS}]"
    installed = _run(folder, "python", "-m", "pip", "install", "-q", "--only-binary", ":all:", what)
    if "No matching distribution" in installed.stderr or "connection" in installed.stderr:
        absent("the packages that ilk needs cannot be fetched")
    assert installed.returncode == 0, installed.stderr
    return folder


def _run(folder: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment, which sees nothing else of this machine."""
    programs = folder / "env" / "bin"
    # Where packages come from is a matter of the machine.
    kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return subprocess.run(
        [programs / program, *words],
        cwd=folder,
        env={"PATH": str(programs), "HOME": str(folder / "home"), "LANG": "C.UTF-8", **kept},
        capture_output=True,
        text=True,
    )


def _furnish(folder: Path) -> None:
    text = "A fox of the forest jumps over a lazy dog that sleeps beside the quiet river. "
    (folder / "reports").mkdir(exist_ok=True)
    (folder / "reports" / "a.txt").write_text(6 * text)
    (folder / "reports" / "b.pdf").write_bytes(samples.pdf([[6 * text]]))
    row = json.dumps({"text": 6 * text}) + "\n"
    (folder / "rows.jsonl.gz").write_bytes(gzip.compress(2 * row.encode()))
    pages = (response(f"http://{host}.example/", page("fox")) for host in "ab")
    (folder / "crawl.warc.gz").write_bytes(framed(pages, ".gz"))
    (folder / "pages").mkdir(exist_ok=True)
    for name in ("one", "two"):
        html = f"<html><body><article><p>{6 * text}</p></article></body></html>"
        (folder / "pages" / f"{name}.html").write_text(html)


def test_it_is_small_and_tells_what_it_holds(wheel: Path) -> None:
    assert wheel.stat().st_size < 10_000_000
    tag = re.search(r"manylinux_2_(\d+)_x86_64\.whl$", wheel.name)
    assert tag is not None
    assert int(tag[1]) <= 28
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        bill = json.loads(opened.read(next(name for name in names if "/sboms/" in name)))
    assert {"ilk/py.typed", "ilk/_kernels.abi3.so"} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "icu_normalizer" in {part["name"] for part in bill["components"]}


def test_auditwheel_takes_it(wheel: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", str(wheel)], capture_output=True, text=True
    )
    if "No module named auditwheel" in shown.stderr:
        absent("the package auditwheel is not installed")
    assert re.search(r'platform tag: "manylinux_2_(?:[12]\d|5|17)_x86_64"', shown.stdout), shown


def test_a_folder_is_scanned(environment: Path) -> None:
    _furnish(environment)
    said = _run(environment, "ilk", "--version")
    assert said.stdout.startswith(f"ilk {ilk.__version__}\n")
    seen = _run(environment, "ilk", "scan", "reports", "--format", "jsonl")
    assert seen.returncode == 0, seen.stderr
    assert "b.pdf" in seen.stdout


@pytest.mark.parametrize("extra", COMMANDS)
def test_a_command_of_an_extra_finds_its_package(environment: Path, extra: str) -> None:
    _furnish(environment)
    words, expected = COMMANDS[extra]
    seen = _run(environment, "ilk", *words)
    assert expected in seen.stdout + seen.stderr, seen
    assert "pip install" not in seen.stderr
    assert "Traceback" not in seen.stderr


@pytest.mark.parametrize("extra", PAGES)
def test_the_example_of_an_extra_runs(environment: Path, extra: str) -> None:
    shown = (ROOT / "docs" / PAGES[extra]).read_text()
    code = re.search(r"^```python\n(.*?)^```$", shown, re.MULTILINE | re.DOTALL)
    assert code is not None
    ran = _run(environment, "python", "-c", code[1])
    assert ran.returncode == 0, ran.stderr
