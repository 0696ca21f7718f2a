"""What the tests on Spark share: one small session, and rows with every kind of relative."""

from __future__ import annotations

import os
import random
import shutil
import sys
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.support.demands import absent
from tests.support.families import family

#: pyspark warns of pandas 3, and of sockets that it leaves to the collector.
QUIET = pytest.mark.filterwarnings(
    "ignore::FutureWarning",
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)


@pytest.fixture(scope="session")
def java() -> None:
    """What Spark needs."""
    if find_spec("pyspark") is None:
        absent("pyspark is not installed (extra `spark`)")
    if shutil.which("java") is None:
        absent("there is no Java, which Spark needs")


@pytest.fixture(scope="session")
def spark(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session of two processors on this machine."""
    del java
    yield from session(tmp_path_factory.mktemp("spark"), "local[2]")


def session(folder: Path, master: str, **more: str) -> Iterator[Any]:
    """Start a session that listens to nobody else, and stop it."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        # Compiling takes longer than these tests.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder),
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = SparkSession.builder.master(master).appName("ilk tests")
        for name, value in (settings | more).items():
            builder = builder.config(name, value)
        opened = builder.getOrCreate()
        yield opened
        opened.stop()


def texts(count: int, seed: int = 0) -> list[str | None]:
    """Texts: copies, near ones, those with other numbers, short and middle ones, and no text."""
    draw = random.Random(seed)
    found: list[str | None] = [None, "", " \n", "alone", "!", "?!", "a b", "A  b"]
    # A long text of few shingles resembles a short one by its words.
    words = [f"r{at}" for at in range(48)]
    found += [" ".join(words), " ".join(words + words + words[:6])]
    while len(found) < count:
        at = len(found)
        size = draw.choice((4, 20, 45, 49, 52, 70, 98, 101, 160))
        some = family(1000 + at, draw.choice((1, 1, 2, 5)), size)
        text = some[0]
        some += draw.choice(([], [text], [text.upper()], [f"{text} on page {at}"]))
        some += draw.choice(([], [f"{text} on page {at + 1}"], [f" {text}"]))
        found += some
    return found[:count]


def rows(count: int, seed: int = 0) -> pa.Table:
    """Rows in some order, with ids and columns to choose keepers by."""
    draw = random.Random(seed)
    found = texts(count, seed)
    draw.shuffle(found)
    ids = draw.sample(range(10 * count), count)
    return pa.table(
        {
            "id": pa.array([f"i{number:07}" for number in ids]),
            "text": pa.array(found),
            "score": pa.array([draw.choice((None, 1, 2, 3)) for _ in range(count)], pa.int64()),
            "day": pa.array([draw.randrange(3) for _ in range(count)], pa.int32()),
        }
    )
