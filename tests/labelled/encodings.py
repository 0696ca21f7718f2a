"""The written texts as files in the encodings that texts of their languages come in."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from tests.labelled import written

#: How a file begins and is encoded, by what it is called here.
_UNICODE = {
    "utf-8": (b"", "utf-8"),
    "utf-8 marked": (codecs.BOM_UTF8, "utf-8"),
    "utf-16-le": (b"", "utf-16-le"),
    "utf-16-be": (b"", "utf-16-be"),
    "utf-16-le marked": (codecs.BOM_UTF16_LE, "utf-16-le"),
    "utf-16-be marked": (codecs.BOM_UTF16_BE, "utf-16-be"),
    "utf-32-le": (b"", "utf-32-le"),
    "utf-32-be": (b"", "utf-32-be"),
    "utf-32-le marked": (codecs.BOM_UTF32_LE, "utf-32-le"),
    "utf-32-be marked": (codecs.BOM_UTF32_BE, "utf-32-be"),
}

_WESTERN = "latin-1 cp1252 iso8859-15 cp437 cp850 cp858 mac-roman"
_NORTHERN = "latin-1 cp1252 iso8859-15 cp850 cp865 mac-roman"
_CENTRAL = "cp1250 iso8859-2 cp852 mac-latin2"

#: The encodings before Unicode in which texts of a language come, by language.
BEFORE = {
    "en": "cp1252 mac-roman",
    "de": _WESTERN,
    "fr": "cp1252 iso8859-15 mac-roman",
    "es": _WESTERN.replace("cp437 ", ""),
    "pt": _WESTERN.replace("cp437", "cp860"),
    "it": _WESTERN.replace("cp437 ", ""),
    "sv": _WESTERN,
    "da": _NORTHERN,
    "is": "latin-1 cp1252 iso8859-15 cp850 cp861 mac-iceland",
    "pl": _CENTRAL,
    "cs": _CENTRAL,
    "hu": _CENTRAL,
    "hr": "cp1250 iso8859-2 cp852 mac-croatian",
    "ro": "cp1250 iso8859-2 cp852",
    "tr": "cp1254 iso8859-9 cp857 mac-turkish",
    "lt": "cp1257 iso8859-13 iso8859-4 cp775",
    "ru": "cp1251 koi8-r iso8859-5 cp866 cp855 mac-cyrillic",
    "uk": "cp1251 koi8-u iso8859-5 cp1125 mac-cyrillic",
    "el": "cp1253 iso8859-7 cp737 cp869 mac-greek",
    "he": "cp1255 iso8859-8 cp862",
    "ar": "cp1256 iso8859-6 cp720",
    "th": "cp874 tis-620 iso8859-11",
    "zh": "gb2312 gbk gb18030 hz",
    "zh-hant": "big5 cp950 big5hkscs gb18030",
    "ja": "cp932 shift_jis euc_jp iso2022_jp",
    "ko": "euc_kr cp949 johab iso2022_kr",
}

#: What stands in older sets of characters for signs that these do not have.
_PLAIN = str.maketrans({**dict.fromkeys("„“”«»", '"'), "’": "'", "–": "-", "—": "-", "،": ","})


def files() -> Iterator[tuple[str, str, str, bytes]]:
    """The encoding, the name of the text, the text and the bytes of every file.

    Every text is there as a whole and as its first paragraph alone.
    """
    for (language, title), whole in written.prose().items():
        parts = {title: whole, f"{title}, beginning": whole.partition("\n\n")[0] + "\n"}
        for name, text in parts.items():
            for encoding, (mark, codec) in _UNICODE.items():
                yield encoding, f"{language} {name}", text, mark + text.encode(codec)
            for encoding in BEFORE.get(language, "").split():
                typed = fitting(text, encoding)
                if not typed.isascii():
                    yield encoding, f"{language} {name}", typed, typed.encode(encoding)


def fitting(text: str, encoding: str) -> str:
    """The text as its writer would have typed it in that encoding."""
    if encoding.startswith(("cp8", "cp7", "cp4", "cp1125")):
        text = text.replace("\n", "\r\n")
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN)
    return text
