"""What a container holds, if that is all of it: every byte of the file is accounted for.

The readers of documents take what they can from a file. Whether there is anything else in it is
another question, and only formats with few rules allow an answer: ZIP, gzip, bzip2, xz and tar. A
file of another format, or with anything that these functions do not know, is not complete.
"""

from __future__ import annotations

import bz2
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple, Protocol

from ilk.fingerprints.digest import digest_of_pieces
from ilk.read.encodings.kinds import TAR_MAGIC, TAR_OFFSET

_STEP = 1 << 16
_BLOCK = 512  # Bytes of a block of a tar.
_LONGEST_NAME = 4_097  # Bytes of a path on any system, and the zero after it.

#: Extra fields of a ZIP that hold only times, owners and groups.
_ZIP_FIELDS = {0x000A, 0x5455, 0x5855, 0x7855, 0x7875}

#: The extra field of a ZIP that holds sizes of eight bytes.
_ZIP_SIZES = 0x0001

#: Flags of a ZIP that change nothing: how hard it was packed, a descriptor after the data, UTF-8.
_ZIP_FLAGS = 0x0002 | 0x0004 | 0x0008 | 0x0800

#: Flags of gzip: the file is perhaps text, and has a name.
_GZIP_FLAGS = 0x01 | 0x08

#: Fields of a tar header that end with the first zero byte, and bytes that nothing uses.
_TAR_TEXTS = (slice(0, 100), slice(157, 257), slice(265, 297), slice(297, 329), slice(345, 500))
_TAR_UNUSED = slice(500, 512)
_TAR_RECORDS = {"path", "mtime", "atime", "ctime", "uid", "gid", "uname", "gname"}


class NotComplete(Exception):
    """Why it is not known that the members of a container are all of it."""


class HeldContent(NamedTuple):
    """Some bytes in a container.

    digest: theirs, in hex.
    inside: all that they hold, if they are a complete container themselves; else empty.
    """

    size: int
    digest: str
    inside: tuple[HeldContent, ...] = ()


def contents_or_raise_if_incomplete(file: BinaryIO) -> tuple[HeldContent, ...]:
    """Return all contents of a container.

    Raises:
        NotComplete: there is something else in it, or nobody can know.
    """
    head = file.read(_BLOCK)
    file.seek(0)
    try:
        if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            return tuple(map(_digest_content_and_inside, _unpack_zip_or_raise_if_incomplete(file)))
        if head.startswith(TAR_MAGIC, TAR_OFFSET):
            return tuple(
                map(_digest_content_and_inside, _unpack_tar_or_raise_if_incomplete(file.read))
            )
        if unpack := _decompressor_if_format_known(head):
            content: Any = io.BufferedReader(_UnpackedStream(file, unpack), _STEP)
            if content.peek(_BLOCK).startswith(TAR_MAGIC, TAR_OFFSET):
                return tuple(
                    map(
                        _digest_content_and_inside, _unpack_tar_or_raise_if_incomplete(content.read)
                    )
                )
            return (_digest_content_and_inside(content.read()),)
    except NotComplete:
        raise
    except Exception as error:  # Damage: every codec has its own errors.
        raise NotComplete(f"a part of it is damaged ({error})") from error
    raise NotComplete("its format may hold more than what ilk reads")


def _digest_content_and_inside(content: bytes) -> HeldContent:
    try:
        inside = contents_or_raise_if_incomplete(io.BytesIO(content))
    except NotComplete:
        inside = ()
    return HeldContent(len(content), digest_of_pieces([content]).hex(), inside)


def _unpack_zip_or_raise_if_incomplete(file: BinaryIO) -> Iterator[bytes]:
    """Yield the contents of the files; NotComplete if there may be anything else.

    Source: APPNOTE.TXT of PKWARE, section 4.3.
    """
    with zipfile.ZipFile(file) as archive:
        place, directory = 0, archive.start_dir
        every = archive.infolist()
        for one in sorted(every, key=lambda one: one.header_offset):
            name = one.orig_filename.encode("utf-8" if one.flag_bits & 0x0800 else "cp437")
            if one.comment:
                raise NotComplete("a remark in it stands nowhere else")
            if one.flag_bits & ~_ZIP_FLAGS:
                raise NotComplete("one of its files is encrypted, or packed in an unknown way")
            file.seek(place)
            header = file.read(30)
            lengths = struct.unpack("<HH", header[26:30]) if len(header) == 30 else (0, 0)
            if (one.header_offset, header[:4], file.read(lengths[0])) != (
                place,
                b"PK\x03\x04",
                name,
            ):
                raise NotComplete("bytes in it belong to none of its files")
            sizes = struct.pack("<QQ", one.file_size, one.compress_size)
            _refuse_unknown_zip_fields(file.read(lengths[1]), (sizes, bytes(16)))
            _refuse_unknown_zip_fields(one.extra)
            yield from _unpack_unless_folder(one, file.read(one.compress_size))
            place = file.tell()
            if one.flag_bits & 0x0008:
                place += _descriptor_length_in_bytes(one, file.read(24))
            directory += 46 + len(name) + len(one.extra)
        file.seek(directory)
        if place != archive.start_dir or file.read(4) != b"PK\x05\x06" or archive.comment:
            raise NotComplete("a remark in it, or bytes of none of its files, stand nowhere else")
        if file.seek(0, io.SEEK_END) != directory + 22:
            raise NotComplete("bytes after its last file stand nowhere else")


def _descriptor_length_in_bytes(member: zipfile.ZipInfo, following: bytes) -> int:
    """Return how many bytes after a file repeat its sums, as in a ZIP that was written to a pipe;
    the mark before them may be missing, and sizes have four bytes or eight.
    """
    for form in ("<IQQ", "<III"):
        sums = struct.pack(form, member.CRC, member.compress_size, member.file_size)
        for descriptor in (b"PK\x07\x08" + sums, sums):
            if following.startswith(descriptor):
                return len(descriptor)
    raise NotComplete("bytes in it belong to none of its files")


def _refuse_unknown_zip_fields(extra: bytes, allowed_sizes: tuple[bytes, ...] = ()) -> None:
    """Refuse extra fields of a file that may stand nowhere else.

    Args:
        extra: the fields.
        allowed_sizes: what a field of long sizes may hold: the sizes themselves, or zeros where
            they come after the file.
    """
    while extra:
        kind, size = struct.unpack("<HH", extra[:4])
        plain = kind in _ZIP_FIELDS and size <= 36
        if not plain and not (kind == _ZIP_SIZES and extra[4 : 4 + size] in allowed_sizes):
            raise NotComplete("an extra field in it may stand nowhere else")
        if len(extra) < 4 + size:
            raise NotComplete("an extra field in it may stand nowhere else")
        extra = extra[4 + size :]


def _unpack_unless_folder(member: zipfile.ZipInfo, packed_bytes: bytes) -> Iterator[bytes]:
    """Yield the content of a file; that of a folder is empty."""
    data = packed_bytes
    if member.compress_type == zipfile.ZIP_DEFLATED:
        unpack = zlib.decompressobj(-zlib.MAX_WBITS)
        data = unpack.decompress(packed_bytes, member.file_size + 1)
        if not unpack.eof or unpack.unused_data or unpack.unconsumed_tail:
            raise NotComplete("bytes in it belong to none of its files")
    elif member.compress_type != zipfile.ZIP_STORED:
        raise NotComplete("one of its files is packed in an unknown way")
    if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
        raise NotComplete("one of its files is damaged")
    if not member.is_dir():
        yield data
    elif data:
        raise NotComplete("bytes in it belong to none of its files")


def _unpack_tar_or_raise_if_incomplete(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield the contents of the files; NotComplete if there may be anything else.

    Source: POSIX.1-2017, pax, "ustar Interchange Format".
    """
    while (header := read(_BLOCK)).strip(b"\0"):
        one = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
        texts = (header[field].partition(b"\0")[2] for field in _TAR_TEXTS)
        if header[_TAR_UNUSED].strip(b"\0") or any(text.strip(b"\0") for text in texts):
            raise NotComplete("bytes in it belong to none of its files")
        data = read(one.size)
        after = read(-one.size % _BLOCK)
        if len(data) != one.size or after.strip(b"\0"):
            raise NotComplete("bytes in it belong to none of its files")
        if one.type in (tarfile.REGTYPE, tarfile.AREGTYPE):
            yield data
        elif one.type == tarfile.XHDTYPE:
            _refuse_unknown_tar_records(data)
        elif one.type == tarfile.GNUTYPE_LONGNAME:
            if data.partition(b"\0")[2].strip(b"\0") or len(data) > _LONGEST_NAME:
                raise NotComplete("bytes in it belong to none of its files")
        elif not (one.isdir() and not data):
            raise NotComplete("a link, a device or a remark in it stands nowhere else")
    if len(header) != _BLOCK or any(step.strip(b"\0") for step in iter(lambda: read(_STEP), b"")):
        raise NotComplete("it is cut off, or bytes follow its last file")


def _refuse_unknown_tar_records(data: bytes) -> None:
    while data:
        length = int(data.partition(b" ")[0])
        name = data[:length].partition(b" ")[2].partition(b"=")[0].decode()
        if length <= 0 or name not in _TAR_RECORDS:
            raise NotComplete("a record of a file in it may stand nowhere else")
        data = data[length:]


def _decompressor_if_format_known(head: bytes) -> _Decompressor | None:
    """Return what unpacks a compressed file; None if what else is in one cannot be known."""
    if head.startswith(b"\x1f\x8b\x08"):
        if head[3] & ~_GZIP_FLAGS:
            raise NotComplete("an extra field or a remark in it stands nowhere else")
        return zlib.decompressobj(zlib.MAX_WBITS | 16)
    if head.startswith(b"BZh"):
        return bz2.BZ2Decompressor()
    return lzma.LZMADecompressor(lzma.FORMAT_XZ) if head.startswith(b"\xfd7zXZ\x00") else None


class _Decompressor(Protocol):
    """An object of ``zlib``, ``bz2`` or ``lzma`` that unpacks one stream."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class _UnpackedStream(io.RawIOBase):
    """What one compressed stream holds; NotComplete at the end if anything follows it."""

    def __init__(self, file: BinaryIO, unpack: _Decompressor) -> None:
        self._file, self._unpack, self._rest = file, unpack, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        while not self._rest and not self._unpack.eof:
            step = self._file.read(_STEP)
            if not step:
                raise NotComplete("it is cut off")
            self._rest = self._unpack.decompress(step)
        if not self._rest and (self._unpack.unused_data or self._file.read(1)):
            raise NotComplete("bytes follow what is compressed in it")
        size = min(len(view), len(self._rest))
        view[:size], self._rest = self._rest[:size], self._rest[size:]
        return size
