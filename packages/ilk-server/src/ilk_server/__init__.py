"""The service: a store over HTTP.

It fetches nothing, and sends to no address but that of ``--notify``. The ``client`` is for programs
that ask such a service.

- ``process``: its address, its signals, its end; ``options``: what may be chosen
- ``connections``, ``annex``, ``annex_process``: a second process, for large requests alone
- ``application``: combines the modules below, behind the ``guard``, which checks every request
- ``routes``: the addresses for programs; ``bodies``: request bodies; ``answers``: their answers
- ``batches``: JSON lines in, JSON lines out; ``agents``: the same store over MCP
- ``pages``, ``browsing``, ``overview``, ``review_pages``: the addresses for people; ``entrance``:
  where they log in; ``frame``: what all pages share
- ``review``: a review by several people; ``review_sources``: the families that they look at;
  ``families``: these with the ``decisions`` on them
- ``tokens``: who may do what; ``sessions``: who has logged in; ``limits``: how much; ``work``: how
  much at once
- ``additions``: the log of what comes in; ``notifying``: its lines, sent to an address
- ``problems``, ``errors``: errors as answers, and of the client; ``metrics``: counts; ``logs``: a
  line per request
- ``client``: the store, from elsewhere
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.plugins import lazy_attributes

if TYPE_CHECKING:
    from ilk_server.client import Client

__all__ = ["Client"]

if not TYPE_CHECKING:
    _PLACES = {
        # Names, by scripts/make-signatures.
        "Client": "ilk_server.client:Client",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(__name__, _PLACES)
