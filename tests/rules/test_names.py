"""The public names, docstrings, and what a file may not hold."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

import ilk
import ilk_papers
import ilk_server
import ilk_sources
import ilk_spark
import ilk_web
from ilk import read, write
from ilk.base.errors import MissingExtra
from ilk.base.packages import entry_points_in_ilk_group
from ilk.cli.verbs import VERBS
from tests.support.fixtures import ROOT

_PACKAGES = [ilk, ilk_papers, ilk_server, ilk_spark, ilk_sources, ilk_web]


def _modules() -> Iterator[ModuleType]:
    for package in _PACKAGES:
        yield package
        yield from _below(package)


def _below(package: ModuleType) -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if found.name not in ("ilk._kernels", "ilk.__main__"):
            with contextlib.suppress(MissingExtra):  # Of a tool that is not installed.
                yield importlib.import_module(found.name)


MODULES = {module.__name__: module for module in _modules()}


def test_public_names_are_sorted_and_all_of_them_have_a_home() -> None:
    assert ilk.__all__ == sorted(ilk.__all__)
    for name in ilk.__all__:
        assert getattr(ilk, name) is not None, name
    for room in (read, write):
        for name in vars(room)["_PLACES"]:
            assert getattr(room, name) is not None, name
    assert dir(ilk) == sorted([*ilk.__all__, "__version__"])
    with pytest.raises(AttributeError, match="nonsense"):
        getattr(ilk, "nonsense")  # noqa: B009


def test_importing_ilk_loads_nothing_heavy() -> None:
    program = (
        "import sys; before = {*sys.modules}; import ilk; print(*sorted({*sys.modules} - before))"
    )
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = set(child.stdout.split())
    assert {"ilk", "ilk.base.lazy"} <= loaded, child.stderr
    # Abstract classes and the machinery of imports: Python has them in memory at once.
    own = {name for name in loaded if not name.startswith(("importlib", "collections", "_", "ilk"))}
    assert own <= {"warnings"}


#: What the help of a verb asks for: the rules of URLs stand in the kernels.
_ASKED = {"urls": "loaded: ilk._kernels"}


@pytest.mark.parametrize("verb", ["", *VERBS, *entry_points_in_ilk_group("verbs")])
def test_help_loads_nothing_heavy(verb: str) -> None:
    """No kernels, no Arrow, no NumPy: a command line answers at once."""
    program = (
        "import sys; from ilk.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print('loaded:', *{'pyarrow', 'numpy', 'pandas', 'ilk._kernels'} & {*sys.modules})"
    )
    words = [word for word in (verb, "--help") if word]
    child = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=True
    )
    assert child.stdout.startswith("usage: ilk")
    assert child.stdout.splitlines()[-1] == _ASKED.get(verb, "loaded:")


@pytest.mark.parametrize("name", MODULES)
def test_everything_public_is_explained(name: str) -> None:
    module = MODULES[name]
    assert module.__doc__
    for label, value in vars(module).items():
        if label.startswith("_") or getattr(value, "__module__", None) != name:
            continue
        if name.startswith("ilk.cli.") and label in ("parser", "run"):
            continue  # Of every verb; `ilk.cli.verbs` explains them.
        if inspect.isfunction(value) or inspect.isclass(value):
            assert value.__doc__, f"{name}.{label}"
        if inspect.isclass(value):
            for method, body in vars(value).items():
                plain = body.fget if isinstance(body, property) else body
                plain = getattr(plain, "__func__", plain)
                if inspect.isfunction(plain) and not method.startswith("_"):
                    # What a base class explains need not be explained again.
                    found = inspect.getdoc(body if isinstance(body, property) else plain)
                    assert found, f"{name}.{label}.{method}"


def test_examples_in_docstrings_hold() -> None:
    results = {name: doctest.testmod(module) for name, module in MODULES.items()}
    assert {name: r for name, r in results.items() if r.failed} == {}
    assert sum(r.attempted for r in results.values()) >= 10


#: Folders of somebody's machine; in two pieces, or this file would hold them.
_ELSEWHERE = re.compile("/(?:" + "|".join(("home", "work", "root", "Users")) + r")/\w")


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    found = []
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode:
        pytest.skip("this is no checkout, so its files cannot be told from what was built")
    names = [name for name in listed.stdout.decode().split("\0") if name]
    assert "README.md" in names
    for name in names:
        path = ROOT / name
        text = path.read_text(errors="replace") if path.is_file() else ""
        found += [f"{name}: {match.group()}" for match in _ELSEWHERE.finditer(text)]
    assert found == []
