"""The two crates of kernels: a small interface each, and joins without Unicode tables."""

import re
import tomllib
from pathlib import Path

import pytest

RUST = Path(__file__).parents[2] / "rust"


def _resolved(name: str, packages: dict[str, list[str]]) -> set[str]:
    """Return a crate and all that it depends on, by the lock file."""
    found: set[str] = set()
    asked = [name]
    while asked:
        crate = asked.pop()
        if crate not in found:
            found.add(crate)
            asked += packages[crate]
    return found


def test_joins_need_no_unicode_tables() -> None:
    lock = tomllib.loads((RUST.parent / "Cargo.lock").read_text())
    packages = {
        package["name"]: [name.split()[0] for name in package.get("dependencies", [])]
        for package in lock["package"]
    }
    assert _resolved("ilk-joins", packages) == {"ilk-joins", "libc", "siphasher", "xxhash-rust"}
    assert any(name.startswith("icu_") for name in _resolved("ilk-kernels", packages))


@pytest.mark.parametrize("crate", ["joins", "kernels"])
def test_the_interface_of_a_crate_is_small(crate: str) -> None:
    root = (RUST / crate / "src" / "lib.rs").read_text()
    used = re.findall(r"^pub use \w[\w:]*::(\w+(?: as \w+)?|\{[^}]*\});$", root, re.MULTILINE)
    assert len(used) == root.count("pub use")
    names = [name.split()[-1] for group in used for name in group.strip("{}").split(",")]
    assert len(set(names)) == len(names)
    assert 12 <= len(names) <= 18


@pytest.mark.parametrize("crate", ["joins", "kernels"])
def test_a_crate_describes_itself_as_its_readme_begins(crate: str) -> None:
    manifest = tomllib.loads((RUST / crate / "Cargo.toml").read_text())
    paragraph = " ".join((RUST / crate / "README.md").read_text().split("\n\n")[1].split())
    assert paragraph.startswith(f"{manifest['package']['description']} ")
