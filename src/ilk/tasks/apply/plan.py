"""Plans for files: what is in them, what covers what, and what happens to each.

A plan has a head, a line per cluster of documents, and a line per file that holds others (archives,
mailboxes, messages with attachments). A person may edit it: the ``action`` of a file, the keeper of
a cluster, the label of a member. It is refused if it would lose anything.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow.compute as pc

from ilk import __version__
from ilk.arrow import flat
from ilk.base.errors import PlanError
from ilk.base.parsed import parsed
from ilk.read.files.content import path_of
from ilk.read.files.copies import file_digest
from ilk.search.ranking import deciding
from ilk.tasks.apply.staying import ACCEPTED, Bytes, Fate, HeldPart, Holdings, decided
from ilk.write.results import cluster_records, named_clusters

if TYPE_CHECKING:
    from ilk.tasks.result import Result

#: The version of the format.
VERSION = 2

#: What happens to a file: it stays or is dropped.
KEEP, DROP = "keep", "drop"

#: Labels that a person may give to a member, relative to its keeper.
SAME, DIFFERENT = "same", "different"

_HOW = "make one: ilk scan FOLDER --plan plan.jsonl"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: What is known of a document in a plan, besides its measures.
_FACTS = ("source", "file", "format", "left_out", "left_digest", "size", "bytes_digest", "modified")


class Kept(NamedTuple):
    """A file as the plan describes it: its absolute path, its bytes, their digest in hex."""

    path: str
    size: int
    digest: str


class Going(NamedTuple):
    """A file to drop, the files that must stay for it, and the verdicts of what is in it."""

    path: str
    size: int
    digest: str
    needs: tuple[Kept, ...]
    verdicts: frozenset[str]


class Plan(NamedTuple):
    """What to do with files; their names in the plan are relative to ``folder``.

    roots: absolute paths; nothing outside of them is touched.
    labels: sources of a keeper and a member, and whether they are labelled the same.
    """

    folder: str
    roots: tuple[str, ...]
    dropped: tuple[Going, ...]
    labels: tuple[tuple[str, str, bool], ...] = ()


class Files:
    """The files of a result: what is in them, what each needs to go, and what is gained by it.

    Attributes:
        holdings: files and their parts.
        fates: by name, why a file stays, or what covers it.
        preferred: by name of a document, why its keeper stays and not this one.
        rows: what is known of the documents in files that have something in a cluster.
        several: the files that hold others, or something without a text.
    """

    def __init__(self, result: Result, *, formats: bool = False, empty: bool = False) -> None:
        """Decide about all files that have something in a cluster; as ``Result.files``."""
        self._result = result
        documents, clusters = result.documents, result.clusters
        counts = pc.value_counts(clusters["cluster"])
        several = counts.field(0).filter(pc.greater(counts.field(1), 1))
        some = clusters.filter(pc.is_in(clusters["cluster"], value_set=several))
        docs, keepers_of, sources = some["doc"], some["keeper"], flat(documents["source"])
        names = sources.take(flat(docs)).to_pylist()
        keepers = dict(zip(names, sources.take(flat(keepers_of)).to_pylist(), strict=True))
        verdicts = dict(zip(names, some["verdict"].to_pylist(), strict=True))
        keep = result.report["options"]["keep"]
        why = deciding(documents, keep, flat(keepers_of), flat(docs), None, result.roots)
        self.preferred = dict(zip(names, why.to_pylist(), strict=True))
        own = pc.unique(flat(documents["file"]).take(flat(clusters["doc"]))).drop_null()
        rows = documents.filter(pc.is_in(documents["file"], value_set=own))
        self.rows = rows.select([*_FACTS, "doc"]).to_pylist()
        parts, modified = dict[str, HeldPart](), dict[str, int | None]()
        files = dict[str, Bytes]()
        for row in sorted(self.rows, key=lambda row: keepers.get(row["source"]) != row["source"]):
            name, file = row["source"], row["file"]
            modified[file] = row["modified"]
            files.setdefault(file, Bytes(0, ""))
            left = row["left_out"] or "", (row["left_digest"] or b"").hex()
            known = keepers.get(name, ""), verdicts.get(name, "")
            parts[name] = HeldPart(name, file, *known, *left, row["format"] or "")
        for file in files:
            for part in result.inside.get(file, ()):
                reason = part.reason or "it is not text"
                unread = HeldPart(part.source, file, unread=reason)
                parts[part.source] = parts.get(part.source, unread)._replace(unread=reason)
        whole = {row["source"]: row for row in self.rows if row["source"] == row["file"]}
        self.several = {p.file for p in parts.values() if p.source != p.file or p.unread}
        for file in files:
            files[file] = _bytes(file, whole.get(file), modified.get(file))
        self.holdings = Holdings(parts, files, formats, ACCEPTED)
        for file, row in whole.items():
            # The row of an archive stands for its bytes, which hold nothing but its members.
            if row["format"] is None and self.several.intersection(self.holdings.equal(file)):
                del parts[file]
        self.holdings = Holdings(parts, files, formats, ACCEPTED)
        stay = {row["file"] for row in self.rows if row["doc"] < result.held}
        stay |= set() if empty else {file for file, known in files.items() if not known.size}
        self._empty = empty
        found = decided(self.holdings, stay)
        self.fates = {file: self._linked(file, fate) for file, fate in found.items()}

    def _linked(self, file: str, fate: Fate) -> Fate:
        """Return the fate of a file; a hard link to one that it needs stays, and what changed."""
        known = self.holdings.files[file]
        if fate.why and not known.size and not self._empty:
            return Fate((), {}, "is empty; --also-drop empty lets it go")
        try:
            linked = any(os.path.samefile(path_of(file), path_of(one)) for one in fate.needs)
        except OSError:
            linked, known = False, Bytes(0, "")
        if not fate.why and not known.digest:
            return Fate((), {}, "has changed since it was read")
        return Fate((), {}, "is a hard link to its keeper, and takes no room") if linked else fate

    def known(self) -> dict[str, tuple[int, str]]:
        """Return by file its bytes, and why it stays ("" if it may go)."""
        return {file: (self.holdings.files[file].size, it.why) for file, it in self.fates.items()}

    def dropped(self) -> dict[str, int]:
        """Return the files that may go, with their sizes."""
        return {file: size for file, (size, why) in self.known().items() if not why}

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of a plan."""
        yield head(os.getcwd(), self._result.roots)
        known = {row["source"]: row for row in self.rows}
        held = defaultdict[str, list[HeldPart]](list)
        for part in self.holdings.parts.values():
            held[part.file].append(part)
        named = named_clusters(self._result.documents, self._result.clusters)
        for record in cluster_records(named):
            for member in record["members"]:
                name = member["source"]
                if name not in known:
                    continue
                row, file = known[name], known[name]["file"]
                if row["format"]:
                    member["format"] = row["format"]
                if row["left_out"]:
                    member["left_out"] = row["left_out"]
                    member["left_digest"] = (row["left_digest"] or b"").hex()
                if row["modified"] is not None:
                    member["modified"] = row["modified"].isoformat()
                if name != record["keeper"]:
                    member["preferred"] = self.preferred.get(name, "")
                if file == name:
                    member |= self.holdings.files[file]._asdict() | self._acting(file)
                    if file in self.several:
                        member["holds"] = len(held[file])
                else:
                    member |= {"file": file, "size": row["size"], "digest": None}
            yield record
        own = {row["source"] for row in self.rows}
        for file in sorted(self.several & self.fates.keys()):
            line: dict[str, Any] = {"file": file, **self.holdings.files[file]._asdict()}
            line["holds"] = [part.source for part in held[file]]
            line["unread"] = {part.source: part.unread for part in held[file] if part.unread}
            if file not in own:  # Else the member of that name has its action.
                line |= self._acting(file)
            line["covered"] = {name: by for name, (by, _) in self.fates[file].covered.items()}
            yield line

    def _acting(self, file: str) -> dict[str, Any]:
        why = self.fates[file].why
        return {"action": KEEP, "why": why} if why else {"action": DROP}


def _bytes(file: str, row: Mapping[str, Any] | None, modified: Any) -> Bytes:
    """Return the bytes of a file as it was read; without a digest if it has changed since."""
    path = path_of(file)
    try:
        status = os.lstat(path)
    except OSError:
        return Bytes(0, "")
    if row is not None and row["size"] == status.st_size and row["bytes_digest"] is not None:
        return Bytes(status.st_size, row["bytes_digest"].hex())
    # The text was compared, or the members; the file's own bytes are moved, and compared again.
    then = None if modified is None else (modified - _EPOCH) // timedelta(microseconds=1)
    since = then is not None and then != status.st_mtime_ns // 1000
    digest = None if since else file_digest(path, status.st_size)
    return Bytes(status.st_size, "" if digest is None else digest.hex())


def head(folder: str, roots: Sequence[str]) -> dict[str, Any]:
    """Return the first line of a plan, for names relative to a folder, and what was scanned."""
    real = list(dict.fromkeys(os.path.realpath(root) for root in roots))
    known = {"version": VERSION, "ilk": __version__, "folder": folder, "roots": real}
    return {"plan": known | {"check": _sum(known)}}


def _sum(known: Mapping[str, Any]) -> str:
    """Return a checksum of what a person does not edit in the head of a plan."""
    said = json.dumps([known["version"], known["folder"], known["roots"]])
    return hashlib.blake2b(said.encode(), digest_size=8).hexdigest()


def read(path: str | os.PathLike[str]) -> Plan:
    """Read a plan; a PlanError if it cannot be read, or would lose something."""
    name = os.fspath(path)
    try:
        status = os.stat(path)
        # A device may never end, and a pipe that nobody writes to would wait for ever.
        if not stat.S_ISREG(status.st_mode) and not os.path.samestat(status, os.fstat(0)):
            raise PlanError(f"{name} is not a plan: neither a file nor standard input; {_HOW}")
        with open(path, "rb") as file:
            rows = [(at, parsed(line)) for at, line in enumerate(file, 1) if line.strip()]
    except OSError as error:
        raise PlanError(f"there is no plan {name!r} ({error.strerror}); {_HOW}") from None
    except ValueError as error:
        raise PlanError(f"{name} is not a plan ({error}); {_HOW}") from None
    known = rows[0][1].get("plan") if rows and isinstance(rows[0][1], dict) else None
    if not isinstance(known, dict) or not {"folder", "roots"} <= known.keys():
        raise PlanError(f"{name} is not a plan (its first line is not a head); {_HOW}")
    if known.get("version") != VERSION:
        raise PlanError(
            f"{name} is a plan of version {known.get('version')!r}, but this ilk reads version "
            f"{VERSION}; {_HOW}"
        )
    if known.get("check") != _sum(known):
        raise PlanError(f"the first line of {name}, with the folders, was changed; {_HOW}")
    made, folder = Lines(rows[1:]), known["folder"]
    going = []
    for one, at, fate in made.fates():
        if fate.why:
            raise PlanError(f"line {at} of the plan drops {one}, but it {fate.why}")
        place, *needs = (os.path.join(folder, path_of(each)) for each in (one, *fate.needs))
        kept = (Kept(need, *made.files[of]) for need, of in zip(needs, fate.needs, strict=True))
        verdicts = frozenset(verdict for _, verdict in fate.covered.values())
        going.append(Going(place, *made.files[one], tuple(kept), verdicts))
    return Plan(folder, tuple(known["roots"]), tuple(going), tuple(made.labels))


class Lines:
    """What the lines of a plan say."""

    def __init__(self, rows: Sequence[tuple[int, Any]]) -> None:
        """Take the lines after the head, each with its number."""
        self.parts: dict[str, HeldPart] = {}
        self.files: dict[str, Bytes] = {}
        self.labels: list[tuple[str, str, bool]] = []
        self._drops: dict[str, int] = {}
        holding: dict[str, tuple[int, int]] = {}
        for at, row in rows:
            try:
                if "members" in row or ("file" not in row and "summary" not in row):
                    holding |= self._cluster(at, row)
                elif "file" in row:
                    self._file(at, row)
            except (KeyError, TypeError, AttributeError) as error:
                raise PlanError(
                    f"line {at} of the plan is not a cluster: {error} is missing"
                ) from None
        held = Counter(part.file for part in self.parts.values())
        for name, (at, count) in holding.items():
            if held[name] != count:
                listed = f"{count} documents, but the plan lists {held[name]} of them"
                raise _wrong(at, f"{name} holds {listed}; {_HOW}")

    def _cluster(self, at: int, row: dict[str, Any]) -> dict[str, tuple[int, int]]:
        """Take a cluster of documents; return the line and the number of parts of its files."""
        keeper, holding = row["keeper"], {}
        for member in row["members"]:
            name, label = member["source"], member.get("label")
            file, apart = member.get("file", name), label == DIFFERENT
            if label not in (None, SAME, DIFFERENT):
                said = f"the label of {name} is {label!r}"
                raise _wrong(at, f"{said}; it must be {SAME} or {DIFFERENT}")
            if label is not None:
                if name == keeper:
                    raise _wrong(at, "the keeper has a label; only other members can")
                self.labels.append((keeper, name, label == SAME))
            left = member.get("left_out", ""), member.get("left_digest", "")
            form, verdict = member.get("format", ""), member["verdict"]
            self.parts[name] = HeldPart(name, file, keeper, verdict, *left, form, parted=apart)
            if file == name:
                self._take(at, name, member, drops=not apart)
                if "holds" in member:
                    holding[name] = at, member["holds"]
        if all(member["source"] != keeper for member in row["members"]):
            raise _wrong(at, "the keeper must be one member")
        return holding

    def _file(self, at: int, row: dict[str, Any]) -> None:
        name = row["file"]
        if name not in row["holds"]:  # Its own row stands for its bytes.
            self.parts.pop(name, None)
        for source in row["holds"]:
            unread = row["unread"].get(source, "")
            part = self.parts.get(source, HeldPart(source, name))
            self.parts[source] = part._replace(unread=unread)
        self._take(at, name, row, drops=True)

    def _take(self, at: int, name: str, row: Mapping[str, Any], *, drops: bool) -> None:
        action, digest = row.get("action", KEEP), row["digest"] or ""
        if action not in (KEEP, DROP):
            said = f"the action of {name} is {action!r}"
            raise _wrong(at, f"{said}; it must be {KEEP} or {DROP}")
        self.files[name] = Bytes(row["size"], digest)
        if action == DROP and drops:
            if not digest:
                raise _wrong(at, f"{name} has no digest and cannot be dropped")
            if self._drops.setdefault(name, at) != at:
                raise _wrong(at, f"it drops {name}, and so does line {self._drops[name]}")

    def fates(self) -> Iterator[tuple[str, int, Fate]]:
        """Yield the files to drop, each with its line and with what covers it."""
        for part in self.parts.values():
            self.files.setdefault(part.file, Bytes(0, ""))
        holdings = Holdings(self.parts, self.files)
        for name, at in self._drops.items():
            yield name, at, holdings.fate(name, lambda other: other not in self._drops)


def _wrong(at: int, said: str) -> PlanError:
    return PlanError(f"line {at} of the plan: {said}")
