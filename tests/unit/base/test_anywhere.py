"""ilk in odd places: no home, no locale, modules of the system hidden; threads and processes."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import pkgutil
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk.base.errors import IlkError
from tests.support.fixtures import ROOT

PACKAGES = ("ilk", "ilk_papers", "ilk_server", "ilk_spark", "ilk_sources", "ilk_web")

#: Imports every module, and prints those that lack something of the system.
_IMPORTS = """
import contextlib, importlib, os, pkgutil, sys
with contextlib.suppress(ImportError):
    import mcp.server  # It asks which system this is, and needs fcntl here.
for name in sys.argv[2:]:
    sys.modules[name] = None
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            if error.name in sys.argv[2:]:
                print(module.name, "needs", error.name)
print("imported")
"""

_ENVIRONMENTS: dict[str, dict[str, str | None]] = {
    "as it is": {},
    "no home": {"HOME": None, "XDG_CACHE_HOME": None, "USER": None, "LOGNAME": None},
    "a home that is nowhere": {"HOME": "/nowhere/at/all"},
    "no locale": {"LANG": None, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


def _python(
    program: str, *words: str, folder: Path, **changed: str | None
) -> subprocess.CompletedProcess[str]:
    environment: dict[str, str | None] = {**os.environ, **changed}
    given = {name: value for name, value in environment.items() if value is not None}
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(
        command, env=given, cwd=folder, capture_output=True, text=True, errors="replace"
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_is_imported_without_what_windows_lacks(package: str, tmp_path: Path) -> None:
    pytest.importorskip(package)
    done = _python(_IMPORTS, package, "fcntl", "resource", folder=tmp_path)
    assert done.stdout.splitlines() == ["imported"], done.stderr


@pytest.mark.parametrize("name", _ENVIRONMENTS)
def test_ilk_works_without_a_home_or_a_locale_and_leaves_nothing_behind(
    name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o555)
    program = (
        "import ilk; texts = ['one two three \\xe9', 'one  two three \\xc9']\n"
        "print(ilk.deduplicate(texts).keep_mask.to_pylist(), len(ilk.find(texts).pairs))"
    )
    done = _python(program, folder=folder, **_ENVIRONMENTS[name])
    assert done.stdout.split() == ["[True,", "False]", "1"], done.stderr
    assert not list(folder.iterdir())


TEXTS = [f"a text of some words and number {n} of {n % 7} kinds" for n in range(200)]


def _found(texts: list[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = ilk.find(texts, resemblance=0.6).pairs.to_pylist()
    return rows


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_pool_of_processes_finds_the_same(method: str) -> None:
    """After a fork, too: the threads of the kernels that the parent has used are not there."""
    expected = _found(TEXTS)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(_found, [TEXTS] * 4)) == [expected] * 4


def test_threads_share_a_store(tmp_path: Path) -> None:
    with ilk.Store(tmp_path / "shared.ilk") as store:
        barrier = threading.Barrier(8)

        def work(thread: int) -> list[bool]:
            barrier.wait()
            own = [f"thread {thread} adds text {n} and {n * n} words of its own" for n in range(20)]
            found = []
            for text in own:
                added = store.add([text])
                found.append(any(match.id == added.id for match in store.check([text])))
            return found

        with ThreadPoolExecutor(8) as pool:
            assert all(all(found) for found in pool.map(work, range(8)))
        assert len(store) == 160
        assert sorted(record.id for record in store) == list(range(160))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked on POSIX")
def test_a_store_after_a_fork_answers_or_refuses_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "forked.ilk"
    with ilk.Store(path) as store:
        store.add(TEXTS[:1])
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if store.check(TEXTS[:1]) else 1
                store.add(["a text that a child adds, of some words"])
            except IlkError:
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        added = store.add(["a text that the parent adds, of other words"])
        assert added.id is not None
    with ilk.Store(path) as store:
        assert not store.validate().problems
        assert store.check(["a text that the parent adds, of other words"])


def test_the_list_of_packages_is_complete() -> None:
    for name in PACKAGES:
        importlib.import_module(name)
    there = {each.name for each in pkgutil.iter_modules([str(ROOT / "src")])}
    there |= {
        each.name
        for folder in (ROOT / "packages").iterdir()
        for each in pkgutil.iter_modules([str(folder / "src")])
    }
    assert there == set(PACKAGES)
