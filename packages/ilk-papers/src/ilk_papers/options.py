"""The options of a calibration: what is made and drawn to measure it."""

from __future__ import annotations

from ilk.plugins import Option, Whole

MEASUREMENT = {
    "copies": Option(
        Whole(0, (1 << 53) - 1, "copies"), "the number of edited copies to make", 2_400, usual=True
    ),
    "pairs_sample": Option(
        Whole(0, (1 << 53) - 1, "pairs"), "the number of pairs to draw at random", 100_000
    ),
    "seed": Option(Whole(0, (1 << 53) - 1), "the seed of random choices", 0),
}
