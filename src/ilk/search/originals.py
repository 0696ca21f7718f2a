"""Which of several equal files a person would keep: the policy ``original``.

Four rules decide, in this order:

1. The path with fewer marks of a copy: a folder or name with a word such as ``copy``, ``old`` or
   ``Downloads``, a number in brackets or a date at the end of a name; ``.gz`` and the like, since
   people use what is not packed. All paths of a folder most of whose contents are elsewhere too
   have the marks that they have on average, so that no name decides by itself.
2. The folder that people use. Two paths part at some folder; below it, each is in a folder of its
   own, its side. The side of whose files a larger share is nowhere else stays; a path with more
   marks of a copy does not count as elsewhere, or a backup of one folder would let another one
   win. Then the side that has files less deep; then the one whose files are older on average; then
   the first.
3. In one folder, the older file.
4. The first file.

The first two rules rank folders, not files. So of two folders, or trees, most of whose contents are
in both, only one keeps any of these.
"""

from __future__ import annotations

import math
import re
import sys
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import count_rows_with_same_name, flat

#: Words that say that a folder or file holds a copy, or what nobody uses any more.
COPY_WORDS = {
    "en": "copy copies backup backups bak duplicate duplicates old older tmp temp temporary "
    "download downloads trash recycle recycled archive archives archived export exports exported "
    "obsolete",
    "de": "kopie kopien sicherung sicherungen sicherungskopie sicherungskopien duplikat duplikate "
    "alt alte altes papierkorb archiv archive archiviert heruntergeladen temporär",
    "fr": "copie copies sauvegarde sauvegardes doublon doublons ancien anciens ancienne anciennes "
    "vieux vieille vieilles téléchargement téléchargements corbeille archivé archivés temporaire "
    "temporaires",
    "es": "copia copias respaldo respaldos duplicado duplicados antiguo antiguos antigua antiguas "
    "viejo viejos vieja viejas descarga descargas papelera archivado archivados temporal "
    "temporales exportación exportaciones",
    "it": "copia copie duplicato duplicati vecchio vecchi vecchia vecchie scaricati cestino "
    "archivio archivi archiviati temporaneo temporanei esportazione esportazioni",
    "nl": "kopie kopieën kopieen reservekopie reservekopieën duplicaat duplicaten oud oude "
    "gedownload prullenbak archief archieven tijdelijk tijdelijke",
    "pt": "cópia cópias duplicado duplicados antigo antigos antiga antigas velho velhos velha "
    "velhas transferências lixo lixeira reciclagem arquivado arquivados temporário temporários "
    "exportação exportações",
}

_WORDS = sorted({word for words in COPY_WORDS.values() for word in words.split()})

#: Marks of a copy in a folder or file: a whole word, a number in brackets at the end, an ending.
_MARK = re.compile(
    rf"(?:^|[\W_\d])(?:{'|'.join(_WORDS)})(?:$|[\W_\d])"
    r"|\(\d{1,3}\)(?=\.\w{1,5}$|$)"
    r"|~$|\.orig$",
    re.IGNORECASE,
)

#: Suffixes of compressed files; beside the uncompressed file, either one was made from the other.
_PACKED = re.compile(r"\.(?:gz|bz2|xz|zst)$", re.IGNORECASE)

#: A date at the end of a file's name. People keep folders by date, so a folder's is no mark.
_DATE = re.compile(
    r"[ ._-](?:19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d(?:[T _-]?\d{4,6})?(?=\.\w{1,5}$|$)"
)

#: What stands in every name with a mark, as Arrow reads it: most names have nothing of it, and are
#: not looked at one by one.
_MAY_BE_MARKED = "|".join(
    [
        r"[^\x00-\x7F]|\([0-9]|~|(?i:\.orig)|(?:19|20)[0-9][0-9]|(?i:\.(?:gz|bz2|xz|zst)$)",
        f"(?i:{'|'.join(filter(str.isascii, _WORDS))})",
    ]
)

#: The reasons why a file stays, for messages.
MARKS = "fewer marks of a copy in its path"
MEAN_MARKS = "fewer marks of a copy on average in its folder"
MARKS_BESIDE_MEAN = "fewer marks of a copy in its path than on average in the other's folder"
AGE = "the oldest"

#: What decides between two folders, in the order of ``_SideSortKey``.
FOLDER_REASONS = (
    "a larger share of its folder is nowhere else, marked copies aside",
    "its folder has files less deep",
    "its folder's files are older on average",
    "first",
)


def count_copy_marks(path: str) -> int:
    """Return how many marks of a copy a path has: one a part, and one if its file is packed.

    What all paths share, such as the name of the folder that was given, adds the same number to
    each.
    """
    folder, _, name = unicodedata.normalize("NFC", path).rpartition("/")
    return _count_marked_folders(folder) + _count_copy_marks_of_name(name)


def count_copy_marks_of_paths(
    paths: pa.Array, folders_of_paths: pa.DictionaryArray
) -> pa.Int64Array:
    """Return how many marks of a copy each path has, as ``count_copy_marks`` does.

    Args:
        paths: n paths.
        folders_of_paths: the folder of each, as a dictionary of texts.
    """
    names = pc.replace_substring_regex(paths, r"(?s)^.*/", "")
    few = pc.indices_nonzero(pc.match_substring_regex(names, _MAY_BE_MARKED))
    normal = (unicodedata.normalize("NFC", name) for name in names.take(few).to_pylist())
    marked = pa.array(map(_count_copy_marks_of_name, normal), pa.int64())
    places = pc.index_in(pa.arange(0, len(paths)), value_set=few.cast(pa.int64()))
    named = pc.fill_null(marked.take(places), 0)
    normal = (
        unicodedata.normalize("NFC", name) for name in folders_of_paths.dictionary.to_pylist()
    )
    of_folders = pa.array(map(_count_marked_folders, normal), pa.int64())
    return pc.add(of_folders.take(folders_of_paths.indices), named)


def _count_copy_marks_of_name(name: str) -> int:
    bare = _PACKED.sub("", name)
    marked = _MARK.search(bare) is not None or _DATE.search(bare) is not None
    return marked + (bare != name)


def _count_marked_folders(path: str) -> int:
    return sum(map(_is_marked_folder, path.split("/")))


@lru_cache(1 << 12)  # Paths have most of their folders in common.
def _is_marked_folder(name: str) -> bool:
    return _MARK.search(name) is not None


#: The number of a ``_Side``: its place in ``Folders._sides``.
SideNumber: TypeAlias = int


class _SideSortKey(NamedTuple):
    """What decides between two sides, in the order of ``FOLDER_REASONS``.

    Attributes:
        negative_own_share: less than 0 by the share of its files that are nowhere else.
        depth: the level of its least deep leaf.
        mean_time: of its files, in microseconds; infinite if none has one.
        first_row: that of its first document.
    """

    negative_own_share: float
    depth: float
    mean_time: float
    first_row: float


@dataclass(slots=True)
class _Side:
    """A folder with everything below it; or only the files directly in a folder, a leaf.

    Attributes:
        parent: the number of the folder around it; that of the root is itself.
        level: how many folders are around it.
        depth: the level of its least deep leaf.
        files, own: how many files it has, and how many whose content is in no other side, but for
            paths with more marks of a copy.
        age, dated_files: the sum of its files' times in microseconds, and how many files have one.
        first: the row of its first document.
        rank: its place in the order of all sides.
    """

    parent: SideNumber
    level: int
    depth: int = sys.maxsize
    files: int = 0
    own: int = 0
    age: int = 0
    dated_files: int = 0
    first: int = sys.maxsize
    rank: int = 0

    def add_counts_of(self, below: _Side) -> None:
        """Count here what a side below this one has."""
        self.depth = min(self.depth, below.depth)
        self.first = min(self.first, below.first)
        self.files += below.files
        self.own += below.own
        self.age += below.age
        self.dated_files += below.dated_files

    def sort_key(self) -> _SideSortKey:
        """Return what decides between this side and another one; the smaller comes first."""
        share = self.own / self.files if self.files else 0.0
        age = self.age // self.dated_files if self.dated_files else math.inf
        return _SideSortKey(-share, self.depth, age, self.first)


class _Step(NamedTuple):
    """What decides on the way down to a file: a folder as a whole, or at the end the file itself.

    Attributes:
        marks: marks of a copy, of a folder the average.
        rank: the rank of the side.
        side: the number of the folder, or of the leaf that holds the file.
        whole: whether it is a folder.
    """

    marks: float
    rank: int
    side: int
    whole: bool


class _WholeFolders(NamedTuple):
    """Folders of one level that are weighed as a whole.

    Attributes:
        steps: by the number of the folder.
        content_counts: how many ``files`` of each content each of them has, by ``key``.
    """

    steps: dict[SideNumber, _Step]
    content_counts: pa.Table


class Folders:
    """The places of all documents, ranked by the first two rules.

    A place is a folder, with a number of marks, on disk or in files.

    Attributes:
        places: for every document the number of its place.
        ranks: for every document the rank of its place; the best has the lowest.
    """

    def __init__(self, documents: pa.Table) -> None:
        """Rank the places.

        Args:
            documents: n documents with ``source``, ``file``, ``modified``, ``digest`` and
                ``bytes_digest``. For the second rule, those that are no files on disk do not count.
        """
        names = pc.replace_substring_regex(flat(documents["source"]), r"(^|/)[^/]*$", "")
        folder_of_file: Any = names.dictionary_encode()
        self._sides = [_Side(0, 0)]
        folder_numbers: dict[str, SideNumber] = {}
        self._leaves = [
            self._add_leaf_with_folders_around(folder, folder_numbers)
            for folder in folder_of_file.dictionary.to_pylist()
        ]
        content = pc.coalesce(flat(documents["digest"]), flat(documents["bytes_digest"]))
        content = _number_contents_null_as_unique(content)
        rows = pa.table(
            {
                "folder": folder_of_file.indices,
                "row": pa.arange(0, len(documents)),
                "time": flat(documents["modified"]).cast(pa.int64()).cast(pa.decimal128(38)),
                "content": content,
                "marks": count_copy_marks_of_paths(flat(documents["source"]), folder_of_file),
                "disk": pc.fill_null(flat(pc.equal(documents["file"], documents["source"])), False),
            }
        )
        self._fill_side_totals(rows)
        self._rank_sides()
        self._ways: list[list[_Step]] = []
        self._on_disk: list[bool] = []
        self.places = self._add_places(rows)
        self.ranks = self._ranks_of_places_by_ways().take(self.places)

    def explain_precedence_unless_one_on_disk(
        self, better_place: int, worse_place: int
    ) -> str | None:
        """Return why one place precedes another one; both are numbers of ``places``.

        None if only one of them is on disk, which other rules decide.
        """
        if self._on_disk[better_place] != self._on_disk[worse_place]:
            return None
        steps = zip(self._ways[better_place], self._ways[worse_place], strict=False)
        mine, its = next((one, other) for one, other in steps if one != other)
        if mine.marks == its.marks:
            return self._explain_side_precedence(mine.side, its.side)
        if mine.whole:
            return MEAN_MARKS
        return MARKS_BESIDE_MEAN if its.whole else MARKS

    def _explain_side_precedence(self, better: SideNumber, worse: SideNumber) -> str:
        one, other = better, worse
        while self._sides[one].parent != self._sides[other].parent:
            if self._sides[one].level >= self._sides[other].level:
                one, other = other, one
            other = self._sides[other].parent
        measures = zip(
            FOLDER_REASONS, self._sides[one].sort_key(), self._sides[other].sort_key(), strict=True
        )
        return next(reason for reason, mine, its in measures if mine != its)

    def _add_leaf_with_folders_around(
        self, folder: str, folder_numbers: dict[str, SideNumber]
    ) -> SideNumber:
        """Return the number of the files directly in a folder; add it with what is around it.

        Args:
            folder: its path.
            folder_numbers: those of the folders that are known, by path; new ones are added.
        """
        # From the inside out, up to a folder that is known; then back down, so that what is around
        # a folder has a lower number.
        new, path, slash = list[str](), folder, "/"
        while slash and path not in folder_numbers:
            new.append(path)
            path, slash, _ = path.rpartition("/")
        around = folder_numbers[path] if slash else 0
        for path in reversed(new):
            folder_numbers[path] = around = self._add_side(around)
        return self._add_side(around)

    def _add_side(self, parent: SideNumber) -> SideNumber:
        """Add a side in a parent, and return its number."""
        self._sides.append(_Side(parent, self._sides[parent].level + 1))
        return len(self._sides) - 1

    def _fill_side_totals(self, documents: pa.Table) -> None:
        """Count the files of every side, and those of them that are in no other."""
        files = documents.filter(documents["disk"])
        for row in _aggregate_to_dicts(documents, "folder", [("row", "min")]):
            side = self._sides[self._leaves[row["folder"]]]
            side.first, side.depth = row["row_min"], side.level
        for row in _aggregate_to_dicts(
            files, "folder", [("row", "count"), ("time", "sum"), ("time", "count")]
        ):
            side = self._sides[self._leaves[row["folder"]]]
            side.files, side.dated_files = row["row_count"], row["time_count"]
            side.age = int(row["time_sum"] or 0)
        fewest_marks = files.group_by("content", use_threads=False).aggregate([("marks", "min")])
        at = pc.index_in(flat(files["content"]), value_set=flat(fewest_marks["content"]))
        files = files.filter(pc.equal(files["marks"], fewest_marks["marks_min"].take(at)))
        content_counts = files.group_by(["content", "folder"], use_threads=False).aggregate(
            [("row", "count")]
        )
        alone = pc.equal(count_rows_with_same_name(content_counts["content"]), 1)
        for row in _aggregate_to_dicts(
            content_counts.filter(alone), "folder", [("row_count", "sum")]
        ):
            self._sides[self._leaves[row["folder"]]].own += row["row_count_sum"]
        together: dict[int, tuple[int, int]] = {}
        columns = content_counts.filter(pc.invert(alone)).select(["content", "folder", "row_count"])
        for content, folder, files_there in zip(*columns.to_pydict().values(), strict=True):
            leaf = self._leaves[folder]
            number, count = together.get(content, (leaf, 0))
            together[content] = self._smallest_side_around_both(number, leaf), count + files_there
        for number, count in together.values():
            self._sides[number].own += count
        for side in reversed(self._sides[1:]):  # A folder has a lower number than those in it.
            self._sides[side.parent].add_counts_of(side)

    def _smallest_side_around_both(self, side: SideNumber, other_side: SideNumber) -> SideNumber:
        """Return the smallest side that holds two sides."""
        while side != other_side:  # What is around a side has a lower number.
            side, other_side = min(side, other_side), self._sides[max(side, other_side)].parent
        return side

    def _rank_sides(self) -> None:
        """Give every side its place: those of one folder by ``sort_key``, all below one first."""
        below: list[list[int]] = [[] for _ in self._sides]
        for number, side in enumerate(self._sides[1:], 1):
            below[side.parent].append(number)
        waiting, count = [0], 0
        while waiting:
            number = waiting.pop()
            self._sides[number].rank = count
            count += 1
            # The last comes off first: in reverse, the first place goes to the least, with all
            # below it.
            waiting += sorted(
                below[number], key=lambda one: self._sides[one].sort_key(), reverse=True
            )

    def _add_places(self, rows: pa.Table) -> pa.Int64Array:
        """Add every place of documents, and return for each document the number of its own."""
        by = ["disk", "folder", "marks"]
        wholes = {
            disk: self._folders_weighed_as_whole_by_leaf(rows, on_disk=disk)
            for disk in (True, False)
        }
        places = rows.group_by(by, use_threads=False).aggregate([("row", "list")])
        for place in places.select(by).to_pylist():
            leaf = self._leaves[place["folder"]]
            own = _Step(place["marks"], self._sides[leaf].rank, leaf, whole=False)
            self._on_disk.append(place["disk"])
            self._ways.append([*wholes[place["disk"]][place["folder"]], own])
        numbers = pc.list_parent_indices(flat(places["row_list"]))
        back = pc.sort_indices(pc.list_flatten(flat(places["row_list"])))
        return numbers.take(back)

    def _ranks_of_places_by_ways(self) -> pa.Int64Array:
        """Return the rank of each place by its way; the best has the lowest."""
        best_first = sorted(range(len(self._ways)), key=self._ways.__getitem__)
        return pc.sort_indices(pa.array(best_first, pa.int64())).cast(pa.int64())

    def _folders_weighed_as_whole_by_leaf(
        self, rows: pa.Table, *, on_disk: bool
    ) -> list[list[_Step]]:
        """Return for each leaf the folders around it that are weighed as a whole, outermost first.

        A folder is so if it has several contents, and most of them are also outside it, in the next
        folder around it that is weighed as a whole. Two folders most of whose contents are in both
        are therefore weighed so, or are in folders that are, down to where their ways part.

        Args:
            rows: the documents.
            on_disk: count files on disk, or what is in files.
        """
        rows = rows.filter(pc.equal(rows["disk"], on_disk))
        ways: list[list[_Step]] = [[] for _ in self._leaves]
        if not len(rows):
            return ways
        around = [self._sides_from_root_to(leaf) for leaf in self._leaves]
        size = 1 + (pc.max(rows["content"]).as_py() or 0)
        every: Any = pc.value_counts(flat(rows["content"]))
        # The root is not weighed, and all other folders are in it.
        counts = pa.table({"key": every.field(0), "files": every.field(1)})
        for level in range(1, max(map(len, around))):
            at = pa.array([path[min(level, len(path) - 1)] for path in around], pa.int64())
            inside = pa.array([way[-1].side if way else 0 for way in ways], pa.int64())
            table = pa.table(
                {
                    "side": at.take(flat(rows["folder"])),
                    "inside": inside.take(flat(rows["folder"])),
                    "content": flat(rows["content"]),
                    "marks": rows["marks"],
                }
            )
            whole, of_whole = self._select_whole_folders_of_level(table, size, counts)
            counts = pa.concat_tables([counts, of_whole])
            for way, path in zip(ways, around, strict=True):
                if level < len(path) - 1 and path[level] in whole:  # The last one is a leaf.
                    way.append(whole[path[level]])
        return ways

    def _select_whole_folders_of_level(
        self, files: pa.Table, content_bound: int, counts: pa.Table
    ) -> _WholeFolders:
        """Return those sides of one level that are weighed as a whole.

        Args:
            files: with ``side``, the number of the folder ``inside`` which the side is compared,
                ``content`` and ``marks``.
            content_bound: a number above all contents.
            counts: how many ``files`` of each content are in each folder inside which sides are
                compared, with the ``key`` of ``_folder_content_keys``.
        """
        content_counts = files.group_by(["side", "inside", "content"], use_threads=False).aggregate(
            [("marks", "min"), ("marks", "count")]
        )
        at = pc.index_in(
            _folder_content_keys(content_counts, "inside", content_bound),
            value_set=flat(counts["key"]),
        )
        elsewhere = pc.greater(flat(counts["files"]).take(at), flat(content_counts["marks_count"]))
        content_counts = content_counts.append_column("shared", elsewhere.cast(pa.int64()))
        aggregates = [("shared", "count"), ("shared", "sum"), ("marks_min", "mean")]
        whole = {
            row["side"]: _Step(
                row["marks_min_mean"], self._sides[row["side"]].rank, row["side"], whole=True
            )
            for row in _aggregate_to_dicts(content_counts, "side", aggregates)
            if row["shared_count"] > 1 and 2 * row["shared_sum"] > row["shared_count"]
        }
        content_counts = content_counts.filter(
            pc.is_in(content_counts["side"], value_set=pa.array(whole, pa.int64()))
        )
        keys = _folder_content_keys(content_counts, "side", content_bound)
        return _WholeFolders(whole, pa.table({"key": keys, "files": content_counts["marks_count"]}))

    def _sides_from_root_to(self, leaf: SideNumber) -> list[SideNumber]:
        """Return the sides from the root down to a leaf."""
        path = [leaf]
        while path[-1]:
            path.append(self._sides[path[-1]].parent)
        return path[::-1]


def rank_folders_if_any_file(documents: pa.Table) -> Folders | None:
    """Return the places of documents, ranked; None if no document is in a file.

    Args:
        documents: as for ``Folders``; without ``file`` if they are rows.
    """
    if "file" not in documents.column_names or documents["file"].null_count == len(documents):
        return None
    return Folders(documents)


def _folder_content_keys(table: pa.Table, folder_column: str, content_bound: int) -> pa.Int64Array:
    """Return one number for the folder and the content of each row.

    It is ``content_bound``, which is above all contents, times the folder, plus the content.
    """
    return pc.add(pc.multiply(flat(table[folder_column]), content_bound), flat(table["content"]))


def _number_contents_null_as_unique(contents: pa.Array) -> pa.Array:
    """Return a number for each content, equal where they are; one that is unknown has its own.

    If only bytes were compared, no other file has those whose digest is unknown.
    """
    encoded: Any = contents.dictionary_encode()
    # Numbers above those of all known contents.
    own = pa.arange(len(contents), 2 * len(contents))
    return pc.coalesce(encoded.indices.cast(pa.int64()), own)


def _aggregate_to_dicts(
    table: pa.Table, by: str | list[str], aggregates: list[tuple[str, str]]
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (
        table.group_by(by, use_threads=False).aggregate(aggregates).to_pylist()
    )
    return rows
