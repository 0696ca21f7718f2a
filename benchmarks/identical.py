"""`ilk scan --identical`, against jdupes and fclones: CPU seconds for the same groups of files.

A yardstick that is not installed has no row. The folder of 50,000 small files is drawn from a seed:
a third of them are copies, in 5,000 folders. The ten large files are of 60 MB, in four groups.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks import timing
from benchmarks.product import ilk
from benchmarks.rows import Row, WrongAnswerError

_FILES, _LARGE, _LARGE_BYTES = 50_000, 10, 60 << 20

#: The groups, by the names of their files.
_Groups = set[frozenset[str]]


def run() -> list[Row]:
    """A row per folder and program."""
    found = list[Row]()
    with tempfile.TemporaryDirectory() as parent:
        for title, make in (
            (f"identical: {_FILES:,} small files", _make_small),
            (f"identical: {_LARGE} large files", _make_large),
        ):
            folder = Path(parent) / title.rpartition(": ")[2].replace(" ", "-")
            folder.mkdir()
            make(folder, random.Random(7))
            found += _measure_programs(title, folder)
    return found


def _make_small(folder: Path, rng: random.Random) -> None:
    contents = list[bytes]()
    for number in range(_FILES):
        place = folder / f"{number % 100:02}" / f"{number // 1000:03}"
        place.mkdir(parents=True, exist_ok=True)
        if not contents or rng.random() > 0.3:
            contents.append(rng.randbytes(int(rng.lognormvariate(7.5, 1.2)) + 1))
            (place / f"{number:05}.bin").write_bytes(contents[-1])
        else:
            (place / f"{number:05}.bin").write_bytes(rng.choice(contents))


def _make_large(folder: Path, rng: random.Random) -> None:
    content = b""
    for number in range(_LARGE):
        if number % 3 == 0:
            content = rng.randbytes(_LARGE_BYTES)
        (folder / f"{number}.bin").write_bytes(content)


def _measure_programs(title: str, folder: Path) -> list[Row]:
    words: dict[str, list[str | Path]] = {
        "ilk": [ilk(), "scan", folder, "--identical", "--quiet"],
        "jdupes": ["jdupes", "-r", "-q", folder],
        "fclones": ["fclones", "group", folder, "--hidden", "--no-ignore"],
    }
    words = {name: line for name, line in words.items() if shutil.which(str(line[0]))}
    groups = {name: _GROUPS[name](folder) for name in words}
    for name, those in groups.items():
        if those != groups["ilk"]:
            raise WrongAnswerError(f"{title}: {name} and ilk find different groups")

    def cost(name: str) -> Callable[[], float]:
        return lambda: timing.command(words[name]).cpu

    seconds = timing.medians({name: cost(name) for name in words})
    mine = seconds.pop("ilk")
    rows = [Row(f"{title}, {name}", cpu, "CPU-s") for name, cpu in seconds.items()]
    ratios = [
        Row(f"{title}, ilk", mine, "CPU-s", mine / cpu, name, "<= 1.5 x")
        for name, cpu in seconds.items()
    ]
    return rows + (ratios or [Row(f"{title}, ilk", mine, "CPU-s")])


def _output(*line: str | Path) -> str:
    return subprocess.run(line, stdout=subprocess.PIPE, check=True, text=True).stdout


def _groups_of_ilk(folder: Path) -> _Groups:
    listed = _output(ilk(), "scan", folder, "--identical", "--quiet", "--format", "jsonl")
    records = map(json.loads, listed.splitlines())
    return {
        frozenset(member["source"] for member in record["members"])
        for record in records
        if "members" in record
    }


def _groups_of_jdupes(folder: Path) -> _Groups:
    listed = _output("jdupes", "-r", "-q", folder).split("\n\n")
    return {frozenset(group.splitlines()) for group in listed if group.strip()}


def _groups_of_fclones(folder: Path) -> _Groups:
    listed = _output("fclones", "group", folder, "--hidden", "--no-ignore", "--format", "json")
    return {frozenset(group["files"]) for group in json.loads(listed)["groups"]}


_GROUPS: dict[str, Callable[[Path], _Groups]] = {
    "ilk": _groups_of_ilk,
    "jdupes": _groups_of_jdupes,
    "fclones": _groups_of_fclones,
}
