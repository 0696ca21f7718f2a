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
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from itertools import chain, islice
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from ilk.fingerprints.digest import bytes_digests, digest_of_pieces
from ilk.read.encodings.decoding import Decoded, decode, decode_page_unless_binary
from ilk.read.encodings.kinds import HEAD, is_binary
from ilk.read.files.content import (
    Content,
    HowMuch,
    Unreadable,
    last_dotted_extension,
    read_file,
    source_name,
)
from ilk.read.files.converters import run_converter
from ilk.read.files.copies import ByteCopies
from ilk.read.files.walk import STDIN, FoundFile
from ilk.read.formats.parts import LAYOUT, Limits, MemberPart, TextPart, Unfit, Unread
from ilk.read.formats.reader import FormatReader
from ilk.read.formats.table import (
    FORMATS,
    MAILBOX,
    Format,
    recognise_format_if_known,
    recognise_format_of_bytes_if_known,
)
from ilk.read.layout import LAID_OUT, strip_trailing_white_space_and_blank_lines
from ilk.read.pages import PAGE, Pages
from ilk.read.reading import Reading
from ilk.read.report import OWN_FILES, Failure, Held, ReadReport


class _TooMuch(Unreadable):
    """A file that, with everything in it, unpacks to too much."""


class ReadDocument(NamedTuple):
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

    def add_to_tally(self, file: str, tally: ReadReport) -> None:
        """Count it, as a document in a file."""
        del file
        encoding = self.text.encoding
        tally.documents += 1
        tally.bytes += len(self.data)
        tally.pages += self.tagged
        tally.encodings[encoding] = tally.encodings.get(encoding, 0) + 1
        tally.replaced += [self.source] * self.text.replaced
        tally.warnings += [Failure(self.source, warning) for warning in self.warnings]


class NoText(NamedTuple):
    """A document without a text: of an unsupported type, or one that cannot be read.

    reason: why it cannot be read; "" for an unsupported type.
    kind, advice: the extension of such a type, and what to do about it.
    data: its bytes; None if they are not known, as for a file on disk.
    silent: skip it without a report: nobody would miss it (a thumbnail, a signature).
    own: whether ilk wrote it.
    """

    source: str
    reason: str = ""
    data: bytes | None = None
    kind: str = ""
    advice: str = ""
    silent: bool = False
    own: bool = False

    def add_to_tally(self, file: str, tally: ReadReport) -> None:
        """Count it, in a file."""
        if self.own:
            tally.leave_out(OWN_FILES, file)
        elif not self.reason:
            tally.skip(self.kind, self.advice)
        elif not self.silent:
            tally.fail(self.source, self.reason)
        if self.source != file or (self.reason and self.data is None):
            data = self.data or b""
            digest = None if self.data is None else bytes_digests([data])[0].as_py()
            held = Held(self.source, len(data), digest, self.reason)
            tally.held.setdefault(file, []).append(held)


Outcome: TypeAlias = ReadDocument | NoText

#: Documents, or the work that returns them; a future for every file would take too long.
Begun: TypeAlias = list[Outcome] | Future[list[Outcome]]


def wait_for_outcomes(work: Begun) -> list[Outcome]:
    """Return the documents, once their work has ended."""
    return work if isinstance(work, list) else work.result()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The place of a document.

    Attributes:
        source: its name for people.
        name: the name that shows its kind, if the content leaves that open.
        modified: when its file was changed.
        size: bytes of the file that contains it.
        unpacked_bytes: in a list, the bytes that this file has unpacked to so far.
        depth: how many documents contain it.
        name_counts: how many documents in it had each name.
    """

    source: str
    name: str
    modified: int | None
    size: int
    unpacked_bytes: list[int]
    depth: int = 0
    name_counts: Counter[str] = field(default_factory=Counter)

    def count_member_and_make_place(self, member: MemberPart, limits: Limits) -> _Place:
        """Count a document in this one, and return its place; Unreadable if it is too large."""
        self.unpacked_bytes[0] += len(member.data)
        try:
            limits.refuse_too_much(self.unpacked_bytes[0], self.size)
        except Unfit as error:
            raise _TooMuch(str(error)) from None
        self.name_counts[member.name] += 1
        number = self.name_counts[member.name]
        source = self.source + source_name(member.name) + f"~{number}" * (number > 1)
        # A compressed file has the name of the outer one, without the last extension.
        name = source if member.name else os.path.splitext(self.name)[0]
        return _Place(
            source=source,
            name=name,
            modified=self.modified,
            size=self.size,
            unpacked_bytes=self.unpacked_bytes,
            depth=self.depth + 1,
        )

    def failure_of_member(self, part: Unread) -> NoText:
        """Return a document in this one that cannot be read."""
        return NoText(self.source + source_name(part.name), part.reason, silent=part.known)


#: The beginnings of files that ilk writes beside documents: plans, logs, decisions, stores.
_OWN = (b'{"plan": {"version"', b'{"log": ', b'{"review": ')
_STORE = re.compile(rb"SQLite format 3\0.{52}ilk\0", re.DOTALL)


class _RecognisedFile(NamedTuple):
    """What was read of a file, its format (None for plain text), and whether ilk wrote it.

    There are no bytes if the file holds many documents, or is not wanted.
    """

    content: Content
    form: Format | None
    written_by_ilk: bool


@dataclass(frozen=True, slots=True)
class Unpacker:
    """How to get documents from files.

    Attributes:
        reading, pages, formats: how to get their text.
        threads: the threads for pages and formats; None to read them at once.
        largest: bytes up to which a plain file is read.
        copies: finds files whose documents are listed elsewhere.
    """

    reading: Reading
    pages: Pages
    formats: FormatReader
    threads: ThreadPoolExecutor | None
    largest: int
    copies: ByteCopies

    def takes_plain_text_as_it_is(self, path: str, size: int) -> bool:
        """Return whether a plain text in UTF-8 in a file of this name is its document, unchanged.

        It is not if a program converts it, if it is a page, if its layout carries meaning, or if it
        is too large.
        """
        kind = last_dotted_extension(path)
        return size <= self.largest and not (
            kind in LAID_OUT or kind in PAGE.extensions or kind in self.reading.convert
        )

    def begin_file_skipping_members_of_copies(
        self, file: FoundFile, content_if_read: Content | None = None
    ) -> Iterator[Begun]:
        """Start to read a file: yield work that returns its documents, in their order.

        ``content_if_read``: its whole content if ``read_small_files`` has read it.
        """
        source, kind = source_name(file.path), last_dotted_extension(file.path)
        try:
            if kind in self.reading.convert:
                data, mtime, size = content_if_read or read_file(
                    file.path, decide_by_head=lambda *_: "all", follow=file.follow
                )
                place = _Place(
                    source=source, name=source, modified=mtime, size=size, unpacked_bytes=[0]
                )
                yield [self._convert_with_program(place, data or b"", file.path)]
                return
            (data, mtime, size), form, own = self._read_and_recognise_format(file, content_if_read)
        except Unreadable as error:
            yield [NoText(source, str(error))]
            return
        place = _Place(source=source, name=source, modified=mtime, size=size, unpacked_bytes=[0])
        if own:
            yield [NoText(source, own=True)]
        elif data is None and form is None:
            yield [NoText(source, kind=kind)]
        elif (
            form is None
            or not form.may_hold_inner_documents(source)
            or not self.copies.is_copy_else_remember(file.path, size)
        ):
            path = file.path if data is None else None
            yield from self._begin_document(place, data or b"", form, path, follow=file.follow)
        elif data is None:
            yield []  # Its documents are listed with the earlier file.
        else:
            alone = partial(self._read_document, without_members=True)
            yield self._submit_or_run(alone, place, data, form)

    def _submit_or_run(self, work: Callable[..., list[Outcome]], *args: object) -> Begun:
        return work(*args) if self.threads is None else self.threads.submit(work, *args)

    def _read_and_recognise_format(
        self, file: FoundFile, content_if_read: Content | None
    ) -> _RecognisedFile:
        """Read a file, unless it holds many documents, or is not wanted."""
        content = content_if_read
        form: Format | None = None
        own = False

        def examine_head(head: bytes, stream: BinaryIO) -> HowMuch:
            nonlocal form, own
            own = not file.named and (head.startswith(_OWN) or bool(_STORE.match(head)))
            form = None if own else recognise_format_if_known(file.path, head, stream)
            if form is not None:
                return "all" if form.is_readable and not form.many else "nothing"
            size = stream.seek(0, os.SEEK_END)
            if size > self.largest and not own and not is_binary(head):
                limit = "--limit text" if self.largest == self.reading.limits.text else "--memory"
                raise Unreadable(
                    f"has {size:,} bytes, and {limit} allows {self.largest:,} for one text; it is "
                    "compared only by its bytes"
                )
            return "nothing" if own else "unless_large_binary"

        if file.path == STDIN:
            try:
                data = sys.stdin.buffer.read()
            except (AttributeError, ValueError, OSError) as error:  # None or closed in daemons.
                raise Unreadable(f"standard input: {error}") from error
            examine_head(data[:HEAD], BytesIO(data))
            return _RecognisedFile(Content(data, None, len(data)), form, own)
        if content is None:
            content = read_file(file.path, decide_by_head=examine_head, follow=file.follow)
        elif examine_head(content.data or b"", BytesIO(content.data or b"")) == "nothing":
            content = content._replace(data=None)
        return _RecognisedFile(content, form, own)

    def _begin_document(
        self,
        place: _Place,
        data: bytes,
        form: Format | None,
        path: str | None = None,
        *,
        follow: bool = False,
    ) -> Iterator[Begun]:
        """Start to read a document: its bytes, or the file at a path if it holds many."""
        source, content = place.source, data or None
        if place.depth and last_dotted_extension(place.name) in self.reading.convert:
            yield [self._convert_with_program(place, data)]
        elif form is None:
            page = self.pages.extracts_from(last_dotted_extension(place.name))
            yield (
                self._submit_or_run(self._read_plain_text_or_page, place, data)
                if page
                else self._read_plain_text_or_page(place, data)
            )
        elif form.refusal:
            yield [NoText(source, form.refusal, content)]
        elif not form.is_readable:
            yield [
                NoText(
                    source, data=content, kind=form.extensions[0], advice=form.advice_if_unreadable
                )
            ]
        elif not form.many:
            yield self._submit_or_run(self._read_document, place, data, form)
        # Disallowed members are not even requested: a file of some kB can hold millions of them.
        elif failed := self._failure_if_too_deep_for_members(place, content):
            yield [failed]
        else:
            yield from self._begin_members(place, data, form=form, path=path, follow=follow)

    def _failure_if_too_deep_for_members(
        self, place: _Place, data: bytes | None = None
    ) -> NoText | None:
        """Return the failure of a document whose members would be nested too deeply; else None."""
        nesting = self.formats.limits.nesting
        if place.depth < nesting:
            return None
        reason = f"holds documents nested deeper than --limit nesting allows ({nesting})"
        return NoText(place.source, reason, data)

    def _begin_member(self, place: _Place, part: MemberPart) -> Iterator[Begun]:
        inside = place.count_member_and_make_place(part, self.formats.limits)
        form = (
            FORMATS[part.format]
            if part.format
            else recognise_format_of_bytes_if_known(inside.name, part.data)
        )
        return self._begin_document(inside, part.data, form)

    def _begin_members(
        self, place: _Place, data: bytes, *, form: Format, path: str | None, follow: bool
    ) -> Iterator[Begun]:
        """Start to read the documents in a file of many; one message alone is the file itself."""
        try:
            parts = self.formats.read_parts(form, data, path, follow=follow)
            if form.name == MAILBOX:
                first = list(islice(parts, 2))
                if len(first) == 1 and isinstance(first[0], MemberPart):
                    whole = data if path is None else read_file(path, follow=follow).data
                    message = FORMATS[first[0].format or MAILBOX]
                    of_mailbox = partial(self._read_document, bytes_of_file=whole)
                    yield self._submit_or_run(of_mailbox, place, first[0].data, message)
                    return
                parts = chain(first, parts)
            for part in parts:
                if isinstance(part, MemberPart):
                    yield from self._begin_member(place, part)
                elif isinstance(part, Unread):
                    yield [place.failure_of_member(part)]
        except Unreadable as error:
            if isinstance(error, _TooMuch) and place.depth:
                raise  # This is a failure of the whole file.
            yield [NoText(place.source, str(error))]

    def _read_document(
        self,
        place: _Place,
        data: bytes,
        form: Format,
        *,
        without_members: bool = False,
        bytes_of_file: bytes | None = None,
    ) -> list[Outcome]:
        """Return a document, and the documents in it, unless it is read ``without_members``.

        ``bytes_of_file``: if the document is all of another file, such as the only message of a
        mailbox.
        """
        outcomes = list[Outcome]()
        inner, too_deep, left_out = (
            replace(self, threads=None),
            self._failure_if_too_deep_for_members(place),
            False,
        )
        try:
            for part in self.formats.read_parts(form, data):
                if isinstance(part, TextPart):
                    text = Decoded(part.data, form.name, replaced=False)
                    content = data if bytes_of_file is None else bytes_of_file
                    outcomes.append(
                        ReadDocument(
                            source=place.source,
                            text=text,
                            data=content,
                            modified=place.modified,
                            form=form.name,
                            declared=part.declared,
                            warnings=part.warnings,
                            left=part.left,
                            left_digest=part.left_digest,
                        )
                    )
                elif without_members:
                    continue
                elif isinstance(part, Unread):
                    outcomes.append(place.failure_of_member(part))
                elif too_deep:
                    left_out = True  # A child abandoned here would be ended.
                else:
                    for begun in inner._begin_member(place, part):
                        outcomes += wait_for_outcomes(begun)
        except Unreadable as error:
            # Where its text was read, some of what is in it was not.
            outcomes.append(NoText(place.source, str(error), None if outcomes else data))
        if left_out and too_deep:
            outcomes.append(too_deep)
        return outcomes

    def _read_plain_text_or_page(self, place: _Place, data: bytes) -> list[Outcome]:
        source, kind = place.source, last_dotted_extension(place.name)
        page, takes_main_text, page_facts = (
            kind in PAGE.extensions,
            self.pages.extracts_from(kind),
            None,
        )
        text = (
            decode_page_unless_binary(data, "")
            if page
            else decode(data, encoding_if_not_unicode=self.reading.encoding)
        )
        if text is None:
            return [NoText(source, data=data, kind=kind)]
        left = ("bytes that are not text",) * text.replaced
        left_digest = ""
        if takes_main_text:
            try:
                made = self.pages.extract_text(text.utf8)
            except Unreadable as error:
                return [NoText(source, str(error), data)]
            text, page_facts = text._replace(utf8=made.data), made.declared
            left_digest = "" if left else made.left_digest
            left += made.left
        elif kind in LAID_OUT and not left:
            left, left_digest = (
                (LAYOUT,),
                digest_of_pieces([strip_trailing_white_space_and_blank_lines(text.utf8)]).hex(),
            )
        document = ReadDocument(
            source=source,
            text=text,
            data=data,
            modified=place.modified,
            form=PAGE.name if page else "",
            declared=page_facts,
            left=left,
            left_digest=left_digest,
            tagged=page and not takes_main_text,
        )
        return [document]

    def _convert_with_program(self, place: _Place, data: bytes, path: str | None = None) -> Outcome:
        """Return the text that the user's program makes of a file, or of a document in one."""
        kind, source = last_dotted_extension(path or place.name), place.source
        converter = self.reading.convert[kind]
        try:
            # The program gets a name from ilk: the one in an archive may be anything.
            with NamedTemporaryFile(suffix=kind) as file:
                if path is None:
                    file.write(data)
                    file.flush()
                name = path or file.name
                text = decode(run_converter(converter, name, self.reading.convert_timeout))
            if text is None:
                raise Unreadable(f"{converter[0]}: it printed something that is not text")
        except Unreadable as error:
            return NoText(source, str(error), data if path is None else None)
        left = (f"what {converter[0]} leaves out",)
        return ReadDocument(
            source=source,
            text=text,
            data=data,
            modified=place.modified,
            form=last_dotted_extension(source),
            left=left,
        )
