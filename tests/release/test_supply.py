"""Where the parts of ilk come from: one index, few duplicates, no compiler of C, no network."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from importlib import metadata
from types import ModuleType
from typing import Any

import pytest

from tests.support.demands import absent
from tests.support.fixtures import ROOT, script

LOCK: list[dict[str, Any]] = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
OURS = {"ilk-joins", "ilk-kernels", "ilk-python"}

#: Crates in two versions, and who asks for the older one; both end before the kernels begin.
TWICE = {"getrandom": "const-random, which ahash uses elsewhere", "syn": "pyo3-macros, zerocopy"}

#: Crates that fetch, that bring a library in C, or whose maintainers have given them up.
BANNED = {
    *(
        "curl",
        "hyper",
        "native-tls",
        "openssl",
        "openssl-sys",
        "reqwest",
        "rustls",
        "tokio",
        "ureq",
    ),
    *("bzip2-sys", "cmake", "libz-sys", "lzma-sys", "pkg-config", "zstd-sys"),
    *("ansi_term", "atty", "dotenv", "failure", "instant", "memmap", "net2", "proc-macro-error"),
    *("serde_cbor", "serde_yaml", "stdweb", "term_size", "time", "wee_alloc", "xml-rs"),
}


@pytest.fixture(scope="module")
def bill() -> ModuleType:
    return script("make-bill")


def test_crates_come_from_one_index_and_have_checksums() -> None:
    theirs = [package for package in LOCK if package["name"] not in OURS]
    assert [package["name"] for package in LOCK if "source" not in package] == sorted(OURS)
    (index,) = {package["source"] for package in theirs}
    assert index.startswith("registry+https://")
    assert {len(package["checksum"]) for package in theirs} == {64}


def test_few_crates_are_there_twice() -> None:
    names = [package["name"] for package in LOCK]
    assert {name for name in names if names.count(name) > 1} == TWICE.keys()


def test_no_crate_is_banned() -> None:
    assert not BANNED & {package["name"] for package in LOCK}


def test_only_the_binding_links_to_a_library(bill: ModuleType) -> None:
    if shutil.which("cargo") is None:
        absent("cargo is not installed")
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"]
    command += ["--filter-platform", "x86_64-unknown-linux-gnu"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    packages = json.loads(found.stdout)["packages"]
    assert {each["name"] for each in packages if each["links"]} <= {"pyo3", "pyo3-ffi"}
    # What every platform resolves is in the bill.
    listed = {(part.name, part.version) for part in bill.read_crates()}
    used = {(each["name"], each["version"]) for each in packages if each["name"] not in OURS}
    assert used <= listed


def test_the_bill_is_what_is_locked_and_installed(bill: ModuleType) -> None:
    if shutil.which("cargo") is None:
        absent("cargo is not installed")
    locked = {(it["name"], it["version"]) for it in LOCK if it["name"] not in OURS}
    assert {(part.name, part.version) for part in bill.read_crates()} <= locked
    assert {part.name for part in bill.read_crates()} == {name for name, _ in locked}
    parts = {part.name: part for part in bill.find_packages()}
    for part in parts.values():
        assert part.version == metadata.version(part.name)
        assert part.url == f"pkg:pypi/{part.name}@{part.version}"
    core = {part.name for part in parts.values() if not part.extras}
    assert core == {"chardet", "jinja2", "markupsafe", "pyarrow"}


def test_every_requirement_has_a_lowest_version() -> None:
    """Without one, an installation may keep a version with a known fault."""
    for path in (ROOT / "pyproject.toml", *sorted((ROOT / "packages").glob("*/pyproject.toml"))):
        project = tomllib.loads(path.read_text())["project"]
        extras = project.get("optional-dependencies", {})
        asked = [*project["dependencies"], *(one for some in extras.values() for one in some)]
        assert not [one for one in asked if ">=" not in one and "==" not in one], path


def test_every_part_has_the_licence() -> None:
    licence = (ROOT / "LICENSE").read_text()
    assert licence.lstrip().startswith("Apache License")
    for path in (ROOT / "packages").glob("*/pyproject.toml"):
        assert tomllib.loads(path.read_text())["project"]["license"] == "Apache-2.0", path
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    assert manifest["workspace"]["package"]["license"] == "Apache-2.0"
