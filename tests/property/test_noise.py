"""Noisy copies: every number is that of a naive oracle, for any texts."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk import _kernels, arrow
from ilk.search import noise_evidence
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence
from ilk.search.noise_evidence import NoiseEvidence, NoiseLimits
from ilk.search.noise_judge import with_agreement_marking_noisy_pairs
from tests.reference import noise as reference
from tests.support import strategies

UNALIKE = ("contained", "contains", "different")

NUMBERED = ("Page 7 of the keeper of the light", "Page 8 of the keeper of the light")

_LIMITS = NoiseLimits(Fraction(4, 5), Fraction(3, 10), Fraction(1, 4), 2.0)


@given(strategies.texts, strategies.texts)
def test_wrong_characters_are_those_of_the_table(left: str, right: str) -> None:
    ours, theirs = reference.bare(left), reference.bare(right)
    short, long = sorted((ours, theirs), key=len)
    wrong = _kernels.count_wrong_characters(left, right)
    assert (wrong.left_length, wrong.right_length) == (len(ours), len(theirs))
    assert wrong.scatter == pytest.approx(reference.scatter(left, right))
    assert wrong.whole == reference.distance(ours, theirs)
    if len(ours) != len(theirs):
        assert wrong.within == reference.within(short, long)


@given(strategies.texts)
def test_a_text_has_no_wrong_character_beside_its_bare_text(text: str) -> None:
    bare = reference.bare(text)
    # With spaces between them: a mark that follows another letter would be composed with it.
    spaced = " ".join(bare)
    assert reference.bare(spaced) == bare
    wrong = _kernels.count_wrong_characters(text, spaced)
    assert (wrong.whole, wrong.left_length, wrong.right_length) == (0, len(bare), len(bare))


@given(strategies.texts, st.text("-—.,;!? \n\t'\u00ad", max_size=5))
def test_case_punctuation_hyphens_and_spaces_are_no_noise(text: str, between: str) -> None:
    plain = "".join(c for c in text if c.isascii())
    spread = between.join(plain).swapcase()
    if reference.bare(plain) == reference.bare(spread):
        assert noise_evidence.measure_whole_and_within_agreement(plain, spread)[0] == 1.0


@given(st.lists(st.one_of(st.none(), strategies.texts, strategies.prose), max_size=8))
def test_what_is_kept_is_counted_and_none_of_a_short_text_is_left_out(
    texts: list[str | None],
) -> None:
    kept = NoiseEvidence.from_texts(arrow.import_texts(texts), 1)
    bare = [reference.bare(text or "") for text in texts]
    assert kept.lengths.to_pylist() == [len(one) for one in bare]
    for row, one in enumerate(bare):
        shingles = reference.shingles(one, noise_evidence.SHORT_WIDTH)
        is_short = len(one) < noise_evidence.SHORT_BELOW_CHARACTERS
        assert len(kept.short[row]) == (len(shingles) if is_short else 0)
        shingles = reference.shingles(one, noise_evidence.WIDTH)
        is_long = len(one) >= noise_evidence.LONG_FROM_CHARACTERS
        lowest = min(noise_evidence.LOWEST, len(shingles))
        assert len(kept.long[row]) == (lowest if is_long else 0)


@given(st.lists(strategies.prose, min_size=2, max_size=7, unique=True))
def test_pairs_that_agree_are_those_of_the_oracle(texts: list[str]) -> None:
    column = arrow.import_texts(texts)
    rows = pa.arange(0, len(texts))
    pairs = noise_evidence.nominate_noisy_pairs_most_alike_first(
        NoiseEvidence.from_texts(column, 1), rows, _LIMITS, max_pairs=1000
    )
    found = noise_evidence.find_rows_of_agreeing_pairs(
        column, pairs, _LIMITS, jobs=1, max_failures_in_a_row=None
    )
    agreed = pairs.take(found["row"]).append_column("agreement", found["agreement"])
    for row in agreed.to_pylist():
        expected = reference.agreement(texts[row["left"]], texts[row["right"]])
        assert row["agreement"] == expected >= 0.8
    known = {(row["left"], row["right"]) for row in agreed.to_pylist()}
    for pair in pairs.to_pylist():
        left, right = texts[pair["left"]], texts[pair["right"]]
        assert pair["left"] < pair["right"]
        agrees = reference.agreement(left, right) >= 0.8
        agrees = agrees and reference.scatter(left, right) >= noise_evidence.SCATTER
        assert agrees == ((pair["left"], pair["right"]) in known)


@given(
    st.lists(st.one_of(st.none(), st.sampled_from(NUMBERED), strategies.prose), max_size=6),
    st.data(),
    st.booleans(),
    st.booleans(),
)
def test_the_judge_aligns_what_the_rule_says(
    texts: list[str | None],
    data: st.DataObject,
    align_only_nominated: bool,
    align_every_verdict: bool,
) -> None:
    texts += [None if text is None else text.replace("e", "c", 2) for text in texts]
    rows = range(len(texts))
    words = st.sampled_from([*UNALIKE, "near", "exact"])
    pairs = [(a, b, data.draw(words)) for a in rows for b in rows if a < b]
    column = arrow.import_texts(texts)
    masked = Evidence.from_texts(pa.chunked_array([column]), Counting(3), 1).field("masked_digest")
    left, right, verdict = zip(*pairs, strict=True) if pairs else ((), (), ())
    given = {
        "left": pa.array(left, pa.int64()),
        "right": pa.array(right, pa.int64()),
        "verdict": pa.array(verdict, pa.string()),
    }
    judged = with_agreement_marking_noisy_pairs(
        pa.table(given),
        column,
        _LIMITS,
        masked_digests=masked,
        are_allowed=lambda pairs: pc.not_equal(pairs["left"], 1),
        align_only_nominated=align_only_nominated,
        align_every_verdict=align_every_verdict,
    ).to_pylist()
    assert [(row["left"], row["right"]) for row in judged] == [pair[:2] for pair in pairs]
    evidence = NoiseEvidence.from_texts(column, 1)
    nominated = noise_evidence.are_nominated(evidence, given["left"], given["right"], _LIMITS)
    for row, (one, other, before), near in zip(judged, pairs, nominated.to_pylist(), strict=True):
        ours, theirs = texts[one] or "", texts[other] or ""
        agreement = reference.agreement(ours, theirs)
        sizes = sorted(len(reference.bare(text)) for text in (ours, theirs))
        agrees = (
            one != 1
            and (align_every_verdict or before in UNALIKE)
            and (before != "different" or near or not align_only_nominated)
            and sizes[0] >= noise_evidence.SHORTEST
            and agreement >= 0.8
            and reference.scatter(ours, theirs) >= noise_evidence.SCATTER
            and (masked[one].as_py() or 0) != (masked[other].as_py() or 1)
        )
        assert row["agreement"] == (agreement if agrees else None)
        assert row["verdict"] == ("noisy" if agrees and before in UNALIKE else before)


@pytest.mark.parametrize("any_numbers", [False, True])
def test_the_judge_asks_what_was_nominated_of_different_pairs_alone(any_numbers: bool) -> None:
    texts = ["the keeper of the great light", "the kceper of the great light"]
    texts = list(NUMBERED) if any_numbers else texts
    column = arrow.import_texts(texts)
    given = {"left": [0, 0], "right": [1, 1], "verdict": ["contained", "different"]}
    judged = with_agreement_marking_noisy_pairs(
        pa.table(given),
        column,
        NoiseLimits(Fraction(4, 5), Fraction(1), Fraction(1), 2.0),
        masked_digests=Evidence.from_texts(pa.chunked_array([column]), Counting(3), 1).field(
            "masked_digest"
        ),
        align_only_nominated=True,
    )
    expected = given["verdict"] if any_numbers else ["noisy", "different"]
    assert judged["verdict"].to_pylist() == expected


@given(st.lists(strategies.prose, min_size=1, max_size=6), st.sampled_from(["1%", "5%", "10%"]))
def test_noise_only_ever_adds_to_what_is_found(texts: list[str], rate: str) -> None:
    plain, noisy = ilk.find(texts, jobs=1), ilk.find(texts, noise=rate, jobs=1)
    members = noisy.clusters
    own = {tuple(row.values()) for row in plain.pairs.to_pylist()}
    names = plain.pairs.column_names
    assert own <= {tuple(row.values()) for row in noisy.pairs.select(names).to_pylist()}
    for row in members.to_pylist():
        assert (row["verdict"] == "noisy") == (row["agreement"] is not None)
        if row["verdict"] == "noisy":
            pair = texts[row["doc"]], texts[row["keeper"]]
            assert row["agreement"] == reference.agreement(*pair) >= 1 - 2 * float(rate[:-1]) / 100
