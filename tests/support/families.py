"""Rows, some of them near-duplicates of one another."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

WORDS = [f"w{number}" for number in range(40)]


def family(seed: int, members: int = 4, words: int = 100) -> list[str]:
    """A text, and others in which a few words are replaced."""
    draw = random.Random(seed)
    base = [f"{draw.choice(WORDS)}x{seed}" for _ in range(words)]
    texts = [" ".join(base)]
    for _ in range(members - 1):
        changed = list(base)
        for at in draw.sample(range(words), draw.randrange(1, 3)):
            changed[at] = draw.choice(WORDS)
        texts.append(" ".join(changed))
    return texts


def family_rows(families: int = 20) -> list[dict[str, Any]]:
    texts: list[str | None] = [
        text for seed in range(families) for text in family(seed, (4, 1, 3, 1, 1)[seed % 5])
    ]
    texts += [str(texts[0]).upper(), texts[5], None, "", " \n", "a short one", "alone"]
    rows = [{"id": f"i{at}", "text": text, "score": at // 3 % 5} for at, text in enumerate(texts)]
    return [*rows, {"id": "bare", "score": 1}]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, indent=None) + "\n" for row in rows))
    return path
