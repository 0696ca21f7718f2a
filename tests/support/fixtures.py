"""What all tests share."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.demands import absent

ROOT = Path(__file__).resolve().parents[2]

#: Real documents with labels, beside a checkout of some developers; never part of the project.
DATA = ROOT.parent / "shared" / "data"

# Thirty examples find what a change breaks; `make test-long` looks for what is rare.
settings.register_profile(
    "default", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", parent=settings.get_profile("default"), max_examples=200)
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True)
_PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or "default"
settings.load_profile(_PROFILE)


def examples(many: int, **others: Any) -> settings:
    """Return the settings of a property whose examples take long: a fifth, unless all are asked."""
    return settings(max_examples=many if _PROFILE == "long" else max(5, many // 5), **others)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give long tests time, and keep the tests of a file in one process, as those of Spark."""
    for item in items:
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(3600))
    if not config.pluginmanager.has_plugin("xdist"):
        return
    for item in items:
        folder = item.path.parent
        group = folder if folder.name == "spark" else item.path
        item.add_marker(pytest.mark.xdist_group(str(group)))


def script(name: str) -> ModuleType:
    """Return a program of ``scripts/`` as a module."""
    loader = SourceFileLoader(name.replace("-", "_"), str(ROOT / "scripts" / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def data() -> Path:
    """The folder of real documents."""
    if not DATA.is_dir():
        pytest.skip(f"the labelled documents are not there: {DATA}")
    return DATA


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; it skips where either is missing, unless both must be."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        absent("there is no Chromium, or no Playwright, here")
    with sync_playwright() as playwright:
        # As root, which it is in continuous integration, Chromium runs only without its sandbox.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        chromium = playwright.chromium.launch(executable_path=path, args=arguments)
        yield chromium
        chromium.close()
