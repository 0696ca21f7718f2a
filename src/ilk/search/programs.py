"""Programs as what counts of them: a name, a number or a string is one word, whichever it is.

Comments and layout go; keywords, operators and brackets stay. So two programs that differ in their
names alone have the same words, in order. The language is that of the file's name, or a given one.
Pygments cuts programs into tokens (the extra ``code``).

Source: Prechelt, Malpohl and Philippsen 2002, "Finding plagiarisms among a set of programs with
JPlag", section 3 (comparing token strings).
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import translate
from functools import cache, lru_cache
from itertools import accumulate
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base.errors import MissingExtra, OptionError, SourceChanged

if TYPE_CHECKING:
    from pygments.lexer import Lexer

#: Signs are spelled as letters, since a word has no signs: as those of Tifinagh, which no language
#: has in its keywords, which have no case, and which no normalisation changes. 32 signs of ASCII
#: have a letter each; the next letters stand for another sign (its number follows), for a name, a
#: number and a string.
_LETTERS = "".join(map(chr, range(0x2D30, 0x2D30 + 36)))
_SIGNS = dict(zip("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", _LETTERS[:32], strict=True))
_OTHER_SIGN, _NAME, _NUMBER, _STRING = tuple(_LETTERS[32:])

#: The modules of Pygments for what is no program: markup, data and configuration, whose names and
#: strings are what they say.
_NO_PROGRAMS = frozenset(
    {"configs", "css", "data", "diff", "html", "markup", "special", "textfmts"}
)

#: Words and signs of a directive, such as those of the preprocessor of C, and of plain text.
_PARTS = re.compile(r"\w+|[^\w\s]")


#: Where a stretch of a text begins and ends, in characters; the end excluded.
CharacterSpan: TypeAlias = tuple[int, int]


class ProgramText(NamedTuple):
    """The words of a program.

    Attributes:
        text: the words, with a space between two.
        begins: where each word begins in the text, in characters.
        starts, ends: where its token is in the program, in characters; the end excluded.
    """

    text: str
    begins: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span_in_program(self, text_start: int, text_end: int) -> CharacterSpan:
        """Return the place in the program of some words of the text, both in characters."""
        words = self.word_numbers_between(text_start, text_end)
        return self.starts[words.start], self.ends[words[-1]]

    def word_numbers_between(self, text_start: int, text_end: int) -> range:
        """Return the numbers of the words between two places of the text, in characters."""
        first, last = (bisect_right(self.begins, at) - 1 for at in (text_start, text_end - 1))
        return range(first, last + 1)

    def is_name(self, word_number: int) -> bool:
        """Return whether the token of a word is a name."""
        begin = self.begins[word_number]
        return self.text[begin : begin + 2].rstrip() == _NAME


class NameChange(NamedTuple):
    """A name of one program, the name in its place in another one, and at how many places."""

    here: str
    there: str
    places: int


def list_changed_names(
    texts: tuple[str, str],
    programs: tuple[ProgramText, ProgramText],
    equal_runs: Iterable[tuple[int, int, int, int]],
) -> list[NameChange]:
    """Return the names that differ in equal runs of words, those at most places first.

    Args:
        texts, programs: both programs, and their words.
        equal_runs: where each begins and ends in the words of the left and of the right program, in
            characters.
    """
    left, right = programs
    counts: Counter[tuple[str, str]] = Counter()
    for left_start, left_end, right_start, right_end in equal_runs:
        ours, theirs = (
            left.word_numbers_between(left_start, left_end),
            right.word_numbers_between(right_start, right_end),
        )
        for one, other in zip(ours, theirs, strict=True):
            if left.is_name(one):
                here = texts[0][left.starts[one] : left.ends[one]]
                there = texts[1][right.starts[other] : right.ends[other]]
                if here != there:
                    counts[here, there] += 1
    found = [NameChange(here, there, places) for (here, there), places in counts.items()]
    return sorted(found, key=lambda one: (-one.places, one.here, one.there))


def _import_pygments_lexers() -> ModuleType:
    try:
        from pygments import lexers
    except ImportError as error:
        raise MissingExtra("pygments", "code") from error
    module: ModuleType = lexers
    return module


@cache
def installed_pygments_version() -> str:
    """Return the version of Pygments.

    Raises:
        MissingExtra: it is not installed.
    """
    _import_pygments_lexers()
    from importlib.metadata import version  # Slow to load, and other searches do without it.

    return version("pygments")


@dataclass(frozen=True, slots=True)
class AsCode:
    """Texts are compared as programs.

    Attributes:
        language: that of all texts, by the first of its names in Pygments; None if the name of
            each file tells.
        version: that of the Pygments which cuts them: another one may cut them otherwise.
    """

    language: str | None = None
    version: str = field(default_factory=installed_pygments_version)

    def __str__(self) -> str:
        return "code" if self.language is None else f"code:{self.language}"

    @property
    def identity(self) -> str:
        """What decides the words of all texts, as ``parse_identity_of_any_version`` reads it."""
        return f"{self} pygments={self.version}"

    @classmethod
    def parse_identity_of_any_version(cls, identity: str) -> AsCode:
        """Return what has this identity; that Pygments must be there only when programs are cut.

        Raises:
            OptionError: it has another form.

        >>> str(AsCode.parse_identity_of_any_version("code:python pygments=2.18.0"))
        'code:python'
        """
        parts = re.fullmatch(r"code(?::([\w+#.-]+))? pygments=([\w.+-]+)", identity)
        if parts is None:
            raise OptionError(f"`as_` is {identity!r}, which is no way to read programs.")
        return cls(*parts.groups())

    def _refuse_other_pygments(self) -> None:
        installed = installed_pygments_version()
        if installed != self.version:
            raise OptionError(
                f"Pygments {self.version} has cut the programs, and {installed} is installed, "
                f"which may cut them otherwise. Install pygments=={self.version}, or make anew "
                "what was made of them."
            )

    def list_text_sources_refusing_all(self, sources: Sequence[str | None]) -> list[str | None]:
        """Return the documents whose names do not tell a language: they are compared as they are.

        Raises:
            OptionError: all of them are, so that nothing would be compared as a program.
        """
        if self.language is not None:
            return []
        plain = [
            source for source in sources if not _languages_if_only_programs(_file_name(source))
        ]
        if sources and len(plain) == len(sources):
            raise OptionError(
                "`as_` is code, but no document has the name of a program, such as main.py, that "
                "tells its language; name it, such as code:python."
            )
        return plain

    def parse_if_program(self, text: str, source: str | None) -> ProgramText | None:
        """Return the words of a text; None if the name does not tell a language.

        Raises:
            OptionError: another version of Pygments is installed.
        """
        self._refuse_other_pygments()
        lexer = (
            _lexer_of_program_or_none(text, source)
            if self.language is None
            else _lexer_named(self.language)
        )
        return None if lexer is None else _make_program_text(text, lexer)

    def replace_programs_by_words(
        self, texts: Iterable[str | None], sources: Iterable[str | None]
    ) -> list[str | None]:
        """Return the words of each program, and other texts as they are.

        Raises:
            OptionError: another version of Pygments is installed.
        """
        counted_texts: list[str | None] = []
        for text, source in zip(texts, sources, strict=True):
            program = None if text is None else self.parse_if_program(text, source)
            counted_texts.append(text if program is None else program.text)
        return counted_texts


class WordSpans(NamedTuple):
    """Where each word of a text begins and ends, in characters."""

    starts: list[int]
    ends: list[int]


class RunByteSpans(NamedTuple):
    """Where each run of words begins and ends, in bytes of UTF-8."""

    starts: list[int]
    ends: list[int]


@dataclass(frozen=True, slots=True)
class ProgramTexts:
    """Texts whose words are those of programs, but for texts whose names do not tell a language.

    As ``arrow.Texts``, they are the programs as they were written.

    Attributes:
        texts: n programs.
        sources: their names.
    """

    texts: arrow.Texts
    sources: pa.ChunkedArray
    as_: AsCode

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def chunks(self) -> Iterable[pa.Array]:
        """Yield the programs in order."""
        return self.texts.chunks

    def null_except(self, kept_mask: pa.Array) -> ProgramTexts:
        """Return the programs with only some kept, and the others null."""
        return replace(self, texts=self.texts.null_except(kept_mask))

    def word_spans_in_program(self, doc: int, text: str) -> WordSpans:
        """Return where each word of a program begins and ends in it, in characters."""
        program = self.as_.parse_if_program(text, self.sources[doc].as_py())
        _, *places = _kernels.hash_and_locate_words(
            text if program is None else program.text, "fold"
        )
        starts, ends = (each.to_pylist() for each in places)
        if program is None:
            return WordSpans(starts, ends)
        spans = [program.span_in_program(*span) for span in zip(starts, ends, strict=True)]
        return WordSpans([start for start, _ in spans], [end for _, end in spans])

    def byte_spans_of_runs(self, runs: pa.Table) -> RunByteSpans:
        """Return where runs of words begin and end in the programs, in bytes of UTF-8.

        Args:
            runs: ``doc`` ascending, and ``start`` and ``end`` (words).

        Raises:
            SourceChanged: a program has fewer words than when it was first read.
        """
        docs = pc.unique(arrow.flat(runs["doc"]))
        texts = zip(docs.to_pylist(), arrow.take_texts(self, docs).to_pylist(), strict=True)
        doc, spans = -1, RunByteSpans([], [])
        starts, ends = list[int](), list[int]()
        bytes_before: Sequence[int] = ()
        for of, start, end in zip(*(runs[name].to_pylist() for name in _RUN), strict=True):
            if of != doc:
                doc, text = next(texts)
                starts, ends = self.word_spans_in_program(doc, text or "")
                bytes_before = _bytes_before_characters(text or "")
            if end > len(ends):
                raise SourceChanged(
                    "a text has fewer words than when it was first read; run again."
                )
            spans.starts.append(bytes_before[starts[start]])
            spans.ends.append(bytes_before[ends[end - 1]])
        return spans


#: The columns that say where a run of words is.
_RUN = ("doc", "start", "end")


def _bytes_before_characters(text: str) -> Sequence[int]:
    """Return how many bytes of UTF-8 are before each character, and in all."""
    if text.isascii():
        return range(len(text) + 1)
    return tuple(accumulate((len(one.encode()) for one in text), initial=0))


def describe_sources_compared_as_text(sources: Sequence[str | None]) -> list[str]:
    """Return a sentence about documents that are compared as they are, if there are any."""
    if not sources:
        return []
    count = "1 document is" if len(sources) == 1 else f"{len(sources):,} documents are"
    whose = "its name does" if len(sources) == 1 else "their names do"
    first = f"the first of them {sources[0]!r}"
    return [f"{count} compared as text, since {whose} not tell a language of programs, {first}"]


def check_as_code_if_given(value: str | AsCode | None) -> AsCode | None:
    """Return how texts are compared; None if as they are.

    Args:
        value: ``code``, or ``code:`` and a language as Pygments calls it.

    Raises:
        OptionError: it is something else, or there is no such language.
        MissingExtra: Pygments is not installed.
    """
    if value is None or isinstance(value, AsCode):
        return value
    kind, colon, language = str(value).partition(":")
    if kind != "code" or (colon and not language):
        raise OptionError(
            f"`as_` is {value!r}; it must be code, where the names of files tell their languages, "
            "or code: and a language, such as code:python."
        )
    lexers = _import_pygments_lexers()
    if not colon:
        return AsCode()
    try:
        lexer = lexers.get_lexer_by_name(language)
    except lexers.ClassNotFound:
        names = "python, java, c, cpp, javascript"
        raise OptionError(
            f"`as_` is {value!r}, but Pygments knows no language {language!r}; it is one of those "
            f"that `pygmentize -L lexers` lists, such as {names}."
        ) from None
    return AsCode(lexer.aliases[0])


@cache
def _lexer_named(language: str) -> Lexer:
    lexer: Lexer = _import_pygments_lexers().get_lexer_by_name(language)
    return lexer


def _file_name(source: str | None) -> str:
    return os.path.basename(source or "")


def _lexer_of_program_or_none(text: str, source: str | None) -> Lexer | None:
    """Return the lexer for the name of a file; where it fits several, the text decides."""
    name = _file_name(source)
    candidates = _languages_if_only_programs(name)
    if len(candidates) == 1:
        return _lexer_named(candidates[0])
    if not candidates:
        return None
    found = _import_pygments_lexers().find_lexer_class_for_filename(name, text)
    return None if found is None else _lexer_named(found.aliases[0])


class _Patterns(NamedTuple):
    """The languages by the endings of files, and by other patterns of their names."""

    by_ending: dict[str, tuple[str, ...]]
    others: tuple[tuple[re.Pattern[str], str], ...]


@cache
def _collect_file_name_patterns() -> _Patterns:
    """Return the patterns of all programs; Pygments itself goes through all for each file."""
    by_ending: dict[str, tuple[str, ...]] = {}
    others: list[tuple[re.Pattern[str], str]] = []
    lexers = _import_pygments_lexers()
    for _, aliases, patterns, _ in lexers.get_all_lexers(plugins=False):
        if not aliases or not patterns:
            continue
        for pattern in patterns:
            ending = pattern[1:]
            if pattern.startswith("*.") and not set(ending) & set("*?["):
                by_ending[ending] = (*by_ending.get(ending, ()), aliases[0])
            else:
                others.append((re.compile(translate(pattern)), aliases[0]))
    return _Patterns(by_ending, tuple(others))


@cache
def _is_programming_language(language: str) -> bool:
    module = type(_lexer_named(language)).__module__.rpartition(".")[2]
    return module not in _NO_PROGRAMS


@cache
def _languages_if_only_programs(file_name: str) -> tuple[str, ...]:
    """Return the languages of programs whose files have such a name.

    It is empty if the name is also that of files that are no programs.
    """
    patterns = _collect_file_name_patterns()
    # Every ending, since some have two dots, such as `.html.erb`.
    endings = [file_name[at:] for at, sign in enumerate(file_name) if sign == "."]
    found = [alias for ending in endings for alias in patterns.by_ending.get(ending, ())]
    found += [alias for pattern, alias in patterns.others if pattern.match(file_name)]
    # Remove nothing from a file that may be no program.
    return tuple(dict.fromkeys(found)) if all(map(_is_programming_language, found)) else ()


#: Where a token begins and ends in its program, in characters, and the word that stands for it.
_SpelledToken: TypeAlias = tuple[int, int, str]


def _make_program_text(text: str, lexer: Lexer) -> ProgramText:
    tokens = list(_merge_adjacent_strings(_spell_significant_tokens_in_letters(text, lexer)))
    words = [word for _, _, word in tokens]
    begins = tuple(accumulate((len(word) + 1 for word in words), initial=0))[: len(words)]
    starts = tuple(start for start, _, _ in tokens)
    ends = tuple(end for _, end, _ in tokens)
    return ProgramText(" ".join(words), begins, starts, ends)


def _merge_adjacent_strings(
    tokens: Iterable[_SpelledToken],
) -> Iterator[_SpelledToken]:
    """Yield tokens, with the parts of one string as one."""
    last: _SpelledToken | None = None
    for start, end, word in tokens:
        if last is not None and last[2] == word == _STRING and last[1] == start:
            last = last[0], end, word
            continue
        if last is not None:
            yield last
        last = start, end, word
    if last is not None:
        yield last


def _spell_significant_tokens_in_letters(text: str, lexer: Lexer) -> Iterator[_SpelledToken]:
    """Yield where each token begins and ends that counts, and its word."""
    from pygments import token as kinds

    # As Pygments does for itself, at the same places: lines end alike, and so does the text.
    lines = text.replace("\r\n", " \n").replace("\r", "\n") + "\n"
    directives = (kinds.Comment.Preproc, kinds.Comment.PreprocFile)
    for start, kind, value in lexer.get_tokens_unprocessed(lines):
        end = start + len(value)
        if not value or value.isspace():
            continue
        if kind in directives[1] or (kind in kinds.String and kind not in kinds.String.Doc):
            yield start, end, _STRING
        elif kind in directives[0]:
            yield from _spell_directive(start, value)
        elif kind in kinds.Comment or kind in kinds.String.Doc:
            continue
        elif kind in kinds.Number:
            yield start, end, _NUMBER
        elif kind in kinds.Name:
            yield start, end, _NAME
        elif kind in kinds.Keyword or kind in kinds.Operator or kind in kinds.Punctuation:
            yield start, end, _spell_as_one_word(value)
        else:
            for part in _PARTS.finditer(value):
                yield start + part.start(), start + part.end(), _spell_as_one_word(part[0])


def _spell_directive(start: int, value: str) -> Iterator[_SpelledToken]:
    """Yield the words and signs of a directive; only its first word stays as it is."""
    has_word = False
    for part in _PARTS.finditer(value):
        word, begin, end = part[0], start + part.start(), start + part.end()
        if not (word[0].isalnum() or word[0] == "_") or not has_word:
            has_word = has_word or word[0].isalpha()
            yield begin, end, _spell_as_one_word(word)
        else:
            yield begin, end, _NUMBER if word[0].isdigit() else _NAME


@lru_cache(1 << 12)
def _spell_as_one_word(token: str) -> str:
    """Return a keyword, an operator or a bracket as one word."""
    return "".join(
        sign if sign.isalnum() else _SIGNS.get(sign, f"{_OTHER_SIGN}{ord(sign):x}")
        for sign in token
        if not sign.isspace()
    )
