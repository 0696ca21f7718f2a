"""The service: a store over HTTP. It never fetches anything from anywhere.

One module, one concept:

- ``running``: the process: its address, its signals
- ``application``: combines the modules below
- ``guard``: checks of every request: host, origin, token, limits; headers of every answer
- ``routes``: the addresses for programs; ``bodies``: request bodies; ``answers``: their answers
- ``pages``: the addresses for people; ``sessions``: who is logged in
- ``batches``: JSON lines in, JSON lines out
- ``tokens``: who may do what; ``limits``: how much; ``work``: how much at once
- ``problems``: errors as answers; ``metrics``: counts; ``logs``: a line per request
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
