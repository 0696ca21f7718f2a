"""Keeps files as this version writes them, so that later versions are shown to read them.

Run it once for each release, from the checkout that is released: python -m tests.release.keep
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from pathlib import Path

import ilk
from ilk.interfaces import cli

FILES = Path(__file__).parent / "files"

TEXTS = {
    "a": "the board met on four march at nine in the long room with the chair and the treasurer",
    "b": "the board met on four march at ten in the long room with the chair and the treasurer",
    "c": "two hundred slates of welsh grey delivered to the boat house with nails of copper",
}

#: What stands in plans for the folder that they were made in.
PLACE = "FOLDER"

#: Recipes whose fingerprints are kept.
RECIPES = ("default", "precise", "similarity-index")


def keep(folder: Path) -> None:
    """Write files of every kind that a user keeps into a folder, which must not be there."""
    (folder / "reports").mkdir(parents=True)
    with contextlib.chdir(folder):
        for name, text in TEXTS.items():
            Path("reports", f"{name}.txt").write_text(text)
        for name, exact in (("nominated.ilk", False), ("exact.ilk", True)):
            with ilk.Store(name, exact=exact, texts=True) as store:
                for source, text in TEXTS.items():
                    store.add(text, source=source)
        prints = {}
        for recipe in RECIPES:
            parsed = ilk.Recipe.parse(recipe)
            found = ilk.fingerprint(list(TEXTS.values()), parsed).to_pylist()
            prints[str(parsed)] = [each if isinstance(each, int) else each.hex() for each in found]
        Path("fingerprints.json").write_text(json.dumps(prints, indent=1) + "\n")
        _command("scan", "reports", "--plan", "plan.jsonl", "--quiet", "--summary")
        rows = (json.dumps({"id": name, "text": text}) + "\n" for name, text in TEXTS.items())
        Path("rows.jsonl").write_text("".join(rows))
        _command("dedup", "rows.jsonl", "--plan", "decided", "--quiet")
        ilk.calibrate(list(TEXTS.values()), copies=60).save("measured")
    for name in ("plan.jsonl", "decided/plan.json"):
        path = folder / name
        path.write_text(path.read_text().replace(str(folder.resolve()), PLACE))
    (folder / "decided" / "report.html").unlink()


def _command(*words: str) -> None:
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        assert cli.main(words) == 0, words


if __name__ == "__main__":
    place = FILES / ilk.__version__
    if place.exists():
        shutil.rmtree(place)
    keep(place)
