"""Documents that other programs write: one text in every format is one family.

Debian has the programs: pandoc, libreoffice-writer-nogui, texlive-latex-recommended, antiword.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support import samples

import ilk

pytestmark = pytest.mark.long

WORDS = [*samples.THINGS, *"the of and in a to with by from under over between".split()]  # noqa: SIM905


def needs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A text in Markdown, long enough for several pages."""
    draw = random.Random(7)
    paragraphs = [
        " ".join(draw.choice(WORDS) for _ in range(draw.randint(40, 90))).capitalize() + "."
        for _ in range(60)
    ]
    (tmp_path / "a.md").write_text("\n\n".join(paragraphs))
    return tmp_path


def is_one_family(folder: Path, least: float = 0.9, **options: object) -> None:
    result = ilk.find(folder, resemblance=least, extract="all", **options)  # type: ignore[arg-type]
    count = len(result.documents)
    alike = {(pair["left"], pair["right"]) for pair in result.pairs.to_pylist()}
    names = result.documents["source"].to_pylist()
    every = {(left, right) for right in range(count) for left in range(right)}
    assert not result.report["failures"]
    assert not [(names[left], names[right]) for left, right in every - alike]
    assert count == len(list(folder.iterdir()))


def pandoc(folder: Path, formats: Sequence[str]) -> None:
    for form in formats:
        run(folder, "pandoc", "-s", "a.md", "-M", "title= ", "-o", f"pandoc.{form}")


def test_pandoc_writes_one_text_in_every_format(source: Path) -> None:
    needs("pandoc")
    pandoc(source, ["docx", "odt", "epub", "rtf", "html", "pptx", "fb2", "tex", "txt"])
    letter = samples.message((source / "a.md").read_text().splitlines())
    (source / "letter.eml").write_bytes(bytes(letter))
    is_one_family(source)


def test_libreoffice_and_tex_write_one_text_in_every_format(source: Path) -> None:
    needs("pandoc", "soffice", "pdflatex")
    pandoc(source, ["docx", "tex"])
    run(source, "pdflatex", "-interaction=batchmode", "pandoc.tex")
    profile = f"-env:UserInstallation=file://{source}/profile"
    for form in ("pdf", "odt", "rtf", "html", "txt:Text"):
        run(
            *(source, "soffice", profile, "--headless", "--convert-to", form),
            *("--outdir", "office", "pandoc.docx"),
        )
    for path in (source / "office").iterdir():
        path.rename(source / f"office{path.suffix}")
    for name in ("office", "profile", "pandoc.aux", "pandoc.log", "pandoc.tex"):
        path = source / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    is_one_family(source)


def test_what_a_program_converts_is_of_the_same_family(source: Path) -> None:
    """The way that ``ilk formats`` names for documents of Word before 2007."""
    needs("pandoc", "soffice", "antiword")
    pandoc(source, ["docx"])
    profile = f"-env:UserInstallation=file://{source}/profile"
    run(source, "soffice", profile, "--headless", "--convert-to", "doc", "pandoc.docx")
    shutil.rmtree(source / "profile")
    is_one_family(source, convert={"doc": ["antiword", "{}"]})
