"""The corpus maker: modified copies of files, with what was done to them in their names.

Every file is kept. With a probability of one half a modified copy is put beside it; of those half
have a random run of their own text, up to 80 % of it, copied to a random place, and half such a run
removed. ``NAME_i_43.txt`` is NAME.txt with 43 % of its length inserted, ``NAME_d_17.txt`` with 17 %
deleted. Places and runs are of bytes, but no character of UTF-8 is cut.

Source: Roth 2013, section 3 (the experiment's files).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ilk.companions import errors
from ilk.plugins import OptionError, OutputError, SourceNotFound
from ilk_papers.seeded import Draw, draw_below, seeded_draw

#: The largest run, in per cent of the file.
MOST = 80

#: What a letter in a name says was done.
KINDS = {"i": "inserted", "d": "deleted"}

_NAME = re.compile(
    r"(?P<stem>.+)_(?P<kind>[id])_(?P<percent>\d{1,2})(?P<suffix>(?:\.[^./]*)?)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class CopyName:
    """What a name says: the file it was made of, what was done, and to how many per cent."""

    original: str
    kind: str
    percent: int

    @classmethod
    def parse_or_none(cls, name: str) -> CopyName | None:
        """Return what the name of a copy says; None of any other name.

        >>> CopyName.parse_or_none("specs/treknolo_i_25.txt")
        CopyName(original='specs/treknolo.txt', kind='i', percent=25)
        """
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        original = match["stem"] + match["suffix"]
        return cls(original, match["kind"], int(match["percent"]))

    @property
    def name(self) -> str:
        """The name of the copy."""
        path = PurePosixPath(self.original)
        return str(path.with_name(f"{path.stem}_{self.kind}_{self.percent}{path.suffix}"))


class ModifiedCopy(NamedTuple):
    """A modified copy of a file: what its name says, and what it holds."""

    name: CopyName
    content: bytes


def draw_modified_copy_or_none(name: str, content: bytes, seed: int) -> ModifiedCopy | None:
    """Return a copy of a file and what it holds, or for one half of the files None.

    The same name, size and seed give the same. A file that is too small for the drawn share of it
    has no copy.
    """
    draw = seeded_draw(f"{seed} {len(content)} {name!a}")
    if draw() < 0.5 or not content:
        return None
    kind = "i" if draw() < 0.5 else "d"
    percent = 1 + draw_below(draw, MOST)
    if not _round_percent_of(len(content), percent):
        return None  # A copy must differ in as much as its name says.
    changed = _insert_own_run if kind == "i" else _delete_own_run
    return ModifiedCopy(CopyName(name, kind, percent), changed(content, percent, draw))


def _insert_own_run(content: bytes, percent: int, draw: Draw) -> bytes:
    start, end = _draw_run(content, percent, draw)
    place = _character_boundary_at_or_before(content, draw_below(draw, len(content) + 1))
    return content[:place] + content[start:end] + content[place:]


def _delete_own_run(content: bytes, percent: int, draw: Draw) -> bytes:
    start, end = _draw_run(content, percent, draw)
    return content[:start] + content[end:]


class _ByteRun(NamedTuple):
    """The first byte of a run, and the one after its last."""

    start: int
    end: int


def _draw_run(content: bytes, percent: int, draw: Draw) -> _ByteRun:
    """Draw a run of ``percent`` per cent of a file."""
    length = _round_percent_of(len(content), percent)
    start = draw_below(draw, len(content) - length + 1)
    ends = (_character_boundary_at_or_before(content, at) for at in (start, start + length))
    return _ByteRun(*ends)


def _round_percent_of(count: int, percent: int) -> int:
    return (count * percent + 50) // 100


def _character_boundary_at_or_before(content: bytes, at: int) -> int:
    """Return the place, or if it is within a character of UTF-8, the beginning of that."""
    for back in range(4):
        if at - back in (0, len(content)) or content[at - back] & 0xC0 != 0x80:
            return at - back
    return at


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCorpus:
    """What the corpus maker wrote: files and bytes, before and after, and what it could not read.

    Attributes:
        unread: pairs of a file and the reason.
    """

    originals: int
    original_size: int
    inserted: int
    deleted: int
    size: int
    unread: list[tuple[str, str]]


def write_corpus_into_empty_folder(folder: Path, out: Path, seed: int) -> MadeCorpus:
    """Write every file of a folder, and the modified copies, into a folder that is new or empty.

    Folders within are kept; symbolic links are not followed. A copy that would have the name of a
    file is not made. The same files and seed give the same bytes.

    Raises:
        SourceNotFound: the folder is not there.
        OptionError: ``out`` is within the folder.
        OutputError: ``out`` has files already, or cannot be written.
    """
    if not folder.is_dir():
        raise SourceNotFound(f"there is no folder {folder}; name the folder of the files to copy.")
    if out.resolve().is_relative_to(folder.resolve()):
        raise OptionError(f"{out} is within {folder}; choose a folder outside it for the copies.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise OutputError(f"{out} is not empty; name a new or an empty folder.")
        return _write_files_and_copies(folder, out, seed)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"cannot write into {out}: {errors.reason_of_error(error)}.") from error


def _write_files_and_copies(folder: Path, out: Path, seed: int) -> MadeCorpus:
    counts = dict.fromkeys(KINDS, 0)
    originals = original_size = size = 0
    names = _find_file_names(folder)
    names_taken = {*names}
    unread: list[tuple[str, str]] = []
    for name in names:
        try:
            content = (folder / name).read_bytes()
        except OSError as error:
            unread.append((name, errors.reason_of_error(error)))
            continue
        originals, original_size = originals + 1, original_size + len(content)
        size += _write_file(out / name, content)
        copy = draw_modified_copy_or_none(name, content, seed)
        if copy is not None and copy.name.name not in names_taken:
            counts[copy.name.kind] += 1
            size += _write_file(out / copy.name.name, copy.content)
    return MadeCorpus(
        originals=originals,
        original_size=original_size,
        inserted=counts["i"],
        deleted=counts["d"],
        size=size,
        unread=unread,
    )


def _write_file(path: Path, content: bytes) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_bytes(content)


def _find_file_names(folder: Path) -> list[str]:
    """Return the files below a folder by their relative names, in order."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(path.relative_to(folder).as_posix() for path in found)
