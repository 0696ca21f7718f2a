"""The documents in a file: itself, its attachments, the members of an archive.

Plain text is decoded at once. A document of any other format is read in a thread that uses a child
process; documents in a file of many come out of a child one after another, and are read in the same
way. Names in archives are never used as paths.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from itertools import chain, islice
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from ilk.fingerprints.digest import bytes_digests
from ilk.read import children
from ilk.read.children import begin
from ilk.read.declared import declared
from ilk.read.encodings.decoding import Decoded, decode, decode_page
from ilk.read.encodings.kinds import HEAD, is_binary
from ilk.read.extraction import Pages, is_page
from ilk.read.files.content import Content, Unreadable, extension, read_file, source_name
from ilk.read.files.converters import run_converter
from ilk.read.files.copies import Copies
from ilk.read.files.walk import STDIN, Found
from ilk.read.formats.parts import Limits, Made, Member, Unfit, Unread
from ilk.read.formats.reader import FormatReader
from ilk.read.formats.table import FORMATS, MAILBOX, Format, of_bytes, recognised
from ilk.read.reading import Reading
from ilk.read.report import OWN_FILES, Failure, Held, ReadReport

#: The format of pages in HTML, which are read as they are or by their main text.
PAGE = "page"


class _TooMuch(Unreadable):
    """A file that, with everything in it, unpacks to too much."""


class Row(NamedTuple):
    """A document.

    source: its name for people.
    text, data: its text, and its bytes.
    modified: microseconds from 1970 to the last change of its file.
    form: the format that its text was read from; "" for plain text.
    declared: what it declares.
    warnings: what was left out of its text that a person should know of.
    left, left_digest: everything that was left out, and the digest of its bytes in hex; "" if they
        are not known.
    tagged: whether its text has tags.
    """

    source: str
    text: Decoded
    data: bytes
    modified: int | None
    form: str = ""
    declared: dict[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    left_digest: str = ""
    tagged: bool = False

    def tell(self, file: str, tally: ReadReport) -> None:
        """Count it, as a document in a file."""
        del file
        encoding = self.text.encoding
        tally.documents += 1
        tally.bytes += len(self.data)
        tally.pages += self.tagged
        tally.encodings[encoding] = tally.encodings.get(encoding, 0) + 1
        tally.replaced += [self.source] * self.text.replaced
        tally.warnings += [Failure(self.source, warning) for warning in self.warnings]


class Skipped(NamedTuple):
    """A document of an unsupported type, by its extension, and what to do about it.

    data: its bytes; None for a file on disk.
    """

    source: str
    kind: str
    advice: str = ""
    data: bytes | None = None

    def tell(self, file: str, tally: ReadReport) -> None:
        """Count it, in a file."""
        tally.skip(self.kind, self.advice)
        if self.source != file:
            _hold(tally, file, self.source, self.data)


class Failed(NamedTuple):
    """A document that cannot be read, and why; its bytes, if they are known.

    silent: whether nobody needs to know: it is no document that anybody would miss.
    """

    source: str
    reason: str
    data: bytes | None = None
    silent: bool = False

    def tell(self, file: str, tally: ReadReport) -> None:
        """Count it, in a file."""
        if not self.silent:
            tally.fail(self.source, self.reason)
        if self.source != file or self.data is None:
            _hold(tally, file, self.source, self.data, self.reason)


class Own(NamedTuple):
    """A file that ilk has written, which is no document."""

    source: str

    def tell(self, file: str, tally: ReadReport) -> None:
        """Count it."""
        tally.leave_out(OWN_FILES, file)


class Again(NamedTuple):
    """A file with the bytes of an earlier one, whose documents are listed there."""

    source: str

    def tell(self, file: str, tally: ReadReport) -> None:
        """Count nothing: copies are found among the files without a document."""


Outcome: TypeAlias = Row | Skipped | Failed | Own | Again
Begun: TypeAlias = children.Begun[list[Outcome]]


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
            f"holds documents nested deeper than --limit nesting allows ({limits.nesting})",
        )


#: The beginnings of files that ilk writes beside documents: plans, logs, decisions, stores.
_OWN = (b'{"plan": {"version"', b'{"log": ', b'{"review": ')
_STORE = re.compile(rb"SQLite format 3\0.{52}ilk\0", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Unpacker:
    """How to get documents from files.

    Attributes:
        reading: how to get their text.
        pages: extracts text from pages.
        formats: reads documents of other formats.
        threads: the threads for those; None to read them at once.
        largest: bytes up to which a plain file is read.
        copies: finds files whose documents are listed elsewhere.
    """

    reading: Reading
    pages: Pages
    formats: FormatReader
    threads: ThreadPoolExecutor | None
    largest: int
    copies: Copies

    def begin(self, file: Found) -> Iterator[Begun]:
        """Start to read a file: yield work that returns its documents, in their order."""
        source, kind = source_name(file.path), extension(file.path)
        if kind in self.reading.convert:
            yield begin(None, self._converted, source, file)
            return
        try:
            (data, modified, size), form, own = self._content(file)
        except Unreadable as error:
            yield _done(Failed(source, str(error)))
            return
        place = _Place(source, source, modified, size, [0])
        if own:
            yield _done(Own(source))
        elif data is None and form is None:
            yield _done(Skipped(source, kind))
        elif form is None or not form.holds(source) or not self.copies.again(file.path, size):
            path = file.path if data is None else None
            yield from self._begin(place, data or b"", form, path, follow=file.follow)
        elif data is None:
            yield _done(Again(source))
        else:
            yield begin(self.threads, partial(self._document, place, data, form, alone=True))

    def _content(self, file: Found) -> tuple[Content, Format | None, bool]:
        """Return the bytes of a file, its format, and whether ilk wrote it.

        Files of many documents are not loaded.
        """
        form: Format | None = None
        own = False

        def wanted(head: bytes, opened: BinaryIO) -> bool | None:
            nonlocal form, own
            own = not file.named and (head.startswith(_OWN) or bool(_STORE.match(head)))
            form = None if own else recognised(file.path, head, opened)
            if form is not None:
                return form.readable and not form.many
            size = opened.seek(0, os.SEEK_END)
            if size > self.largest and not own and not is_binary(head):
                own_limit = self.largest == self.reading.limits.text
                limit = "--limit text" if own_limit else "--memory"
                raise Unreadable(
                    f"has {size:,} bytes, and {limit} allows {self.largest:,} for one text; it is "
                    "compared only by its bytes"
                )
            return False if own else None

        if file.path == STDIN:
            try:
                data = sys.stdin.buffer.read()
            except (AttributeError, ValueError, OSError) as error:  # None or closed in daemons.
                raise Unreadable(f"standard input: {error}") from error
            wanted(data[:HEAD], BytesIO(data))
            return Content(data, None, len(data)), form, own
        return read_file(file.path, wanted=wanted, follow=file.follow), form, own

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
            yield _done(Failed(place.source, form.refusal, data or None))
        elif not form.readable:
            kind = form.extensions[0]
            yield _done(Skipped(place.source, kind, form.advice, data or None))
        elif not form.many:
            yield begin(self.threads, self._document, place, data, form)
        # Disallowed members are not even requested: a file of some kB can hold millions of them.
        elif failed := place.too_deep(self.formats.limits):
            yield _done(failed._replace(data=data or None))
        else:
            yield from self._many(place, data, form, path, follow)

    def _many(
        self, place: _Place, data: bytes, form: Format, path: str | None, follow: bool
    ) -> Iterator[Begun]:
        """Start to read the documents in a file of many; one message alone is the file itself."""
        seen = Counter[str]()
        try:
            parts = self.formats.parts(form, data, path, follow=follow)
            if form.name == MAILBOX:
                first = list(islice(parts, 2))
                if len(first) == 1 and isinstance(first[0], Member):
                    whole = data if path is None else read_file(path, follow=follow).data
                    message = FORMATS[first[0].format or MAILBOX]
                    work = partial(self._document, place, first[0].data, message, whole=whole)
                    yield begin(self.threads, work)
                    return
                parts = chain(first, parts)
            for part in parts:
                if isinstance(part, Member):
                    inside = place.inside(_named_once(part, seen), self.formats.limits)
                    yield from self._begin(inside, part.data, _form(inside.name, part))
                elif isinstance(part, Unread):
                    yield _done(_unread(place, part))
        except Unreadable as error:
            if isinstance(error, _TooMuch) and place.depth:
                raise  # This is a failure of the whole file.
            yield _done(Failed(place.source, str(error)))

    def _document(
        self,
        place: _Place,
        data: bytes,
        form: Format,
        *,
        alone: bool = False,
        whole: bytes | None = None,
    ) -> list[Outcome]:
        """Return a document, and the documents in it.

        Args:
            place, data, form: where it is, what it holds, and in which format.
            alone: whether to leave out the documents in it, which are listed elsewhere.
            whole: the bytes of its file, if they are others.
        """
        outcomes, seen = list[Outcome](), Counter[str]()
        inner = replace(self, threads=None)
        too_deep = place.too_deep(self.formats.limits)
        left_out = False
        try:
            for part in self.formats.parts(form, data):
                if isinstance(part, Made):
                    text = Decoded(part.utf8, form.name, replaced=False)
                    known = part.declared, part.warnings, part.left, part.left_digest
                    content = data if whole is None else whole
                    outcomes.append(
                        Row(place.source, text, content, place.modified, form.name, *known)
                    )
                elif alone:
                    continue
                elif isinstance(part, Member) and too_deep:
                    left_out = True  # A child abandoned here would be ended.
                elif isinstance(part, Member):
                    inside = place.inside(_named_once(part, seen), self.formats.limits)
                    for begun in inner._begin(inside, part.data, _form(inside.name, part)):
                        outcomes += begun.result()
                else:
                    outcomes.append(_unread(place, part))
        except Unreadable as error:
            # Where its text was read, some of what is in it was not.
            outcomes.append(Failed(place.source, str(error), None if outcomes else data))
        if left_out and too_deep:
            outcomes.append(too_deep)
        return outcomes

    def _plain(self, place: _Place, data: bytes) -> list[Outcome]:
        source, kind, encoding = place.source, extension(place.name), self.reading.encoding
        text = decode_page(data, "") if is_page(kind) else decode(data, encoding=encoding)
        if text is None:
            return [Skipped(source, kind, data=data)]
        left, page, said = ("bytes that are not text",) * text.replaced, is_page(kind), None
        if self.pages.reads(kind):
            said = declared(text.utf8)._asdict()
            try:
                text = text._replace(utf8=self.pages.text(text.utf8))
            except Unreadable as error:
                return [Failed(source, str(error), data)]
        return [
            Row(
                source,
                text,
                data,
                place.modified,
                PAGE if page else "",
                said,
                left=left,
                tagged=page and said is None,
            )
        ]

    def _converted(self, source: str, file: Found) -> list[Outcome]:
        """Return the text that the user's program makes from a file."""
        try:
            data, modified, _ = read_file(file.path, wanted=lambda *_: True, follow=file.follow)
        except Unreadable as error:
            return [Failed(source, str(error))]
        return [self._printed(source, file.path, data or b"", modified, None)]

    def _converted_member(self, place: _Place, data: bytes) -> list[Outcome]:
        """Return the text that the user's program makes from a document in another one."""
        # The program gets a name from ilk: the one in an archive may be anything.
        with NamedTemporaryFile(suffix=extension(place.name)) as file:
            file.write(data)
            file.flush()
            return [self._printed(place.source, file.name, data, place.modified, data)]

    def _printed(
        self, source: str, path: str, data: bytes, modified: int | None, known: bytes | None
    ) -> Outcome:
        """Return the output of a program for a file, which may leave anything out."""
        converter = self.reading.convert[extension(path)]
        try:
            text = decode(run_converter(converter, path, self.reading.convert_timeout))
            if text is None:
                raise Unreadable(f"{converter[0]}: it printed something that is not text")
        except Unreadable as error:
            return Failed(source, str(error), known)
        left = (f"what {converter[0]} leaves out",)
        return Row(source, text, data, modified, extension(source), left=left)


def _hold(tally: ReadReport, file: str, source: str, data: bytes | None, reason: str = "") -> None:
    digest = None if data is None else bytes_digests([data])[0].as_py()
    tally.held.setdefault(file, []).append(Held(source, len(data or b""), digest, reason))


def _form(name: str, member: Member) -> Format | None:
    return of_bytes(name, member.data) if member.format is None else FORMATS[member.format]


def _named_once(member: Member, seen: Counter[str]) -> Member:
    """Return a document in another one with a name that is unique there."""
    seen[member.name] += 1
    number = seen[member.name]
    return member if number == 1 else member._replace(name=f"{member.name}~{number}")


def _unread(place: _Place, part: Unread) -> Failed:
    return Failed(place.source + source_name(part.name), part.reason, silent=part.known)


def _done(outcome: Outcome) -> Begun:
    return begin(None, lambda: [outcome])
