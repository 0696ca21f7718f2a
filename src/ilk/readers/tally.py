"""What happened while documents were read: counts, failures, and advice for people."""

from dataclasses import dataclass, field
from typing import NamedTuple

KNOWN_CONVERTERS = {
    ".bz2": "bzip2 -dc {}",
    ".djvu": "djvutxt {}",
    ".doc": "antiword {}",
    ".docx": "pandoc -t plain {}",
    ".epub": "pandoc -t plain {}",
    ".gz": "gzip -dc {}",
    ".odt": "pandoc -t plain {}",
    ".pdf": "pdftotext {} -",
    ".xz": "xz -dc {}",
}


#: How the extensions of archives begin; their records are read where they are named.
ARCHIVES = (".arc.", ".warc.", ".wet.")


class Failure(NamedTuple):
    """A source that could not be read, and why."""

    source: str
    reason: str


@dataclass(slots=True)
class Tally:
    """Counts that a reader fills while its batches are drawn; complete after the last one.

    documents, bytes: what was read so far.
    skipped: files of types that are not read, by extension (".pdf": 3; ".warc.gz"; "" for none).
    excluded: files and folders left out by the globs; a folder counts once.
    failures: what could not be read, in reading order.
    replaced: the sources whose text holds U+FFFD in place of bytes that could not be decoded.
    encodings: documents by the encoding they were decoded from.
    """

    documents: int = 0
    bytes: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    excluded: int = 0
    failures: list[Failure] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    encodings: dict[str, int] = field(default_factory=dict)

    def count(self, source: str, size: int, encoding: str, *, replaced: bool) -> None:
        """Count one document of ``size`` bytes that was read."""
        self.documents += 1
        self.bytes += size
        self.encodings[encoding] = self.encodings.get(encoding, 0) + 1
        if replaced:
            self.replaced.append(source)

    def skip(self, extension: str) -> None:
        """Count one file of a type that is not read."""
        self.skipped[extension] = self.skipped.get(extension, 0) + 1

    def fail(self, source: str, reason: str) -> None:
        """Record a source that could not be read."""
        self.failures.append(Failure(source, reason))

    def reasons(self) -> list[dict[str, str]]:
        """Return what could not be read, as plain values."""
        return [failure._asdict() for failure in self.failures]

    def advice(self) -> list[str]:
        """Return sentences that say what was left out and what to do about it.

        The types that a common program converts come first, then archives, the most frequent
        first; all other types share one sentence.
        """
        convertible, archives, others = [], [], {}
        for kind, count in sorted(self.skipped.items(), key=lambda item: (-item[1], item[0])):
            not_read = f"{_were(count, f'file {kind}', f'files {kind}')} not read; "
            if kind in KNOWN_CONVERTERS:
                convertible.append(f"{not_read}try --convert '{kind[1:]}={KNOWN_CONVERTERS[kind]}'")
            elif f"{kind}.".startswith(ARCHIVES):
                advice = f"what was captured is read of files that are named: ilk scan FILE{kind}"
                archives.append(not_read + advice)
            else:
                others[kind] = count
        sentences = [*convertible, *archives]
        if others:
            total = _were(sum(others.values()), "binary file", "binary files")
            kinds = ", ".join(f"{kind or 'no extension'} {count}" for kind, count in others.items())
            sentences.append(f"{total} not read ({kinds})")
        if self.replaced:
            sentences.append(
                f"{_were(len(self.replaced), 'document', 'documents')} decoded with U+FFFD in "
                f"place of invalid bytes, the first of them {self.replaced[0]!r}"
            )
        return sentences


def _were(number: int, one: str, many: str) -> str:
    return f"{number} {one} was" if number == 1 else f"{number} {many} were"
