"""Two documents compared: every measure, both ways, what they mean, and the passages shared."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from ilk import _kernels, arrow
from ilk import read as readers
from ilk.arrow import verdicts
from ilk.base.arguments import refuse_idle_or_unknown_arguments, suggest_arguments
from ilk.base.errors import OptionError
from ilk.base.options import check_option
from ilk.base.run_options import Running
from ilk.fingerprints.recipe import Recipe, check_recipe
from ilk.fingerprints.texts import make_fingerprint_way
from ilk.read.collection import StoredDocuments
from ilk.read.files.walk import STDIN
from ilk.read.formats.parts import Limits
from ilk.search import measures, noise_evidence, noise_model
from ilk.search.base_text import (
    query_with_base_text_if_given,
    read_base_texts_with_programs_as_words,
)
from ilk.search.counting import Counting
from ilk.search.differences import CHANGED, Differences, folded_word_changes_and_moves
from ilk.search.evidence import CHARACTERS, Evidence, Thresholds
from ilk.search.judging import judge_every_candidate_by_sets
from ilk.search.measures import count_noun
from ilk.search.noise_judge import with_agreement_marking_noisy_pairs
from ilk.search.pair_passages import find_pair_passages
from ilk.search.passage_parts import PassageRule
from ilk.search.passages import Passage
from ilk.search.programs import NameChange
from ilk.search.query import Query
from ilk.search.read_documents import read_documents_with_evidence
from ilk.tasks.stored_reference import store_of_reference_or_none
from ilk.write import notebook, pages, pictures, side_by_side

if TYPE_CHECKING:
    from ilk.store import Store

#: Passages that a notebook shows, and that a comparison lists.
_SHOWN, _LISTED = 5, 10_000


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Every measure between a left and a right document.

    Attributes:
        verdict: ``identical`` (equal bytes), ``exact`` (equal normalised text), ``numbers_only``
            (equal except for numbers), ``near`` (resemblance at its threshold), ``contained`` or
            ``contains`` (containment at its threshold), or ``different``; ``noisy`` (the characters
            agree) comes after ``near`` if a rate of noise was given.
        meaning: the measures in a sentence.
        resemblance: shared shingles over all shingles, exact.
        containment_left, containment_right: shared shingles over those of the left (right).
        shingles: what all three are measured by, such as ``3 words`` or ``3 characters``.
        cosine: of the weighted feature vectors, exact; None if either has no features.
        distance: bits in which the fingerprints differ; None if either text has none.
        bit_agreement: 1 - distance / bits (Roth 2013, section 2.2.2).
        cosine_estimate, cosine_interval: the cosine as estimated from the distance, with its 95 %
            interval; None if the recipe is not of SimHash.
        resemblance_estimate, resemblance_interval: the resemblance of the sets of the recipe's own
            shingles as estimated from the distance, with its 95 % interval; None if the recipe is
            not of MinHash.
        equal_digest, equal_bytes_digest: whether the normalised texts, and the bytes, are equal.
        passages: runs of words in both, the longest first; of more than 10,000, those alone.
        shared: how many passages there are, and of how many words.
        recipe: the recipe's string.
        agreement: the share of the longer bare text's characters that are not wrong in the best
            alignment; None if no rate of noise was given.
        agreement_within: the same for the shorter one and the stretch of the other that fits it
            best.
        name_changes: names in shared passages that differ: the one on the left (``here``), the one
            on the right (``there``), and at how many ``places``; None if not both are compared as
            programs.
        texts: the left and the right text, as read; not in ``to_dict``.
        stored: the name of the right document, if a store was searched for it; not in ``to_dict``.
    """

    verdict: str
    meaning: str
    resemblance: float
    containment_left: float
    containment_right: float
    shingles: str
    cosine: float | None
    distance: int | None
    bit_agreement: float | None
    cosine_estimate: float | None
    cosine_interval: tuple[float, float] | None
    resemblance_estimate: float | None
    resemblance_interval: tuple[float, float] | None
    equal_digest: bool
    equal_bytes_digest: bool
    passages: list[Passage]
    shared: tuple[int, int]
    recipe: str
    texts: tuple[str, str]
    agreement: float | None = None
    agreement_within: float | None = None
    name_changes: list[NameChange] | None = None
    stored: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, for JSON."""
        plain = asdict(self)
        del plain["texts"], plain["stored"]
        plain["shared"] = dict(zip(("passages", "words"), self.shared, strict=True))
        if self.agreement is None:
            del plain["agreement"], plain["agreement_within"]
        if self.name_changes is None:
            del plain["name_changes"]
        else:
            plain["name_changes"] = [one._asdict() for one in self.name_changes]
        return plain

    def differences(self) -> Differences:
        """Return what both share, where they differ, word by word, and what moved."""
        return folded_word_changes_and_moves(*self.texts)

    def html(self, left: str = "left", right: str = "right") -> str:
        """Return both texts side by side, with these names, as a page that needs no network."""
        return side_by_side.render_comparison_page(
            *self.texts,
            self.differences(),
            mark_wrong=self.agreement is not None,
            sides=(left, right),
            meaning=self.meaning,
            measures=self._measures_as_phrases(),
            verdict=self.verdict,
            program=None
            if self.name_changes is None
            else side_by_side.cut_at_passages(*self.texts, self.passages),
            name_changes=self.name_changes,
        )

    @suggest_arguments
    def plot(self, ax: Any = None) -> Any:
        """Draw where both texts differ, and what has moved; see ``ilk.write.pictures``."""
        differences_found, strips = self.differences(), list[pictures.Strip]()
        for at, name, text in zip((0, 2), ("left", "right"), self.texts, strict=True):
            changed = (each[1:] for each in differences_found.stretches if each.kind == CHANGED)
            marks = [pictures.Mark(each[at], each[at + 1], False) for each in changed]
            # Moves are in changed stretches, and the second kind is drawn over the first.
            moved = [
                pictures.Mark(move[at], move[at + 1], True) for move in differences_found.moves
            ]
            strips.append(pictures.Strip(name, len(text), marks + moved))
        return pictures.draw_strips(strips, ax, unit="characters", kinds=("changed", "moved"))

    def __repr__(self) -> str:
        lines = [f"Comparison: {self.verdict}", self.meaning]
        lines += [f"{name} {value}" for name, value in self._measures_as_phrases()]
        return "\n  ".join(lines)

    def _repr_html_(self) -> str:
        passages = [(str(one.words), pages.first_words(one.text)) for one in self.passages[:_SHOWN]]
        differs = ("differs", side_by_side.spell_counts_of_changes(self.differences()))
        return notebook.render_notebook_table(
            self.verdict,
            self.meaning,
            numbers=[differs, *self._measures_as_phrases()],
            heads=("words", "shared passage"),
            groups=[notebook.TableGroup(passages, max(0, self.shared[0] - _SHOWN), "")]
            if passages
            else (),
        )

    def _measures_as_phrases(self) -> list[tuple[str, str]]:
        left, right = map(measures.format_decimal, (self.containment_left, self.containment_right))
        agreement = []
        if self.agreement is not None:
            agreement = [
                ("agreement", f"{measures.format_decimal(self.agreement)} of the characters")
            ]
        return [
            (
                "resemblance",
                f"{measures.format_decimal(self.resemblance)} of sets of {self.shingles}",
            ),
            ("containment", f"{left} of the left, {right} of the right"),
            *agreement,
            ("distance", "none" if self.distance is None else count_noun(self.distance, "bit")),
            ("passages", f"{self.shared[0]:,} shared, {count_noun(self.shared[1], 'word')}"),
        ]


class _DistanceEstimates(NamedTuple):
    """What the distance of two fingerprints estimates; each None if it does not."""

    bit_agreement: float | None = None
    cosine_estimate: float | None = None
    cosine_interval: tuple[float, float] | None = None
    resemblance_estimate: float | None = None
    resemblance_interval: tuple[float, float] | None = None


@refuse_idle_or_unknown_arguments()
def compare(
    a: str | os.PathLike[str] | Sequence[str],
    b: str | os.PathLike[str] | Sequence[str] | None = None,
    recipe: Recipe | str | None = None,
    *,
    against: str | os.PathLike[str] | Store | None = None,
    ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    memory: str | int | None = None,
    # Parameters compare, by scripts/make-signatures.
    resemblance: str | float | None = 0.8,
    containment: str | float | None = 0.95,
    noise: str | float | None = None,
    shingle: int | None = 3,
    by: str | None = None,
    as_: str | None = None,
    ignore: str | Sequence[str] | None = None,
    min_words: int | None = 5,
    text: str | Sequence[str] | None = "text",
    id: str | None = None,
    extract: str | None = "none",
    convert: Mapping[str, Sequence[str]] | None = None,
    convert_timeout: float | None = 60.0,
    ocr: str | Sequence[str] | None = None,
    replies: str | None = "keep",
    limits: Limits | None = None,
    # End of what is written.
) -> Comparison:
    """Return every measure between two documents, and the passages they share.

    Args:
        a, b: a path each, or a list of one text: ``compare([one], [other])``. Name a document in a
            file of many as ilk does: ``news.jsonl#24``, ``a.zip!/b.txt``, or by its ``id``.
        recipe: how to make the fingerprints; ``Recipe()`` by default.
        against: a store, or its path, instead of ``b``: the right one is its document with the
            greatest resemblance to ``a``, named by ``stored``. The store must keep texts, and
            measure them in the same way.
        resemblance, containment: the thresholds of the verdict.
        shingle, by, as_, ignore: as for ``ilk.find``: how the two are compared. Passages and
            differences are shown as they are in the texts.
        ignore_text: leave out of both what stands in these documents word for word, as for
            ``ilk.find``; a passage that is wholly in them does not count.
        noise: the share of the characters that may be wrong in a noisy copy; adds the agreement of
            the two.
        min_words: the least number of words in a shared passage.
        memory: the most memory that the process may use, besides some six times the size of the
            texts; passages are looked for in parts, in files, if they do not fit.

    Options:
        text: the column of texts in files of rows; dots reach into objects, and brackets into
            lists: ``messages[].content``, ``messages[role=user].content``, ``turns[0].text``; the
            texts of a list, and of the option repeated, are joined with a blank line between them.
        id: the column of ids in files of rows (default: id, if there is one).
        extract: how to get the text of HTML, in files and in rows (none: the page as it is, with
            its tags; all: all text without tags; fast: the main text; quality: the main text with
            fewer mistakes, at a fifth of the speed; needs the extra ``pages``).
        convert: for files with this extension, run a program and read the text it prints, such as
            ``pdf=pdftotext {} -``; repeatable.
        convert_timeout: the time limit for reading one document, by a program or by ilk itself.
        ocr: for PDF pages that are images, run a program and read the text it prints, such as
            ``tesseract {} -``.
        replies: keep or drop the quotations in messages, and signatures.
        limits: what reading one document may use (``ilk.Limits``).

    Raises:
        SourceNotFound: a path does not exist.
        NothingRead: a file cannot be read, with the reason.
        OptionError: an option is out of bounds; or both texts are standard input; or neither or
            both of ``b`` and ``against`` are given; or the store cannot promise what is asked.

    Source: Broder 1997, section 2; Charikar 2002, section 3; Roth 2013, section 2.2.2; Li and
    Koenig 2010, section 2.

    >>> found = compare(["To be, or not to be: that is"], ["to be, or not to be: that was"])
    >>> found.verdict, found.distance
    ('near', 5)
    """
    recipe = check_recipe(recipe)
    min_resemblance = check_option("resemblance", resemblance)
    min_containment = check_option("containment", containment)
    width = check_option("shingle", shingle)
    rate = check_option("noise", noise)
    query = Query.from_options(recipe, noise=noise, shingle=shingle, by=by, as_=as_, ignore=ignore)
    reading = readers.Reading.of(
        # Arguments compare_reading, by scripts/make-signatures.
        text=text,
        id=id,
        extract=extract,
        convert=convert,
        convert_timeout=convert_timeout,
        ocr=ocr,
        replies=replies,
        limits=limits,
        # End of what is written.
    )
    query = query_with_base_text_if_given(query, ignore_text, reading, jobs=1)
    read = _read_both_documents(a, b, against, reading=reading, query=query)
    texts = pa.chunked_array([arrow.flat(table["text"]) for table in read], pa.large_string())
    running = Running.of(1, memory)
    counting = query.counting
    base = (
        None
        if ignore_text is None
        else read_base_texts_with_programs_as_words(ignore_text, reading, counting)
    )
    documents_read = read_documents_with_evidence(
        read, texts, recipe=recipe, counting=counting, running=running
    )
    documents, evidence = documents_read.documents, documents_read.evidence
    pair = arrow.fit_columns_to_schema(
        pa.table({"left": pa.array([0]), "right": pa.array([1])}), arrow.CANDIDATES
    )
    pair_row = judge_every_candidate_by_sets(
        pair,
        documents,
        evidence=evidence,
        thresholds=Thresholds(min_resemblance, min_containment, numbers_only_is_alike=True),
    )
    is_contained = pair_row["verdict"][0].as_py() in (verdicts.CONTAINED, verdicts.CONTAINS)
    left, right = (text or "" for text in texts.to_pylist())
    agreement: dict[str, Any] = {}
    if rate is not None:
        pair_row, agreement = _with_agreement(pair_row, evidence, texts, rate)
    row = pair_row.to_pylist()[0]
    names = [table["source"][0].as_py() for table in read]
    counted_texts = counting.replace_programs_by_words_if_as_code(
        texts, pa.array(names, pa.string())
    )
    if counting.as_ is not None:
        counting.as_.list_text_sources_refusing_all(names)
    rule = PassageRule(check_option("min_words", min_words), base=base)
    shared_runs = find_pair_passages(
        (left, right),
        names,
        as_code=counting.as_,
        rule=rule,
        running=running,
        max_shown=_LISTED,
    )
    distance = row.pop("distance")
    equal: dict[str, Any] = {
        f"equal_{name}": len(set(documents[name].to_pylist())) == 1 and documents[name][0].is_valid
        for name in ("digest", "bytes_digest")
    }
    one, other = (text or "" for text in counted_texts.to_pylist())
    cosine = _kernels.measure_cosine(one, other, make_fingerprint_way(recipe).kernel)
    shingles = f"{width} words" if width > 1 else "1 word"
    # Words decide what is contained, however short both are.
    words, other_words = evidence.field("words").to_pylist()
    by_characters = _kernels.is_measured_by_characters(words, other_words)
    if by_characters and not is_contained:
        shingles = f"{CHARACTERS} characters"
    return Comparison(
        verdict=row["verdict"],
        meaning=(
            row["verdict"] == verdicts.DIFFERENT
            and _sentence_on_missing_texts_or_empty(counted_texts)
        )
        or _sentence_on_measures(
            row | agreement,
            resemblance=min_resemblance,
            containment=min_containment,
            counting=counting,
            shingles=shingles,
        ),
        **{name: row[name] for name in ("resemblance", "containment_left", "containment_right")},
        shingles=shingles,
        cosine=None if cosine is None else max(0.0, float(cosine)),  # Weights are not negative.
        distance=distance,
        **_estimates_from_distance(distance, recipe)._asdict(),
        **equal,
        passages=shared_runs.longest,
        shared=(shared_runs.number, shared_runs.words),
        recipe=str(recipe),
        texts=(left, right),
        name_changes=shared_runs.name_changes,
        stored=None if against is None else names[1],
        **agreement,
    )


def _read_document_and_nearest_in_store(
    source: Any, against: Any, reading: readers.Reading, query: Query
) -> list[pa.Table]:
    """Return a document, and the one of a store that is most like it, each as ``DOCUMENTS``.

    Raises:
        OptionError: ``against`` is no store.
    """
    if against is None:
        raise OptionError(
            "there is one document, and nothing to compare it with; name another one, or a store "
            "(`against`)."
        )
    store = store_of_reference_or_none(against)
    if store is None:
        raise OptionError(
            f"{against!r:.80} is no store; `against` takes one. Name a document as the second one."
        )
    from ilk.store.reference import read_nearest_or_first_document

    own = readers.read_one_document(source, reading)
    nearest = read_nearest_or_first_document(store, own, query)
    return [own, pa.Table.from_batches(StoredDocuments(nearest).batches())]


def _read_both_documents(
    a: str | os.PathLike[str] | Sequence[str],
    b: str | os.PathLike[str] | Sequence[str] | None,
    against: str | os.PathLike[str] | Store | None,
    *,
    reading: readers.Reading,
    query: Query,
) -> list[pa.Table]:
    """Return the documents to compare, a table of one row each; ``compare`` explains the arguments.

    Raises:
        OptionError: a folder is given, twice standard input, or neither or both of ``b`` and
            ``against``.
    """
    for path in (
        *(readers.paths_or_none_if_texts(a) or ()),
        *(readers.paths_or_none_if_texts(b) or ()),
    ):
        _refuse_folder(os.fsdecode(path))
    if b is None:
        return _read_document_and_nearest_in_store(a, against, reading, query)
    if against is not None:
        raise OptionError("a second document and a store (`against`) are given; name one of them.")
    if all(list(map(str, readers.paths_or_none_if_texts(one) or ())) == [STDIN] for one in (a, b)):
        raise OptionError("standard input can be read only once; name a file for the other text.")
    return [readers.read_one_document(a, reading), readers.read_one_document(b, reading)]


def _with_agreement(
    pair_row: pa.Table, evidence: Evidence, texts: pa.ChunkedArray, rate: Fraction
) -> tuple[pa.Table, dict[str, float]]:
    """Return the judged pair, marked if it is noisy at ``rate``, and its agreements by name."""
    left, right = (text or "" for text in texts.to_pylist())
    _refuse_texts_too_long_to_align(left, right)
    pair_row = with_agreement_marking_noisy_pairs(
        pair_row,
        texts,
        noise_model.limits_at_rate(rate),
        masked_digests=evidence.field("masked_digest"),
        align_every_verdict=True,
    )
    whole, within = noise_evidence.measure_whole_and_within_agreement(left, right)
    # Of noisy copies, parts may have moved, and these count where they are.
    noisy = pair_row["agreement"][0].as_py()
    own = whole if noisy is None else noisy
    return pair_row, {"agreement": own, "agreement_within": max(own, within)}


def _refuse_folder(path: str) -> None:
    """Refuse a folder, which holds many documents, and say what compares folders.

    A scan counts the files without a text in a folder, and the page of a comparison does not.
    """
    if os.path.isdir(path):
        raise OptionError(
            f"{path} is a folder, and two documents are compared; name a file in it. To see what "
            "folders share, each of them as one document, type: ilk scan PARENT "
            "--folder-as-document --report page.html, where PARENT is the folder around them."
        )


def _refuse_texts_too_long_to_align(left: str, right: str) -> None:
    """Refuse texts that are longer than what is aligned."""
    characters = max(len(left), len(right))
    if characters > noise_evidence.LONGEST:
        raise OptionError(
            f"noise aligns texts of up to {noise_evidence.LONGEST:,} characters, but one of these "
            f"has {characters:,}; leave it out."
        )


def _estimates_from_distance(distance: int | None, recipe: Recipe) -> _DistanceEstimates:
    """Return what the distance estimates: the cosine or the resemblance, by the recipe's kind."""
    if distance is None:
        return _DistanceEstimates()
    share, bits = 1 - distance / recipe.bits, recipe.bits
    if recipe.kind == "simhash":
        return _DistanceEstimates(
            share,
            cosine_estimate=measures.estimate_cosine(distance, bits),
            cosine_interval=measures.cosine_interval(distance, bits),
        )
    return _DistanceEstimates(
        share,
        resemblance_estimate=measures.estimate_resemblance(distance, bits),
        resemblance_interval=measures.resemblance_interval(distance, bits),
    )


def _sentence_on_missing_texts_or_empty(texts: pa.ChunkedArray) -> str:
    """Return that one of two different texts, or each, is blank; "" if none is.

    Shares would say nothing of blank texts.
    """
    blank = [not (text or "").strip() for text in texts.to_pylist()]
    if all(blank):
        return "The two are different, and neither has a text."
    whose = "left" if blank[0] else "right"
    return f"The two are different: the {whose} one has no text." if any(blank) else ""


def _sentence_on_measures(
    measured_pair: dict[str, Any],
    *,
    resemblance: Fraction,
    containment: Fraction,
    counting: Counting,
    shingles: str,
) -> str:
    """Return what the verdict and the measures of a pair mean, with both thresholds."""
    row = measured_pair
    # Round all shares with both thresholds, or a resemblance could print above a containment.
    runs = "words" if shingles == "1 word" else f"runs of {shingles}"
    share = measures.format_percent(row["resemblance"], resemblance, containment)
    common = f"{share} of all their {runs} are in both"
    if row["resemblance"] == 1:
        common = f"they have the same {runs}, but not the same text"
    left = measures.format_percent(row["containment_left"], resemblance, containment)
    right = measures.format_percent(row["containment_right"], resemblance, containment)
    ignored = counting.phrase_of_differences_between_equal_texts
    return {
        verdicts.IDENTICAL: "The two are identical, byte for byte.",
        verdicts.EXACT: f"The two have the same text; only {ignored} differs.",
        verdicts.NUMBERS_ONLY: f"The two differ only in numbers: {common}.",
        verdicts.NEAR: f"The two are near-duplicates: {common}.",
        verdicts.NOISY: "The two are noisy copies: "
        f"{measures.format_percent(row.get('agreement', 0.0))} of their characters agree.",
        verdicts.CONTAINED: f"The left one is contained in the right: {left} is there.",
        verdicts.CONTAINS: f"The left one contains the right: {right} of it is there.",
        verdicts.DIFFERENT: f"The two are different: {common}; {left} of the left one is in the "
        f"right one, and {right} of the right one in the left.",
    }[row["verdict"]]
