"""Likeness against grades: whether what is closer comes out closer."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.accuracy.labels import Pair, pair

#: A rank correlation of fewer pairs means nothing.
_FEWEST = 3

#: ``name-1.0.txt``: a family, a sign between, and a version.
_VERSIONED = re.compile(r"(?P<family>.+?)[-_.]v?(?P<version>\d+(\.\d+)*[a-z]?)(\.[a-z]+)?")


def score(
    likeness: Mapping[Pair, float], grades: Mapping[str, Mapping[Pair, float]]
) -> dict[str, Any]:
    """Spearman's rank correlation of likeness and grades, by group and on average.

    Args:
        likeness: the product's resemblance by pair; 0 where it printed none.
        grades: by group, the grade of every pair of it: higher for what is more alike. Groups of
            too few pairs, or of one grade, are left out.

    Returns:
        ``spearman`` is the mean over the groups, each counting once, or None without groups.
    """
    groups: dict[str, dict[str, float]] = {}
    for group, wanted in grades.items():
        ours = np.array([likeness.get(names, 0.0) for names in wanted])
        theirs = np.array(list(wanted.values()))
        if len(wanted) >= _FEWEST and len(set(wanted.values())) > 1:
            groups[group] = {"pairs": len(wanted), "spearman": spearman(ours, theirs)}
    mean = float(np.mean([g["spearman"] for g in groups.values()])) if groups else None
    return {
        "pairs": sum(int(g["pairs"]) for g in groups.values()),
        "groups": len(groups),
        "spearman": mean,
        "by_group": groups,
    }


def spearman(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    """Spearman's rank correlation of two columns of n numbers; 0 if one is constant.

    Equal values share their mean rank (Spearman 1904).
    """
    x, y = _ranks(a), _ranks(b)
    x, y = x - x.mean(), y - y.mean()
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / spread if spread else 0.0


def _ranks(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[place])


def by_version(families: Mapping[str, Mapping[str, str]]) -> dict[str, dict[Pair, float]]:
    """Grades from versions: the more versions lie between two, the lower.

    Args:
        families: by family, the version of every document. Numbers in versions sort as numbers.
    """
    grades = {}
    for family, versions in families.items():
        order = {v: at for at, v in enumerate(sorted(set(versions.values()), key=_natural))}
        grades[family] = {
            pair(a, b): -float(abs(order[versions[a]] - order[versions[b]]))
            for a, b in itertools.combinations(versions, 2)
        }
    return grades


def _natural(version: str) -> list[tuple[bool, int, str]]:
    parts = re.findall(r"\d+|\D+", version)
    return [(True, int(p), "") if p.isdecimal() else (False, 0, p) for p in parts]


def versions_in(names: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The versions that the names themselves tell, by family: ``LPPL-1.3a.txt``."""
    families: dict[str, dict[str, str]] = {}
    for name in names:
        if match := _VERSIONED.fullmatch(name):
            families.setdefault(match["family"], {})[name] = match["version"]
    return families
