"""The persistent store: one file that answers "do we have something like this already?".

``store`` is the class that its users see; ``questions`` is the half of it that only reads.
Documents come in through ``incoming`` (hashed, named), ``checkin`` (added, changed, removed) and
``sync`` (from a folder); ``records`` is what is known of each, and ``history`` of its past.
``matching`` and ``noisy`` find what a text is like; ``keepers`` keeps clusters current. ``opened``
changes the file and the index together or not at all; ``index`` finds candidates in the file or in
memory, ``set_indexes`` in the file by shingles; ``db`` is the file. ``inspection`` sees all of it;
``merging`` makes several files into one.
"""

from ilk.store.checkin import Added
from ilk.store.history import Event
from ilk.store.matching import Match
from ilk.store.merging import Merged
from ilk.store.records import KEY, ClientDocument, StoreRecord, check_id
from ilk.store.store import Store
from ilk.store.sync import FileWithMatches, MovedFile, Synced

__all__ = [
    "KEY",
    "Added",
    "ClientDocument",
    "Event",
    "FileWithMatches",
    "Match",
    "Merged",
    "MovedFile",
    "Store",
    "StoreRecord",
    "Synced",
    "check_id",
]
