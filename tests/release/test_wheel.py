"""The wheel that ``make wheel`` leaves in ``dist/`` installs where there is no compiler, and works.

The environment is empty: a home without files, and on the path only what pip has put there.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import ilk
from tests.support import samples
from tests.support.archives import framed, page, response
from tests.support.demands import absent
from tests.support.fixtures import ROOT

pytestmark = pytest.mark.long

#: What is installed beside ilk in one go: every extra but those of its own tests and documents.
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
_OURS = {"bench", "docs", "test", "test-long", "test-tools"}
EXTRAS = ",".join(sorted(_PROJECT["optional-dependencies"].keys() - _OURS))

#: The public example of each extra that a page shows: the first Python of that page.
PAGES = {
    "datasets": "how-to/tools.md#Hugging Face",
    "datatrove": "how-to/tools.md#datatrove",
    "pandas": "how-to/tools.md#pandas",
    "polars": "how-to/tools.md#Polars",
    "sql": "how-to/tools.md#DuckDB",
}

#: A crawl of two copies of a page, with the settings that the page of Scrapy shows.
CRAWL = """
from pathlib import Path
import scrapy
from scrapy.crawler import CrawlerProcess

class Copies(scrapy.Spider):
    name = "copies"
    start_urls = [Path("pages", name).resolve().as_uri() for name in ("one.html", "two.html")]

    def parse(self, response):
        yield {"url": response.url, "text": " ".join(response.css("p::text").getall())}

settings = {name: value for name, value in globals().items() if name.isupper()}
process = CrawlerProcess({**settings, "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False})
crawler = process.create_crawler(Copies)
process.crawl(crawler)
process.start()
print(*(crawler.stats.get_value(f"ilk/{name}") for name in ("new", "duplicates")))
"""

#: What the page of Spark shows, on this machine.
SPARK = """
import pyarrow, pyarrow.parquet
from pyspark.sql import SparkSession

rows = {"id": ["a", "b", "c"], "text": ["one two three four", "other", "one two three four"]}
rows["date"] = ["2026-01-01", "2026-01-02", "2026-01-03"]
pyarrow.parquet.write_table(pyarrow.table(rows), "rows.parquet")
local = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
session = SparkSession.builder.master("local[1]").config(map=local | {"spark.ui.enabled": "false"})
deduplicate(session.getOrCreate(), "rows.parquet", "kept.parquet")
print(sorted(pyarrow.parquet.read_table("kept.parquet")["id"].to_pylist()))
"""

#: A table that is not there.
_COLUMNS = ("--table", "t", "--text", "body", "--column", "fp")

#: Commands that need the package of an extra, and what they print.
COMMANDS: dict[str, tuple[Sequence[str], str]] = {
    "documents": (("scan", "reports"), "b.pdf"),
    "gzip": (("scan", "rows.jsonl.gz", "--text", "text"), "identical"),
    "mysql": (("fill", "mysql://nobody@127.0.0.1:9/none", *_COLUMNS), "cannot"),
    "pages": (("scan", "pages", "--extract", "quality"), "one.html"),
    "papers": (("papers", "roth2013", "example", "a text"), "text"),
    "plots": (("calibrate", "reports", "--picture", "picture.png"), "recommended"),
    "postgres": (("fill", "postgresql://nobody@127.0.0.1:9/none", *_COLUMNS), "cannot"),
    "server": (("serve", "nowhere/none.ilk"), "nowhere"),
    "stopwords": (("fingerprint", "reports", "--recipe", "words-tf"), "a.txt"),
    "web": (("scan", "crawl.warc.gz", "--extract", "all"), "exact"),
}


def _wheel() -> Path:
    wheels = sorted((ROOT / "dist").glob(f"ilk-{ilk.__version__}-*.whl"))
    if not wheels:
        absent("there is no wheel of this version in dist/; make it: make wheel")
    return wheels[-1]


@pytest.fixture(scope="module")
def wheel() -> Path:
    return _wheel()


def _installed(folder: Path, what: str) -> Path:
    """Return an environment with the wheel, and nothing that compiles."""
    venv.create(folder / "env", with_pip=True)
    (folder / "home").mkdir()
    # Spark comes as a source of nothing but Python; whatever else has to be compiled fails.
    binary = ("--only-binary", ":all:", "--no-binary", "pyspark")
    beside = ("--find-links", str(ROOT / "dist"))
    installed = _run(folder, "python", "-m", "pip", "install", "-q", *binary, *beside, what)
    if re.search("No matching distribution found for (?!ilk)|connection", installed.stderr):
        absent("the packages that ilk needs cannot be fetched")
    assert installed.returncode == 0, installed.stderr
    return folder


@pytest.fixture(scope="module")
def core(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with ilk alone."""
    return _installed(tmp_path_factory.mktemp("core"), str(wheel))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with ilk, its extras, and the packages beside it."""
    return _installed(tmp_path_factory.mktemp("installed"), f"{wheel}[{EXTRAS}]")


def _run(
    folder: Path, program: str, *words: str, beside: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment, which sees nothing else of this machine.

    Args:
        folder: in which the environment stands.
        program: its name.
        words: its arguments.
        beside: folders of programs that it sees after all.
    """
    programs = folder / "env" / "bin"
    path = os.pathsep.join([str(programs), *beside])
    # Where packages come from is a matter of the machine.
    kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return subprocess.run(
        [programs / program, *words],
        cwd=folder,
        env={"PATH": path, "HOME": str(folder / "home"), "LANG": "C.UTF-8", **kept},
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
    assert any(name.endswith(".data/data/share/man/man1/ilk.1") for name in names)
    assert "icu_normalizer" in {part["name"] for part in bill["components"]}


def test_auditwheel_takes_it(wheel: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", str(wheel)], capture_output=True, text=True
    )
    if "No module named auditwheel" in shown.stderr:
        absent("the package auditwheel is not installed")
    assert re.search(r'platform tag: "manylinux_2_(?:[12]\d|5|17)_x86_64"', shown.stdout), shown


def test_the_core_brings_little(core: Path) -> None:
    listed = json.loads(_run(core, "python", "-m", "pip", "list", "--format", "json").stdout)
    brought = {"chardet", "ilk", "jinja2", "markupsafe", "pip", "pyarrow", "setuptools"}
    assert {each["name"].lower() for each in listed} <= brought
    program = "import sys, ilk; print(*sys.modules); ilk.find; print(*sys.modules)"
    before, after = _run(core, "python", "-c", program).stdout.splitlines()
    assert not {"argparse", "jinja2", "pyarrow"} & {*before.split()}
    assert "pyarrow" in after.split()
    assert not {"argparse", "jinja2", "numpy", "pandas"} & {*after.split()}


def test_every_verb_of_the_core_works_alone(core: Path) -> None:
    _furnish(core)
    (core / "reports" / "c.txt").write_text((core / "reports" / "a.txt").read_text() + " More.")
    (core / "rows.jsonl").write_bytes(gzip.decompress((core / "rows.jsonl.gz").read_bytes()))
    for words, expected in (
        (("scan", "reports", "--report", "report.html", "--plan", "plan.jsonl"), "c.txt"),
        (("apply", "plan.jsonl", "--move-to", "aside", "--yes"), "moved"),
        (("undo", "plan.jsonl.log.jsonl", "--yes"), "put back"),
        (("dedup", "rows.jsonl", "-o", "once.jsonl"), "1 kept"),
        (("compare", "reports/a.txt", "reports/c.txt", "--html", "both.html"), "near"),
        (("passages", "reports"), "words"),
        (("store", "sync", "texts.ilk", "reports"), "new"),
        (("store", "check", "texts.ilk", "reports/a.txt"), "like"),
        (("formats",), "PDF"),
        (("fingerprint", "reports"), "a.txt"),
    ):
        ran = _run(core, "ilk", *words)
        assert (ran.returncode, expected in ran.stdout + ran.stderr) == (0, True), (words, ran)


def test_what_a_package_would_add_is_said(core: Path) -> None:
    assert "not installed: urls, mirrors, changes (web)" in _run(core, "ilk", "--help").stdout
    for words, extra in (
        (("serve",), "server"),
        (("mirrors",), "web"),
        (("calibrate",), "papers"),
        (("fill",), "sql"),
        (("dedup", "s3://bucket/x.parquet"), "sql"),
    ):
        ran = _run(core, "ilk", *words)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert f"ilk[{extra}]" in ran.stderr
    _furnish(core)
    said = _run(core, "ilk", "scan", "reports").stderr
    assert "only by its bytes (.pdf 1); try pip install 'ilk[documents]'" in said


def test_packages_add_their_verbs(environment: Path) -> None:
    said = _run(environment, "ilk", "--help").stdout
    assert "not installed" not in said
    for verb in ("changes", "mirrors", "urls", "serve", "papers", "calibrate", "fill", "sql"):
        assert f"\n  {verb}  " in said
        assert _run(environment, "ilk", verb, "--help").returncode == 0


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


def _example(where: str) -> str:
    """Return the first Python of a page, after the heading if the page has others before."""
    page, _, heading = where.partition("#")
    shown = (ROOT / "docs" / page).read_text()
    shown = shown[shown.index(f"\n## {heading}\n") if heading else 0 :]
    code = re.search(r"^```python\n(.*?)^```$", shown, re.MULTILINE | re.DOTALL)
    assert code is not None
    return code[1]


@pytest.mark.parametrize("extra", PAGES)
def test_the_example_of_an_extra_runs(environment: Path, extra: str) -> None:
    ran = _run(environment, "python", "-c", _example(PAGES[extra]))
    assert ran.returncode == 0, ran.stderr


def test_a_crawl_keeps_one_of_two_copies(environment: Path) -> None:
    _furnish(environment)
    ran = _run(environment, "python", "-c", _example("how-to/crawls.md#In Scrapy") + CRAWL)
    assert ran.stdout.split() == ["1", "1"], ran.stderr


def test_spark_keeps_what_one_machine_keeps(environment: Path) -> None:
    java = shutil.which("java")
    if java is None:
        absent("there is no Java, which Spark needs")
    # Its scripts are of the shell.
    beside = [str(Path(java).parent), "/usr/bin", "/bin"]
    ran = _run(environment, "python", "-c", _example("how-to/spark.md") + SPARK, beside=beside)
    assert ran.stdout.splitlines()[-1:] == ["['a', 'b']"], ran.stderr


def test_copies_go_to_the_trash_and_come_back(environment: Path) -> None:
    _furnish(environment)
    spare = environment / "spare"
    spare.mkdir()
    for name in ("one.txt", "two.txt"):
        (spare / name).write_text("The same text, twice.\n")
    planned = _run(environment, "ilk", "scan", "spare", "--plan", "plan.jsonl")
    assert planned.returncode == 0, planned.stderr
    done = _run(environment, "ilk", "apply", "plan.jsonl", "--trash", "--yes")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in spare.iterdir()] == ["one.txt"]
    back = _run(environment, "ilk", "undo", "plan.jsonl.log.jsonl", "--yes")
    assert back.returncode == 0, back.stderr
    assert sorted(path.name for path in spare.iterdir()) == ["one.txt", "two.txt"]
