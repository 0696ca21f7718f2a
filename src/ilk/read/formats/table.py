"""The table of formats: which are read, by what, what each needs, and which one a file has.

The content of a file decides, and its name only if the content leaves it open.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, BinaryIO, NamedTuple

from ilk.base.errors import PACKAGES, install_commands_from_index_and_clone
from ilk.base.packages import entry_points_in_ilk_group
from ilk.read.encodings.kinds import HEAD, KNOWN_BINARY_BEGINNINGS, TAR_MAGIC, TAR_OFFSET
from ilk.read.files.content import last_dotted_extension

#: The format of files with one message after another.
MAILBOX = "mbox"


class Format(NamedTuple):
    """A format of files.

    Attributes:
        name: its name in counts.
        title: its name for people.
        extensions: the extensions of such files.
        package: the package that its reader needs.
        extra: the extra that brings the reader; empty if the core has it, None without one.
        many: whether a file holds many documents, which are read one after another.
        takes: options of reading that the reader takes besides the limits.
        convert: a common program that converts such a file to text, in the form for ``--convert``.
        refusal: why such files cannot be read.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    package: str | None = None
    extra: str | None = "documents"
    many: bool = False
    takes: tuple[str, ...] = ()
    convert: str | None = None
    refusal: str = ""

    def may_hold_inner_documents(self, file_name: str) -> bool:
        """Return whether a file of this name is likely to hold documents besides itself."""
        if self.name == "compressed":
            return ".tar." in file_name or file_name.endswith((".tgz", ".tbz2", ".txz"))
        return self.many or self.name == "mail"

    @property
    def reader_entry_point_if_any(self) -> str | None:
        """The function that reads it, as ``module:name``; None if none is registered."""
        if self.extra == "":
            return f"ilk.read.formats.archives:read_{self.name}"
        point = entry_points_in_ilk_group("formats").get(self.name)
        return point.value if point else None

    @property
    def missing_package_if_any(self) -> str | None:
        """The package that is not installed, without which it is not read; None if none is."""
        if self.reader_entry_point_if_any is None:
            return PACKAGES[self.extra] if self.extra else None
        return self.package if self.package and find_spec(self.package) is None else None

    @property
    def is_readable(self) -> bool:
        """Whether it can be read here."""
        return self.reader_entry_point_if_any is not None and self.missing_package_if_any is None

    def plain(self) -> dict[str, Any]:
        """Return what ``ilk formats`` lists."""
        return {
            "format": self.name,
            "title": self.title,
            "extensions": list(self.extensions),
            "read": self.is_readable,
            "package": self.missing_package_if_any or self.package,
            "documents": "many" if self.many else "one",
            "advice": self.advice_if_unreadable or None,
        }

    def reader_versions(self) -> list[str]:
        """Return the versions of what reads it."""
        from importlib import metadata  # As in `entry_points_in_ilk_group`.

        point = entry_points_in_ilk_group("formats").get(self.name)
        found = [point.dist.version] if point and point.dist else []
        return [*found, metadata.version(self.package)] if self.package else found

    @property
    def advice_if_unreadable(self) -> str:
        """What to do to have it read; empty if it is, or if nothing helps."""
        if self.extra and self.missing_package_if_any:
            commands = install_commands_from_index_and_clone(self.extra)
            return f"{commands.from_index}, or in a clone of ilk: {commands.in_clone}"
        return "" if self.is_readable else self.convert_option_or_empty

    @property
    def convert_option_or_empty(self) -> str:
        """The option that converts it; empty if no common program does."""
        return f"--convert '{self.extensions[0][1:]}={self.convert}'" if self.convert else ""


_FORMATS = (
    Format("pdf", "PDF", (".pdf",), "pypdfium2", takes=("ocr",), convert="pdftotext {} -"),
    Format("docx", "Word", (".docx", ".docm", ".dotx", ".dotm")),
    Format("pptx", "PowerPoint", (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm")),
    Format(
        "sheets",
        "spreadsheets",
        (".xlsx", ".xlsm", ".xltx", ".xltm", ".xlsb", ".xls", ".ods"),
        "python_calamine",
        convert="xlsx2csv {}",
    ),
    Format("odf", "OpenDocument", (".odt", ".odp", ".ott", ".otp")),
    Format("epub", "EPUB", (".epub",)),
    Format("fb2", "FictionBook", (".fb2",)),
    Format("rtf", "rich text", (".rtf",), "striprtf", convert="unrtf --text {}"),
    Format("mail", "messages", (".eml", ".mht", ".mhtml"), takes=("replies",)),
    Format(MAILBOX, "mailboxes", (".mbox",), many=True),
    Format("notebook", "notebooks", (".ipynb",)),
    Format("subtitles", "subtitles", (".srt", ".vtt")),
    Format("zip", "ZIP", (".zip",), extra="", many=True),
    Format("tar", "tar", (".tar",), extra="", many=True),
    Format(
        "compressed",
        "compressed",
        (".gz", ".bz2", ".xz", ".zst", ".tgz", ".tbz2", ".txz"),
        extra="",
        many=True,
    ),
    Format("doc", "Word to 2003", (".doc", ".dot"), extra=None, convert="antiword {}"),
    Format("ppt", "PowerPoint to 2003", (".ppt", ".pps"), extra=None, convert="catppt {}"),
    Format("msg", "Outlook", (".msg",), extra=None, convert="msgconvert --outfile - {}"),
    Format("djvu", "DjVu", (".djvu", ".djv"), extra=None, convert="djvutxt {}"),
    Format(
        "encrypted",
        "Office documents with a password",
        (),
        extra=None,
        refusal="is encrypted; save it without a password",
    ),
)
FORMATS = {one.name: one for one in _FORMATS}

#: Formats by extension.
BY_EXTENSION = {extension: one.name for one in FORMATS.values() for extension in one.extensions}

#: Bytes of the directory of a zip to examine, and of its end.
_DIRECTORY, _END = 1 << 20, (1 << 16) + 22

#: Bytes of an Office file before 2007 in which to look for its kind.
_LARGEST_OLE = 1 << 26

#: Parts that only one format has, by the beginnings of their names; the first one decides.
_IN_ZIP = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "sheets"))

#: The beginning of a zip whose first part is its media type.
_MIMETYPE = re.compile(
    rb"PK\x03\x04.{26}mimetype.{0,40}?(application/[a-z]+(?:[+.-][a-z]+)*)", re.DOTALL
)
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument."
_MEDIA = {
    b"application/epub+zip": "epub",
    _OPEN_DOCUMENT + b"text": "odf",
    _OPEN_DOCUMENT + b"text-template": "odf",
    _OPEN_DOCUMENT + b"presentation": "odf",
    _OPEN_DOCUMENT + b"presentation-template": "odf",
    _OPEN_DOCUMENT + b"spreadsheet": "sheets",
    _OPEN_DOCUMENT + b"spreadsheet-template": "sheets",
}

#: Zips that are programs and data, whose parts are not documents.
_PROGRAMS = (
    *(".aab", ".apk", ".crx", ".ear", ".egg", ".ipa", ".jar", ".keras", ".kmz", ".npz"),
    *(".nupkg", ".pt", ".pth", ".vsix", ".war", ".whl", ".xpi"),
)

#: The beginning of Office files before 2007, and names of streams in them, in UTF-16.
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_IN_OLE = {
    "EncryptedPackage": "encrypted",
    "WordDocument": "doc",
    "PowerPoint Document": "ppt",
    "__substg1.0_": "msg",
    "Workbook": "sheets",
    "Book": "sheets",
}

_BEGINS = (
    (b"{\\rtf", "rtf"),
    (b"AT&TFORM", "djvu"),
    (b"\x1f\x8b\x08", "compressed"),
    (b"BZh", "compressed"),
    (b"\xfd7zXZ\x00", "compressed"),
    (b"\x28\xb5\x2f\xfd", "compressed"),
    *((bytes([first]) + b"\x2a\x4d\x18", "compressed") for first in range(0x50, 0x60)),  # pzstd.
)

#: All of them at once: nearly every file begins with none.
_ALL_BEGINNINGS = tuple(beginning for beginning, _ in _BEGINS)

#: The header of a message, and the line that separates messages in a mailbox.
_FIELD = re.compile(rb"[A-Za-z][A-Za-z0-9-]{0,60}:[ \t\r\n]")
_FOLDED = re.compile(rb"\r?\n(?![ \t])")
_SENT = re.compile(rb"From \S+ .{0,60}\d{4}.{0,20}\r?\n(?:>?[A-Za-z][A-Za-z0-9-]{0,60}:[ \t\r\n])")
_ALWAYS = {b"from", b"date"}
_POSTED = {b"from", b"subject"}
_OFTEN = {b"message-id", b"received", b"mime-version", b"return-path", b"delivered-to"}

_CUE = re.compile(rb"\s{0,9}\d{1,6}\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3} +--> ")

#: Bytes at the start of a content in which a mark of a format counts; the kernels that tell plain
#: texts by these marks look as far.
EARLY = 1024

#: One of these, after white space, a header field, or a number on a line of its own begins every
#: text in UTF-8 of a format that is recognised, unless it has an early mark in its first ``EARLY``
#: bytes. Few others begin so.
BEGINNINGS_OF_FORMATS = (
    *KNOWN_BINARY_BEGINNINGS,
    *_ALL_BEGINNINGS,
    b"From ",
    b"WEBVTT",
    b"{",
)
EARLY_MARKS_OF_FORMATS = (b"%PDF-", b"<FictionBook", TAR_MAGIC)


def is_any_readable_once_package_installed(extensions: Iterable[str]) -> bool:
    """Return whether one of some extensions is of a format that only lacks its package here."""
    lacking = {
        kind for one in FORMATS.values() if one.missing_package_if_any for kind in one.extensions
    }
    return not lacking.isdisjoint(extensions)


def recognise_format_if_known(name: str, head: bytes, file: BinaryIO) -> Format | None:
    """Return the format of an open file by its name and its first ``HEAD`` bytes; None if it is
    plain text, or the format is unknown. The position in the file stays.
    """
    return FORMATS.get(_format_name_or_empty(name, head.removeprefix(b"\xef\xbb\xbf"), file))


def recognise_format_of_bytes_if_known(name: str, data: bytes) -> Format | None:
    """Return the format of a document by its bytes."""
    return recognise_format_if_known(name, data[:HEAD], io.BytesIO(data))


def _format_name_or_empty(name: str, head: bytes, file: BinaryIO) -> str:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        zip_format = _format_name_of_zip(head, file)
        is_program = zip_format == "zip" and last_dotted_extension(name) in _PROGRAMS
        return "" if is_program else zip_format
    if head.startswith(_OLE):
        position = file.tell()
        file.seek(0)
        content = file.read(_LARGEST_OLE)
        file.seek(position)
        names = (name for name in _IN_OLE if name.encode("utf-16-le") in content)
        return _IN_OLE.get(next(names, ""), "")
    if b"%PDF-" in head[:EARLY] and (
        head.startswith(b"%PDF-") or _has_extension_of_format(name, "pdf")
    ):
        return "pdf"
    if head.startswith(TAR_MAGIC, TAR_OFFSET):
        return "tar"
    if head.startswith(_ALL_BEGINNINGS):
        return next(form for beginning, form in _BEGINS if head.startswith(beginning))
    if _SENT.match(head):
        return MAILBOX
    if _FIELD.match(head) and _begins_as_message(name, head):
        return "mail"
    if head.startswith(b"WEBVTT") or _CUE.match(head):
        return "subtitles"
    if b"<FictionBook" in head[:EARLY]:
        return "fb2"
    begin = head[:EARLY].lstrip()
    if begin.startswith(b"{") and (
        b'"cells"' in begin or _has_extension_of_format(name, "notebook")
    ):
        return "notebook" if b'"cell_type"' in head or b'"cells"' in head else ""
    return ""


def _begins_as_message(name: str, head: bytes) -> bool:
    header, *body = re.split(rb"\r?\n\r?\n", head, maxsplit=1)
    lines = _FOLDED.split(header)
    fields = {line.partition(b":")[0].lower() for line in lines}
    if _has_extension_of_format(name, "mail") or f"/{name}".rpartition("/")[0].endswith(
        ("/cur", "/new")
    ):
        return bool(fields & (_ALWAYS | _OFTEN | {b"subject", b"to"}))
    # Messages of Usenet were kept without a date: nothing but fields, and a blank line after them.
    posted = bool(body) and fields >= _POSTED and all(map(_FIELD.match, lines))
    return posted or (fields >= _ALWAYS and bool(fields & _OFTEN))


def _has_extension_of_format(name: str, format_name: str) -> bool:
    return BY_EXTENSION.get(last_dotted_extension(name)) == format_name


def _format_name_of_zip(head: bytes, file: BinaryIO) -> str:
    if (media := _MIMETYPE.match(head)) and media[1] in _MEDIA:
        return _MEDIA[media[1]]
    names = _first_names_in_zip(file)
    for begin, form in _IN_ZIP:
        if any(one.startswith(begin) for one in names) and "[Content_Types].xml" in names:
            return form
    if "META-INF/container.xml" in names:
        return "epub"
    return "zip"


def _first_names_in_zip(file: BinaryIO) -> list[str]:
    """Return the first names in the directory of a zip, without trusting its own counts.

    Source: APPNOTE.TXT of PKWARE, sections 4.3.12 and 4.3.16.
    """
    position, size = file.tell(), file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _END))
    end = file.read(_END)
    at = end.rfind(b"PK\x05\x06")
    if at < 0 or len(end) - at < 22:
        file.seek(position)
        return []
    offset = int.from_bytes(end[at + 16 : at + 20], "little")
    length = int.from_bytes(end[at + 12 : at + 16], "little")
    # There may be bytes before the zip; then all offsets are too small.
    before = max(0, max(0, size - _END) + at - length - offset) if offset < 1 << 32 - 1 else 0
    file.seek(min(offset + before, size))
    directory, names, at = file.read(_DIRECTORY), [], 0
    file.seek(position)
    while directory[at : at + 4] == b"PK\x01\x02" and len(directory) - at >= 46:
        lengths = [int.from_bytes(directory[at + n : at + n + 2], "little") for n in (28, 30, 32)]
        names.append(directory[at + 46 : at + 46 + lengths[0]].decode("utf-8", "replace"))
        at += 46 + sum(lengths)
    return names
