"""Queries of a store: which of its documents a text is like."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ilk import arrow
from ilk.base.options import CONTAINMENT
from ilk.fingerprints.hamming import checked_radius
from ilk.store import incoming, matching
from ilk.store.db import tables
from ilk.store.maintained import Maintained
from ilk.store.matching import Match, Subject
from ilk.store.thresholds import Thresholds


class Answering(Maintained):
    """The queries of ``Store``; none of them changes it."""

    def check(
        self,
        text: str | os.PathLike[str] | Sequence[str],
        *,
        resemblance: str | float | None = None,
        containment: str | float | None = CONTAINMENT,
        radius: int | None = None,
        similarity: str | float | None = None,
    ) -> list[Match]:
        """Return what a text is like, the most alike first; nothing is stored.

        Args:
            text: the text, by itself or in a list, or the path of a file (as ``pathlib.Path``); a
                text by itself that names a file is refused.
            resemblance: the least resemblance of near-duplicates; the store's by default.
                An exact store finds all of them; below its own, by looking at every document.
            containment: the least part of one that makes it contained in the other; None if such
                pairs are not wanted. They are looked for among nominated documents, and so mostly
                found if the two are of similar size; an exact store finds all of them if the
                smaller has at least as many shingles as the larger times the resemblance (of the
                store, if that is less) over the containment: 84 % by default.
            radius: match everything within this many bits, at any resemblance (unless
                ``resemblance`` is given too). The result is complete for any radius.
            similarity: the same as a share of equal bits: ``"90%"`` (Roth 2013, section 2.2.2).

        Raises:
            OptionError: an option is out of bounds, or two contradict each other.
            SourceNotFound, NothingRead: the file is missing, or cannot be read.
        """
        limits = Thresholds.asked(self.settings, resemblance, containment, radius, similarity)
        return self._check(incoming.one(self._opened, text).subjects, limits)[0]

    def check_many(
        self,
        documents: Any,
        *,
        resemblance: str | float | None = None,
        containment: str | float | None = CONTAINMENT,
        radius: int | None = None,
        similarity: str | float | None = None,
    ) -> list[list[Match]]:
        """Return what each of many texts is like: ``check`` for the arguments of ``add_many``.

        Raises:
            ColumnTypeError: there is no column of texts.
            OptionError: an option is out of bounds, or two contradict each other.
        """
        limits = Thresholds.asked(self.settings, resemblance, containment, radius, similarity)
        return self._check(incoming.of_table(self._opened, documents).subjects, limits)

    def _check(self, subjects: Sequence[Subject], limits: Thresholds) -> list[list[Match]]:
        with self._opened.reading():
            return [matching.like(self._opened, one, limits) for one in subjects]

    def check_fingerprint(self, fingerprint: int | bytes, radius: int | None = None) -> list[Match]:
        """Return the documents whose fingerprint is within a radius of one (by default the
        store's).

        All of them are ``unverified``: a fingerprint cannot be measured.

        Raises:
            ColumnTypeError, OptionError: an argument is not valid.
        """
        bits = self.settings.recipe.bits
        within = self.settings.radius if radius is None else checked_radius(radius, bits)
        value = arrow.fingerprint(fingerprint, 128 if bits == 128 else 64)
        with self._opened.reading():
            return matching.near(self._opened, value, within)

    def similar(
        self,
        id_: int,
        *,
        resemblance: str | float | None = None,
        containment: str | float | None = CONTAINMENT,
        radius: int | None = None,
        similarity: str | float | None = None,
    ) -> list[Match]:
        """Return what a stored document is like, without itself; arguments and errors as for
        ``check``.

        Raises:
            IdError: no document has this id.
        """
        limits = Thresholds.asked(self.settings, resemblance, containment, radius, similarity)
        with self._opened.reading():
            row = tables.row(self._opened.connection, id_)
            subject = matching.stored(self._opened, [row.first])[row.first]
            found = matching.like(self._opened, subject.of_bytes(row.bytes_digest), limits)
            return [match for match in found if match.id != row.id]
