"""The persistent store: one file that answers "do we have something like this already?".

- ``store``: the class that its users see; ``questions``: the half of it that only reads
- ``incoming``: documents on their way in, hashed and named; ``checkin``: added, changed, removed
- ``sync``: the files of a folder; ``exchange``, ``merging``: what other stores and tables kept
- ``records``: what is known of each document; ``history``: of its past
- ``index``, ``set_indexes``: candidates, by fingerprint, and by shingles or noise
- ``matching``: what a text is like; ``reference``: which documents a search is to compare
- ``groups``: documents that may not meet (``within``); ``keepers``: clusters, kept current
- ``originals``: the order in which people see the documents of a cluster
- ``opened``: the file and the index, changed together or not at all; ``db``: the file
- ``inspection``: all of it, counted, exported, searched for damage
"""

from ilk.store.checkin import Added
from ilk.store.history import Event
from ilk.store.matching import Match
from ilk.store.merging import Merged
from ilk.store.records import KEY, ClientDocument, StoreRecord, check_client_id
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
    "check_client_id",
]
