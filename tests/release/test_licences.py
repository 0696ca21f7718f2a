"""What ilk is built of, and what its extras bring, may be used by everybody who may use ilk."""

from __future__ import annotations

import json
import re
import shutil
from types import ModuleType

import pytest

from tests.support.demands import absent
from tests.support.fixtures import script

#: Licences that would bind whoever uses ilk.
_REFUSED = re.compile(r"(?<!L)GPL|SSPL|Server Side Public|Elastic|(?<!Lesser )General Public")

#: Licences of libraries that an extra may bring, since nobody needs it.
_OPTIONAL = re.compile(r"LGPL|Lesser General")


@pytest.fixture(scope="module")
def bill() -> ModuleType:
    return script("make-bill")


def _refused(licence: str, optional: bool) -> bool:
    """Return whether no choice that a licence offers may be taken."""
    choices = re.split(r" OR |/", licence)
    taken = [choice for choice in choices if choice and not _REFUSED.search(choice)]
    return not [choice for choice in taken if optional or not _OPTIONAL.search(choice)]


@pytest.mark.parametrize(
    ("licence", "optional", "refused"),
    [
        ("MIT", False, False),
        ("", False, True),
        ("GPL-3.0-only", True, True),
        ("GNU Affero General Public License v3", True, True),
        ("LGPL-3.0-only", False, True),
        ("LGPL-3.0-only", True, False),
        ("MIT OR GPL-2.0-only", False, False),
        ("MIT AND GPL-2.0-only", False, True),
        ("Elastic License 2.0", True, True),
    ],
)
def test_a_licence_is_judged(licence: str, optional: bool, refused: bool) -> None:
    assert _refused(licence, optional) is refused


def test_packages_that_extras_bring_are_permissive(bill: ModuleType) -> None:
    parts = list(bill.find_packages())
    assert {"pyarrow", "chardet"} <= {part.name for part in parts if not part.extras}
    bad = [part for part in parts if _refused(part.licence, bool(part.extras))]
    assert not bad


def test_crates_are_permissive(bill: ModuleType) -> None:
    if shutil.which("cargo") is None:
        absent("cargo is not installed")
    parts = list(bill.read_crates())
    assert {"icu_normalizer", "pyo3", "arrow-array"} <= {part.name for part in parts}
    bad = [part for part in parts if _refused(part.licence, optional=False)]
    assert not bad


def test_the_bill_is_one_that_tools_read(bill: ModuleType) -> None:
    made = json.loads(json.dumps(bill.make_bill()))
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.5")
    urls = [part["purl"] for part in made["components"]]
    assert len(urls) == len(set(urls))
    assert all(re.fullmatch(r"pkg:(cargo|pypi)/[\w.-]+@\S+", url) for url in urls)
