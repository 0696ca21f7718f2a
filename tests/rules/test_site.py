"""The documents as a site: links lead somewhere, and what is shown is what one sees."""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rules.test_public_names import PUBLIC
from tests.support.demands import package
from tests.support.fixtures import ROOT, script

DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
READ = [*PAGES, *(path for path in ROOT.glob("*.md"))]

#: A link or a picture in Markdown, without those to other hosts.
_LINK = re.compile(r"\]\((?!https?:|mailto:)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")

#: Names whose use does not spell them.
_USED_AS = {
    "ilk_web.datatrove.IlkDedup": "ilk_web.datatrove.IlkDedup(",
    "ilk_web.scrapy.DupeFilter": '"ilk_web.scrapy.DupeFilter"',
    "ilk_web.scrapy.Pipeline": '"ilk_web.scrapy.Pipeline"',
}


def _anchors(path: Path) -> set[str]:
    """Return the anchors of a page, as GitHub and MyST make them of headings."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", READ, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for match in _LINK.finditer(text):
        target = (page.parent / match["path"]).resolve() if match["path"] else page
        assert target.exists(), match[0]
        if match["anchor"] and target.suffix == ".md":
            assert match["anchor"] in _anchors(target), match[0]


def test_getting_started_is_followed_word_by_word(tmp_path: Path) -> None:
    """What is typed is typed into a shell, in order; what is printed is what is shown."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {
        "PATH": path,
        "HOME": str(tmp_path),
        "COLUMNS": "80",
        "PYTHONPATH": str(ROOT / "src"),
        "LANG": "C.UTF-8",
    }
    text = (DOCS / "getting-started.md").read_text()
    blocks = re.findall(r"^```(sh|console)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    for language, block in blocks:
        typed = [("", block)] if language == "sh" else re.findall(r"^\$ ()(.*)$", block, re.M)
        shown = "" if language == "sh" else re.sub(r"^\$ .*\n", "", block, flags=re.M)
        printed = ""
        for _, command in typed:
            if language == "console":
                command = command.replace("ilk ", f"{sys.executable} -m ilk ", 1)
            ran = subprocess.run(
                command,
                shell=True,
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
            )
            assert ran.returncode == 0, (command, ran.stderr)
            printed += ran.stdout
        if len(typed) == 1:
            assert printed == shown, block


def test_pictures_show_what_commands_print(tmp_path: Path) -> None:
    make = script("make-pictures")
    for block in make.read_shell_blocks(DOCS / "getting-started.md"):
        subprocess.run(block, shell=True, cwd=tmp_path, check=True)
    for name, command in make.COMMANDS.items():
        drawn = make.draw_terminal(command, make.run_in_terminal(command, tmp_path))
        kept = (make.PICTURES / f"{name}.svg").read_text()
        assert drawn == kept, "run .venv/bin/python scripts/make-pictures"
    assert (make.PICTURES / "report.png").stat().st_size > 1000


def test_the_sample_report_shows_every_kind_of_member(tmp_path: Path) -> None:
    make = script("make-sample")
    make.main(tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert "Backup 2019/ is wholly in" in html.unescape(re.sub(r"<[^>]+>", "", page))
    for verdict in ("identical", "exact", "near", "noisy"):
        assert f'class="verdict {verdict}"' in page or f">{verdict}" in page, verdict
    again = tmp_path / "again"
    again.mkdir()
    make.make_library(again / "library")
    for file in (again / "library").rglob("*.txt"):
        first = tmp_path / "library" / file.relative_to(again / "library")
        assert (first.read_bytes(), first.stat().st_mtime) == (
            file.read_bytes(),
            file.stat().st_mtime,
        )


def test_every_public_name_has_an_example_and_a_reference() -> None:
    reference = (DOCS / "reference" / "python.md").read_text()
    blocks = re.findall(
        r"^```python\n(.*?)^```$", "\n".join(page.read_text() for page in PAGES), re.M | re.S
    )
    code = "\n".join(blocks)
    for module, names in PUBLIC.items():
        for name in names:
            full = f"{module}.{name}"
            used = _USED_AS.get(full) or rf"{full}\b"
            assert re.search(used if full not in _USED_AS else re.escape(used), code), full
            listed = full in PUBLIC or name.isupper() or full == "ilk_web.urls.Evidence"
            assert listed or re.search(rf":: {re.escape(full)}$", reference, re.M), full


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text()
    for page in PAGES:
        name = page.relative_to(DOCS).with_suffix("").as_posix()
        folder = name.rpartition("/")[0]
        assert name == "index" or f"\n{name}\n" in index or f"\n{folder}/*\n" in index, name


@pytest.mark.long
def test_the_site_is_built_without_a_warning_and_asks_no_network(tmp_path: Path) -> None:
    for name in ("sphinx", "furo", "myst_parser"):
        package(name)
    shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns("_build"))
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "docs", "site"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "site" / "searchindex.js").stat().st_size > 50_000
    outside = re.compile(r'<(?:script|link|img)[^>]*(?:src|href)="https?:')
    for page in (tmp_path / "site").rglob("*.html"):
        assert outside.search(page.read_text()) is None, page.name
