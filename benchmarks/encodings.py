"""How many texts in encodings before Unicode are read to the letter, by ilk and by detectors.

``python -m benchmarks.encodings`` makes its texts of the messages that translated programs install
in /usr/share/locale: sentences in 26 languages, with Latin words, names of options and placeholders
among them. A text is one or several messages of a language, of 10 to 40 words or of some 300, in
one of the encodings that texts of its language came in (``tests.labelled.encodings``). The texts
that we wrote, ``tests/labelled``, are the third set.
"""

from __future__ import annotations

import argparse
import gettext
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.labelled import encodings

from ilk.read.encodings.decoding import decode

_LOCALES = Path("/usr/share/locale")

#: Folders of languages there that have another name than here.
_FOLDERS = {"zh": "zh_CN", "zh-hant": "zh_TW", "pt": "pt_BR"}

#: Characters of a text in languages without spaces that count as a word.
_CHARACTERS = 2

#: Encodings of seven bits without escapes of their own, and Unicode, are other questions.
_OTHERS = frozenset(("iso2022_jp", "iso2022_kr"))


class Sample(NamedTuple):
    """A text, its language, and its bytes in an encoding."""

    language: str
    encoding: str
    text: str
    content: bytes


@cache
def messages(language: str) -> list[str]:
    """Return the messages of a language that are sentences with letters outside ASCII."""
    found: dict[str, None] = {}
    folder = _LOCALES / _FOLDERS.get(language, language) / "LC_MESSAGES"
    for path in sorted(folder.glob("*.mo")):
        with path.open("rb") as file:
            try:
                catalogue = gettext.GNUTranslations(file)
            except (OSError, ValueError, LookupError):  # A few are damaged.
                continue
        for key, text in catalogue._catalog.items():  # type: ignore[attr-defined]
            if key and isinstance(text, str) and not text.isascii() and _words(text) >= 4:
                found[" ".join(text.split())] = None
    return list(found)


def _words(text: str) -> int:
    wide = sum(ord(char) >= 0x2E80 for char in text)
    return len(text.split()) + wide // _CHARACTERS


def samples(least: int, most: int, each: int) -> Iterator[Sample]:
    """Yield ``each`` texts of ``least`` to ``most`` words of every language in every encoding."""
    rng = random.Random(54)
    for language, names in encodings.BEFORE.items():
        said = messages(language)
        if not said:
            continue
        for encoding in names.split():
            if encoding in _OTHERS:
                continue
            count = tries = 0
            while count < each and tries < 50 * each:
                tries += 1
                words, parts = rng.randint(least, most), list[str]()
                while sum(map(_words, parts)) < words:
                    parts.append(rng.choice(said))
                if sum(map(_words, parts)) > 2 * most:
                    continue
                try:
                    text = encodings.fitting("\n".join(parts) + "\n", encoding)
                    content = text.encode(encoding)
                except UnicodeEncodeError:
                    continue
                if not content.isascii() or encoding == "hz":
                    count += 1
                    yield Sample(language, encoding, text, content)


def labelled() -> Iterator[Sample]:
    """Yield the texts that we wrote in the encodings before Unicode."""
    for encoding, name, text, content in encodings.files():
        if not encoding.startswith("utf"):
            yield Sample(name.partition(" ")[0], encoding, text, content)


def _by_ilk(content: bytes) -> str:
    decoded = decode(content)
    return decoded.utf8.decode() if decoded else ""


def _by_chardet(content: bytes) -> str:
    from chardet import detect

    name = detect(content, compat_names=False)["encoding"]
    return content.decode(name, "replace") if name else ""


def _by_charset_normalizer(content: bytes) -> str:
    from charset_normalizer import from_bytes

    return str(from_bytes(content).best() or "")


READERS: dict[str, Callable[[bytes], str]] = {
    "ilk": _by_ilk,
    "chardet": _by_chardet,
    "charset-normalizer": _by_charset_normalizer,
}


def main() -> None:
    """Print, for every set and reader, the texts read to the letter, and the time for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--each", type=int, default=40, help="texts of a language in an encoding")
    parser.add_argument("--missed", action="store_true", help="list what was read otherwise")
    options = parser.parse_args()
    sets = {
        "10 to 40 words": list(samples(10, 40, options.each)),
        "300 words": list(samples(250, 350, max(1, options.each // 4))),
        "labelled": list(labelled()),
    }
    for name, some in sets.items():
        pairs = len({(one.language, one.encoding) for one in some})
        print(f"{name}: {len(some)} texts, {pairs} pairs of language and encoding")
        for reader, read in READERS.items():
            try:
                read("Größe".encode("latin-1"))  # What it loads once is not part of a text.
            except ImportError:
                print(f"  {reader}: not installed", file=sys.stderr)
                continue
            begin = time.process_time()
            wrong = Counter(
                f"{one.language} {one.encoding}" for one in some if read(one.content) != one.text
            )
            spent = (time.process_time() - begin) / max(1, len(some)) * 1000
            print(f"  {reader}: {len(some) - wrong.total()} right, {spent:.1f} ms each")
            if options.missed:
                print("   ", ", ".join(f"{pair} {count}" for pair, count in wrong.most_common()))


if __name__ == "__main__":
    main()
