"""Plans for files: what is in them, what covers what, and what happens to each.

A plan has a head, a line per cluster of documents, a line per file that holds others (archives,
mailboxes, messages with attachments), a line per archive with all of its contents, and a line per
folder that stands in another one. A person may edit it: the ``action`` of a file, or that of a
folder for all files in it, the keeper of a cluster, the label of a member. It is refused if it
would lose anything.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat
from ilk.arrow.verdicts import CONTAINED, EXACT, IDENTICAL
from ilk.base._version import __version__
from ilk.base.errors import PlanError, reason_of_error
from ilk.base.json_text import parse_json
from ilk.read.files.content import last_dotted_extension, unescape_source_name
from ilk.read.files.copies import digest_of_file_if_size_matches
from ilk.read.formats.complete import HeldContent, NotComplete, contents_or_raise_if_incomplete
from ilk.read.formats.table import BY_EXTENSION
from ilk.read.report import Held
from ilk.search.clustering import CannotLink
from ilk.search.evidence import Thresholds
from ilk.search.measures import count_noun
from ilk.search.originals import Folders
from ilk.search.ranking import reasons_to_drop_or_null
from ilk.search.search import Search
from ilk.tasks.apply.equal_files import EqualFiles, decide_about_equal_files_if_unchanged
from ilk.tasks.apply.staying import (
    DROPS,
    IS_KEEPER,
    IS_LINK,
    CheckedDropWords,
    Fate,
    HeldPart,
    Holdings,
    SizedDigest,
    decide_fates,
)
from ilk.tasks.apply.twin_folders import SearchedRoots, find_twin_folders
from ilk.write.folder_lines import TwinFolder, is_below_folder_or_is_archive, plain_folders
from ilk.write.gains import EMPTY, FileFate
from ilk.write.results import cluster_records, clusters_with_sources

#: The version of the format.
VERSION = 3

#: What happens to a file: it stays or is dropped.
KEEP, DROP = "keep", "drop"

#: Labels that a person may give to a member, relative to its keeper.
SAME, DIFFERENT = "same", "different"

_HOW = "make one: ilk scan FOLDER --plan plan.jsonl"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: What is known of a document in a plan, besides its measures.
_FACTS = ("source", "file", "format", "left_out", "left_digest", "size", "bytes_digest", "modified")


class FileId(NamedTuple):
    """The device of a file, and its number there; all names of a file have the same."""

    device: int
    number: int


class KeptFile(NamedTuple):
    """A file as the plan describes it: its absolute path, its bytes, their digest in hex."""

    path: str
    size: int
    digest: str


class FileToDrop(NamedTuple):
    """A file to drop, and the files that must stay for it."""

    path: str
    size: int
    digest: str
    needs: tuple[KeptFile, ...]


class FilePlan(NamedTuple):
    """What to do with files; their names in the plan are relative to ``folder``.

    roots: absolute paths; nothing outside of them is touched.
    labels: what a person has said of a keeper and a member.
    notes: what a person must know of the plan, in sentences.
    """

    folder: str
    roots: tuple[str, ...]
    dropped: tuple[FileToDrop, ...]
    labels: tuple[LabelledPair, ...] = ()
    notes: tuple[str, ...] = ()


class LabelledPair(NamedTuple):
    """The sources of a keeper and a member, and whether a person labelled them the same."""

    keeper: str
    member: str
    same: bool


class KeeperVerdictColumns(NamedTuple):
    """Columns with a row for each member of a cluster of several, and for each document within
    another one.

    name, keeper: the sources of the document, and of its keeper or container.
    verdict: what it is to that.
    why: why the keeper stays and not this one; "" without a reason.
    """

    name: list[str]
    keeper: list[str]
    verdict: list[str]
    why: list[str]


class ListedContainer(NamedTuple):
    """By which line a file holds others, and how many documents it says that there are."""

    line_number: int
    document_count: int


class PlannedDrop(NamedTuple):
    """A file to drop, the line that drops it, and what covers it."""

    file: str
    line_number: int
    fate: Fate


class SearchedFiles(Protocol):
    """What a plan asks of the result of a search; ``ilk.SearchResult`` says what each is."""

    @property
    def documents(self) -> pa.Table:
        """Return one row per document."""

    @property
    def clusters(self) -> pa.Table:
        """Return one row per document of a family of two or more."""

    @property
    def contained_pairs(self) -> pa.Table:
        """Return one row per document that is contained in another."""

    @property
    def report(self) -> dict[str, Any]:
        """Return counts and options, as plain values."""

    @property
    def baseline_size(self) -> int:
        """Return how many documents, the first ones, are from ``against``."""

    @property
    def roots(self) -> Sequence[str]:
        """Return the paths that were given."""

    @property
    def folders(self) -> Folders | None:
        """Return where the documents are, ranked."""

    @property
    def inside(self) -> Mapping[str, Sequence[Held]]:
        """Return what each file holds without a text."""

    @property
    def reference_roots(self) -> Sequence[str]:
        """Return the paths of ``against``, if they are paths."""

    @property
    def unread(self) -> Collection[str]:
        """Return the names of files without a text whose bytes were compared."""

    @property
    def reference_unread(self) -> Collection[str]:
        """Return the names of files of ``against`` without a text."""

    @property
    def ranking(self) -> pa.Array | None:
        """Return the rows of ``documents``, best keeper first."""

    @property
    def search(self) -> Search:
        """Return the search that measured the documents."""

    @property
    def apart(self) -> CannotLink | None:
        """Return the documents that a person has labelled different."""


class PlanFiles:
    """The files of a result: what is in them, what each needs to go, and what is gained by it.

    Attributes:
        drop: what a person lets go besides files whose bytes stay.
        holdings: files and their parts.
        fates: by name, why a file stays, or what covers it.
        preferred: by name of a document, why its keeper stays and not this one.
        several: the files that hold others, or something without a text.
    """

    def __init__(self, result: SearchedFiles, drop: CheckedDropWords = ()) -> None:
        """Decide about all files that have something in a cluster; as ``SearchResult.files``."""
        self._result, self.drop = result, drop
        self.several, self.runs = set[str](), dict[str, int]()
        members = self._columns_of_clustered_and_contained()
        self.preferred = dict(zip(members.name, members.why, strict=True))
        equal = self.decide_if_only_bytes_were_compared()
        if equal is None:
            self._set_holdings_and_file_ids(members)
            self._reread_containers_set_fates_count_runs()
        else:
            self.holdings, self.fates = Holdings({}, equal.contents), equal.fates
            self._identities: dict[str, Any] = dict(equal.identities)

    def decide_if_only_bytes_were_compared(self) -> EqualFiles | None:
        """Decide about files that were compared by their bytes alone; None if there are others, or
        if that is not all that counts.
        """
        result, options = self._result, self._result.report["options"]
        limited = self._has_window or self._compares_only_with_reference
        roots = (*result.roots, *result.reference_roots)
        if not options.get("identical") or limited or options["links"]:
            return None
        if any(map(os.path.islink, roots)):
            return None
        return decide_about_equal_files_if_unchanged(
            result.documents, result.clusters, flat(result.ranking), result.baseline_size
        )

    def _set_holdings_and_file_ids(self, members: KeeperVerdictColumns) -> None:
        """Set the files with their parts, which of them hold several, and what each is on disk."""
        result = self._result
        keepers = dict(zip(members.name, members.keeper, strict=True))
        verdicts = dict(zip(members.name, members.verdict, strict=True))
        parts, mtimes = dict[str, HeldPart](), dict[str, datetime | None]()
        files = dict[str, SizedDigest]()
        for row in sorted(
            self.rows_of_clustered_files_best_first,
            key=lambda row: keepers.get(row["source"]) != row["source"],
        ):
            name, file = row["source"], row["file"]
            mtimes[file] = row["modified"]
            files.setdefault(file, SizedDigest(0, ""))
            parts[name] = HeldPart(
                source=name,
                file=file,
                keeper=keepers.get(name, ""),
                verdict=verdicts.get(name, ""),
                left_out=row["left_out"] or "",
                left_digest=(row["left_digest"] or b"").hex(),
                form=row["format"] or "",
                content=SizedDigest(row["size"] or 0, (row["bytes_digest"] or b"").hex()),
            )
        for file in files:
            for inner in result.inside.get(file, ()):
                reason = inner.reason or "it is not text"
                content = SizedDigest(inner.size, (inner.digest or b"").hex())
                unread = HeldPart(inner.source, file, unread=reason, content=content)
                parts[inner.source] = parts.get(inner.source, unread)._replace(unread=reason)
        whole = {
            row["source"]: row
            for row in self.rows_of_clustered_files_best_first
            if row["source"] == row["file"]
        }
        self.several = {p.file for p in parts.values() if p.source != p.file or p.unread}
        self._identities = {}
        for file in files:
            status = _read_status_or_none(file)
            files[file] = _size_with_digest_empty_if_changed(
                file, status, whole.get(file), mtimes.get(file)
            )
            self._identities[file] = _file_id_following_link_or_none(file, status)
        for name, part in parts.items():
            # Its own bytes say nothing new of a file, and nothing is known of one that has changed.
            own = files[part.file]
            if (name == part.file and part.content == own) or not own.digest:
                parts[name] = part._replace(content=SizedDigest(0, ""))
        self.holdings = Holdings(parts, files)
        # The row of an archive stands for its bytes, which hold nothing but its members.
        archives = [
            file
            for several in self.several
            for file in self.holdings.all_files_with_bytes_of(several)
            if file in whole and whole[file]["format"] is None
        ]
        for file in dict.fromkeys(archives):
            del parts[file]
        if archives:
            self.holdings = Holdings(parts, files)

    def _reread_containers_set_fates_count_runs(self) -> None:
        """Decide about files by what is in each, which may be read again for that."""
        result, drop, files = self._result, self.drop, self.holdings.files
        self._reread_containers_with_parts_elsewhere()
        stay = {
            row["file"]
            for row in self.rows_of_clustered_files_best_first
            if row["doc"] < result.baseline_size
        }
        if self._has_window:  # Bytes that stay may be those of a file too far away in time.
            stay |= files.keys()
        kept_empty = {f for f, own in files.items() if not own.size and EMPTY not in drop} - stay
        always_staying = stay | kept_empty
        fates = decide_fates(
            self.holdings,
            always_staying,
            drop,
            self._pairs_labelled_different(),
            only_against=self._compares_only_with_reference,
        )
        for file in kept_empty:
            fates[file] = Fate(why=IS_KEEPER)
            if not self.holdings.holds_keeper(file):
                why = f"is empty; --drop {EMPTY} lets it go"
                fates[file] = Fate(why=why, releasing_words=(EMPTY,))
        for file, fate in fates.items():
            reason = None if fate.why else self._why_changed_or_hard_link_stays(file, fate.needs)
            if reason is not None:
                fates[file] = Fate(why=reason)
        self.fates = fates
        self.runs |= self._count_runs_lost_by_verdicts()
        self._add_losses_and_releases_to_reasons()

    @property
    def _compares_only_with_reference(self) -> bool:
        """Whether files are compared with those of the reference alone."""
        return bool(self._result.report["options"].get("only_against"))

    @property
    def _has_window(self) -> bool:
        """Whether files are alike only if they are near enough in time."""
        return self._result.report["options"].get("window") is not None

    def _columns_of_clustered_and_contained(self) -> KeeperVerdictColumns:
        """Return what is known of the members of clusters, and of documents within others."""
        result = self._result
        documents, clusters = result.documents, result.clusters
        counts = pc.value_counts(clusters["cluster"])
        several = counts.field(0).filter(pc.greater(counts.field(1), 1))
        members = clusters.filter(pc.is_in(clusters["cluster"], value_set=several))
        docs, keepers, sources = (
            flat(members["doc"]),
            flat(members["keeper"]),
            flat(documents["source"]),
        )
        keep = result.report["options"]["keep"]
        why = reasons_to_drop_or_null(
            documents,
            keep,
            docs=docs,
            keepers=keepers,
            read_column=None,
            baseline_size=result.baseline_size,
            roots=result.roots,
            folders=result.folders,
        )
        alone = pc.invert(pc.is_in(result.contained_pairs["left"], value_set=docs))
        pairs = result.contained_pairs.filter(alone)
        inner, outer = flat(pairs["left"]), flat(pairs["right"])
        return KeeperVerdictColumns(
            [*sources.take(docs).to_pylist(), *sources.take(inner).to_pylist()],
            [*sources.take(keepers).to_pylist(), *sources.take(outer).to_pylist()],
            [*flat(members["verdict"]).to_pylist(), *[CONTAINED] * len(inner)],
            [*pc.fill_null(why, "").to_pylist(), *[""] * len(inner)],
        )

    @cached_property
    def rows_of_clustered_files_best_first(self) -> list[dict[str, Any]]:
        """The documents of each file that has something in a cluster, best keeper first."""
        result, documents = self._result, self._result.documents
        inner, outer = flat(result.contained_pairs["left"]), flat(result.contained_pairs["right"])
        docs = pa.concat_arrays([flat(result.clusters["doc"]), inner, outer])
        own = pc.unique(flat(documents["file"]).take(docs)).drop_null()
        order = flat(result.ranking)
        order = order.filter(pc.is_in(flat(documents["file"]).take(order), value_set=own))
        return list(documents.select([*_FACTS, "doc"]).take(order).to_pylist())

    def _pairs_labelled_different(self) -> set[frozenset[str]]:
        """Return the pairs of files that a person has labelled different."""
        apart = self._result.apart
        if apart is None:
            return set()
        sources = flat(self._result.documents["source"])
        sides = (pa.array(side, pa.int64()) for side in (apart.left, apart.right))
        pairs = (sources.take(side).to_pylist() for side in sides)
        return {frozenset(pair) for pair in zip(*pairs, strict=True)}

    def _reread_containers_with_parts_elsewhere(self) -> None:
        """Read the containers whose known parts stand elsewhere, to see if they hold nothing else.

        ``holdings`` gets the contents of each, or why it is not known that they are complete.
        """
        holdings = self.holdings
        for file in holdings.files:
            first = holdings.all_files_with_bytes_of(file)[0]
            if file != first or not self._are_all_parts_in_unequal_files(file):
                continue
            try:
                with open(unescape_source_name(file), "rb") as opened:
                    holdings.contents[file] = contents_or_raise_if_incomplete(opened)
            except NotComplete as error:
                holdings.incomplete[file] = str(error)
            except OSError as error:
                holdings.incomplete[file] = f"it cannot be read again ({reason_of_error(error)})"

    def _are_all_parts_in_unequal_files(self, file: str) -> bool:
        """Return whether a file holds something, and the bytes of all of it are elsewhere too."""
        holdings, same = self.holdings, set(self.holdings.all_files_with_bytes_of(file))
        if not holdings.files[file].digest or not holdings.holds_more_than_itself(file):
            return False
        return all(
            part.content.digest
            and holdings.find_staying_place_or_none(part.content, lambda one: one not in same)
            for part in holdings.most_detailed_parts_of_file_or_copy(file)
        )

    def _why_changed_or_hard_link_stays(self, file: str, needs: Collection[str]) -> str | None:
        """Return why a covered file stays: it, or one that it needs, has changed since it was read;
        or it is a hard link to one of these. None if it may go.
        """
        its, others = self._identities[file], [self._identities[one] for one in needs]
        if its is None or None in others or not self.holdings.files[file].digest:
            return "has changed since it was read"
        return IS_LINK if its in others else None

    def _count_runs_lost_by_verdicts(self) -> dict[str, int]:
        """Return by file how many runs of words stand in it and not in the keepers of its parts.

        Only files that a verdict lets go, or has let go, and that have parts unlike their keepers.
        """
        docs = {row["source"]: row["doc"] for row in self.rows_of_clustered_files_best_first}
        files, pairs = list[str](), list[tuple[int, int]]()
        for file, fate in self.fates.items():
            for part in (
                self.holdings.most_detailed_parts_of_file_or_copy(file)
                if fate.releasing_words
                else ()
            ):
                if part.verdict not in ("", IDENTICAL, EXACT) and part.keeper in docs:
                    files.append(file)
                    pairs.append((docs[part.source], docs[part.keeper]))
        if not pairs:
            return {}
        left, right = (pa.array([pair[side] for pair in pairs], pa.int64()) for side in (0, 1))
        judged = self._result.search.evidence.with_all_measured_by_words().judge_pairs(
            left, right, Thresholds()
        )
        lacking = pc.subtract(judged["left_shingles"].cast(pa.int64()), judged["shared"])
        counts = dict[str, int]()
        for file, count in zip(files, lacking.to_pylist(), strict=True):
            counts[file] = counts.get(file, 0) + (count or 0)
        return counts

    def _add_losses_and_releases_to_reasons(self) -> None:
        """Say of each file that a verdict would let go what its keepers lack, and what lets it."""
        shingle = count_noun(self._result.report["options"]["shingle"], "word")
        for file, fate in self.fates.items():
            if not fate.why or not fate.releasing_words or EMPTY in fate.releasing_words:
                continue
            runs = self.runs.get(file, 0)
            lacking = f", but for {count_noun(runs, 'run')} of {shingle}" if runs else ""
            lets = f"; --drop {','.join(fate.releasing_words)} lets it go"
            self.fates[file] = fate._replace(why=fate.why + lacking + lets)

    @cached_property
    def twin_folders(self) -> list[TwinFolder]:
        """The largest folders whose contents stand in another one, those of most bytes first."""
        result = self._result
        if (
            self._has_window or self._compares_only_with_reference
        ):  # Folders are compared whatever was asked.
            return []
        documents = result.documents
        if not result.roots or "file" not in documents.column_names:
            return []
        files, own = documents["file"], pc.equal(documents["file"], documents["source"])
        read = pc.unique(files).drop_null().to_pylist()
        sizes = dict.fromkeys([*result.unread, *result.reference_unread, *read])
        whole = documents.filter(own).select(["file", "size"])
        sizes |= zip(*whole.to_pydict().values(), strict=True)
        searched = SearchedRoots(result.roots, result.reference_roots, sizes)
        return find_twin_folders(self.holdings, self.fates, searched)

    def file_fates(self) -> dict[str, FileFate]:
        """Return by file its bytes, why it stays ("" if it goes), and what lets it go."""
        fates, files = dict[str, FileFate](), self.holdings.files
        links = self._find_earlier_hard_links_among_possible_drops()
        for file, fate in self.fates.items():
            same = next((one for one in fate.needs if files[one] == files[file]), "")
            runs, link = self.runs.get(file, 0), links.get(file, "")
            fates[file] = FileFate(
                size=files[file].size,
                why=fate.why,
                releasing_words=fate.releasing_words,
                copy_that_stays=same,
                runs=runs,
                counted_link=link,
            )
        return fates

    def _find_earlier_hard_links_among_possible_drops(self) -> dict[str, str]:
        """Return which files that go, or may go by a word, are names of one counted before: that
        name, by file.
        """
        file_ids = self._identities
        names = Counter(map(file_ids.get, self.fates))
        first, links = dict[Any, str](), dict[str, str]()
        # Those that go come first: each is counted with one that goes too.
        several = (file for file in self.fates if names[file_ids.get(file)] > 1)
        for _, file in sorted((bool(self.fates[file].why), file) for file in several):
            if self.fates[file].why and not self.fates[file].releasing_words:
                continue
            # What has gone has no other name.
            status = _read_status_or_none(file)
            before = file if status is None else first.setdefault(file_ids[file], file)
            if status is not None and before != file and status.st_nlink > 1:
                links[file] = before
        return links

    def size_by_dropped_file(self) -> dict[str, int]:
        """Return the files that the plan drops, with their sizes."""
        files = self.holdings.files
        return {file: files[file].size for file, fate in self.fates.items() if not fate.why}

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of a plan."""
        yield make_plan_head(os.getcwd(), self._result.roots)
        facts_of = {row["source"]: row for row in self.rows_of_clustered_files_best_first}
        parts_of_file = defaultdict[str, list[HeldPart]](list)
        for part in self.holdings.parts.values():
            parts_of_file[part.file].append(part)
        named = clusters_with_sources(self._result.documents, self._result.clusters)
        written_sources = set[str]()
        for record in chain(cluster_records(named), self._contained_documents_as_clusters()):
            members = []
            for member in record["members"]:
                name = member["source"]
                if name not in facts_of:
                    continue
                if record["kind"] == CONTAINED and name in written_sources:
                    continue  # The container is described with its own cluster.
                written_sources.add(name)
                members.append(member)
                row, file = facts_of[name], facts_of[name]["file"]
                if row["format"]:
                    member["format"] = row["format"]
                if row["left_out"]:
                    member["left_out"] = row["left_out"]
                    member["left_digest"] = (row["left_digest"] or b"").hex()
                if row["modified"] is not None:
                    member["modified"] = row["modified"].isoformat()
                if name != record["keeper"]:
                    member["preferred"] = self.preferred.get(name, "")
                held_part = self.holdings.parts.get(name)
                if file == name:
                    member |= self.holdings.files[
                        file
                    ]._asdict() | self._action_reason_and_drop_words_of_file(file)
                    if file in self.several:
                        member["holds"] = len(parts_of_file[file])
                    if held_part is not None and held_part.content.digest:
                        member["content"] = list(held_part.content)
                else:
                    unknown = SizedDigest(row["size"] or 0, "")
                    content = unknown if held_part is None else held_part.content
                    member |= {"file": file, "size": content.size, "digest": content.digest}
            yield record | {"members": members}
        own = {row["source"] for row in self.rows_of_clustered_files_best_first}
        for file in sorted(self.several & self.fates.keys()):
            line: dict[str, Any] = {"file": file, **self.holdings.files[file]._asdict()}
            line["holds"] = [part.source for part in parts_of_file[file]]
            line["unread"] = {
                part.source: part.unread for part in parts_of_file[file] if part.unread
            }
            if file not in own:  # Else the member of that name has its action.
                line |= self._action_reason_and_drop_words_of_file(file)
            line["covered"] = {name: by for name, (by, _) in self.fates[file].covered.items()}
            yield line
        for file, contents in self.holdings.contents.items():
            yield {"container": file, "contents": list(contents)}
        yield from plain_folders(self.twin_folders)

    def _contained_documents_as_clusters(self) -> Iterator[dict[str, Any]]:
        """Yield documents that are within others, each as a cluster with its container."""
        rows = {row["source"]: row for row in self.rows_of_clustered_files_best_first}
        for row in self._result.contained_pairs.to_pylist():
            inner, outer = (
                self._result.documents["source"][row[side]].as_py() for side in ("left", "right")
            )
            part = self.holdings.parts.get(inner)
            if part is not None and part.verdict == CONTAINED and outer in rows:
                measures = {
                    "resemblance": row["resemblance"],
                    "contained_in_keeper": row["containment_left"],
                    "contains_keeper": row["containment_right"],
                }
                members = [{"source": outer, "verdict": IDENTICAL}]
                members.append({"source": inner, "verdict": CONTAINED} | measures)
                yield {"kind": CONTAINED, "keeper": outer, "also_like": None, "members": members}

    def _action_reason_and_drop_words_of_file(self, file: str) -> dict[str, Any]:
        """Return what happens to a file, and which words of ``--drop`` decide it."""
        fate, action = self.fates[file], dict[str, Any]()
        action["action"] = KEEP if fate.why else DROP
        if fate.why:
            action["why"] = fate.why
        if fate.releasing_words:
            action["drop_if"] = list(fate.releasing_words)
        if file in self.runs:
            action["runs_only_here"] = self.runs[file]
        return action


def _read_status_or_none(file: str) -> os.stat_result | None:
    """Return what the system says of a file, or of the link that has its name; None if there is
    neither.
    """
    with contextlib.suppress(OSError):
        return os.lstat(unescape_source_name(file))
    return None


def _file_id_following_link_or_none(file: str, status: os.stat_result | None) -> FileId | None:
    """Return the device and the number of a file there, or of what a link leads to; None if there
    is no such file.

    Args:
        file: its name.
        status: what the system says of it, or of the link.
    """
    if status is not None and stat.S_ISLNK(status.st_mode):
        with contextlib.suppress(OSError):
            status = os.stat(unescape_source_name(file))
    return status and FileId(status.st_dev, status.st_ino)


def _size_with_digest_empty_if_changed(
    file: str,
    status: os.stat_result | None,
    own_row: Mapping[str, Any] | None,
    last_change: datetime | None,
) -> SizedDigest:
    """Return size and digest of a file as it was read; without a digest if it has changed since.

    Args:
        file: its name.
        status: what the system says of it; None if it is gone.
        own_row: its own row of ``documents``, if it has one.
        last_change: when it was changed last, as it was read.
    """
    path = unescape_source_name(file)
    if status is None:
        return SizedDigest(0, "")
    packed = (
        BY_EXTENSION.get(last_dotted_extension(path)) == "compressed"
    )  # Its row has the unpacked bytes.
    if not packed and own_row is not None and own_row["size"] == status.st_size:
        read_digest = own_row["bytes_digest"]
        if read_digest is not None:
            return SizedDigest(status.st_size, read_digest.hex())
    # The text was compared, or the members; the file's own bytes are moved, and compared again.
    then = None if last_change is None else (last_change - _EPOCH) // timedelta(microseconds=1)
    since = then is not None and then != status.st_mtime_ns // 1000
    known_empty = status.st_size == 0
    digest = None if since or known_empty else digest_of_file_if_size_matches(path, status.st_size)
    return SizedDigest(status.st_size, "" if digest is None else digest.hex())


def make_plan_head(folder: str, roots: Sequence[str]) -> dict[str, Any]:
    """Return the first line of a plan, for names relative to a folder, and what was scanned."""
    real = list(dict.fromkeys(os.path.realpath(root) for root in roots))
    head = {"version": VERSION, "ilk": __version__, "folder": folder, "roots": real}
    return {"plan": head | {"check": _head_checksum(head)}}


def _head_checksum(head: Mapping[str, Any]) -> str:
    """Return a checksum of what a person does not edit in the head of a plan."""
    head_text = json.dumps([head["version"], head["folder"], head["roots"]])
    return hashlib.blake2b(head_text.encode(), digest_size=8).hexdigest()


def read_plan(path: str | os.PathLike[str], drop: CheckedDropWords = ()) -> FilePlan:
    """Read a plan; a PlanError if it cannot be read, or would lose something.

    Args:
        path: the file.
        drop: words of ``staying.DROPS``: drop too what these let go.
    """
    plan_name = os.fspath(path)
    try:
        status = os.stat(path)
        # A device may never end, and a pipe that nobody writes to would wait for ever.
        if not stat.S_ISREG(status.st_mode) and not os.path.samestat(status, os.fstat(0)):
            raise PlanError(f"{plan_name} is not a plan: neither a file nor standard input; {_HOW}")
        with open(path, "rb") as file:
            rows = [
                (line_number, parse_json(line))
                for line_number, line in enumerate(file, 1)
                if line.strip()
            ]
    except OSError as error:
        raise PlanError(
            f"there is no plan {plan_name!r} ({reason_of_error(error)}); {_HOW}"
        ) from None
    except ValueError as error:
        raise PlanError(f"{plan_name} is not a plan ({error}); {_HOW}") from None
    head = rows[0][1].get("plan") if rows and isinstance(rows[0][1], dict) else None
    if not isinstance(head, dict) or not {"folder", "roots"} <= head.keys():
        raise PlanError(f"{plan_name} is not a plan (its first line is not a head); {_HOW}")
    if head.get("version") != VERSION:
        raise PlanError(
            f"{plan_name} is a plan of version {head.get('version')!r}, but this ilk reads version "
            f"{VERSION}; {_HOW}"
        )
    if head.get("check") != _head_checksum(head):
        raise PlanError(f"the first line of {plan_name}, with the folders, was changed; {_HOW}")
    lines, folder = PlanLines(rows[1:], drop), head["folder"]
    going, differing = [], Counter[str]()
    for name, line_number, fate in lines.files_to_drop_even_if_uncovered():
        if fate.why:
            raise PlanError(f"line {line_number} of the plan drops {name}, but it {fate.why}")
        if fate.releasing_words:
            differing[",".join(fate.releasing_words)] += 1
        needs = tuple(
            KeptFile(
                os.path.join(folder, unescape_source_name(need)),
                lines.files[need].size,
                lines.files[need].digest,
            )
            for need in fate.needs
        )
        bytes_, path = lines.files[name], os.path.join(folder, unescape_source_name(name))
        going.append(FileToDrop(path, bytes_.size, bytes_.digest, needs))
    notes = list(lines.sentences_on_overruled_file_lines())
    if differing:
        listed = ", ".join(f"{words} {count:,}" for words, count in differing.most_common())
        files = count_noun(differing.total(), "file")
        notes.append(f"the plan drops {files} whose bytes do not stay ({listed})")
    return FilePlan(
        folder=folder,
        roots=tuple(head["roots"]),
        dropped=tuple(going),
        labels=tuple(lines.labels),
        notes=tuple(notes),
    )


class PlanLines:
    """What the lines of a plan say."""

    def __init__(self, rows: Sequence[tuple[int, Any]], drop: CheckedDropWords = ()) -> None:
        """Take the lines after the head, each with its number; ``drop`` as for ``read``."""
        self._drop = set(drop)
        self._line_of_file_to_drop: dict[str, int] = {}
        self._contents: dict[str, tuple[HeldContent, ...]] = {}
        self.parts: dict[str, HeldPart] = {}
        self.files: dict[str, SizedDigest] = {}
        self.labels: list[LabelledPair] = []
        self._drops: dict[str, int] = {}
        self._apart = set[str]()
        # By the line of a folder, the files that stay for it against their own lines.
        self._kept_against_own_line = defaultdict[tuple[int, str], list[str]](list)
        folders = list[tuple[int, Mapping[str, Any]]]()
        containers: dict[str, ListedContainer] = {}
        for line_number, row in rows:
            try:
                if "folder" in row:
                    folders.append((line_number, row))
                elif "container" in row:
                    self._contents[row["container"]] = _parse_contents(row["contents"])
                elif "members" in row or ("file" not in row and "summary" not in row):
                    containers |= self._add_cluster_and_list_containers(line_number, row)
                elif "file" in row:
                    self._add_file_line(line_number, row)
            except (KeyError, TypeError, AttributeError) as error:
                raise PlanError(
                    f"line {line_number} of the plan is not a cluster: {error} is missing"
                ) from None
        held = Counter(part.file for part in self.parts.values())
        for name, (line_number, count) in containers.items():
            if held[name] != count:
                listed = f"{count} documents, but the plan lists {held[name]} of them"
                raise _line_error(line_number, f"{name} holds {listed}; {_HOW}")
        for line_number, row in folders:
            folder, other, action = row.get("folder"), row.get("other"), row.get("action")
            if not isinstance(folder, str) or not isinstance(other, str):
                raise _line_error(line_number, "the names of the two folders are missing")
            if action == KEEP:
                self._keep_files_in_folder(line_number, folder)
            elif action == DROP:
                self._drop_files_with_copy_in_other(line_number, folder, other)
            elif action is not None:
                raise _line_error(
                    line_number,
                    f"the action of {folder} is {action!r}; it must be {KEEP} or {DROP}",
                )
        for part in self.parts.values():
            self.files.setdefault(part.file, SizedDigest(0, ""))

    def _keep_files_in_folder(self, line_number: int, folder: str) -> None:
        """Keep all files in a folder, whatever their own lines say."""
        for file in self._files_in_folder_refusing_none(line_number, folder):
            self._drops.pop(file, None)
            self._line_of_file_to_drop.pop(file, None)

    def _drop_files_with_copy_in_other(self, line_number: int, folder: str, other: str) -> None:
        """Drop the files in a folder that have a copy in the other one; keep such a copy where its
        own line would drop it.
        """
        copies = defaultdict[SizedDigest, list[str]](list)
        for file, own in self.files.items():
            if is_below_folder_or_is_archive(file, other):
                copies[own].append(file)
        for file in self._files_in_folder_refusing_none(line_number, folder):
            same = copies.get(self.files[file], [])
            if self.files[file].digest and same and file not in self._apart:
                self._drops.setdefault(file, line_number)
                if all(one in self._drops for one in same):
                    del self._drops[same[0]]
                    self._kept_against_own_line[line_number, folder].append(same[0])

    def _files_in_folder_refusing_none(self, line_number: int, folder: str) -> list[str]:
        """Return the files of the plan in a folder; PlanError if it has no file there."""
        inside = [file for file in self.files if is_below_folder_or_is_archive(file, folder)]
        if not inside:
            raise _line_error(line_number, f"no file of the plan is in {folder}")
        return inside

    def sentences_on_overruled_file_lines(self) -> Iterator[str]:
        """Yield a sentence for each folder whose action keeps files that their own lines drop."""
        for (line_number, name), files in self._kept_against_own_line.items():
            if count := len({file for file in files if file not in self._drops}):
                stay, own = ("stays", "its own line drops it")
                if count > 1:
                    stay, own = "stay", "their own lines drop them"
                some = count_noun(count, "file")
                yield (
                    f"line {line_number} of the plan drops the files in {name}; so {some} outside "
                    f"of it {stay}, though {own}"
                )

    def _add_cluster_and_list_containers(
        self, line_number: int, row: dict[str, Any]
    ) -> dict[str, ListedContainer]:
        """Add the parts, files and labels of a cluster; return its files that hold others."""
        keeper, containers = row["keeper"], dict[str, ListedContainer]()
        for member in row["members"]:
            name, label = member["source"], member.get("label")
            file, apart = member.get("file", name), label == DIFFERENT
            if label not in (None, SAME, DIFFERENT):
                phrase = f"the label of {name} is {label!r}"
                raise _line_error(line_number, f"{phrase}; it must be {SAME} or {DIFFERENT}")
            if label is not None:
                if name == keeper:
                    raise _line_error(line_number, "the keeper has a label; only other members can")
                self.labels.append(LabelledPair(keeper, name, label == SAME))
            content = SizedDigest(*member.get("content", (0, "")))
            if file != name:
                content = SizedDigest(member["size"] or 0, member["digest"] or "")
            self.parts[name] = HeldPart(
                source=name,
                file=file,
                keeper=keeper,
                verdict=member["verdict"],
                left_out=member.get("left_out", ""),
                left_digest=member.get("left_digest", ""),
                form=member.get("format", ""),
                parted=apart,
                content=content,
            )
            if file == name:
                self._add_file_with_action(line_number, name, member, labelled_different=apart)
                if "holds" in member:
                    containers[name] = ListedContainer(line_number, member["holds"])
        if all(member["source"] != keeper for member in row["members"]) and (
            row.get("kind") != CONTAINED or keeper not in self.parts
        ):
            raise _line_error(line_number, "the keeper must be one member")
        return containers

    def _add_file_line(self, line_number: int, row: dict[str, Any]) -> None:
        """Add the parts that a file is said to hold, and what happens to the file."""
        name = row["file"]
        if name not in row["holds"]:  # Its own row stands for its bytes.
            self.parts.pop(name, None)
        for source in row["holds"]:
            unread = row["unread"].get(source, "")
            part = self.parts.get(source, HeldPart(source, name))
            self.parts[source] = part._replace(unread=unread)
        self._add_file_with_action(line_number, name, row, labelled_different=False)

    def _add_file_with_action(
        self, line_number: int, name: str, row: Mapping[str, Any], *, labelled_different: bool
    ) -> None:
        """Add a file, and whether it is dropped by its action, or by the words of ``drop``; one
        that a person has labelled different from its keeper stays.
        """
        action, digest = row.get("action", KEEP), row["digest"] or ""
        if action not in (KEEP, DROP):
            phrase = f"the action of {name} is {action!r}"
            raise _line_error(line_number, f"{phrase}; it must be {KEEP} or {DROP}")
        self.files[name] = SizedDigest(row["size"], digest)
        if labelled_different:
            self._apart.add(name)
        elif action == DROP:
            if not digest:
                raise _line_error(line_number, f"{name} has no digest and cannot be dropped")
            if self._drops.setdefault(name, line_number) != line_number:
                raise _line_error(
                    line_number, f"it drops {name}, and so does line {self._drops[name]}"
                )
        elif digest and row.get("drop_if") and set(row["drop_if"]) <= self._drop:
            self._line_of_file_to_drop[name] = line_number

    def files_to_drop_even_if_uncovered(self) -> Iterator[PlannedDrop]:
        """Yield the files to drop, each with its line and with what covers it.

        An action that stands in the plan is what a person wants, by whichever verdict. A file that
        only ``drop`` lets go stays where something that it needs is dropped.
        """
        holdings = Holdings(self.parts, self.files, self._contents)
        going = self._drops | self._line_of_file_to_drop
        for name in list(self._line_of_file_to_drop):
            fate = holdings.find_fate(name, lambda other: other not in going)
            if fate.why and not set(fate.releasing_words or DROPS) <= self._drop:
                del going[name]
        for name, line_number in going.items():
            fate = holdings.find_fate(name, lambda other: other not in going)
            yield PlannedDrop(
                name, line_number, fate._replace(why="") if fate.releasing_words else fate
            )


def _parse_contents(rows: Sequence[Any]) -> tuple[HeldContent, ...]:
    """Return the contents of a container from their values in a plan."""
    return tuple(
        HeldContent(size, digest, _parse_contents(inside)) for size, digest, inside in rows
    )


def _line_error(line_number: int, problem: str) -> PlanError:
    return PlanError(f"line {line_number} of the plan: {problem}")
