"""The documents in a file: itself, its attachments, the members of an archive.

Plain text is decoded at once. A document of any other format is read in a thread that uses a child
process; documents in a file of many come out of a child one after another, and are read in the same
way. Names in archives are never used as paths.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from io import BytesIO
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from ilk.read.encodings.charsets import decode_page
from ilk.read.encodings.decoding import Decoded, decode
from ilk.read.encodings.kinds import HEAD
from ilk.read.files.content import Content, Unreadable, read_file
from ilk.read.files.converters import run_converter
from ilk.read.files.names import extension, source_name
from ilk.read.files.walk import STDIN, Found
from ilk.read.formats.asking import Formats
from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Made, Member, Unfit, Unread
from ilk.read.formats.recognising import of_bytes, recognised
from ilk.read.formats.table import FORMATS, Format
from ilk.read.pages import extraction
from ilk.read.pages.declared import declared
from ilk.read.pages.extraction import Pages, begin, is_page
from ilk.read.reading import Reading
from ilk.read.tally import Failure, Tally


class _TooMuch(Unreadable):
    """A file that, with everything in it, unpacks to too much."""


class Row(NamedTuple):
    """A document, what it declares, what was left out of its text, and whether it has tags."""

    source: str
    text: Decoded
    data: bytes
    modified: int | None
    declared: dict[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    tagged: bool = False

    def tell(self, tally: Tally) -> None:
        """Count it."""
        tally.pages += self.tagged
        text = self.text
        tally.count(self.source, len(self.data), text.encoding, replaced=text.replaced)
        tally.warnings += [Failure(self.source, warning) for warning in self.warnings]


class Skipped(NamedTuple):
    """A file of an unsupported type, by its extension, and what to do about it."""

    kind: str
    advice: str = ""

    def tell(self, tally: Tally) -> None:
        """Count it."""
        tally.skip(self.kind, self.advice)


class Failed(NamedTuple):
    """A document that cannot be read, and why."""

    source: str
    reason: str

    def tell(self, tally: Tally) -> None:
        """Count it."""
        tally.fail(self.source, self.reason)


Outcome: TypeAlias = Row | Skipped | Failed
Begun: TypeAlias = extraction.Begun[list[Outcome]]


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a document.

    Attributes:
        source: its name for people.
        name: the name that shows its kind, if the content leaves that open.
        modified: when its file was changed.
        depth: how many documents contain it.
        size: bytes of the file that contains it.
        unpacked: in a list, the bytes that this file has unpacked to so far.
    """

    source: str
    name: str
    modified: int | None
    size: int
    unpacked: list[int]
    depth: int = 0

    def inside(self, member: Member, limits: Limits) -> _Place:
        """Return the place of a document in this one; Unreadable if that is too large."""
        self.unpacked[0] += len(member.data)
        try:
            limits.check(self.unpacked[0], self.size)
        except Unfit as error:
            raise _TooMuch(str(error)) from None
        source = self.source + source_name(member.name)
        # A compressed file has the name of the outer one, without the last extension.
        name = source if member.name else os.path.splitext(self.name)[0]
        return replace(self, source=source, name=name, depth=self.depth + 1)

    def too_deep(self, limits: Limits) -> Failed | None:
        """Return the failure for a container, if none is allowed in this one."""
        if self.depth < limits.nesting:
            return None
        return Failed(
            self.source,
            f"holds documents nested deeper than --limit-nesting allows ({limits.nesting})",
        )


@dataclass(frozen=True, slots=True)
class Unfolding:
    """How to get documents from files.

    Attributes:
        reading: how to get their text.
        pages: extracts text from pages.
        formats: reads documents of other formats.
        threads: the threads for those; None to read them at once.
    """

    reading: Reading
    pages: Pages
    formats: Formats
    threads: ThreadPoolExecutor | None

    def begin(self, file: Found) -> Iterator[Begun]:
        """Start to read a file: yield work that returns its documents, in their order."""
        source, kind = source_name(file.path), extension(file.path)
        if kind in self.reading.convert:
            yield begin(None, self._converted, source, file)
            return
        try:
            (data, modified, size), form = self._content(file)
        except Unreadable as error:
            yield _done(Failed(source, str(error)))
            return
        place = _Place(source, source, modified, size, [0])
        if data is None and form is None:
            yield _done(Skipped(kind))
            return
        path = file.path if data is None else None
        yield from self._begin(place, data or b"", form, path, follow=file.follow)

    def _content(self, file: Found) -> tuple[Content, Format | None]:
        """Return the bytes of a file, and its format; files of many documents are not loaded."""
        form: Format | None = None

        def wanted(head: bytes, opened: BinaryIO) -> bool | None:
            nonlocal form
            form = recognised(file.path, head, opened)
            return None if form is None else form.readable and not form.many

        if file.path == STDIN:
            data = _standard_input()
            wanted(data[:HEAD], BytesIO(data))
            return Content(data, None, len(data)), form
        return read_file(file.path, wanted=wanted, follow=file.follow), form

    def _begin(
        self,
        place: _Place,
        data: bytes,
        form: Format | None,
        path: str | None = None,
        *,
        follow: bool = False,
    ) -> Iterator[Begun]:
        """Start to read a document: its bytes, or the file at a path if it holds many."""
        if place.depth and extension(place.name) in self.reading.convert:
            yield begin(None, self._converted_member, place, data)
        elif form is None:
            page = self.pages.reads(extension(place.name))
            yield begin(self.threads if page else None, self._plain, place, data)
        elif form.refusal:
            yield _done(Failed(place.source, form.refusal))
        elif not form.readable:
            yield _done(Skipped(form.extensions[0], form.advice))
        elif not form.many:
            yield begin(self.threads, self._document, place, data, form)
        # Disallowed members are not even requested: a file of some kB can hold millions of them.
        elif failed := place.too_deep(self.formats.limits):
            yield _done(failed)
        else:
            yield from self._many(place, data, form, path, follow)

    def _many(
        self, place: _Place, data: bytes, form: Format, path: str | None, follow: bool
    ) -> Iterator[Begun]:
        """Start to read the documents in a file of many."""
        seen = Counter[str]()
        try:
            for part in self.formats.parts(form, data, path, follow=follow):
                if isinstance(part, Member):
                    inside = place.inside(_named_once(part, seen), self.formats.limits)
                    yield from self._begin(inside, part.data, _form(inside.name, part))
                elif isinstance(part, Unread):
                    yield _done(Failed(place.source + source_name(part.name), part.reason))
        except Unreadable as error:
            if isinstance(error, _TooMuch) and place.depth:
                raise  # This is a failure of the whole file.
            yield _done(Failed(place.source, str(error)))

    def _document(self, place: _Place, data: bytes, form: Format) -> list[Outcome]:
        """Return a document, and the documents in it."""
        outcomes, seen = list[Outcome](), Counter[str]()
        alone = replace(self, threads=None)
        too_deep = place.too_deep(self.formats.limits)
        left_out = False
        try:
            for part in self.formats.parts(form, data):
                if isinstance(part, Made):
                    text = Decoded(part.utf8, form.name, replaced=False)
                    declared = part.declared
                    outcomes.append(
                        Row(place.source, text, data, place.modified, declared, part.warnings)
                    )
                elif isinstance(part, Member) and too_deep:
                    left_out = True  # A child abandoned here would be ended.
                elif isinstance(part, Member):
                    inside = place.inside(_named_once(part, seen), self.formats.limits)
                    for begun in alone._begin(inside, part.data, _form(inside.name, part)):
                        outcomes += begun.result()
                else:
                    outcomes.append(Failed(place.source + source_name(part.name), part.reason))
        except Unreadable as error:
            outcomes.append(Failed(place.source, str(error)))
        if left_out and too_deep:
            outcomes.append(too_deep)
        return outcomes

    def _plain(self, place: _Place, data: bytes) -> list[Outcome]:
        """Return a document in plain text, or in an unknown format."""
        source, kind = place.source, extension(place.name)
        text = decode_page(data, "") if is_page(kind) else decode(data)
        if text is None:
            return [Skipped(kind)]
        if not self.pages.reads(kind):
            return [Row(source, text, data, place.modified, tagged=is_page(kind))]
        said = declared(text.utf8)._asdict()
        try:
            text = text._replace(utf8=self.pages.text(text.utf8))
        except Unreadable as error:
            return [Failed(source, str(error))]
        return [Row(source, text, data, place.modified, said)]

    def _converted(self, source: str, file: Found) -> list[Outcome]:
        """Return the text that the user's program makes from a file."""
        try:
            data, modified, _ = read_file(file.path, wanted=lambda *_: True, follow=file.follow)
            text = self._printed(file.path)
        except Unreadable as error:
            return [Failed(source, str(error))]
        return [Row(source, text, data or b"", modified)]

    def _converted_member(self, place: _Place, data: bytes) -> list[Outcome]:
        """Return the text that the user's program makes from a document in another one."""
        # The program gets a name from ilk: the one in an archive may be anything.
        with NamedTemporaryFile(suffix=extension(place.name)) as file:
            file.write(data)
            file.flush()
            try:
                text = self._printed(file.name)
            except Unreadable as error:
                return [Failed(place.source, str(error))]
        return [Row(place.source, text, data, place.modified)]

    def _printed(self, path: str) -> Decoded:
        """Return the output of a program for a file."""
        converter = self.reading.convert[extension(path)]
        text = decode(run_converter(converter, path, self.reading.convert_timeout))
        if text is None:
            raise Unreadable(f"{converter[0]}: it printed something that is not text")
        return text


def _form(name: str, member: Member) -> Format | None:
    return of_bytes(name, member.data) if member.format is None else FORMATS[member.format]


def _named_once(member: Member, seen: Counter[str]) -> Member:
    """Return a document in another one with a name that is unique there."""
    seen[member.name] += 1
    number = seen[member.name]
    return member if number == 1 else member._replace(name=f"{member.name}~{number}")


def _done(outcome: Outcome) -> Begun:
    return begin(None, lambda: [outcome])


def _standard_input() -> bytes:
    try:
        return sys.stdin.buffer.read()
    except (AttributeError, ValueError, OSError) as error:  # It is None or closed in daemons.
        raise Unreadable(f"standard input: {error}") from error
