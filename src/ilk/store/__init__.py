"""The persistent store: one file that answers "do we have something like this already?".

One module, one concept:

- ``store``: the collection of documents, as its users see it; uses all those below
- ``named``: the same, for clients that give documents their own ids
- ``maintained``: the collection as a whole
- ``answering``: queries
- ``incoming``: documents to be added, prepared
- ``checkin``: adding documents: what each is like, and what happens to it
- ``sync``: synchronisation with a folder; ``tracked``: how its files looked
- ``exchange``: export and import
- ``validation``: search for damage; ``counting``: how much there is
- ``matching``: which stored documents a text is like
- ``keepers``: anchored clusters, kept current
- ``nominator``: the indexes in memory, kept in step with the file
- ``resembling``: the index of shingle sets, which misses nothing
- ``sizes``: how much to do at once
- ``segments``: packed fingerprints, to build the index fast
- ``opened``: the file and the index, changed together or not at all
- ``records``: what the store reports about a document; ``tables``: the rows that are read and
  written
- ``contents``, ``evidence``: the evidence of stored documents, and their texts
- ``file``: the SQLite file: its format, opening, transactions
- ``packing``: numbers as bytes
"""

from ilk.store.checkin import Added
from ilk.store.matching import Match
from ilk.store.named import Entering, NamedStore
from ilk.store.records import Record
from ilk.store.store import Store
from ilk.store.sync import Moved, Synced, Told

__all__ = [
    "Added",
    "Entering",
    "Match",
    "Moved",
    "NamedStore",
    "Record",
    "Store",
    "Synced",
    "Told",
]
