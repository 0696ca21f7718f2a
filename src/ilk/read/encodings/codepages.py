"""Encodings before Unicode: which one a text that is not UTF-8 is in.

It examines the lines with bytes outside ASCII, since the start of a file often has none. If such
bytes stand alone, like accented letters between plain ones (1.0 to 1.6 in a row on average, against
1.9 and more in other scripts), the script is Latin: then the page is the one whose letters form an
alphabet, and Windows-1252 unless another explains clearly more. Everything else goes to
charset-normalizer, one page at a time: it is good at other scripts, but mistakes most Western texts
for Eastern European ones. ``docs/reference/rows.md`` compares both with this and with chardetng.

Frames of DOS are looked for first: their bytes come in long runs, where they would pass for letters
of another script. What is between them is Latin or, where it comes in runs too, Cyrillic.
"""

import codecs
import re
import unicodedata
from collections import Counter

_SAMPLE = 1 << 16
_CONTEXT = 256
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")
_TRIPLE = re.compile(rb"(?s)(?=(.[\x80-\xff].))")
_LONGEST_LATIN_RUN = 1.8
_BENEFIT_OF_DOUBT = 4  # Bytes: the "öß" of "Größe" alone is not evidence of another script.

WESTERN = "cp1252"
#: Pages and their alphabets; of equal ones, the first counts.
_LATIN_PAGES = {
    page: alphabets
    for pages, alphabets in (
        ("cp1252", "western"),
        ("cp1250 iso8859_2", "central"),
        ("cp1254", "turkish"),
        ("cp1257", "baltic"),
        ("cp850 cp437 mac_roman", "western"),
        ("cp852 mac_latin2", "central"),
        ("cp775 iso8859_13", "baltic"),
        ("cp857 mac_turkish", "turkish"),
        ("cp860 cp861 mac_iceland", "western"),
    )
    for page in pages.split()
}
_ALPHABETS = {
    "western": (
        "àâæçèéêëîïôùûÿœ",  # French
        "äöüßé",  # German
        "áéíñóúü",  # Spanish
        "àáâãçéêíóôõúü",  # Portuguese
        "àèéìíòóùú",  # Italian
        "éèëïóöü",  # Dutch
        "åäöéà",  # Swedish, Finnish
        "æøåéèòô",  # Danish, Norwegian
        "áæðéíóöúýþø",  # Icelandic, Faroese
        "àçèéíïòóúü",  # Catalan
        "ëç",  # Albanian
        "âàèéêìîñòôöùü",  # Breton, Romansh
    ),
    "central": (
        "ąćęłńóśźż",  # Polish
        "áäčďéěíĺľňóôöřŕšťúůüýž",  # Czech, Slovak
        "áéíóöőúüű",  # Hungarian
        "čćđšž",  # Croatian, Bosnian, Slovene
        "ăâîşţ",  # Romanian
        "čćěłńóřšśźž",  # Sorbian
    ),
    "turkish": ("âçğıîöşûüİ",),
    "baltic": (
        "ąčęėįšųūž",  # Lithuanian
        "āčēģīķļņšūž",  # Latvian
        "äöõüšž",  # Estonian
    ),
}
#: The letter that is a space in the pages of DOS; alone, it is no letter.
_SPACES_ELSEWHERE = frozenset("ÿ˙")
_WITHIN_WORDS = frozenset("’·—–…\xad\xa0")
_LEAST_EXPLAINED = 0.95
_LEAST_ADVANTAGE = 0.03
_LEAST_WITNESSES = 3

_OTHER_PAGES = (
    *("euc_jp", "cp932", "gb18030", "big5", "cp949"),
    *("cp1251", "koi8_r", "koi8_u", "iso8859_5", "cp866", "cp855", "mac_cyrillic"),
    *("cp1253", "iso8859_7", "cp1255", "cp1256", "iso8859_6", "cp874", "cp737", "cp869"),
    *("mac_greek", "cp862", "cp720", "cp1125", "johab"),
)
_MOST_UNDEFINED = 0.01

#: The pages of DOS, which all have frames at the same bytes, with letters around them.
_DOS_PAGES = ("cp437", "cp850", "cp852")
_DOS_CYRILLIC = "cp866"

#: A horizontal rule; a line between two vertical ones; frames that touch no letter.
_RULE = re.compile(rb"([\xb0-\xb2\xc4\xcd\xdb\xdc\xdf])\1{3,}")
_SIDES = re.compile(
    rb"\s*[\xb3\xba\xb0-\xb2\xdb](?:[^\x80-\xff].*)?[\xb3\xba\xb0-\xb2\xdb]\s*", re.S
)
_FRAME = re.compile(
    rb"(?<![A-Za-z\x80-\xaf\xe0-\xff])[\xb0-\xdf\xf9-\xff]+(?![A-Za-z\x80-\xaf\xe0-\xff])"
)
_LEAST_RULES, _LEAST_SIDES = 8, 3


def codepage(content: bytes) -> str:
    """Return Python's name of the most likely encoding of bytes that are not UTF-8."""
    lines = _sample(content)
    # DOS drew frames: rules, or text between vertical ones.
    rules = sum(len(rule[0]) for line in lines for rule in _RULE.finditer(line))
    sides = sum(bool(_SIDES.fullmatch(line)) for line in lines)
    if rules >= _LEAST_RULES or sides >= _LEAST_SIDES:
        between = [_FRAME.sub(b" ", line) for line in lines]
        if not _is_latin(between):
            return _DOS_CYRILLIC
        triples = _triples(between)
        return max(_DOS_PAGES, key=lambda page: _explained(triples, page))  # The first of equals.
    return _latin_page(lines) if _is_latin(lines) else _other_page(b"\n".join(lines))


def _sample(content: bytes) -> list[bytes]:
    """Return lines with bytes outside ASCII, at most `_SAMPLE` bytes of them; long ones are cut."""
    lines = []
    position, room = 0, _SAMPLE
    while room > 0 and (run := _NOT_ASCII.search(content, position)):
        begin = content.rfind(b"\n", position, run.start()) + 1
        begin = max(begin, position, run.start() - _CONTEXT)
        end = content.find(b"\n", run.start(), begin + room)
        end = begin + room if end < 0 else end
        lines.append(content[begin:end])
        position, room = end, room - (end - begin)
    return lines


def _is_latin(lines: list[bytes]) -> bool:
    """Return whether bytes outside ASCII stand alone, as accented letters do."""
    runs = [run for line in lines for run in _NOT_ASCII.findall(line)]
    return sum(map(len, runs)) < _LONGEST_LATIN_RUN * len(runs) + _BENEFIT_OF_DOUBT


def _triples(lines: list[bytes]) -> Counter[bytes]:
    """Count each byte outside ASCII with the two bytes around it."""
    found: Counter[bytes] = Counter()
    for line in lines:
        found.update(_TRIPLE.findall(b" " + line + b" "))
    return found


def _latin_page(lines: list[bytes]) -> str:
    triples = _triples(lines)
    total = triples.total()
    explained = {page: _explained(triples, page) for page in _LATIN_PAGES}
    best = max(explained, key=lambda page: explained[page])  # The first of equals.
    clear = explained[best] - explained[WESTERN] >= max(_LEAST_ADVANTAGE * total, _LEAST_WITNESSES)
    return best if clear and explained[best] >= _LEAST_EXPLAINED * total else WESTERN


def _explained(triples: Counter[bytes], page: str) -> int:
    """Count the characters outside ASCII that make sense between their neighbours in this page.

    A letter makes sense if one alphabet has it and all the others, in either case; a sign, in a
    place for signs. `triples` counts each byte outside ASCII with the two bytes around it.
    """
    signs = 0
    letters: Counter[str] = Counter()
    for triple, count in triples.items():
        before, char, after = list(triple.decode(page, "replace"))
        if char in _SPACES_ELSEWHERE and not (before.isalpha() or after.isalpha()):
            continue
        if char.isalpha():
            if not (before.islower() and char.isupper()):
                letters[char] += count
        # A sign has its place between words, unless it belongs into one.
        elif unicodedata.category(char) != "Cc" and char != "\ufffd":
            signs += count * (char in _WITHIN_WORDS or not (before.isalpha() and after.isalpha()))
    return signs + max(
        sum(letters[char] for char in set(alphabet + alphabet.upper()))
        for alphabet in _ALPHABETS[_LATIN_PAGES[page]]
    )


def _other_page(sample: bytes) -> str:
    """Let charset-normalizer choose among the pages with hardly any undefined characters.

    It accepts only bytes without errors. If it has no answer, the page with the fewest undefined
    characters is used.
    """
    from charset_normalizer import CharsetMatch, from_bytes

    matches: list[CharsetMatch] = []
    undefined: dict[str, float] = {}
    for page in _OTHER_PAGES:
        # The sample may end within a character.
        text = codecs.getincrementaldecoder(page)("replace").decode(sample)
        undefined[page] = text.count("\ufffd") / max(1, sum(not char.isascii() for char in text))
        sound = text.replace("\ufffd", "").encode(page)
        if undefined[page] <= _MOST_UNDEFINED:
            matches += from_bytes(
                sound, cp_isolation=[page], preemptive_behaviour=False, enable_fallback=False
            )
    if matches:
        return min(matches).encoding
    return min(_OTHER_PAGES, key=lambda page: undefined[page])  # The first of equals.
