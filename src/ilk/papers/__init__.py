"""The experiments of the papers that this project is based on, one runnable package per paper.

Each one shows published figures beside measured ones. Nothing here is in the main path: these
packages call the library, and the library does not use them. They need NumPy: the extra ``papers``.
"""

from __future__ import annotations

from importlib.util import find_spec

from ilk.errors import MissingExtra

__all__ = ["ROOMS"]

#: Every room, and what it shows.
ROOMS = {
    "roth2011": "The Similarity Index (Roth 2011): a document as one number, similar within 30 %",
    "roth2013": "The Similarity Index v2.0 (Roth 2013): SimHash of 20,476 files and their copies",
    "lecture": "The lecture on de-duplication (Horowitz): equal and similar pages, by every method",
    "simhash-page": "Near Duplicate Detection Using Simhash: features, problems, permuted tables",
    "holub": "Charikar's hash (Holub): tokens, lookup3, whole weights, 64 signs",
}

if find_spec("numpy") is None:
    raise MissingExtra("numpy", "papers")
