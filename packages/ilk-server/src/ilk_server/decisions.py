"""Decisions about families: a file that grows by a line per decision, flushed to disk.

Nothing in it is overwritten: another line undoes a decision. Several processes may write at a time.
A line truncated by a kill does not count, and was never acknowledged.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from ilk.companions import errors, file_plans, parse_json_object_or_none, portable
from ilk.plugins import OutputError
from ilk_server.errors import unwritable_error

#: The version of the format.
VERSION = 1

#: The decision, besides same and different, that a member is the same and replaces the keeper.
KEEPER = "keeper"

#: All decisions.
SAYINGS = (file_plans.SAME, file_plans.DIFFERENT, KEEPER)


#: Which file it is: its device and inode.
FileIdentity: TypeAlias = tuple[int, int]


class Decision(NamedTuple):
    """A decision about members of a cluster.

    number: from 0, in the order in which decisions were made.
    who, time: who decided, and when, in ISO 8601.
    cluster: the name of the cluster (``families.ReviewCluster.name``).
    keeper: the name of the keeper that the members were compared with.
    members: their names.
    said: ``same``, ``different`` or ``keeper``.
    """

    number: int
    who: str
    time: str
    cluster: str
    keeper: str
    members: tuple[str, ...]
    said: str


class PairLabel(NamedTuple):
    """Two documents by their names, and whether a person has called them the same."""

    left: str
    right: str
    is_same: bool


class MemberGroup(NamedTuple):
    """Members of a cluster, with the keeper that they are compared with."""

    cluster: str
    keeper: str
    members: list[str]


def decisions_path(path: str | os.PathLike[str]) -> Path:
    """Return the file of decisions for a store or a plan."""
    return Path(f"{os.fspath(path).rstrip('/')}.review.jsonl")


class Decisions:
    """The decisions of a file, which others may write at the same time.

    Attributes:
        path: the file; it is created with the first decision.
        changes: the cluster of every line, including those that undo something.
    """

    def __init__(self, path: Path) -> None:
        """Read the existing decisions.

        Raises:
            PlanError: it is another kind of file.
            OutputError: it cannot be read.
        """
        self.path = path
        self._lock = threading.RLock()
        self._forget_all_decisions(None)
        self.read_new_decisions()

    def _forget_all_decisions(self, file_identity: FileIdentity | None) -> None:
        """Begin with no decision, and this file; None if it does not exist yet."""
        self._file, self._read_to = file_identity, 0
        self.changes: list[str] = []
        self._all: list[Decision] = []
        self._undone_numbers: set[int] = set()
        #: By cluster, and in it by the names in decisions, their numbers in order.
        self._of: dict[str, dict[str, list[int]]] = {}

    def read_new_decisions(self) -> None:
        """Read what others have written.

        Raises:
            PlanError, OutputError: as when it was opened.
        """
        with self._lock:
            try:
                with self.path.open("rb") as file:
                    self._read_new_lines(file)
            except FileNotFoundError:
                self._forget_all_decisions(None)
            except OSError as error:
                raise OutputError(
                    f"cannot read {self.path}: {errors.reason_of_error(error)}."
                ) from error

    def __len__(self) -> int:
        """Return how many decisions were made, including those undone."""
        return len(self._all)

    def decide_unless_late(
        self,
        person: str,
        *,
        cluster: str,
        keeper: str,
        members: Sequence[str],
        judgement: str,
        decisions_seen: int | None = None,
    ) -> Decision | None:
        """Add a decision; it is on disk when this returns.

        Args:
            person: who decided.
            cluster, keeper, members: as of ``Decision``.
            judgement: what is said of the members: a word of ``SAYINGS``.
            decisions_seen: how many decisions there were at the last look; if one of these
                documents was decided since, nothing is added. None adds it anyway.

        Returns:
            The decision; None if nothing was added, because it came too late.

        Raises:
            OutputError: it cannot be written.
        """
        with self._open_locked_and_refresh() as file:
            earlier = [self.decision_in_force_on(cluster, name) for name in (keeper, *members)]
            if decisions_seen is not None and any(
                one is not None and one.number >= decisions_seen for one in earlier
            ):
                return None
            self._append_and_read_lines(
                file,
                _decision_row_without_time(
                    person, cluster=cluster, keeper=keeper, members=members, judgement=judgement
                ),
            )
            return self._all[-1]

    def accept_and_count_undecided_members(self, person: str, groups: Sequence[MemberGroup]) -> int:
        """Decide that members of several clusters are the same; they are on disk when this returns.

        Args:
            person: who decided.
            groups: the members; those decided since stay as they are.

        Returns:
            How many members were decided.

        Raises:
            OutputError: it cannot be written.
        """
        with self._open_locked_and_refresh() as file:
            rows = []
            for cluster, keeper, members in groups:
                left = [
                    name for name in members if self.decision_in_force_on(cluster, name) is None
                ]
                if left:
                    rows.append(
                        _decision_row_without_time(
                            person,
                            cluster=cluster,
                            keeper=keeper,
                            members=left,
                            judgement=file_plans.SAME,
                        )
                    )
            if rows:
                self._append_and_read_lines(file, *rows)
            return sum(len(row["members"]) for row in rows)

    def undo(self, person: str, number: int | None = None) -> Decision | None:
        """Undo a decision; by default the last one of somebody.

        Returns:
            The undone decision; None if there was nothing to undo.

        Raises:
            OutputError: it cannot be written.
        """
        with self._open_locked_and_refresh() as file:
            decision = self.last_decision_in_force_of(person)
            if number is not None:
                decision = next(
                    (one for one in self.decisions_in_force() if one.number == number), None
                )
            if decision is not None:
                self._append_and_read_lines(file, {"undo": decision.number, "who": person})
            return decision

    def last_decision_in_force_of(self, person: str) -> Decision | None:
        """Return somebody's last decision that was not undone, or None."""
        with self._lock:
            own = (one for one in reversed(self._all) if one.who == person)
            return next((one for one in own if one.number not in self._undone_numbers), None)

    def decisions_in_force(self) -> list[Decision]:
        """Return the decisions that were not undone, in order."""
        with self._lock:
            return [one for one in self._all if one.number not in self._undone_numbers]

    def decision_in_force_on(self, cluster: str, name: str) -> Decision | None:
        """Return the last decision on a document of a cluster; None if nobody has decided."""
        with self._lock:
            for number in reversed(self._of.get(cluster, {}).get(name, ())):
                if number not in self._undone_numbers:
                    return self._all[number]
            return None

    def chosen_keeper_if_any(self, cluster: str) -> str | None:
        """Return the document that somebody chose to stay in a cluster; None if nobody did."""
        with self._lock:
            numbers = {one for several in self._of.get(cluster, {}).values() for one in several}
            for number in sorted(numbers - self._undone_numbers, reverse=True):
                if self._all[number].said == KEEPER:
                    return self._all[number].members[0]
            return None

    def pair_labels(self) -> list[PairLabel]:
        """Return a label for each pair that was decided; the last decision on a pair counts."""
        labels: dict[frozenset[str], PairLabel] = {}
        for decision in self.decisions_in_force():
            is_same = decision.said != file_plans.DIFFERENT
            for member in decision.members:
                pair = frozenset((decision.keeper, member))
                labels[pair] = PairLabel(decision.keeper, member, is_same)
        return list(labels.values())

    @contextlib.contextmanager
    def _open_locked_and_refresh(self) -> Iterator[IO[bytes]]:
        """Open the file to add lines, with a lock, and read what others have added.

        Raises:
            OutputError: it cannot be written.
        """
        with self._lock:
            try:
                with self.path.open("ab+") as file:
                    portable.lock_file(file.fileno(), wait=True)
                    self._read_new_lines(file)
                    yield file
            except OSError as error:
                raise unwritable_error(self.path, error) from error

    def _append_and_read_lines(self, file: IO[bytes], *rows: dict[str, Any]) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        head = [] if self._read_to else [{"review": VERSION}]
        if file.seek(0, os.SEEK_END) > self._read_to:
            file.write(b" cut\n")  # A kill left half a line, or a whole one without its line break.
        for each in [*head, *({**row, "time": now} for row in rows)]:
            file.write(json.dumps(each).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
        self._read_new_lines(file)

    def _read_new_lines(self, file: IO[bytes]) -> None:
        """Read the complete lines that were not read yet; all, if the file is another one."""
        status = os.fstat(file.fileno())
        file_identity = status.st_dev, status.st_ino
        if file_identity != self._file or status.st_size < self._read_to:
            self._forget_all_decisions(file_identity)
        file.seek(self._read_to)
        content = file.read()
        content = content[: content.rfind(b"\n") + 1]
        parsed_rows = map(parse_json_object_or_none, content.splitlines())
        rows = [row for row in parsed_rows if row is not None]
        if content and not self._read_to and (not rows or rows[0].get("review") != VERSION):
            raise errors.PlanError(f"{self.path} is not a file of review decisions; move it away.")
        try:
            for row in rows:
                if "undo" in row:
                    self.changes.append(self._all[row["undo"]].cluster)
                    self._undone_numbers.add(row["undo"])
                elif "said" in row:
                    self._index_decision(
                        Decision(len(self._all), **{**row, "members": tuple(row["members"])})
                    )
        except (KeyError, IndexError, TypeError) as error:
            self._forget_all_decisions(None)
            raise errors.PlanError(
                f"{self.path} has a line that is no decision ({error!r}); remove it."
            ) from error
        self._read_to += len(content)

    def _index_decision(self, decision: Decision) -> None:
        self._all.append(decision)
        self.changes.append(decision.cluster)
        names = self._of.setdefault(decision.cluster, {})
        # A member that replaces the keeper is the same as the keeper.
        for name in (decision.keeper,) if decision.said == KEEPER else decision.members:
            names.setdefault(name, []).append(decision.number)


def _decision_row_without_time(
    person: str, *, cluster: str, keeper: str, members: Sequence[str], judgement: str
) -> dict[str, Any]:
    return {
        "who": person,
        "cluster": cluster,
        "keeper": keeper,
        "members": [*members],
        "said": judgement,
    }
