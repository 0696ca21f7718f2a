"""The files of the experiment: a folder that has them, or documents and modified copies of these.

Small documents of a Parquet file that follow one another (they are of one package) are bound
together, so that files are about as large as the paper's. No file comes twice, and none is smaller
than the paper's smallest.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

import pyarrow.parquet as pq

from ilk.companions import ALONE
from ilk.companions import read as readers
from ilk.plugins import NothingRead, OptionError, SourceNotFound
from ilk_papers.roth2013.copies import draw_modified_copy_or_none

#: The name of a file, and its text.
File: TypeAlias = tuple[str, str]

#: The name of a file, and its bytes.
EncodedFile: TypeAlias = tuple[str, bytes]

#: Bytes at which a bundle of small documents is full, so that files are about as large as the
#: paper's.
_FULL = 24_000

#: Bytes of the smallest file: the paper's files have 1 KB to 4.3 MB (section 2.1).
SMALLEST = 1_000

#: Where documents are on most machines.
_MACHINE = (Path(sysconfig.get_path("stdlib")), Path("/usr/share/doc"))

_SUFFIXES = (".txt", ".md", ".py", ".rst")


def read_folder(folder: Path) -> Iterator[File]:
    """Yield the documents of a folder as they are, in the order of their names.

    Raises:
        SourceNotFound: the folder does not exist.
        NothingRead: no document of it can be read.
    """
    tally = readers.ReadReport()
    batches = readers.read_documents(folder, readers.PLAINLY, ALONE, tally)
    read = 0
    for batch in batches:
        for row in batch.select(["source", "text"]).to_pylist():
            read += 1
            yield row["source"].removeprefix(f"{folder}/"), row["text"] or ""
    if not read:
        raise NothingRead(f"{folder} has no documents that can be read; name another folder.")


def read_first_files_with_copies(
    folders: Sequence[Path], max_files: int | None, copies_seed: int
) -> Iterator[File]:
    """Yield files by name, modified copies among them; each file once, none below ``SMALLEST``.

    Args:
        folders: where text files and Parquet files are taken from, with the folders below.
        max_files: how many, copies included; None for all.
        copies_seed: of the modified copies.

    Raises:
        OptionError: ``max_files`` is below 1.
        SourceNotFound: a folder does not exist.
        NothingRead: there are no documents.
    """
    if max_files is not None and max_files < 1:
        raise OptionError(f"count is {max_files}; it must be a whole number of at least 1.")
    for folder in folders:
        if not folder.is_dir():
            raise SourceNotFound(f"there is no folder {folder}; name a folder of documents.")
    kept = chain.from_iterable(
        chain(_read_files_with_text_suffix(folder), _bundle_parquet_documents(folder))
        for folder in folders
    )
    every = chain.from_iterable(
        _file_with_copy_if_drawn(name, content, copies_seed)
        for name, content in kept
        if len(content) >= SMALLEST
    )
    read = 0
    for name, content in islice(every, max_files):
        read += 1
        yield name, content.decode(errors="replace")
    if not read:
        raise NothingRead(f"{', '.join(map(str, folders))}: no documents; name another folder.")


def find_folders_of_machine() -> list[Path]:
    """Return the folders of documents that this machine has."""
    return [folder for folder in _MACHINE if folder.is_dir()]


def _file_with_copy_if_drawn(name: str, content: bytes, seed: int) -> Iterator[EncodedFile]:
    """Yield a file, and its modified copy if it has one."""
    yield name, content
    copy = draw_modified_copy_or_none(name, content, seed)
    if copy is not None:
        yield copy.name.name, copy.content


def _read_files_with_text_suffix(folder: Path) -> Iterator[EncodedFile]:
    """Yield those files below a folder, in order; what cannot be read is left out."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file() and not path.is_symlink():
            try:
                content = path.read_bytes()
            except OSError:
                continue
            name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
            # A name may hold bytes that are no text.
            yield name.encode(errors="replace").decode(), content


def _bundle_parquet_documents(folder: Path) -> Iterator[EncodedFile]:
    """Yield the documents of Parquet files, those that follow one another bound together."""
    for path in sorted(folder.rglob("*.parquet")):
        pages: list[bytes] = []
        number = size = 0
        for batch in pq.ParquetFile(path).iter_batches(columns=["text"]):
            for text in batch.column("text").to_pylist():
                pages.append((text or "").encode(errors="surrogatepass"))
                size += len(pages[-1])
                if size >= _FULL:
                    yield f"{path.stem}/{number:06}.txt", b"\n".join(pages)
                    pages, size, number = [], 0, number + 1
        if pages:
            yield f"{path.stem}/{number:06}.txt", b"\n".join(pages)
