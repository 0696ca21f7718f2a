"""``ilk compare``: every measure between two documents, and the passages they share."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ilk.base.kinds import Whole
from ilk.base.options import Option
from ilk.base.terminal import printable, shorten_end
from ilk.cli import options, output, styling
from ilk.cli.exit_codes import ExitCode
from ilk.fingerprints.recipe import Recipe
from ilk.search.measures import count_noun, format_decimal

if TYPE_CHECKING:
    from ilk.search.differences import Differences
    from ilk.tasks.compare import Comparison

#: The options of ``compare`` for the verdict and the passages.
_SOUGHT = ("resemblance", "noise", "shingle", "by", "as_", "ignore", "ignore_text", "min_words")

#: How to read them.
_READ = ("text", "convert", *options.PAGES, "ocr", "replies", *options.LIMITS)

#: The marks around words of each role, so that nothing depends on colours, and their key.
_MARKS = {"gone": ("[-", "-]"), "new": ("{+", "+}"), "away": ("[~", "~]"), "moved": ("{~", "~}")}
_LEGEND = "[-only in A-] {+only in B+} [~moved away~] {~moved here~}"


def parser() -> options.Parser:
    verb = options.make_parser_with_help_file("compare")
    verb.add_argument(
        "left",
        metavar="A",
        help="a file, a document in a file (news.jsonl#24, a.zip!/b.txt), or - for standard input",
    )
    verb.add_argument(
        "right", metavar="B", nargs="?", help="another file; not with --against, which finds it"
    )
    options.add_options(
        verb,
        *_SOUGHT,
        containment=options.CONTAINED,
        min_words={"part": None},
        against={
            "repeated": False,
            "metavar": "STORE",
            "help": "compare A with the document of this store that has the greatest resemblance "
            "to it; the store must keep texts",
        },
        **options.recipe_option_changes(Recipe()),
        passages=Option(
            Whole(), "how many passages the table shows; jsonl lists up to 10,000", 10, "N"
        ),
        format=options.format_option_fields("table", "jsonl"),
    )
    options.add_options(verb, "diff", "html", "force", heading="what differs")
    id_ = {
        "help": "the column of ids in files of rows; then name a row as FILE#ID",
        "default_phrase": None,
    }
    options.add_options(verb, *_READ, heading="input", id=id_)
    options.add_options(verb, "memory", heading="running")
    return verb


def run(args: argparse.Namespace) -> ExitCode:
    from ilk.arrow import verdicts
    from ilk.tasks.compare import compare

    recipe = options.read_recipe_weights_and_secret_if_given(args) or Recipe()
    chosen = options.given_library_arguments(args, *_SOUGHT, "containment", *_READ, "id", "memory")
    output.refuse_unwritable_file(args, args.html)
    comparison = compare(args.left, args.right, recipe, against=args.against, **chosen)
    right = args.right if comparison.stored is None else comparison.stored
    record = {"left": args.left, "right": right, **comparison.to_dict()}
    lines = _comparison_lines(comparison, fingerprint_bits=recipe.bits, max_passages=args.passages)
    if args.diff:
        found = comparison.differences()
        record["differences"] = found.to_dict()
        lines = _difference_lines(comparison, found)
    if comparison.stored is not None:
        lines = chain([f"The most alike of {args.against}: {printable(right)}", ""], lines)
    if args.html is not None:
        output.write_page(args.html, comparison.html(args.left, right))
    output.print_record_or_lines(args, record, lines)
    return output.NOTHING if comparison.verdict == verdicts.DIFFERENT else output.DONE


def _difference_lines(comparison: Comparison, differences: Differences) -> Iterator[str]:
    """Yield the differences, wrapped to the terminal; paragraphs stay apart."""
    from ilk.search.differences import CHANGED
    from ilk.write.side_by_side import pieces_for_terminal

    yield from output.wrap_sentence_for_terminal(comparison.meaning)
    changed = count_noun(differences.count_stretches(CHANGED), "difference")
    yield from (
        f"{changed}, {count_noun(len(differences.moves), 'passage')} moved.",
        "",
        _LEGEND,
        "",
    )
    width = min(100, shutil.get_terminal_size().columns)
    line: list[str] = []
    used = 0
    for role, word in _split_into_marked_words(
        pieces_for_terminal(
            *comparison.texts, differences, mark_wrong=comparison.agreement is not None
        )
    ):
        if line and (word == "\n" or used + 1 + len(word) > width):
            yield " ".join(line)
            yield from [""] if word == "\n" else []
            line, used = [], 0
        if word != "\n":
            used += len(word) + (1 if line else 0)
            line.append(styling.style_text(role, word, sys.stdout) if role in _MARKS else word)
    if line:
        yield " ".join(line)


class _RoleWord(NamedTuple):
    """The role of a passage, and a word of it in its marks, or a line end between paragraphs."""

    role: str
    word: str


def _split_into_marked_words(roles_and_texts: Iterator[tuple[str, str]]) -> Iterator[_RoleWord]:
    for role, text in roles_and_texts:
        begin, end = _MARKS.get(role, ("", ""))
        paragraphs = [paragraph.split() for paragraph in re.split(r"\n[ \t\r]*\n", text)]
        with_words = [number for number, words in enumerate(paragraphs) if words]
        for number, words in enumerate(paragraphs):
            if number:
                yield _RoleWord(role, "\n")
            shown = [printable(word) for word in words]
            if with_words and number == with_words[0]:
                shown[0] = begin + shown[0]
            if with_words and number == with_words[-1]:
                shown[-1] += end
            yield from (_RoleWord(role, word) for word in shown)


def _comparison_lines(
    comparison: Comparison, *, fingerprint_bits: int, max_passages: int
) -> Iterator[str]:
    yield from output.wrap_sentence_for_terminal(comparison.meaning)
    yield ""
    for name, value, basis in _rows_of_measures(comparison, fingerprint_bits):
        shown = format_decimal(value) if isinstance(value, float) else str(value)
        yield f"{name:<19}{shown:<6}   {basis}".rstrip()
    yield ""
    count, words = comparison.shared
    cells = output.stdout_terminal_cells_or_none()
    yield f"{count_noun(count, 'shared passage')}, {count_noun(words, 'word')}"
    for passage in comparison.passages[:max_passages]:
        left = f"A {passage.left_start}-{passage.left_end}"
        right = f"B {passage.right_start}-{passage.right_end}"
        yield f"  {count_noun(passage.words, 'word')}: {left}, {right}"
        excerpt = printable(
            textwrap.shorten(passage.text, output.EXCERPT_CHARACTERS, placeholder=" ...")
        )
        yield f"    {excerpt if cells is None else shorten_end(excerpt, cells - 4)}"
    if count > max_passages:
        yield f"  ... and {count - min(max_passages, len(comparison.passages)):,} more"


class _MeasureRow(NamedTuple):
    """A measure, its value, and what it is of."""

    name: str
    value: Any
    basis: str


def _rows_of_measures(comparison: Comparison, fingerprint_bits: int) -> Iterator[_MeasureRow]:
    yield _MeasureRow("verdict", comparison.verdict, "")
    yield _MeasureRow("resemblance", comparison.resemblance, f"of sets of {comparison.shingles}")
    yield _MeasureRow("containment", comparison.containment_left, "of A in B")
    yield _MeasureRow("", comparison.containment_right, "of B in A")
    if comparison.agreement is not None:
        yield _MeasureRow("agreement", comparison.agreement, "of the characters, noise allowed")
        yield _MeasureRow("", comparison.agreement_within, "of the shorter, in a stretch")
    if comparison.cosine is not None:
        yield _MeasureRow("cosine", comparison.cosine, "of weighted features, exact")
    source_of_measure = "from the fingerprints;"
    if comparison.cosine_interval is not None:
        yield _MeasureRow("cosine, estimated", comparison.cosine_estimate, source_of_measure)
    if comparison.resemblance_interval is not None:
        yield _MeasureRow(
            "resemblance, est.",
            comparison.resemblance_estimate,
            f"of the recipe's shingles, {source_of_measure}",
        )
    if interval := comparison.cosine_interval or comparison.resemblance_interval:
        yield _MeasureRow(
            "", "", f"95 % interval {format_decimal(interval[0])} to {format_decimal(interval[1])}"
        )
    if comparison.distance is None:
        yield _MeasureRow("distance", "none", "a text has too few features for a fingerprint")
    else:
        yield _MeasureRow("distance", comparison.distance, f"bits of {fingerprint_bits}")
        yield _MeasureRow("bit agreement", comparison.bit_agreement, "")
    yield _MeasureRow("equal texts", "yes" if comparison.equal_digest else "no", "")
    yield _MeasureRow("equal bytes", "yes" if comparison.equal_bytes_digest else "no", "")
    yield _MeasureRow("recipe", comparison.recipe, "")
