"""Working files: the results of an interrupted run, from which the next one resumes."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from ilk.base import portable
from ilk.base._version import __version__
from ilk.base.errors import ColumnTypeError, IlkError, NothingRead, OutputError, reason_of_error
from ilk.base.whole import whole_file

#: Makes a table, or continues what an interrupted run has made of it.
MakeStep: TypeAlias = Callable[[str, Callable[[], pa.Table]], pa.Table]


class UnwrittenTable(NamedTuple):
    """A table in memory: the name of its file, and a function that makes it."""

    name: str
    make: Callable[[], pa.Table]


_RUN = "run.json"
_LOCK = "lock"
_STEP, _FILE = ".arrow", ".numbers"


class WorkFolder:
    """A folder in which every step leaves its result, complete or not at all.

    A step that an earlier run of the same input and options has left is not done again.

    Attributes:
        resumes: whether there was such a run.
    """

    def __init__(self, folder: Path, *, sources: Any, options: Mapping[str, Any]) -> None:
        """Use what the same run has left; remove what another run has left.

        Raises:
            OutputError: the folder cannot be written, or another run is using it.
        """
        self._folder = folder
        self._unwritten_tables: list[UnwrittenTable] = []
        self._parent_is_new = not os.path.exists(folder.parent)
        self._lock = _create_and_lock_folder(folder)
        identity = {"ilk": __version__, "sources": sources, "options": options}
        content = json.dumps(identity, sort_keys=True)
        self.resumes = False
        with contextlib.suppress(OSError, UnicodeDecodeError):
            self.resumes = (folder / _RUN).read_text() == content
        if not self.resumes:
            self._remove_results()
            with whole_file(folder / _RUN) as out:
                out.write(content.encode())

    def load_or_make(self, name: str, make: Callable[[], pa.Table]) -> pa.Table:
        """Return the result of a step: read it if it exists whole, else make and keep it."""
        table = self.load_table_or_none(name)
        if table is None:
            table = make()
            self._write_table(name, table)
        return table

    def _write_table(self, name: str, table: pa.Table) -> None:
        path = self._folder / (name + _STEP)
        with whole_file(path) as out, pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)

    def load_table_or_none(self, name: str) -> pa.Table | None:
        """Return a table that an interrupted run has left; None if it left none, or a part."""
        path = self._folder / (name + _STEP)
        with contextlib.suppress(pa.ArrowException, OSError), pa.memory_map(str(path)) as file:
            return pa.ipc.open_file(file).read_all()
        return None

    def register_for_interruption(self, *tables: UnwrittenTable) -> None:
        """Have tables written if the run is interrupted; otherwise they stay in memory."""
        self._unwritten_tables += tables

    def write_registered_tables(self) -> None:
        """Make and write the tables that were registered; OutputError if one cannot be written."""
        for name, make in self._unwritten_tables:
            self._write_table(name, make())

    @property
    def hint_to_resume_or_begin_again(self) -> str:
        """What the same command will do next: resume, or begin again."""
        if self.has_any_result:
            return f"run the same command to resume: what is done is kept in {self._folder}"
        return "nothing was done that could be kept; the same command begins again"

    def has_result(self, name: str) -> bool:
        """Return whether a step has left its result."""
        return (self._folder / (name + _STEP)).exists()

    def numbers_file_path(self, name: str) -> Path:
        """Return where a step keeps what is not a table; it is removed with the results."""
        return self._folder / (name + _FILE)

    def remove_own_files_and_empty_folders(self) -> None:
        """Remove what this class has written, and the folders that are then empty."""
        self._remove_results()
        for name in (_RUN, _LOCK):
            (self._folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # The folder of the run itself stays.
            if not any(self._folder.iterdir()):
                self._folder.rmdir()
            if self._parent_is_new and not any(self._folder.parent.iterdir()):
                self._folder.parent.rmdir()

    @property
    def has_any_result(self) -> bool:
        """Whether a step has left its result."""
        return any(self._folder.glob("*" + _STEP))

    def release_lock(self) -> None:
        """Let other runs use the folder."""
        os.close(self._lock)

    def _remove_results(self) -> None:
        for path in (*self._folder.glob("*" + _STEP), *self._folder.glob("*" + _FILE)):
            path.unlink()


def _create_and_lock_folder(folder: Path) -> portable.FileHandle:
    """Create a folder with a lock file, lock it, and return the handle of that file.

    Raises:
        OutputError: the folder cannot be written, or another run is using it.
    """
    while True:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR)
        except OSError as error:
            raise OutputError(f"cannot work in {folder}: {reason_of_error(error)}.") from error
        try:
            portable.lock_file(lock)
        except OSError as error:
            os.close(lock)
            raise OutputError(
                f"another run is using {folder}; wait for it, or name another folder (`work`)."
            ) from error
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock), os.stat(folder / _LOCK)):
                return lock
        os.close(lock)  # The run before has removed the file: this lock would keep nobody out.


class NoWork:
    """Steps whose results are not kept."""

    resumes = False

    def load_or_make(self, name: str, make: Callable[[], pa.Table]) -> pa.Table:
        """Return the result of a step, made."""
        del name
        return make()

    def load_table_or_none(self, name: str) -> None:
        """Return no table: no run left any."""
        del name

    def register_for_interruption(self, *tables: UnwrittenTable) -> None:
        """Keep nothing."""
        del tables


@contextlib.contextmanager
def resumable_work_folder(
    folder: str | os.PathLike[str] | None, *, sources: Any, options: Mapping[str, Any]
) -> Iterator[WorkFolder | NoWork]:
    """Open a folder to work in; empty it at the end unless an error left something to resume.

    Args:
        folder: created if missing; None keeps nothing.
        sources, options: what the results depend on, as JSON can hold it: the stamps or signatures
            of what is read, and plain values.

    Raises:
        OutputError: the folder cannot be written, or another run is using it.
    """
    if folder is None:
        try:
            yield NoWork()
        except KeyboardInterrupt as error:
            error.add_note("nothing was kept; the same command begins again")
            raise
        return
    work = WorkFolder(Path(folder), sources=sources, options=options)
    try:
        yield work
        work.remove_own_files_and_empty_folders()
    except BaseException as error:
        if not isinstance(error, IlkError):  # Such as Ctrl-C, or no more memory.
            try:
                work.write_registered_tables()
                error.add_note(work.hint_to_resume_or_begin_again)
            except OutputError as failure:
                error.add_note(
                    f"what was read could not be kept ({failure}); the same command begins again"
                )
        # These errors are permanent, so the checkpoint is useless.
        if isinstance(error, NothingRead | ColumnTypeError) or not work.has_any_result:
            work.remove_own_files_and_empty_folders()
        raise
    finally:
        work.release_lock()
