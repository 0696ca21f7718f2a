"""Pictures: files that are pictures, the same for the same results; and what their absence says."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from test_calibration import MADE

from ilk.base.errors import MissingExtra, OutputError
from ilk_papers.measure import plots
from ilk_papers.measure.calibration import Calibration, LabelCounts, Sample

#: The first bytes of every PNG file, and the name of its first chunk (PNG 1.2, sections 3.1, 11.2).
_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.mark.parametrize(
    "made",
    [
        MADE,
        replace(MADE, labelled=None),
        replace(
            MADE,
            kinds={"delete": Sample.from_distances([], 8)},
            natural=Sample.from_distances([], 8),
            background=Sample.from_distances([], 8),
            labelled=LabelCounts(Sample.from_distances([None], 8), (0,), (0,), 0),
        ),
    ],
)
def test_a_calibration_is_drawn(tmp_path: Path, made: Calibration) -> None:
    paths = [tmp_path / name for name in ("one.png", "two.png")]
    for path in paths:
        plots.save_picture(partial(plots.draw_calibration, made), path)
    one, two = (path.read_bytes() for path in paths)
    assert one.startswith(_PNG)
    assert one == two


def test_a_picture_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot write"):
        plots.save_picture(lambda _: None, tmp_path / "missing" / "one.png")


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install 'ilk\[plots\]'"):
        plots.refuse_without_matplotlib()
