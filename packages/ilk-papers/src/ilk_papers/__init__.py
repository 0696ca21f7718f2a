"""The experiments of the papers that ilk is based on, and what a search finds of known copies.

A package of its own per paper shows published figures beside measured ones (``ilk papers``).
``calibrate`` measures on labelled or edited documents what each radius finds, and ``probe`` what
one search found. ``weighing`` makes tables of weights.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ilk.plugins import lazy_attributes

if TYPE_CHECKING:
    from ilk_papers.measure.calibration import Calibration
    from ilk_papers.measure.measure import calibrate
    from ilk_papers.measure.probing import probe
    from ilk_papers.weighing import document_weights, own_weights

__all__ = [
    "INCLUDE",
    "ROOMS",
    "Calibration",
    "calibrate",
    "document_weights",
    "own_weights",
    "probe",
]

#: The folder of ``ilk_simhash.h``, for a compiler of C: its option ``-I``.
INCLUDE = Path(__file__).parent / "include"

#: Every room, and what it shows.
ROOMS = {
    "roth2011": "The Similarity Index (Roth 2011): a document as one number, similar within 30 %",
    "roth2013": "The Similarity Index v2.0 (Roth 2013): SimHash of 20,476 files and their copies",
    "lecture": "The lecture on de-duplication (Horowitz): equal and similar pages, by every method",
    "simhash-page": "Near Duplicate Detection Using Simhash: features, problems, permuted tables",
    "holub": "Charikar's hash (Holub): tokens, lookup3, whole weights, 64 signs",
}

if not TYPE_CHECKING:
    _PLACES = {
        # Names, by scripts/make-signatures.
        "Calibration": "ilk_papers.measure.calibration:Calibration",
        "calibrate": "ilk_papers.measure.measure:calibrate",
        "probe": "ilk_papers.measure.probing:probe",
        "document_weights": "ilk_papers.weighing:document_weights",
        "own_weights": "ilk_papers.weighing:own_weights",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(__name__, _PLACES)
