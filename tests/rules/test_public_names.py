"""What may be imported: the exact public names. To add or drop one is a decision."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
from types import ModuleType
from typing import get_args

import pytest

import ilk
from ilk import companions, plugins
from ilk.base.errors import MissingExtra

PUBLIC = {
    "ilk": [
        "Comparison",
        "DeduplicationResult",
        "IlkError",
        "Limits",
        "Passages",
        "Recipe",
        "RecipeMismatch",
        "Result",
        "SearchResult",
        "Store",
        "TooManyPairs",
        "Weights",
        "compare",
        "deduplicate",
        "find",
        "fingerprint",
        "hamming",
        "minhash",
        "passages",
        "sets",
        "tables",
    ],
    "ilk.hamming": [
        "Index",
        "components",
        "distance",
        "groups",
        "join",
        "pairs",
    ],
    "ilk.minhash": ["resemblance", "signatures", "sketches"],
    "ilk.sets": ["containment", "join", "pairs"],
    "ilk_server": ["Client"],
    "ilk_web.changes": ["DATE", "VERDICTS", "Changes", "find"],
    "ilk.tables.datasets": ["add_unseen", "card"],
    "ilk_web.datatrove": ["IlkDedup", "IlkFilter"],
    "ilk_sources.duckdb": ["register", "scan"],
    "ilk_web.mirrors": ["LEVELS", "Group", "Mirror", "Mirrors", "find"],
    "ilk.tables.pandas": ["Frame", "Texts"],
    "ilk_papers": [
        "INCLUDE",
        "ROOMS",
        "Calibration",
        "calibrate",
        "document_weights",
        "own_weights",
        "probe",
    ],
    "ilk.tables": ["clusters", "deduplicate", "near_pairs"],
    "ilk.tables.polars": ["Texts"],
    "ilk_web.scrapy": ["DupeFilter", "Pipeline"],
    "ilk_spark": [
        "Deduplicated",
        "Incremental",
        "deduplicate",
        "evidence",
        "fingerprint",
        "hamming_distance",
        "near_pairs",
        "register",
    ],
    "ilk_sources": ["DIALECTS", "Filled", "fill", "parts", "register", "script"],
    "ilk_web.urls": [
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


def _module(name: str) -> ModuleType:
    """Return a module, where the package that it needs is installed."""
    try:
        return importlib.import_module(name)
    except MissingExtra as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", PUBLIC)
def test_a_module_has_exactly_these_names(name: str) -> None:
    module = _module(name)
    assert list(module.__all__) == PUBLIC[name]
    assert len(set(module.__all__)) == len(module.__all__)


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in PUBLIC.items() for name in names]
)
def test_every_name_is_there_and_explained(module: str, name: str) -> None:
    value = getattr(_module(module), name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_star_import_takes_them_all_and_nothing_else(name: str) -> None:
    """In a process of its own: nothing was imported before."""
    _module(name)
    program = f"from {name} import *\nprint(*sorted(set(dir()) - set(__builtins__.__dict__)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    found = {word for word in done.stdout.decode().split() if not word.startswith("__")}
    assert found == set(PUBLIC[name])


def test_the_core_has_few_names() -> None:
    assert len(PUBLIC["ilk"]) <= 25


def test_the_version_is_public_too() -> None:
    assert ilk.__version__.count(".") == 2


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_no_public_name_is_that_of_a_module(name: str) -> None:
    """An import of the module would put it in the place of what the name stands for."""
    found = importlib.util.find_spec(name)
    assert found is not None
    places = found.submodule_search_locations or []
    rooms = {room.name for room in pkgutil.iter_modules(list(places))}
    # These are modules for users, and nothing else.
    rooms -= {public.rpartition(".")[2] for public in PUBLIC}
    assert rooms.isdisjoint(PUBLIC[name])


def test_what_anybody_can_build_on_is_small_and_explained() -> None:
    """Names of rooms that only the packages beside the core use are in ``ilk.companions``."""
    places = vars(plugins)["_PLACES"]
    assert len(places) <= 45
    assert not places.keys() & vars(companions)["_PLACES"].keys()
    for name, place in places.items():
        value = getattr(plugins, name)
        if inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value):
            assert inspect.getdoc(value), name
        else:  # A type with a name of its own has a comment for documents before it.
            source = inspect.getsource(importlib.import_module(place.partition(":")[0]))
            assert re.search(rf"(?m)^#: .*\n(?:#: .*\n)*{name}\b", source), name


def test_the_reader_of_a_format_finds_every_part_that_it_may_yield() -> None:
    parts = {part.__name__ for part in get_args(plugins.DocumentPart)}
    assert {"DocumentText", "MemberPart"} < parts <= vars(plugins)["_PLACES"].keys()
