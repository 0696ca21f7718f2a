"""Specification sheets: some that differ in a few characters, and one with more content.

They bear the names of the paper's sheets, and are generated.
"""

from __future__ import annotations

from ilk_papers.standins import generate_prose

#: Sheets that differ in the name of the model and its size, by name.
ALIKE = {
    "st71p": "71P",
    "st71p5": "71P5",
    "st72p5": "72P5",
    "st720p5": "720P5",
    "st75p5": "75P5",
    "st710p5": "710P5",
}

#: The sheet with more content: three times as much.
LONGER = "st72a"

_WORDS = 300


def generate_sheets(seed: int) -> dict[str, str]:
    """Return every sheet by its name."""
    body = generate_prose(_WORDS, seed)
    made = {name: _format_sheet(model, body) for name, model in ALIKE.items()}
    return made | {LONGER: _format_sheet("72A", body + generate_prose(2 * _WORDS, seed + 1))}


def _format_sheet(model: str, body: str) -> str:
    return f"Specification of model {model}\n\n{body}\nOrder number: {model}-2013\n"
