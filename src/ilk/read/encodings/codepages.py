"""Encodings before Unicode: which one a text that is not UTF-8 is in.

chardet decides. It gets the lines with bytes outside ASCII, since the start of a file often has
none. ``docs/reference/rows.md`` compares it with other detectors.

Three things are decided here, where chardet is often wrong:

- Frames of DOS: their bytes come in long runs, where they would pass for letters of another script.
  They are left out, and what is between them is in a page of DOS.
- Latin scripts. If bytes outside ASCII stand alone, like accented letters between plain ones (1.0
  to 1.6 in a row on average, against 1.9 and more in other scripts), the script is Latin. Of few
  such letters, and of languages that chardet does not know, it makes Eastern European ones. So
  another page than Windows-1252 counts only if more of these bytes make sense in it where they
  stand, or as many and more of them as letters: the "à" of "città" in DOS is a dash or dots there.
- Damage: a few bytes that are undefined in a page do not rule it out.
"""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

#: The most bytes of lines to examine, and of a line before its first byte outside ASCII: a long
#: stretch of ASCII would fill the sample and tell nothing.
_SAMPLE = 1 << 16
_CONTEXT = 256
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")

WESTERN = "cp1252"

#: The encodings of DOS, those with several bytes for a character, and the others.
_DOS = (
    *("cp437", "cp720", "cp737", "cp775", "cp850", "cp852", "cp855", "cp857", "cp858", "cp860"),
    *("cp861", "cp862", "cp865", "cp866", "cp869", "cp1125"),
)
#: Pages with the letters of Windows-1252.
_WESTERN_PAGES = frozenset(("cp437", "cp850", "cp858", "cp860", "cp861", "cp865", "mac-roman"))
_WIDE = ("big5hkscs", "gb18030", "cp932", "euc_jis_2004", "euc_kr", "cp949", "johab")
_PAGES = (
    *_DOS,
    *_WIDE,
    *("cp1250", "cp1251", WESTERN, "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("cp874", "tis-620", "iso8859-1", "iso8859-2", "iso8859-4", "iso8859-5", "iso8859-6"),
    *("iso8859-7", "iso8859-8", "iso8859-9", "iso8859-13", "iso8859-15", "koi8-r", "koi8-u"),
    *("mac-cyrillic", "mac-greek", "mac-iceland", "mac-latin2", "mac-roman", "mac-turkish"),
)

#: A horizontal rule; a line between two vertical ones; frames that touch no letter.
_RULE = re.compile(rb"([\xb0-\xb2\xc4\xcd\xdb\xdc\xdf])\1{3,}")
_SIDES = re.compile(
    rb"\s*[\xb3\xba\xb0-\xb2\xdb](?:[^\x80-\xff].*)?[\xb3\xba\xb0-\xb2\xdb]\s*", re.S
)
_FRAME = re.compile(
    rb"(?<![A-Za-z\x80-\xaf\xe0-\xff])[\xb0-\xdf\xf9-\xff]+(?![A-Za-z\x80-\xaf\xe0-\xff])"
)
#: The fewest bytes of horizontal rules, and lines between vertical rules, that mark a text as DOS.
#: In other pages the same bytes are letters and signs: few words have the same one four times in a
#: row, and few lines begin and end with one.
_LEAST_RULES, _LEAST_SIDES = 8, 3

#: The share of another page's likelihood below which Windows-1252 is clearly less likely; the share
#: of bytes outside ASCII that make sense in a page of some sense, and in the right one.
#:
#: Of 1,160 texts of 10 to 40 words in 116 pairs of language and encoding (``benchmarks.encodings``)
#: 1,131 are read without an error where ``_CLEAR`` is 0.5, 1,140 at 0.6, 1,143 at 0.7, 1,144 at 0.8
#: and 0.9, and 1,148 at 1, where whatever is likelier than Windows-1252 takes its place. It stays
#: below 1 because chardet mistakes letters of languages that it does not know for Eastern European
#: ones. With ``_SENSIBLE`` at 0.5, 1,142 are; with ``_LEAST_EXPLAINED`` from 0.8 to 1, 1,143 or
#: 1,144.
_CLEAR, _SENSIBLE, _LEAST_EXPLAINED = 0.7, 0.75, 0.95

#: The same share where the other page has the letters of Windows-1252, and more of the bytes are
#: letters in it. The figures are those of `benchmarks.encodings`; at 1 more pages of DOS are read,
#: and fewer texts in Windows-1252 with a few dots and dashes.
_CLEAR_BY_LETTERS = 0.98

#: The mean length of runs outside ASCII up to which letters stand alone, as accented ones do: most
#: runs are then of one letter. Where other scripts are written, a run is a word. With a larger
#: figure, short words of those would be read as Windows-1252; with a smaller one, words with two
#: accented letters side by side would be left to chardet alone.
_LONGEST_LATIN_RUN = 1.8
_BENEFIT_OF_DOUBT = 4  # Bytes: the "öß" of "Größe" alone is not evidence of another script.

#: The letters beyond A to Z of languages in Latin script.
_ALPHABETS = (
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
    "ąćęłńóśźż",  # Polish
    "áäčďéěíĺľňóôöřŕšťúůüýž",  # Czech, Slovak
    "áéíóöőúüű",  # Hungarian
    "čćđšž",  # Croatian, Bosnian, Slovene
    "ăâîşţ",  # Romanian
    "čćěłńóřšśźž",  # Sorbian
    "âçğıîöşûüİ",  # Turkish
    "ąčęėįšųūž",  # Lithuanian
    "āčēģīķļņšūž",  # Latvian
    "äöõüšž",  # Estonian
)

#: A byte outside ASCII with the two bytes around it.
_TRIPLE = re.compile(rb"(?s)(?=(.[\x80-\xff].))")
#: The letter that is a space in the pages of DOS; alone, it is no letter.
_SPACES_ELSEWHERE = frozenset("ÿ˙")
_WITHIN_WORDS = frozenset("’·—–…\xad\xa0")

#: The share of characters outside ASCII that may be damaged.
_MOST_DAMAGED = 0.01


def find_codepage(content: bytes) -> str:
    """Return Python's name of the most likely encoding of bytes that are not UTF-8."""
    lines = _sample_lines_outside_ascii(content)
    sample = b"\n".join(lines)
    # DOS drew frames: rules, or text between vertical ones.
    rules = sum(len(rule[0]) for line in lines for rule in _RULE.finditer(line))
    sides = sum(bool(_SIDES.fullmatch(line)) for line in lines)
    if rules >= _LEAST_RULES or sides >= _LEAST_SIDES:
        between = b"\n".join(_FRAME.sub(b" ", line) for line in lines)
        return next(iter(_likelihoods_of_error_free_pages(between, _DOS)), _DOS[0])
    likelihoods = _likelihoods_of_error_free_pages(sample, _PAGES)
    for page, sound_bytes in _drop_few_undefined_characters(sample):
        sound_page = _likelihoods_of_error_free_pages(sound_bytes, (page,))
        likelihoods[page] = sound_page.get(page, 0.0)
    if not likelihoods:
        return WESTERN
    likeliest = max(likelihoods, key=lambda page: likelihoods[page])  # The first of equals.
    return (
        _western_page_unless_clearly_worse(sample, likelihoods, likeliest)
        if _has_short_runs_outside_ascii(lines)
        else likeliest
    )


def _western_page_unless_clearly_worse(
    sample: bytes, likelihoods: dict[str, float], likeliest: str
) -> str:
    """Return the page of a text in Latin script: Windows-1252 unless another one is clearly better.

    chardet knows the letters of common languages only, and mistakes others for Eastern European
    ones. So the page counts in which most bytes outside ASCII make sense where they stand.
    """
    triples = Counter(_TRIPLE.findall(b" " + sample + b" "))
    western_letters, western = _count_plausible_letters_and_characters(triples, WESTERN)
    if (
        likeliest in _WIDE
    ):  # A character of several bytes has no neighbours among them to be judged by.
        return WESTERN if western == triples.total() else likeliest
    letters, explained = _count_plausible_letters_and_characters(triples, likeliest)
    has_more_letters = likeliest in _WESTERN_PAGES and letters > western_letters
    limit = likelihoods[likeliest] * (_CLEAR_BY_LETTERS if has_more_letters else _CLEAR)
    if explained >= western and likelihoods.get(WESTERN, 0.0) < limit:
        return likeliest
    if max(explained, western) >= _SENSIBLE * triples.total():
        better = explained > western and explained >= _LEAST_EXPLAINED * triples.total()
        return likeliest if better else WESTERN
    ranked = sorted(likelihoods, key=lambda page: -likelihoods[page])
    others = (page for page in ranked if page not in _WIDE)
    least_explained = _LEAST_EXPLAINED * triples.total()
    return next(
        (
            page
            for page in others
            if _count_plausible_letters_and_characters(triples, page).characters >= least_explained
        ),
        WESTERN,
    )


def _sample_lines_outside_ascii(content: bytes) -> list[bytes]:
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


def _likelihoods_of_error_free_pages(sample: bytes, pages: tuple[str, ...]) -> dict[str, float]:
    """Return the pages in which bytes are without errors, and how likely each is."""
    from chardet import detect_all

    answers = detect_all(
        sample,
        compat_names=False,
        max_bytes=_SAMPLE,
        ignore_threshold=True,
        include_encodings=pages,
        no_match_encoding=WESTERN if WESTERN in pages else pages[0],
        empty_input_encoding=pages[0],
    )
    return {one["encoding"]: one["confidence"] for one in answers if one["encoding"] in pages}


def _has_short_runs_outside_ascii(lines: list[bytes]) -> bool:
    """Return whether bytes outside ASCII stand alone, as accented letters do."""
    runs = [run for line in lines for run in _NOT_ASCII.findall(line)]
    return sum(map(len, runs)) < _LONGEST_LATIN_RUN * len(runs) + _BENEFIT_OF_DOUBT


class _LettersAndCharacters(NamedTuple):
    """How many characters make sense where they stand: the letters among them, and all."""

    letters: int
    characters: int


def _count_plausible_letters_and_characters(
    triples: Counter[bytes], page: str
) -> _LettersAndCharacters:
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
    most_letters = max(
        sum(letters[char] for char in set(alphabet + alphabet.upper())) for alphabet in _ALPHABETS
    )
    return _LettersAndCharacters(most_letters, signs + most_letters)


class _PageAndSoundBytes(NamedTuple):
    """A page in which a few characters of a sample are undefined, and the bytes of all others."""

    page: str
    sound_bytes: bytes


def _drop_few_undefined_characters(sample: bytes) -> Iterator[_PageAndSoundBytes]:
    """Yield the pages in which at most 1 % of the characters outside ASCII are undefined."""
    most_damaged = sum(map(len, _NOT_ASCII.findall(sample))) * _MOST_DAMAGED
    if most_damaged < 1:
        return  # One damaged byte would be too much.
    for page in _PAGES:
        # The sample may end within a character.
        text = codecs.getincrementaldecoder(page)("replace").decode(sample)
        damaged = text.count("\ufffd")
        if 0 < damaged <= _MOST_DAMAGED * sum(not char.isascii() for char in text):
            yield _PageAndSoundBytes(page, text.replace("\ufffd", "").encode(page))
