"""The files of the experiment: a given folder, or files available on this machine.

Of what is at hand, small documents that follow one another (they are of one package) are bound
together, so that files are about as large as the paper's.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

import pyarrow.parquet as pq

from ilk import read as readers
from ilk.base.errors import NothingRead, OptionError
from ilk.base.running import ALONE
from ilk_papers.roth2013.copies import modified

#: The name of a file, and its text.
File: TypeAlias = tuple[str, str]

#: Bytes at which a bundle of small documents is full. With whole folders beside them it makes the
#: files as large as the paper's on average.
_FULL = 24_000

#: Where documents are on most machines.
MACHINE = (Path(sysconfig.get_path("stdlib")), Path("/usr/share/doc"))

_SUFFIXES = (".txt", ".md", ".py", ".rst")


def read(folder: Path) -> Iterator[File]:
    """Yield the documents of a folder as they are, in the order of their names.

    Raises:
        SourceNotFound: the folder does not exist.
        NothingRead: no document of it can be read.
    """
    tally = readers.Tally()
    batches = readers.read(folder, readers.PLAINLY, ALONE, tally)
    read = 0
    for batch in batches:
        for row in batch.select(["source", "text"]).to_pylist():
            read += 1
            yield row["source"].removeprefix(f"{folder}/"), row["text"] or ""
    if not read:
        raise NothingRead(f"{folder} has no documents that can be read; name another folder.")


def at_hand(
    shared: Path | None, count: int, seed: int, machine: Sequence[Path] = MACHINE
) -> Iterator[File]:
    """Yield up to ``count`` files by name, modified copies among them.

    Args:
        shared: a folder with ``bench/corpus.parquet`` and folders of texts beside it; when all have
            been taken, they come again under other names. None: the documents of the machine, once.
        count: the most files.
        seed: of the modified copies.
        machine: where its documents are.

    Raises:
        OptionError: ``count`` is below 1.
    """
    if count < 1:
        raise OptionError(f"count is {count}; it must be a whole number of at least 1.")
    if shared is None:
        kept = _named(chain.from_iterable(map(_texts, machine)), "")
    else:
        kept = _again(shared)
    every = chain.from_iterable(_both(name, content, seed) for name, content in kept)
    for name, content in islice(every, count):
        yield name, content.decode(errors="replace")


def _both(name: str, content: bytes, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield a file, and its modified copy if it has one."""
    yield name, content
    copy = modified(name, content, seed)
    if copy is not None:
        yield copy[0].name, copy[1]


def _again(shared: Path) -> Iterator[tuple[str, bytes]]:
    pool = [*_texts(shared), *_bound(shared / "bench" / "corpus.parquet")]
    turn = 0
    while pool:
        yield from _named(pool, f"copy-{turn}/" if turn else "")
        turn += 1


def _named(of: Iterable[tuple[str, bytes]], before: str) -> Iterator[tuple[str, bytes]]:
    return ((before + name, content) for name, content in of)


def _texts(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the text files below a folder, in order; what cannot be read is left out."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file() and not path.is_symlink():
            try:
                content = path.read_bytes()
            except OSError:
                continue
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            # A name may hold bytes that are no text.
            yield name.encode(errors="replace").decode(), content


def _bound(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the documents of a Parquet file, those that follow one another bound together."""
    pages: list[bytes] = []
    number = size = 0
    for batch in pq.ParquetFile(path).iter_batches(columns=["text"]):
        for text in batch.column("text").to_pylist():
            pages.append((text or "").encode(errors="surrogatepass"))
            size += len(pages[-1])
            if size >= _FULL:
                yield f"bench/{number:06}.txt", b"\n".join(pages)
                pages, size, number = [], 0, number + 1
    if pages:
        yield f"bench/{number:06}.txt", b"\n".join(pages)
