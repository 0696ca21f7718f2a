"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

#: Real documents with labels, beside a checkout of some developers; never part of the project.
DATA = ROOT.parent / "shared" / "data"

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "default")


@pytest.fixture
def data() -> Path:
    """The folder of real documents."""
    if not DATA.is_dir():
        pytest.skip(f"the labelled documents are not there: {DATA}")
    return DATA
