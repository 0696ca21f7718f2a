"""The format of a file: its content decides, and its name only if the content leaves it open."""

from __future__ import annotations

import io
import re
from typing import BinaryIO

from ilk.read.encodings.kinds import HEAD
from ilk.read.files.names import extension
from ilk.read.formats import tars
from ilk.read.formats.table import BY_EXTENSION, FORMATS, Format

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
_OPEN = b"application/vnd.oasis.opendocument."
_MEDIA = {
    b"application/epub+zip": "epub",
    _OPEN + b"text": "odf",
    _OPEN + b"text-template": "odf",
    _OPEN + b"presentation": "odf",
    _OPEN + b"presentation-template": "odf",
    _OPEN + b"spreadsheet": "sheets",
    _OPEN + b"spreadsheet-template": "sheets",
}

#: Zips that are programs and data, whose parts are not documents.
_PROGRAMS = frozenset(
    (
        *(".aab", ".apk", ".crx", ".ear", ".egg", ".ipa", ".jar", ".keras", ".kmz", ".npz"),
        *(".nupkg", ".pt", ".pth", ".vsix", ".war", ".whl", ".xpi"),
    )
)

#: The beginning of Office files before 2007, and names of streams in them, in UTF-16.
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_IN_OLE = tuple(
    (name.encode("utf-16-le"), form)
    for name, form in (
        ("EncryptedPackage", "encrypted"),
        ("WordDocument", "doc"),
        ("PowerPoint Document", "ppt"),
        ("__substg1.0_", "msg"),
        ("Workbook", "sheets"),
        ("Book", "sheets"),
    )
)

_BEGINS = (
    (b"{\\rtf", "rtf"),
    (b"AT&TFORM", "djvu"),
    (b"\x1f\x8b\x08", "compressed"),
    (b"BZh", "compressed"),
    (b"\xfd7zXZ\x00", "compressed"),
    (b"\x28\xb5\x2f\xfd", "compressed"),
)
_ANY_BEGIN = tuple(begin for begin, _ in _BEGINS)

#: The header of a message, and the line that separates messages in a mailbox.
_FIELD = re.compile(rb"[A-Za-z][A-Za-z0-9-]{0,60}:[ \t\r\n]")
_FOLDED = re.compile(rb"\r?\n(?![ \t])")
_SENT = re.compile(rb"From \S+ .{0,60}\d{4}.{0,20}\r?\n(?:>?[A-Za-z][A-Za-z0-9-]{0,60}:[ \t\r\n])")
_ALWAYS = {b"from", b"date"}
_OFTEN = {b"message-id", b"received", b"mime-version", b"return-path", b"delivered-to"}

_CUE = re.compile(rb"\s{0,9}\d{1,6}\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3} +--> ")


def recognised(name: str, head: bytes, file: BinaryIO) -> Format | None:
    """Return the format of an open file; None if it is plain text, or the format is unknown.

    Args:
        name: the name of the file.
        head: its first ``HEAD`` bytes, or all.
        file: the file; its position afterwards is undefined.
    """
    found = _by_content(name, head, file)
    return None if found is None else FORMATS[found]


def of_bytes(name: str, data: bytes) -> Format | None:
    """Return the format of a document by its bytes."""
    return recognised(name, data[:HEAD], io.BytesIO(data))


def _by_content(name: str, head: bytes, file: BinaryIO) -> str | None:
    head = head.removeprefix(b"\xef\xbb\xbf")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zipped(name, head, file)
    if head.startswith(_OLE):
        return _ole(file)
    if b"%PDF-" in head[:1024] and (head.startswith(b"%PDF-") or _named(name, "pdf")):
        return "pdf"
    if head.startswith(tars.MAGIC, tars.OFFSET):
        return "tar"
    if head.startswith(_ANY_BEGIN):
        return next(form for begin, form in _BEGINS if head.startswith(begin))
    return _in_text(name, head)


def _in_text(name: str, head: bytes) -> str | None:
    """Return the format of what may be plain text by its bytes."""
    if _SENT.match(head):
        return "mbox"
    if _FIELD.match(head) and _is_message(name, head):
        return "mail"
    if head.startswith(b"WEBVTT") or _CUE.match(head):
        return "subtitles"
    if b"<FictionBook" in head[:1024]:
        return "fb2"
    begin = head[:1024].lstrip()
    if begin.startswith(b"{") and (b'"cells"' in begin or _named(name, "notebook")):
        return "notebook" if b'"cell_type"' in head or b'"cells"' in head else None
    return None


def _is_message(name: str, head: bytes) -> bool:
    """Return whether a text that begins like a header is a message."""
    header = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0]
    fields = {line.partition(b":")[0].lower() for line in _FOLDED.split(header)}
    if _named(name, "mail") or f"/{name}".rpartition("/")[0].endswith(("/cur", "/new")):
        return bool(fields & (_ALWAYS | _OFTEN | {b"subject", b"to"}))
    return fields >= _ALWAYS and bool(fields & _OFTEN)


def _named(name: str, form: str) -> bool:
    return BY_EXTENSION.get(extension(name)) == form


def _ole(file: BinaryIO) -> str | None:
    file.seek(0)
    content = file.read(_LARGEST_OLE)
    return next((form for name, form in _IN_OLE if name in content), None)


def _zipped(name: str, head: bytes, file: BinaryIO) -> str | None:
    """Return the format of a zip, by its content."""
    if (media := _MIMETYPE.match(head)) and media[1] in _MEDIA:
        return _MEDIA[media[1]]
    names = _zip_names(file)
    for begin, form in _IN_ZIP:
        if any(one.startswith(begin) for one in names) and "[Content_Types].xml" in names:
            return form
    if "META-INF/container.xml" in names:
        return "epub"
    return None if extension(name) in _PROGRAMS else "zip"


def _zip_names(file: BinaryIO) -> list[str]:
    """Return the first names in the directory of a zip, without trusting its own counts.

    Source: APPNOTE.TXT of PKWARE, sections 4.3.12 and 4.3.16.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _END))
    end = file.read(_END)
    at = end.rfind(b"PK\x05\x06")
    if at < 0 or len(end) - at < 22:
        return []
    offset = int.from_bytes(end[at + 16 : at + 20], "little")
    length = int.from_bytes(end[at + 12 : at + 16], "little")
    # There may be bytes before the zip; then all offsets are too small.
    before = max(0, max(0, size - _END) + at - length - offset) if offset < 1 << 32 - 1 else 0
    file.seek(min(offset + before, size))
    directory, names, at = file.read(_DIRECTORY), [], 0
    while directory[at : at + 4] == b"PK\x01\x02" and len(directory) - at >= 46:
        lengths = [int.from_bytes(directory[at + n : at + n + 2], "little") for n in (28, 30, 32)]
        names.append(directory[at + 46 : at + 46 + lengths[0]].decode("utf-8", "replace"))
        at += 46 + sum(lengths)
    return names
