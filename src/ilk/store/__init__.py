"""The persistent store: one file that answers "do we have something like this already?".

``store`` is the class that its users see; it uses all others. Documents come in through
``incoming`` (cut, hashed, named), ``checkin`` (added, changed, removed), ``ids`` (with ids of
clients) and ``sync`` (from a folder). ``matching`` and ``noisy`` tell what a text is like, at
``bounds``; ``keepers`` keeps clusters current. ``opened`` changes the file and the index
together or not at all; ``candidates`` is the index in memory, of fingerprints and of each
``set_group``, and ``db`` is the file. ``overview`` and ``validation`` see all of it.
"""

from ilk.store.checkin import Added
from ilk.store.ids import KEY, Entering, checked_id
from ilk.store.matching import Match
from ilk.store.records import Record
from ilk.store.store import Store
from ilk.store.sync import Moved, Synced, Told

__all__ = [
    "KEY",
    "Added",
    "Entering",
    "Match",
    "Moved",
    "Record",
    "Store",
    "Synced",
    "Told",
    "checked_id",
]
