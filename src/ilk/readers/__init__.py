"""Step 1: anything that holds texts, as documents.

``documents`` is the door to the others: files below ``folders``, and ``rows`` of data sets, which
are read as often as needed; a ``Corpus`` is read once, and chosen texts of it again. ``Reading``
says what is read, ``Tally`` what happened on the way.
"""

from __future__ import annotations

from ilk.readers.corpus import Corpus
from ilk.readers.documents import check, read, read_one
from ilk.readers.reading import PLAINLY, Reading, named_paths
from ilk.readers.tally import Tally
from ilk.system.progress import Progress, silent

__all__ = [
    "PLAINLY",
    "Corpus",
    "Progress",
    "Reading",
    "Tally",
    "check",
    "named_paths",
    "read",
    "read_one",
    "silent",
]
