"""ilk in Scrapy: an item pipeline over a store, and a filter of requests that learns.

Needs the extra ``scrapy``.
"""

from __future__ import annotations

from ilk.engines.scrapy import DupeFilter, Pipeline

__all__ = ["DupeFilter", "Pipeline"]
