"""The lecture from end to end."""

from __future__ import annotations

from ilk_papers.frame import Picture, Report
from ilk_papers.lecture import tables

_PAGES, _FINGERPRINTS = 1_000, 20_000


def run(seed: int) -> Report:
    """Report every number of the lecture beside the computed one, and what its methods cost."""
    rotations = tables.rotations(_FINGERPRINTS, seed)
    return Report(
        exhibits=[
            tables.equal(_PAGES, seed),
            tables.measures(),
            tables.shingled(),
            tables.effects(),
            tables.of_phrases(),
            tables.of_trials(),
            tables.sorted_numbers(),
            rotations,
            tables.costs(seed),
            tables.applied(seed),
        ],
        pictures=[Picture("rotations", lambda axes: tables.draw_rotations(axes, rotations))],
    )
