"""A WACZ file: which archives it holds, what it lists of them, and what of it is damaged."""

from __future__ import annotations

import hashlib
import lzma
import os
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

from ilk import Limits
from ilk.companions import Unreadable, parse_json, split_codec_and_extension
from ilk.plugins import Unfit
from ilk_web.wacz.inner_files import UncompressedFile, UnpackedFile
from ilk_web.wacz.listings import (
    ListedOffsets,
    ListedTitles,
    add_index_and_count_bad_lines,
    add_pages_and_count_bad_lines,
    read_listing_lines,
)
from ilk_web.warc.frames import MAGIC, STEP, InnerFile

#: The folders of a WACZ; the file that describes it, and the one that has the digest of that.
_ARCHIVES, _INDEXES, _PAGES = "archive/", "indexes/", "pages/"
_DESCRIPTION, _SEAL = "datapackage.json", "datapackage-digest.json"

#: What lists captures, and what lists pages.
_INDEX, _LIST = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz"), (".jsonl", ".jsonl.gz")

#: The digests that a description may name.
_HASHES = {"sha256": hashlib.sha256, "md5": hashlib.md5, "sha1": hashlib.sha1}

#: The most bytes of a description.
_LARGEST = 1 << 26

#: What the module for ZIPs raises for one that is damaged.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(OSError, EOFError, NotImplementedError, ValueError),
)

#: What the head of a file in a ZIP begins with; its bytes without name and extra field, and where
#: the lengths of these are (APPNOTE 4.3.7).
_BEGIN, _HEAD, _LENGTHS = b"PK\x03\x04", 30, 26

_ENCRYPTED = 0x1


class FileProblem(NamedTuple):
    """A file in a WACZ, and what is wrong with it."""

    file: str
    reason: str


class Package:
    """A WACZ file.

    archives: the names of those in it, in their order.
    """

    def __init__(self, path: str, limits: Limits) -> None:
        """Read which files it holds; Unreadable if it is no WACZ, or would unpack to too much."""
        self._path, self._limits = path, limits
        self._problems: list[FileProblem] = []
        self._listing_problems: list[FileProblem] = []
        try:
            self._zip = zipfile.ZipFile(path)
        except _DAMAGE as error:
            raise Unreadable(f"is no ZIP, as a WACZ is, or it ends early ({error})") from error
        weakref.finalize(self, self._zip.close)
        self._files = self._note_problems_and_list_files()
        self.archives = [name for name in self._files if self._is_archive_or_note(name)]
        if not self.archives:
            raise Unreadable(
                f"has no archive in its folder {_ARCHIVES}, so it is no WACZ, or its captures are "
                "elsewhere"
            )

    def _note_problems_and_list_files(self) -> dict[str, zipfile.ZipInfo]:
        """Return the files by name, in the order of names, without those that cannot be read."""
        every = [one for one in self._zip.infolist() if not one.is_dir()]
        packed = sum(one.file_size for one in every if one.compress_type != zipfile.ZIP_STORED)
        size = os.path.getsize(self._path)
        if sum(one.compress_size for one in every) > size:
            raise Unreadable("is damaged: the files in it overlap")
        try:
            self._limits.refuse_too_much(packed, size)
        except Unfit as error:
            raise Unreadable(str(error)) from error
        files: dict[str, zipfile.ZipInfo] = {}
        for one in every:
            if not _stays_within_folder(one.filename):
                reason: str | None = "has a name that leads elsewhere, and was not read"
            elif one.filename in files:
                reason = "is in it twice; the first was read"
            elif one.flag_bits & _ENCRYPTED:
                reason = "is encrypted, and was not read"
            else:
                reason = None
                files[one.filename] = one
            if reason is not None:
                self._problems.append(FileProblem(one.filename, reason))
        return dict(sorted(files.items()))

    def _is_archive_or_note(self, name: str) -> bool:
        if not name.startswith(_ARCHIVES):
            return False
        is_archive = split_codec_and_extension(name, MAGIC)[1] in (".warc", ".arc", ".wet")
        if not is_archive:
            self._problems.append(FileProblem(name, "is no archive by its name, and was not read"))
        return is_archive

    def locate_or_unpack_as_far_as_readable(self, name: str) -> InnerFile:
        """Return one of its archives, unpacked into a temporary file if it is packed.

        What cannot be unpacked is left out, and ``find_problem_of_file_if_any`` says so.

        Raises:
            Unreadable: there is no such file where the ZIP says.
        """
        info = self._files[name]
        if info.compress_type != zipfile.ZIP_STORED:
            unpacked = UnpackedFile()
            self._read_and_describe_damage_if_any(info, unpacked.add)
            return unpacked
        with open(self._path, "rb") as file:
            file.seek(info.header_offset)
            head = file.read(_HEAD)
        if not head.startswith(_BEGIN) or len(head) < _HEAD:
            raise Unreadable(f"is damaged: {name} is not where it says")
        lengths = (head[at : at + 2] for at in (_LENGTHS, _LENGTHS + 2))
        begin = info.header_offset + _HEAD + sum(int.from_bytes(it, "little") for it in lengths)
        return UncompressedFile(self._path, begin, info.compress_size)

    def _read_and_describe_damage_if_any(
        self, info: zipfile.ZipInfo, use_piece: Callable[[bytes], Any]
    ) -> str | None:
        """Read a file up to its end, and pass on its bytes; return its damage in words, or None."""
        try:
            with self._zip.open(info) as file:
                while piece := file.read(STEP):
                    use_piece(piece)
        except _DAMAGE as error:
            return f"is damaged: {error}"
        return None

    def find_problem_of_file_if_any(self, name: str) -> str | None:
        """Return why a file is not what it should be: damaged, or not of the size or the digest
        that the description has; None if nothing is wrong.
        """
        info, description = self._files[name], self._descriptions_by_file.get(name, {})
        algorithm, _, stated_digest = str(description.get("hash", "")).partition(":")
        digest = _HASHES.get(algorithm, hashlib.sha256)()
        damage = self._read_and_describe_damage_if_any(info, digest.update)
        if damage is not None:
            return damage
        if "bytes" in description and description["bytes"] != info.file_size:
            stated_size = description["bytes"]
            return f"has {info.file_size:,} bytes, and {_DESCRIPTION} says {stated_size!r:.40}"
        if algorithm in _HASHES and stated_digest.lower() != digest.hexdigest():
            return f"does not match its digest in {_DESCRIPTION}"
        return None

    @cached_property
    def _descriptions_by_file(self) -> dict[str, dict[str, Any]]:
        """What the description says of each file, by its name."""
        resources = self._read_json_or_empty(_DESCRIPTION).get("resources", [])
        if not isinstance(resources, list):
            resources = []
        return {
            one["path"]: one
            for one in resources
            if isinstance(one, dict) and isinstance(one.get("path"), str)
        }

    def _read_json_or_empty(self, name: str) -> dict[str, Any]:
        """Return the object that a file holds; {} if it holds none, or is not there."""
        info = self._files.get(name)
        if info is None or info.file_size > _LARGEST:
            return {}
        content = bytearray()
        damage = self._read_and_describe_damage_if_any(info, content.extend)
        try:
            described = {} if damage else parse_json(bytes(content))
        except ValueError:
            return {}
        return described if isinstance(described, dict) else {}

    @cached_property
    def problems_of_other_files(self) -> list[FileProblem]:
        """What is wrong with files that are no archives, by name."""
        problems = [*self._problems]
        if not self._descriptions_by_file:
            problems.append(FileProblem(_DESCRIPTION, "is not there, or names no file"))
        seal, info = self._read_json_or_empty(_SEAL), self._files.get(_DESCRIPTION)
        if seal and info is not None:
            digest = hashlib.sha256()
            damage = self._read_and_describe_damage_if_any(info, digest.update)
            if damage or str(seal.get("hash")) != f"sha256:{digest.hexdigest()}":
                problems.append(FileProblem(_DESCRIPTION, f"does not match its digest in {_SEAL}"))
        told = {name for name, _ in problems}
        for name in self._descriptions_by_file.keys() - self._files.keys() - told:
            problems.append(FileProblem(name, f"is named by {_DESCRIPTION}, and is not there"))
        for name in self._files.keys() - set(self.archives) - {_DESCRIPTION, _SEAL}:
            reason = self.find_problem_of_file_if_any(name)
            if reason is not None:
                problems.append(FileProblem(name, reason))
        _ = self.titles, self.offsets  # What lists them is read by now.
        problems += self._listing_problems
        return sorted(problems)

    @cached_property
    def titles(self) -> ListedTitles:
        """The titles of its pages."""
        titles = ListedTitles()
        self._add_listings_and_note_problems(
            _PAGES, _LIST, lambda lines: add_pages_and_count_bad_lines(lines, titles)
        )
        return titles

    @cached_property
    def offsets(self) -> ListedOffsets:
        """Where its index says that records begin."""
        offsets = ListedOffsets()
        self._add_listings_and_note_problems(
            _INDEXES, _INDEX, lambda lines: add_index_and_count_bad_lines(lines, offsets)
        )
        return offsets

    def _add_listings_and_note_problems(
        self,
        folder: str,
        name_ends: tuple[str, ...],
        add_lines_and_count_bad: Callable[[Iterable[bytes]], int],
    ) -> None:
        """Add the lines of each listing in a folder, and note those that make no sense."""
        for name, info in self._files.items():
            if not (name.startswith(folder) and name.endswith(name_ends)):
                continue
            try:
                with self._zip.open(info) as file:
                    senseless = add_lines_and_count_bad(
                        read_listing_lines(file, name, self._limits, info.compress_size)
                    )
            except Unfit as error:
                self._listing_problems.append(
                    FileProblem(name, f"{error}; the rest of it was not read")
                )
            except _DAMAGE:
                pass  # ``problems_of_other_files`` says so of every file.
            else:
                if senseless:
                    reason = f"lines that make no sense: {senseless:,}"
                    self._listing_problems.append(FileProblem(name, reason))


def _stays_within_folder(name: str) -> bool:
    """Return whether a name stays within a folder, on any system."""
    parts = name.split("/")
    return not any(part in ("", ".", "..") for part in parts) and not set(name) & set("\\:\0")
