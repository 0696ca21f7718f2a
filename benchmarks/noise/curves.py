"""What is found at every share of wrong characters, drawn: ``docs/explanation/noise_evidence.svg``.

Noisy copies are made of real texts; the errors are measured, not assumed. A copy is found where it
is nominated and its alignment agrees.
"""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks import corpus
from ilk import arrow
from ilk.search import noise_evidence, noise_model
from ilk_papers.measure.noising import make_noisy

#: Settings that are drawn, and the shares of wrong characters at which copies are made.
RATES = ("0.01", "0.02", "0.05", "0.1")
SHARES = (0.005, *(at / 100 for at in range(1, 11)))

#: Texts that are copied.
TEXTS = 150


def texts() -> list[str]:
    """Return real texts of 100 to 1,000 words, drawn once."""
    known = [
        text for text in corpus.distinct().texts.to_pylist() if 100 <= len(text.split()) <= 1000
    ]
    return random.Random(1).sample(known, TEXTS)


def found(clean: list[str], copies: list[str], rate: Fraction) -> float:
    """Return the share of the copies that are found beside what they are copies of."""
    limits = noise_model.limits_at_rate(rate)
    both = arrow.import_texts(clean + copies)
    left = pa.arange(0, len(clean))
    right = pa.arange(len(clean), 2 * len(clean))
    kept = noise_evidence.NoiseEvidence.from_texts(both, 1)
    pairs = pa.table({"left": left, "right": right})
    shares = noise_evidence.measure_set_resemblances(kept, left, right)
    pairs = pairs.append_column("resemblance", pc.max_element_wise(*shares))
    pairs = pairs.filter(noise_evidence.are_nominated(kept, left, right, limits))
    agree = noise_evidence.find_rows_of_agreeing_pairs(
        both, pairs, limits, jobs=1, max_failures_in_a_row=None
    )
    return len(agree) / len(clean)


def curves() -> dict[str, list[tuple[float, float, float]]]:
    """Return per setting the share of wrong characters, and what is found of one and two copies."""
    clean = texts()
    lines: dict[str, list[tuple[float, float, float]]] = {rate: [] for rate in RATES}
    for share in SHARES:
        ones, others = (
            [make_noisy(text, share, f"{seed}/{at}") for at, text in enumerate(clean)]
            for seed in "ab"
        )
        for rate, line in lines.items():
            asked = Fraction(rate)
            line.append((share, found(clean, ones, asked), found(ones, others, asked)))
            print(rate, *(f"{value:.3f}" for value in line[-1]), flush=True)
    return lines


def draw(lines: dict[str, list[tuple[float, float, float]]], path: Path) -> None:
    """Write the picture."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "ilk"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    styles = zip(lines.items(), ("-", "--", "-.", ":"), strict=True)
    for (rate, line), style in styles:
        shares = [100 * point[0] for point in line]
        for side in (0, 1):
            values = [100 * point[1 + side] for point in line]
            axes[side].plot(shares, values, style, label=f"noise={float(rate):.0%}", linewidth=2)
    for side, title in enumerate(("a clean text and a copy", "two copies of one text")):
        axes[side].set_title(title)
        axes[side].set_xlabel("wrong characters in each copy, %")
        axes[side].grid(alpha=0.3)
    axes[0].set_ylabel("found, %")
    axes[1].legend()
    figure.tight_layout()
    figure.savefig(path, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    draw(curves(), Path(sys.argv[1]))
