"""pandas: the methods of ``frame.ilk`` and ``series.ilk``; they keep the index."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from ilk import arrow
from ilk.base import resources
from ilk.base.arguments import suggest_arguments
from ilk.base.errors import MissingExtra
from ilk.base.progress import Progress
from ilk.fingerprints import digest
from ilk.fingerprints.recipe import Recipe
from ilk.fingerprints.texts import fingerprint_texts
from ilk.read.formats.parts import Limits
from ilk.tables import frames

try:
    import pandas as pd
except ImportError as error:
    raise MissingExtra("pandas", "pandas") from error

__all__ = ["Frame", "Texts"]


@pd.api.extensions.register_dataframe_accessor("ilk")
class Frame:
    """The methods of ``frame.ilk``."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    @frames.refuse_file_arguments
    def deduplicate(
        self,
        *,
        text: str | Sequence[str] = "text",
        against: Any = None,
        accept_alarm: bool = False,
        count: str | None = None,
        # Parameters table_rows, by scripts/make-signatures.
        exact: bool = False,
        key: str | Sequence[str] | None = None,
        within: str | Sequence[str] | None = None,
        window: str | timedelta | None = None,
        date: str | None = None,
        only_against: bool = False,
        labels: str | os.PathLike[str] | None = None,
        ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        resemblance: str | float | None = 0.8,
        noise: str | float | None = None,
        keep: str | Sequence[str] = "first",
        shingle: int | None = 3,
        by: str | None = None,
        as_: str | None = None,
        ignore: str | Sequence[str] | None = None,
        same_site: str | float | None = None,
        pairing: str | None = None,
        recall: str | float | None = None,
        linkage: str | None = "anchored",
        max_pairs: int | None = 100_000_000,
        common_blocks: int | None = None,
        keep_numbers_only: bool = False,
        keep_up_to: int | None = 1,
        alarm_documents: int | None = 1000,
        alarm_share: str | float | None = 0.05,
        alarm_loss: str | float | None = 0.5,
        id: str | None = None,
        encoding: str | None = None,
        cache: str | os.PathLike[str] | None = None,
        extract: str | None = "none",
        convert: Mapping[str, Sequence[str]] | None = None,
        convert_timeout: float | None = 60.0,
        ocr: str | Sequence[str] | None = None,
        replies: str | None = "keep",
        limits: Limits | None = None,
        files_in: str | None = None,
        memory: str | int | None = None,
        jobs: int | None = None,
        progress: Progress | bool | None = None,
        # End of what is written.
    ) -> pd.DataFrame:
        """Return the rows that ``ilk.deduplicate`` keeps; see ``ilk.tables.deduplicate``."""
        result: pd.DataFrame = frames.deduplicate(
            self._frame,
            text=text,
            against=against,
            accept_alarm=accept_alarm,
            count=count,
            # Arguments table_rows, by scripts/make-signatures.
            exact=exact,
            key=key,
            within=within,
            window=window,
            date=date,
            only_against=only_against,
            labels=labels,
            ignore_text=ignore_text,
            resemblance=resemblance,
            noise=noise,
            keep=keep,
            shingle=shingle,
            by=by,
            as_=as_,
            ignore=ignore,
            same_site=same_site,
            pairing=pairing,
            recall=recall,
            linkage=linkage,
            max_pairs=max_pairs,
            common_blocks=common_blocks,
            keep_numbers_only=keep_numbers_only,
            keep_up_to=keep_up_to,
            alarm_documents=alarm_documents,
            alarm_share=alarm_share,
            alarm_loss=alarm_loss,
            id=id,
            encoding=encoding,
            cache=cache,
            extract=extract,
            convert=convert,
            convert_timeout=convert_timeout,
            ocr=ocr,
            replies=replies,
            limits=limits,
            files_in=files_in,
            memory=memory,
            jobs=jobs,
            progress=progress,
            # End of what is written.
        )
        return result

    @frames.refuse_file_arguments
    def clusters(
        self,
        *,
        text: str | Sequence[str] = "text",
        against: Any = None,
        # Parameters table_rows, by scripts/make-signatures.
        exact: bool = False,
        key: str | Sequence[str] | None = None,
        within: str | Sequence[str] | None = None,
        window: str | timedelta | None = None,
        date: str | None = None,
        only_against: bool = False,
        labels: str | os.PathLike[str] | None = None,
        ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        resemblance: str | float | None = 0.8,
        noise: str | float | None = None,
        keep: str | Sequence[str] = "first",
        shingle: int | None = 3,
        by: str | None = None,
        as_: str | None = None,
        ignore: str | Sequence[str] | None = None,
        same_site: str | float | None = None,
        pairing: str | None = None,
        recall: str | float | None = None,
        linkage: str | None = "anchored",
        max_pairs: int | None = 100_000_000,
        common_blocks: int | None = None,
        keep_numbers_only: bool = False,
        keep_up_to: int | None = 1,
        alarm_documents: int | None = 1000,
        alarm_share: str | float | None = 0.05,
        alarm_loss: str | float | None = 0.5,
        id: str | None = None,
        encoding: str | None = None,
        cache: str | os.PathLike[str] | None = None,
        extract: str | None = "none",
        convert: Mapping[str, Sequence[str]] | None = None,
        convert_timeout: float | None = 60.0,
        ocr: str | Sequence[str] | None = None,
        replies: str | None = "keep",
        limits: Limits | None = None,
        files_in: str | None = None,
        memory: str | int | None = None,
        jobs: int | None = None,
        progress: Progress | bool | None = None,
        # End of what is written.
    ) -> pd.DataFrame:
        """Return what each row is like; see ``ilk.tables.clusters``."""
        rows: pd.DataFrame = frames.clusters(
            self._frame,
            text=text,
            against=against,
            # Arguments table_rows, by scripts/make-signatures.
            exact=exact,
            key=key,
            within=within,
            window=window,
            date=date,
            only_against=only_against,
            labels=labels,
            ignore_text=ignore_text,
            resemblance=resemblance,
            noise=noise,
            keep=keep,
            shingle=shingle,
            by=by,
            as_=as_,
            ignore=ignore,
            same_site=same_site,
            pairing=pairing,
            recall=recall,
            linkage=linkage,
            max_pairs=max_pairs,
            common_blocks=common_blocks,
            keep_numbers_only=keep_numbers_only,
            keep_up_to=keep_up_to,
            alarm_documents=alarm_documents,
            alarm_share=alarm_share,
            alarm_loss=alarm_loss,
            id=id,
            encoding=encoding,
            cache=cache,
            extract=extract,
            convert=convert,
            convert_timeout=convert_timeout,
            ocr=ocr,
            replies=replies,
            limits=limits,
            files_in=files_in,
            memory=memory,
            jobs=jobs,
            progress=progress,
            # End of what is written.
        )
        return rows

    @frames.refuse_file_arguments
    def near_pairs(
        self,
        *,
        text: str | Sequence[str] = "text",
        against: Any = None,
        # Parameters table_pairs, by scripts/make-signatures.
        recipe: Recipe | str | None = None,
        labels: str | os.PathLike[str] | None = None,
        within: str | Sequence[str] | None = None,
        window: str | timedelta | None = None,
        date: str | None = None,
        only_against: bool = False,
        ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        resemblance: str | float | None = 0.8,
        noise: str | float | None = None,
        keep: str | Sequence[str] = "original",
        shingle: int | None = 3,
        by: str | None = None,
        as_: str | None = None,
        ignore: str | Sequence[str] | None = None,
        same_site: str | float | None = None,
        pairing: str | None = None,
        recall: str | float | None = None,
        linkage: str | None = "anchored",
        max_pairs: int | None = 100_000_000,
        common_blocks: int | None = None,
        containment: str | float | None = None,
        radius: int | None = None,
        similarity: str | float | None = None,
        unverified: bool = False,
        id: str | None = None,
        encoding: str | None = None,
        cache: str | os.PathLike[str] | None = None,
        extract: str | None = "none",
        convert: Mapping[str, Sequence[str]] | None = None,
        convert_timeout: float | None = 60.0,
        ocr: str | Sequence[str] | None = None,
        replies: str | None = "keep",
        limits: Limits | None = None,
        memory: str | int | None = None,
        jobs: int | None = None,
        progress: Progress | bool | None = None,
        # End of what is written.
    ) -> pd.DataFrame:
        """Return all pairs of near-duplicates; see ``ilk.tables.near_pairs``."""
        pairs: pd.DataFrame = frames.near_pairs(
            self._frame,
            text=text,
            against=against,
            # Arguments table_pairs, by scripts/make-signatures.
            recipe=recipe,
            labels=labels,
            within=within,
            window=window,
            date=date,
            only_against=only_against,
            ignore_text=ignore_text,
            resemblance=resemblance,
            noise=noise,
            keep=keep,
            shingle=shingle,
            by=by,
            as_=as_,
            ignore=ignore,
            same_site=same_site,
            pairing=pairing,
            recall=recall,
            linkage=linkage,
            max_pairs=max_pairs,
            common_blocks=common_blocks,
            containment=containment,
            radius=radius,
            similarity=similarity,
            unverified=unverified,
            id=id,
            encoding=encoding,
            cache=cache,
            extract=extract,
            convert=convert,
            convert_timeout=convert_timeout,
            ocr=ocr,
            replies=replies,
            limits=limits,
            memory=memory,
            jobs=jobs,
            progress=progress,
            # End of what is written.
        )
        return pairs


@pd.api.extensions.register_series_accessor("ilk")
class Texts:
    """The methods of ``series.ilk``."""

    def __init__(self, series: pd.Series[Any]) -> None:
        self._series = series

    @suggest_arguments
    def fingerprint(self, recipe: Recipe | None = None) -> pd.Series[Any]:
        """Return one fingerprint per text, as ``ilk.fingerprint`` does.

        Args:
            recipe: the way from text to fingerprint; ``Recipe()`` by default.

        Returns:
            Arrow's ``uint64``, or 16 bytes for 128 bits; missing if a text is too short.

        Raises:
            ColumnTypeError: the column does not hold texts.
        """
        made = fingerprint_texts(
            frames.series_to_arrow_replacing_lone_surrogates(self._series), recipe
        )
        return frames.make_pandas_series(made, self._series.index)

    def digest(self) -> pd.Series[Any]:
        """Return 128 bits per text (16 bytes), equal for equal texts (except for case and space).

        Missing for a missing or blank text, which is like no other.

        Raises:
            ColumnTypeError: the column does not hold texts.
        """
        texts = arrow.import_texts(frames.series_to_arrow_replacing_lone_surrogates(self._series))
        made = digest.text_digests_null_if_blank(texts, jobs=resources.thread_count(None))
        return frames.make_pandas_series(made, self._series.index)
