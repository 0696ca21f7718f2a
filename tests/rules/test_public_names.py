"""What may be imported: the exact public names; to add or drop one is a decision, not an accident.

Modules for users beside ``ilk`` itself: ``ilk.urls``, ``ilk.sql``, ``ilk.papers``,
``ilk.mirrors`` and ``ilk.changes``.
"""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest

import ilk

PUBLIC = {
    "ilk": [
        "Calibration",
        "Comparison",
        "Deduplicated",
        "IlkError",
        "Index",
        "JoinPlan",
        "Recipe",
        "RecipeMismatch",
        "Result",
        "Store",
        "TooManyPairs",
        "Weights",
        "calibrate",
        "compare",
        "connected",
        "containment_pairs",
        "deduplicate",
        "distance",
        "document_weights",
        "find",
        "fingerprint",
        "join",
        "own_weights",
        "pair_groups",
        "pairs",
        "plan",
        "resemblance_join",
        "resemblance_pairs",
        "signature_resemblance",
        "signatures",
        "sketches",
    ],
    "ilk.changes": ["DATE", "VERDICTS", "Changes", "find"],
    "ilk.mirrors": ["LEVELS", "Mirror", "Mirrors", "find"],
    "ilk.papers": ["ROOMS"],
    "ilk.sql": ["DIALECTS", "Filled", "fill", "parts", "register", "script"],
    "ilk.urls": [
        "PROFILE",
        "PROFILES",
        "RULES",
        "VERSION",
        "Evidence",
        "Fired",
        "Learned",
        "canonical",
        "canonical_many",
        "explain",
        "learn",
        "same_page",
        "surt",
    ],
}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_module_has_exactly_these_names(name: str) -> None:
    module = importlib.import_module(name)
    assert list(module.__all__) == PUBLIC[name]
    assert len(set(module.__all__)) == len(module.__all__)


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in PUBLIC.items() for name in names]
)
def test_every_name_is_there_and_explained(module: str, name: str) -> None:
    value = getattr(importlib.import_module(module), name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_star_import_takes_them_all_and_nothing_else(name: str) -> None:
    """In a process of its own: nothing was imported before."""
    program = f"from {name} import *\nprint(*sorted(set(dir()) - set(__builtins__.__dict__)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    found = {word for word in done.stdout.decode().split() if not word.startswith("__")}
    assert found == set(PUBLIC[name])


def test_the_version_is_public_too() -> None:
    assert ilk.__version__.count(".") == 2
