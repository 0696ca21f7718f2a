"""What happened while documents were read: counts, failures, and advice for people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

#: Names, for messages, of what a scan skips by default.
LINKS = "symbolic links"
MOVED = "folders into which ilk moved files"
OWN_FILES = "files that ilk wrote"
VERSIONS = "folders of version control"
IGNORED = "files and folders in an .ilkignore or .gitignore"

#: What options leave out, in words, with the option: files by what they are, and what a walk does
#: not enter.
SIZES = "files of another size (--size)"
NEWER = "files last modified before that time (--newer)"
OLDER = "files modified since that time (--older)"
HIDDEN = "hidden files and folders (--walk no-hidden)"
DEEPER = "folders that are too deep (--depth)"
ELSEWHERE = "links and folders on other file systems (--walk one-file-system)"

#: How to have them read all the same.
_ENTER = {
    LINKS: "; --walk links follows them",
    MOVED: "; name one to read it",
    OWN_FILES: "; name one to read it",
    VERSIONS: "; name one to read it",
    IGNORED: "",
}

#: Names to list of each kind.
_NAMED = 3


class Held(NamedTuple):
    """Something in a file that is not a document with a text: its name, size and digest.

    digest: of its bytes; None if they were not read.
    reason: why it has no text; "" if it is of another kind.
    """

    source: str
    size: int
    digest: bytes | None
    reason: str = ""


class Failure(NamedTuple):
    """A source that could not be read, and why."""

    source: str
    reason: str


@dataclass(slots=True)
class ReadReport:
    """Counts that a reader fills while its batches are read; complete after the last one.

    documents, bytes: what was read so far.
    skipped: files of unsupported types, by extension (".pdf": 3; ".warc.gz"; "" for none).
    skipped_in_reference: those of a reference, whose bytes are never compared.
    rows: files of rows in folders that were read as one document each, by extension.
    unread_rows: those that were not read, and archives, by extension.
    without_rows: files that hold no rows, by extension, if only rows are read.
    unread: the paths of files that did not become documents.
    unread_in_reference: those of a reference.
    by_bytes: whether those were compared by their bytes.
    missing: rows without text.
    numbers: rows whose text is only a number, of ``texts`` with a text.
    left_out: what the walk did not enter, by kind, with the names.
    held: by file, what is in it that is not a document with a text; those of a reference come
        first, and there are ``held_in_reference`` of them.
    links: symbolic links that were skipped, since their targets are read anyway.
    empty: folders without files.
    unhit: include patterns that no file matches.
    rows_by: how to have their rows read.
    advised: what to do about such files, by extension, if anything can be done.
    excluded: files and folders left out by the globs; a folder counts once.
    filtered: how many files and folders other options left out, by kind; a folder counts once.
    failures: what could not be read, in reading order.
    failures_in_reference: how many of them, the first ones, are of a reference.
    replaced: the sources whose text holds U+FFFD in place of bytes that could not be decoded.
    encodings: documents by the encoding, or the format, they were read from.
    pages: how many of them are HTML pages that were read with their tags.
    warnings: what was left out of documents that were read, and why.
    """

    documents: int = 0
    bytes: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    skipped_in_reference: dict[str, int] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    unread_rows: dict[str, int] = field(default_factory=dict)
    without_rows: dict[str, int] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    unread_in_reference: list[str] = field(default_factory=list)
    by_bytes: bool = False
    missing: int = 0
    numbers: int = 0
    texts: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)
    held: dict[str, list[Held]] = field(default_factory=dict)
    held_in_reference: int = 0
    links: int = 0
    empty: list[str] = field(default_factory=list)
    unhit: list[str] = field(default_factory=list)
    rows_by: str = "--walk rows reads their rows"
    advised: dict[str, str] = field(default_factory=dict)
    excluded: int = 0
    filtered: dict[str, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    failures_in_reference: int = 0
    replaced: list[str] = field(default_factory=list)
    encodings: dict[str, int] = field(default_factory=dict)
    pages: int = 0
    warnings: list[Failure] = field(default_factory=list)

    def skip(self, extension: str, advice: str = "") -> None:
        """Count one file of an unsupported type, and keep what to do about it."""
        self.skipped[extension] = self.skipped.get(extension, 0) + 1
        if advice:
            self.advised[extension] = advice

    def end_reference(self) -> None:
        """Record that whatever is read from now on is no longer of the reference."""
        self.skipped_in_reference, self.skipped = self.skipped, {}
        self.failures_in_reference = len(self.failures)
        self.unread_in_reference, self.unread = self.unread, []
        self.held_in_reference = len(self.held)

    @property
    def every_skipped(self) -> dict[str, int]:
        """The files of unsupported types by extension, those of a reference too."""
        every = Counter(self.skipped)
        every.update(self.skipped_in_reference)
        return dict(every)

    def leave_out(self, kind: str, source: str) -> None:
        """Record what the walk did not enter."""
        self.left_out.setdefault(kind, []).append(source)

    def filter_out(self, kind: str) -> None:
        """Count a file or folder that an option leaves out."""
        self.filtered[kind] = self.filtered.get(kind, 0) + 1

    def fail(self, source: str, reason: str) -> None:
        """Record a source that could not be read."""
        self.failures.append(Failure(source, reason))

    def spell_first_failure(self) -> str:
        """Return the first failure as a sentence after others; empty without one."""
        return "".join(f" {source}: {reason}." for source, reason in self.failures[:1])

    def failures_as_dicts(self) -> list[dict[str, str]]:
        """Return what could not be read, as plain values."""
        return [failure._asdict() for failure in self.failures]

    def _spell_skipped(self, counts_by_type: dict[str, int], treatment: str) -> Iterator[str]:
        """Yield what was done with files of unsupported types, those with advice first."""
        ways: dict[str, dict[str, int]] = {}
        for kind, count in sorted(counts_by_type.items(), key=lambda item: (-item[1], item[0])):
            ways.setdefault(self.advised.get(kind, ""), {})[kind] = count
        for advice, counts in sorted(ways.items(), key=lambda way: not way[0]):
            files = sum(counts.values())
            what = "file" if advice else "binary file"
            done = treatment.format(whose="its" if files == 1 else "their")
            way = f"; try {advice}" if advice else ""
            were = _spell_count_with_verb(files, what, f"{what}s")
            yield f"{were} {done} ({_spell_kinds(counts)}){way}"

    def advice(self) -> list[str]:
        """Return sentences that say what was left out and what to do about it.

        Types with advice come first, the most frequent first; then other types, and files of rows.
        """
        sentences = [f"{kind} left out: {count:,}" for kind, count in self.filtered.items()]

        sentences += self._spell_skipped(
            self.skipped, "compared only by {whose} bytes" if self.by_bytes else "not read"
        )
        sentences += self._spell_skipped(self.skipped_in_reference, "not read in the reference")
        if self.without_rows:
            count = sum(self.without_rows.values())
            were = _spell_count_with_verb(count, "file", "files")
            kinds = _spell_kinds(self.without_rows)
            sentences.append(f"{were} left out because of the extension ({kinds})")
        if self.unread_rows:
            count = sum(self.unread_rows.values())
            were = _spell_count_with_verb(count, "file of rows", "files of rows")
            sentences.append(f"{were} not read ({_spell_kinds(self.unread_rows)}); {self.rows_by}")
        if self.rows:
            count = sum(self.rows.values())
            were = _spell_count_with_verb(count, "file of rows", "files of rows")
            document = "one document" if count == 1 else "one document each"
            sentences.append(
                f"{were} read as {document} ({_spell_kinds(self.rows)}); {self.rows_by}"
            )
        if self.replaced:
            csv = re.compile(r"\.(csv|tsv|tab)(\.gz|\.zst|\.bz2|\.xz)?$", re.IGNORECASE)
            how = "; you can name the encoding: --extract encoding=cp1252"
            were = _spell_count_with_verb(len(self.replaced), "document", "documents")
            phrase = "decoded with U+FFFD in place of invalid bytes, the first of them "
            named = how if any(map(csv.search, self.replaced)) else ""
            sentences.append(f"{were} {phrase}{self.replaced[0]!r}{named}")
        if self.pages > 1 and self.pages > self.documents / 2:
            sentences.append(
                f"{self.pages:,} of {self.documents:,} documents are pages in HTML, read with "
                "their tags; --extract fast reads their main text"
            )
        if self.warnings:
            first = self.warnings[0]
            read = _spell_count_with_verb(len(self.warnings), "document", "documents")
            sentences.append(
                f"{read} read in part, the first of them {first.source!r}: it {first.reason}"
            )
        return sentences

    def describe_sources_not_compared(self) -> list[str]:
        """Return sentences about sources that exist, or were named, but were not compared."""
        sentences = [f"there is no file in {path}" for path in self.empty]
        sentences += [f"no file matches --include {pattern!r}" for pattern in self.unhit]
        for kind, names in self.left_out.items():
            named = ", ".join(names[:_NAMED]) + ", ..." * (len(names) > _NAMED)
            sentences.append(f"{kind} not entered: {len(names):,} ({named}){_ENTER[kind]}")
        if self.links:
            were = _spell_count_with_verb(self.links, "symbolic link", "symbolic links")
            sentences.append(f"{were} skipped: their targets are read anyway")
        return sentences

    def doubt_text_column_if_mostly_numbers(self) -> list[str]:
        """Return a sentence if most texts in rows are only numbers."""
        if 2 * self.numbers <= self.texts:
            return []
        share = f"{self.numbers:,} of {self.texts:,}"
        return [f"{share} texts in rows are only numbers; is --text the column of texts?"]


def _spell_kinds(counts: dict[str, int]) -> str:
    return ", ".join(f"{kind or 'no extension'} {count}" for kind, count in counts.items())


def _spell_count_with_verb(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular} was" if count == 1 else f"{count} {plural} were"
