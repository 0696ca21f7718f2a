"""Sources of a review: the families of a store, or those of a plan, by name, with their texts."""

from __future__ import annotations

import datetime
import os
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ilk import IlkError, Store
from ilk.companions import (
    CLUSTERS,
    DataSet,
    DocumentFile,
    StoreRecord,
    TwinFolder,
    errors,
    read,
    store_plan,
    unescape_source_name,
    verdicts,
    write,
)
from ilk.companions import row_plans as plans
from ilk.plugins import Reading, Running
from ilk_server import families
from ilk_server.families import Relative, ReviewCluster, ReviewFamily

#: Seconds for which the families of a store are shown unchanged, however it grows.
_FRESH = 10.0

#: How much longer than looking at the store takes its families are shown unchanged.
_SELDOM = 20

#: Clusters to measure together; other requests use the store in between.
_AT_ONCE = 500


class ReviewedFile(NamedTuple):
    """What is known of a document in files.

    size: its bytes.
    day: when it was changed.
    is_file: whether it is a file by itself, which a plan can move, and not in another one.
    """

    size: int | None
    day: str
    is_file: bool


class RelationToOriginal(NamedTuple):
    """The document of a family that stays, by its number, and what another one is to it."""

    original_number: int
    verdict: str


class ReviewedCollection(ABC):
    """Families, and the texts of their documents."""

    @abstractmethod
    def current_families(self) -> Sequence[ReviewFamily]:
        """Return the families; the same object as long as they stay."""

    @abstractmethod
    def read_text_or_none(self, name: str) -> str | None:
        """Return a text; None if it is not available."""

    def file_facts(self, names: Iterable[str]) -> dict[str, ReviewedFile]:
        """Return what is known of files, for those of the documents that are files."""
        del names
        return {}

    def file_sizes(self, names: Iterable[str]) -> dict[str, int]:
        """Return the bytes of those of the documents that are files."""
        return {name: one.size or 0 for name, one in self.file_facts(names).items()}

    def plan_lines(self) -> Iterable[Mapping[str, Any]]:
        """Return the lines of a plan for files, the head first; empty without files."""
        return ()

    def twin_folders(self) -> Sequence[TwinFolder]:
        """Return the folders of a plan that stand in others; empty without files."""
        return ()


class ReviewedFilePlan(ReviewedCollection):
    """A plan for files, as ``ilk scan --plan`` writes it."""

    def __init__(self, path: str | os.PathLike[str], reading: Reading) -> None:
        """Read it.

        Raises:
            PlanError: it is not one.
        """
        self._rows = families.check_and_read_plan_lines(path)
        self._folder = self._rows[0]["plan"]["folder"]
        self._reading = reading
        self._families = families.parse_families_with_members(
            row for row in self._rows if "members" in row
        )
        self._folders = [_parse_twin_folder(row) for row in self._rows if "folder" in row]
        members = (each for row in self._rows for each in row.get("members", ()))
        self._about = {
            each["source"]: ReviewedFile(
                each.get("size"),
                (each.get("modified") or "")[:10],
                "file" not in each and bool(each.get("digest")),
            )
            for each in members
        }

    def current_families(self) -> Sequence[ReviewFamily]:
        """Return those of the plan."""
        return self._families

    def read_text_or_none(self, name: str) -> str | None:
        """Return the text of a document, read again; None if that fails."""
        path = os.path.join(self._folder, unescape_source_name(name))
        inside = os.path.join(self._folder, name)  # From an archive, or from rows.
        try:
            document = read.read_one_document(
                Path(path if os.path.lexists(path) else inside), self._reading
            )
            found = document["text"][0].as_py()
        except IlkError:
            return None
        return found or ""

    def file_facts(self, names: Iterable[str]) -> dict[str, ReviewedFile]:
        """Return what the plan says of them."""
        return {name: self._about[name] for name in names if name in self._about}

    def plan_lines(self) -> Iterable[Mapping[str, Any]]:
        """Return the lines of the plan."""
        return self._rows

    def twin_folders(self) -> Sequence[TwinFolder]:
        """Return those of the plan."""
        return self._folders


def _parse_twin_folder(row: Mapping[str, Any]) -> TwinFolder:
    """Return a folder from its line in a plan.

    Raises:
        PlanError: the line lacks something.
    """
    try:
        values = {name: row[name] for name in TwinFolder._fields}
    except KeyError as error:
        raise errors.PlanError(f"the line of folder {row['folder']} lacks {error}.") from None
    return TwinFolder(**values | {"not_compared": tuple(values["not_compared"])})


def open_reviewed_plan(path: str, reading: Reading) -> ReviewedCollection:
    """Return the source for a plan, of files or of rows.

    Args:
        path: a file of ``ilk scan --plan``, or a folder of ``ilk dedup --plan``.
        reading: how to read files again.

    Raises:
        PlanError: it is neither.
    """
    return ReviewedRowPlan(path) if os.path.isdir(path) else ReviewedFilePlan(path, reading)


class ReviewedRowPlan(ReviewedCollection):
    """A plan for rows, as ``ilk dedup --plan`` writes it."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Read it.

        Raises:
            PlanError: it is not one.
        """
        self._plan = plans.read_plan(Path(folder))
        try:
            clusters = pq.read_table(Path(folder) / CLUSTERS, use_threads=False)
        except (OSError, pa.ArrowInvalid) as error:
            raise errors.PlanError(
                f"{folder} holds no plan ({error}); make one: ilk dedup --plan"
            ) from error
        names = (clusters[name].to_pylist() for name in ("source", "doc"))
        self._docs = dict(zip(*names, strict=True))
        order = [(name, "ascending") for name in ("family", "cluster", "doc")]
        records = write.cluster_records(clusters.sort_by(order))
        self._families = families.parse_families_with_members(records)
        self._rows: DataSet | None = None
        self._lock = threading.Lock()

    def current_families(self) -> Sequence[ReviewFamily]:
        """Return those of the plan."""
        return self._families

    def read_text_or_none(self, name: str) -> str | None:
        """Return the text of a row, read again; None if its file has changed."""
        doc = self._docs.get(name)
        if doc is None:
            return None
        with self._lock:
            try:
                if self._rows is None:
                    self._rows = plans.open_rows_of_plan(self._plan, Running.of())
                return self._rows.texts(pa.array([doc]))[0].as_py() or ""
            except IlkError:
                return None


class ReviewedStore(ReviewedCollection):
    """The clusters of a store. Documents are named by their own id, or else by source or number."""

    def __init__(self, store: Store) -> None:
        """Use a store."""
        self._store = store
        self._lock = threading.Lock()
        self._look_time, self._fresh = -_FRESH, _FRESH
        #: As stored; and with the document first that stays.
        self._clusters: list[list[int]] = []
        self._clusters_in_order: list[list[int]] = []
        self._families: list[ReviewFamily] | None = []
        #: By document of a cluster, the one that stays.
        self._originals: dict[int, int] = {}
        self._numbers: dict[str, int] = {}
        #: The verdicts of members against their keepers, by both.
        self._measures_by_pair: dict[tuple[int, int], tuple[str, float | None]] = {}

    def current_families(self) -> Sequence[ReviewFamily]:
        """Return the clusters, at most some seconds old."""
        with self._lock:
            self._reread_clusters_if_old()
            if self._families is None:
                self._families = self._measure_families_and_remember_names()
            return self._families

    def number_of_original(self, record: StoreRecord) -> int:
        """Return the number of the document that stays of a family; its own, if it is alone.

        Of a document that came a moment ago, it is the stored keeper.
        """
        with self._lock:
            self._reread_clusters_if_old()
            stored = (record.keeper, record.copy_of, record.id)
            first = next(number for number in stored if number is not None)
            return self._originals.get(record.id, first)

    def relations_to_originals(
        self, records: Iterable[StoreRecord]
    ) -> dict[int, RelationToOriginal]:
        """Return the relations of documents, by their numbers; those that stay have none."""
        members: dict[int, list[int]] = {}
        for record in records:
            if (original := self.number_of_original(record)) != record.id:
                members.setdefault(original, []).append(record.id)
        measures = self._store.compare_members_with_first(
            [[original, *some] for original, some in members.items()]
        )
        return {
            number: RelationToOriginal(original, _connected_if_unverified(measures[number][0]))
            for original, some in members.items()
            for number in some
            if number in measures
        }

    def _reread_clusters_if_old(self) -> None:
        """Look at the store again, after a time that is long compared with the look itself."""
        start = time.monotonic()
        if start - self._look_time < self._fresh:
            return
        clusters = self._store.clusters()
        if clusters != self._clusters:
            self._clusters, self._families = clusters, None
            self._clusters_in_order = self._store.put_originals_first(clusters)
            self._originals = {
                one: cluster[0] for cluster in self._clusters_in_order for one in cluster
            }
        self._look_time = time.monotonic()
        self._fresh = max(_FRESH, _SELDOM * (self._look_time - start))

    def read_text_or_none(self, name: str) -> str | None:
        """Return a text, if the store keeps texts."""
        number = self._numbers.get(name)
        try:
            return None if number is None else self._store.text(number)
        except IlkError:
            return None  # It has been removed since.

    def file_facts(self, names: Iterable[str]) -> dict[str, ReviewedFile]:
        """Return what is known of the files that the store was synchronised with."""
        numbers = {self._numbers[name]: name for name in names if name in self._numbers}
        facts = {}
        for number, (path, size) in self._store.files(numbers).items():
            try:
                changed = datetime.datetime.fromtimestamp(
                    os.stat(unescape_source_name(path)).st_mtime
                )
            except OSError:
                continue
            facts[numbers[number]] = ReviewedFile(size, f"{changed:%Y-%m-%d}", is_file=True)
        return facts

    def file_sizes(self, names: Iterable[str]) -> dict[str, int]:
        """Return the bytes that the files had when the store read them."""
        numbers = {self._numbers[name]: name for name in names if name in self._numbers}
        files = self._store.files(numbers)
        return {numbers[number]: size for number, (_, size) in files.items()}

    def plan_lines(self) -> Iterator[Mapping[str, Any]]:
        """Yield the lines of a plan for the files that the store was synchronised with.

        Other documents of the store are in no line: no file of them could go or stay.
        """
        every = self.current_families()
        numbers = self._numbers
        files = self._store.files(numbers.values())
        if not files:
            return
        yield from store_plan.store_plan_lines(
            (path for path, _ in files.values()), self._clusters_of_files(every, files)
        )

    def _clusters_of_files(
        self, every: Iterable[ReviewFamily], files: Mapping[int, DocumentFile]
    ) -> Iterator[store_plan.StoreCluster]:
        """Yield the clusters of families in which several documents are files."""
        for family in every:
            (cluster,) = family.clusters
            relatives = self._documents_with_files_related_to_first(cluster, files)
            if len(relatives) > 1:
                members = []
                for one in relatives:
                    number = self._numbers[one.name]
                    file = files[number]
                    members.append(
                        store_plan.StoreFile(
                            path=file.path,
                            size=file.size,
                            bytes_digest=self._store[number].bytes_digest,
                            name=one.name,
                            verdict=one.verdict,
                            resemblance=one.resemblance,
                        )
                    )
                yield store_plan.StoreCluster(family.number, cluster.name, members)

    def _documents_with_files_related_to_first(
        self, cluster: ReviewCluster, files: Mapping[int, DocumentFile]
    ) -> list[Relative]:
        """Return the documents of a cluster that are files, the one that stays first.

        If the keeper is no file, the first that is one stands for it, and the others were not
        compared with that one.
        """
        keeper = Relative(cluster.keeper, verdicts.IDENTICAL, 1.0)
        every = [one for one in (keeper, *cluster.members) if self._numbers[one.name] in files]
        if not every or every[0] is keeper:
            return every
        first = Relative(every[0].name, verdicts.IDENTICAL, 1.0)
        digest = self._store[self._numbers[first.name]].bytes_digest
        return [first] + [
            one._replace(verdict=verdicts.IDENTICAL, resemblance=1.0)
            if digest is not None and self._store[self._numbers[one.name]].bytes_digest == digest
            else one._replace(verdict=verdicts.CONNECTED, resemblance=None)
            for one in every[1:]
        ]

    def _measure_families_and_remember_names(self) -> list[ReviewFamily]:
        """Return the clusters with their names, and the verdicts of members."""
        clusters_in_order = self._clusters_in_order
        names = self._unique_names([number for cluster in clusters_in_order for number in cluster])
        self._numbers = {name: number for number, name in names.items()}
        pairs = [(cluster[0], member) for cluster in clusters_in_order for member in cluster[1:]]
        measures_by_pair = {
            pair: self._measures_by_pair[pair] for pair in pairs if pair in self._measures_by_pair
        }
        new = [
            each
            for each in clusters_in_order
            if any((each[0], one) not in measures_by_pair for one in each[1:])
        ]
        for at in range(0, len(new), _AT_ONCE):
            some = new[at : at + _AT_ONCE]
            found = self._store.compare_members_with_first(some)
            measures_by_pair |= {
                (each[0], one): found[one] for each in some for one in each if one in found
            }
        self._measures_by_pair = measures_by_pair
        return [
            ReviewFamily(stored[0], (self._cluster_with_keeper(stored[0], cluster, names),))
            for stored, cluster in zip(self._clusters, clusters_in_order, strict=True)
        ]

    def _cluster_with_keeper(
        self, first_stored: int, cluster: Sequence[int], names: Mapping[int, str]
    ) -> ReviewCluster:
        """Return a cluster, named after its first stored document; ``cluster[0]`` stays."""
        members = []
        for one in cluster[1:]:
            verdict, share = self._measures_by_pair.get(
                (cluster[0], one), (verdicts.UNVERIFIED, None)
            )
            members.append(Relative(names[one], _connected_if_unverified(verdict), share))
        return ReviewCluster(names[first_stored], names[cluster[0]], tuple(members))

    def _unique_names(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the names of documents; a source that several of them share is not used."""
        own, sources = self._store.client_ids(numbers), self._store.sources(numbers)
        called = {n: str(own[n]) if own[n] != n else sources.get(n) or str(n) for n in numbers}
        counts = Counter(called.values())
        return {n: name if counts[name] == 1 else f"{name} ({n})" for n, name in called.items()}


def _connected_if_unverified(verdict: str) -> str:
    """Return what a member is to the document that stays: each is like the stored keeper."""
    return verdicts.CONNECTED if verdict == verdicts.UNVERIFIED else verdict
