"""What the objects of a PDF hold beside the text of its pages.

Pages are followed by lists of the keys whose values only say what a page shows and how. All other
keys count, and so does each object to which no page leads: metadata, outlines, scripts, forms,
structure, thumbnails, and what nobody has heard of.

Source: ISO 32000-1, sections 7.2 and 7.3 (objects), 7.5 (files), 7.7.2 (catalogue), 7.7.3 (pages),
7.8.3 (resources), 8 (graphics), 9 (fonts), 14.3.3 (information).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

#: Bytes that a stream of objects unpacks to, at most.
_MOST = 1 << 26

_TOKEN = re.compile(
    rb"(?:[\0\t\n\f\r ]+|%[^\r\n]*)*"
    rb"(?P<token><<|>>|[\[\]]|/[^\0\t\n\f\r ()<>\[\]{}/%]*|<[0-9A-Fa-f\0\t\n\f\r ]*>"
    rb"|\((?:[^()\\]|\\.)*+\)|\(|[^\0\t\n\f\r ()<>\[\]{}/%]+)",
    re.DOTALL,
)
_OBJECT = re.compile(rb"(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+obj\b")
_STREAM = re.compile(rb"[\0\t\n\f\r ]*stream\r?\n")
_REFERENCE = re.compile(rb"[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+R\b")
_PARENTHESIS = re.compile(rb"\\.|[()]", re.DOTALL)

#: What stands between objects: the mark of a file and its line of high bytes, tables, and ends.
_BETWEEN = re.compile(
    rb"%PDF-\d\.\d|%[\x80-\xff]{4,}|endobj|xref[\0\t\n\f\r ]+(?:\d+[ ]\d+[\0\t\n\f\r ]+"
    rb"(?:\d{10}[ ]\d{5}[ ][nf][\0\t\n\f\r ]+)*)*|startxref[\0\t\n\f\r ]+\d+|%%EOF"
    rb"|[\0\t\n\f\r ]+"
)

#: Keys of the catalogue and of the information that say how a file is shown, when it was written
#: and by what. Title, author and date of a document are read.
_CATALOGUE = (
    *("Type", "Version", "Extensions", "PageLayout", "PageMode", "Lang", "ViewerPreferences"),
    "MarkInfo",
)
_INFORMATION = (
    *("Title", "Author", "Creator", "Producer", "CreationDate", "ModDate", "Trapped"),
    "PTEX.Fullbanner",
)
_PAGES = (
    *("Type", "Count", "MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox", "Rotate"),
    *("UserUnit", "Contents", "Resources", "Group", "Tabs", "StructParents", "LastModified"),
)

#: Keys of what pages draw with: streams, fonts, pictures, colours, patterns and states.
_LOOKS = (
    *("Type", "Subtype", "Name", "ProcSet", "Length", "Length1", "Length2", "Length3", "Filter"),
    *("DecodeParms", "Predictor", "Colors", "Columns", "EarlyChange", "K", "BlackIs1", "Rows"),
    *("EndOfLine", "EndOfBlock", "EncodedByteAlign", "ColorTransform", "DL"),
    *("BaseFont", "FirstChar", "LastChar", "Widths", "FontDescriptor", "Encoding", "ToUnicode"),
    *("DescendantFonts", "CIDSystemInfo", "Registry", "Ordering", "Supplement", "DW", "W", "DW2"),
    *("W2", "CIDToGIDMap", "FontMatrix", "FontBBox", "Differences", "BaseEncoding", "Ascent"),
    *("Descent", "CapHeight", "XHeight", "Flags", "ItalicAngle", "StemV", "StemH", "FontName"),
    *("FontFile", "FontFile2", "FontFile3", "FontFamily", "FontStretch", "FontWeight", "AvgWidth"),
    *("MaxWidth", "MissingWidth", "Leading", "Style", "FD", "CIDSet", "CharSet", "Lang"),
    *("CMapName", "WMode", "UseCMap", "Panose"),
    *("Width", "Height", "BitsPerComponent", "ColorSpace", "Decode", "Interpolate", "ImageMask"),
    *("Mask", "SMask", "SMaskInData", "Intent", "Matte", "BBox", "Matrix", "Resources", "Group"),
    *("FormType", "StructParent", "StructParents", "S", "I", "CS", "G", "BC"),
    *("N", "Alternate", "Range", "WhitePoint", "BlackPoint", "Gamma", "Process", "Components"),
    *("MixingHints", "Domain", "FunctionType", "C0", "C1", "Functions", "Bounds", "Encode"),
    *("Size", "BitsPerSample", "Order", "PatternType", "PaintType", "TilingType", "XStep"),
    *("YStep", "Shading", "ExtGState", "ShadingType", "Coords", "Function", "Extend"),
    *("Background", "AntiAlias", "BitsPerCoordinate", "BitsPerFlag", "VerticesPerRow"),
    *("LW", "LC", "LJ", "ML", "D", "RI", "OP", "op", "OPM", "Font", "BG", "BG2", "UCR", "UCR2"),
    *("TR", "TR2", "HT", "HalftoneType", "FL", "SM", "SA", "BM", "CA", "ca", "AIS", "TK"),
    *("XObject", "Pattern", "CharProcs", "Colorants"),
)

#: Keys of dictionaries whose own keys are free names.
_NAMES = frozenset(
    ("Font", "XObject", "ColorSpace", "ExtGState", "Pattern", "Shading", "CharProcs", "Colorants")
)

#: Keys whose streams are text that is read, and how it looks: fonts, colours, functions. Others,
#: such as pictures, count.
_SILENT = frozenset(
    (
        *("Contents", "FontFile", "FontFile2", "FontFile3", "ToUnicode", "CIDToGIDMap", "CIDSet"),
        *("UseCMap", "Encoding", "ColorSpace", "Function", "Functions", "TR", "TR2", "BG", "BG2"),
        *("UCR", "UCR2", "HT", "Shading"),
    )
)


#: The place in the bytes of a file after what was parsed.
EndOffset: TypeAlias = int


class _Reference(NamedTuple):
    number: int


@dataclass(frozen=True)
class _PdfObject:
    value: Any
    stream: bytes = b""


def find_unshown_or_all(pdf: bytes) -> bytes:
    """Return all that a PDF holds and its pages do not show, in one piece; b"" if that is nothing.

    Of a file that this reader does not follow, such as a damaged or encrypted one, that is all of
    it.
    """
    try:
        return b"\n".join(_UnshownFinder(pdf).find_pieces())
    except (ValueError, LookupError, TypeError, RecursionError, zlib.error):
        return pdf


class _UnshownFinder:
    """The objects of a file, and those that its pages have led to."""

    def __init__(self, data: bytes) -> None:
        self._objects: dict[int, _PdfObject] = {}
        self._trailer: dict[str, Any] = {}
        self._unshown_pieces: list[bytes] = []
        self._shown_numbers: set[int] = set()
        self._read_objects(data)

    def find_pieces(self) -> Iterator[bytes]:
        """Yield the pieces of the file that its pages do not show."""
        catalogue = self._check_dictionary_and_mark_shown(self._trailer["Root"])
        pages = catalogue.pop("Pages")
        self._mark_keys_shown_and_others_unshown(catalogue, _CATALOGUE)
        self._mark_pages_shown(pages)
        if "Info" in self._trailer:
            self._mark_keys_shown_and_others_unshown(
                self._check_dictionary_and_mark_shown(self._trailer["Info"]), _INFORMATION
            )
        yield from self._unshown_pieces
        for number, one in sorted(self._objects.items()):
            if number not in self._shown_numbers and one.value != b"null":
                yield _spell_value(one.value) + one.stream

    def _read_objects(self, data: bytes) -> None:
        """Read all objects, and note what stands between them."""
        at = 0
        while begins := _OBJECT.search(data, at):
            self._read_between_objects(data[at : begins.start()])
            value, at = _parse_value(data, begins.end())
            content = b""
            if isinstance(value, dict) and (stream := _STREAM.match(data, at)):
                content, at = _cut_stream(data, stream.end(), value.get("Length"))
            self._add_object_by_kind(int(begins[1]), value, content)
        self._read_between_objects(data[at:])

    def _read_between_objects(self, between: bytes) -> None:
        at = 0
        while at < len(between):
            if between.startswith(b"trailer", at):
                entries, at = _parse_value(between, at + len(b"trailer"))
                self._trailer |= entries
            elif known := _BETWEEN.match(between, at):
                at = known.end()
            else:
                end = between.find(b"\n", at) + 1 or len(between)
                self._unshown_pieces.append(between[at:end])
                at = end

    def _add_object_by_kind(self, number: int, value: Any, stream: bytes) -> None:
        kind = value.get("Type") if isinstance(value, dict) else None
        if kind == b"/XRef":
            self._trailer |= value
        elif kind == b"/ObjStm":
            self._unpack_and_add_objects(value, stream)
        elif isinstance(value, dict) and "Linearized" in value and not stream:
            self._mark_keys_shown_and_others_unshown(
                value, ("Linearized", "L", "H", "O", "E", "N", "T", "P")
            )
        else:
            if number in self._objects:  # An older form of it.
                former = self._objects[number]
                self._unshown_pieces.append(_spell_value(former.value) + former.stream)
            self._objects[number] = _PdfObject(value, stream)

    def _unpack_and_add_objects(self, value: dict[str, Any], stream: bytes) -> None:
        if value.get("Filter") not in (b"/FlateDecode", [b"/FlateDecode"], None):
            raise ValueError("packed in an unknown way")
        if "DecodeParms" in value:
            raise ValueError("packed in an unknown way")
        if "Filter" in value:
            unpack = zlib.decompressobj()
            stream = unpack.decompress(stream, _MOST)
            if not unpack.eof:
                raise ValueError("a stream that is cut off, or too long")
        first = int(value["First"])
        numbers = [int(one) for one in stream[:first].split()]
        for number, offset in zip(numbers[::2], numbers[1::2], strict=True):
            self._add_object_by_kind(number, _parse_value(stream, first + offset)[0], b"")

    def _follow_reference_and_mark_shown(self, value: Any) -> Any:
        """Return the value that a reference leads to, or the value itself; mark it as shown."""
        if isinstance(value, _Reference):
            self._shown_numbers.add(value.number)
            value = self._objects[value.number].value
        if isinstance(value, _Reference):
            raise ValueError("a reference to a reference")
        return dict(value) if isinstance(value, dict) else value

    def _check_dictionary_and_mark_shown(self, value: Any) -> dict[str, Any]:
        """Return a copy of a dictionary, and mark it as shown.

        Raises:
            TypeError: it is something else.
        """
        found = self._follow_reference_and_mark_shown(value)
        if not isinstance(found, dict):
            raise TypeError("another object stands in the place of a dictionary")
        return found

    def _mark_keys_shown_and_others_unshown(
        self, value: dict[str, Any], shown_keys: tuple[str, ...]
    ) -> None:
        """Mark what these keys of a dictionary hold as shown; all others are unshown pieces."""
        for key, one in value.items():
            if key in shown_keys:
                self._mark_drawing_value_shown(one, key)
            else:
                self._unshown_pieces.append(key.encode() + b" " + _spell_value(one))

    def _mark_pages_shown(self, root: Any) -> None:
        todo = [root]
        while todo:
            one = todo.pop()
            if isinstance(one, _Reference) and one.number in self._shown_numbers:
                continue
            page = self._check_dictionary_and_mark_shown(one)
            page.pop("Parent", None)
            todo += self._follow_reference_and_mark_shown(page.pop("Kids", []))
            self._mark_keys_shown_and_others_unshown(page, _PAGES)

    def _mark_drawing_value_shown(self, value: Any, key: str) -> None:
        """Mark what a page draws with as shown; ``key`` is the one of its dictionary."""
        if isinstance(value, _Reference):
            if value.number in self._shown_numbers:
                return
            if key not in _SILENT and value.number in self._objects:
                self._unshown_pieces += filter(None, [self._objects[value.number].stream])
            if value.number not in self._objects:  # The same as null.
                return
            value = self._follow_reference_and_mark_shown(value)
        if isinstance(value, list):
            for one in value:
                self._mark_drawing_value_shown(one, key)
        elif isinstance(value, dict) and key in _NAMES and "ShadingType" not in value:
            for one in value.values():
                self._mark_named_resource_shown(one, key)
        elif isinstance(value, dict):
            self._mark_keys_shown_and_others_unshown(value, _LOOKS)

    def _mark_named_resource_shown(self, value: Any, key: str) -> None:
        """Mark what has a name among resources as shown."""
        if isinstance(value, _Reference):
            if value.number in self._shown_numbers or value.number not in self._objects:
                return
            if key not in _SILENT:
                self._unshown_pieces += filter(None, [self._objects[value.number].stream])
            value = self._follow_reference_and_mark_shown(value)
        if isinstance(value, dict):
            self._mark_keys_shown_and_others_unshown(value, _LOOKS)
        else:
            self._mark_drawing_value_shown(value, key)


def _cut_stream(data: bytes, begin: int, length: Any) -> tuple[bytes, EndOffset]:
    """Return the bytes of a stream; a length that is wrong or missing is not needed."""
    end = -1
    if isinstance(length, bytes) and length.isdigit():
        end = begin + int(length)
        if not data[end : end + 12].lstrip(b"\r\n").startswith(b"endstream"):
            end = -1
    if end < 0:
        end = data.index(b"endstream", begin)
    return data[begin:end], data.index(b"endstream", end) + len(b"endstream")


def _parse_value(data: bytes, at: int) -> tuple[Any, EndOffset]:
    """Return the value at a place.

    Dictionaries have keys without the slash; numbers, names and strings are the bytes that spell
    them.
    """
    found = _TOKEN.match(data, at)
    if found is None:
        raise ValueError("no value")
    token, at = found["token"], found.end()
    if token == b"<<":
        entries: dict[str, Any] = {}
        while True:
            key, at = _parse_value(data, at)
            if key == b">>":
                return entries, at
            if not isinstance(key, bytes) or not key.startswith(b"/"):
                raise ValueError("a key that is no name")
            entries[key[1:].decode("latin-1")], at = _parse_value(data, at)
    if token == b"[":
        values = list[Any]()
        while True:
            value, at = _parse_value(data, at)
            if value == b"]":
                return values, at
            values.append(value)
    if token == b"(":
        return _parse_string(data, at)
    if token.isdigit() and (reference := _REFERENCE.match(data, at)):
        return _Reference(int(token)), reference.end()
    return token, at


def _parse_string(data: bytes, begin: int) -> tuple[bytes, EndOffset]:
    """Return a string with parentheses in it, from after the first one."""
    depth, at = 1, begin
    while depth:
        found = _PARENTHESIS.search(data, at)
        if found is None:
            raise ValueError("a string that does not end")
        depth += {b"(": 1, b")": -1}.get(found[0], 0)
        at = found.end()
    return data[begin - 1 : at], at


def _spell_value(value: Any) -> bytes:
    """Return the bytes of a value, always spelled alike."""
    if isinstance(value, _Reference):
        return b"%d R" % value.number
    if isinstance(value, list):
        return b"[%s]" % b" ".join(map(_spell_value, value))
    if isinstance(value, dict):
        return b"<<%s>>" % b" ".join(
            key.encode() + b" " + _spell_value(one) for key, one in value.items()
        )
    return bytes(value)
