"""A deduplication decided now and carried out later, if the input is still the same."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat
from ilk.base._version import __version__
from ilk.base.errors import AlarmRaised, OptionError, OutputError, PlanError, reason_of_error
from ilk.base.json_text import parse_json
from ilk.base.progress import expect_steps_if_meter
from ilk.base.run_options import Running
from ilk.read import Progress, Reading, ignore_progress
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.opening import reopen_rows
from ilk.read.rows.sources import make_replacing_column
from ilk.read.rows.writing import Origin, Output
from ilk.search.staying import sum_weights_onto_keepers_null_if_dropped
from ilk.tasks.result import DeduplicationResult
from ilk.tasks.steps import progress_steps_of_writing
from ilk.write import accounts, whole_file

#: The file that makes a folder of accounts a plan, and the file that records when it was applied.
PLAN, _LOG = "plan.json", "applied.jsonl"

#: How the input was read.
_READ = ("text", "id", "encoding", "extract", "convert_timeout")


def save_plan(
    result: DeduplicationResult,
    folder: Path,
    *,
    store_to_extend: str | None = None,
    force: bool = False,
) -> None:
    """Write a plan of what would happen into a folder; not of a table, which will be gone.

    Args:
        store_to_extend: the store to which the run adds the rows that stay. Such a plan is to look
            at: who carried it out later would leave the store without them.
    """
    rows = result.rows
    origins = rows.origins
    if any(origin.path is None for origin in origins):
        raise OptionError(
            "a table in memory, or read by DuckDB, cannot have a plan; write it to a file first."
        )
    if (folder / PLAN).exists() and not force:
        raise OutputError(
            f"{folder} already holds a plan; choose another folder, or replace the plan (`force`)."
        )
    accounts.refuse_account_over_inputs(folder, rows.file_paths())
    options = result.report["options"]
    plan = {
        "ilk": __version__,
        **{name: options[name] for name in _READ},
        "keyed": options["key"] is not None,
        "count": options["count"],
        "adds_to": store_to_extend,
        "inputs": [
            {"path": os.path.abspath(origin.path or ""), "below": origin.below}
            | {"size": seen.size, "digest": seen.digest}
            for origin, seen in zip(origins, rows.read_signatures(), strict=True)
        ],
        "alarms": result.alarms,
    }
    result.write_account(folder)
    with whole_file(folder / PLAN) as out:
        out.write(json.dumps(plan, indent=2).encode() + b"\n")


def write_plan_or_account_if_in_memory(
    result: DeduplicationResult, folder: Path, *, store_to_extend: str | None = None
) -> None:
    """Write what a person should look at when an alarm stops the output: a plan, which replaces
    what is there; or an account alone, if rows are in memory and cannot be read again.
    """
    if any(origin.path is None for origin in result.rows.origins):
        result.write_account(folder)
    else:
        save_plan(result, folder, store_to_extend=store_to_extend, force=True)


def apply_rows_only_plan_and_count_rows(
    folder: str | os.PathLike[str],
    output: Output,
    *,
    accept_alarm: bool = False,
    force: bool = False,
    progress: Progress = ignore_progress,
) -> int:
    """Write the rows that a plan keeps, and return how many they are.

    The folder of accounts beside the output is a copy of the plan, with a line that says when it
    was applied. An open file, a pipe or a device gets only the rows.

    Raises:
        PlanError: the folder holds no plan, the input has changed since, or the run adds rows to a
            store too.
        AlarmRaised: the plan was made under an alarm that was not accepted.
        OutputError, OptionError: it cannot be written there, as
            ``DataSet.refuse_unwritable_output`` explains.
    """
    place = Path(folder)
    plan = read_plan(place)
    if plan.get("adds_to") is not None:
        raise PlanError(
            f"{place} is the plan of a run that also adds the rows that stay to {plan['adds_to']}. "
            "Nothing was written or added. Give the command of that run again, with "
            "`accept_alarm`."
        )
    if plan["alarms"] and not accept_alarm:
        raise AlarmRaised(plan["alarms"], None)
    expect_steps_if_meter(progress, *progress_steps_of_writing())
    rows = open_rows_of_plan(plan, Running.of(progress=progress))
    rows.refuse_unwritable_output(output, force=force)
    for row, seen in zip(plan["inputs"], rows.read_signatures(), strict=True):
        if (seen.size, seen.digest) != (row["size"], row["digest"]):
            raise PlanError(
                f"{row['path']} has changed since the plan was made; nothing was written. "
                "Decide again: ilk dedup --plan."
            )
    import pyarrow.parquet as pq

    columns = ["doc", "keeper_doc"]
    table = pq.read_table(place / accounts.DROPPED, columns=columns, use_threads=False)
    dropped, keepers = (flat(table[name]) for name in columns)
    docs, counts = pa.arange(0, rows.count_rows()), None
    stays = pc.invert(pc.is_in(docs, value_set=dropped))
    if name := plan.get("count"):
        weights = rows.read_count_column_default_1(name)
        counts = make_replacing_column(
            name, sum_weights_onto_keepers_null_if_dropped(weights, dropped, keepers)
        )
    if beside := accounts.account_folder_beside_output_or_none(output):
        if beside.resolve() != place.resolve():
            try:
                shutil.copytree(place, beside, dirs_exist_ok=True)
            except OSError as error:
                raise OutputError(f"cannot write {beside}: {reason_of_error(error)}.") from error
        with (beside / _LOG).open("a") as log:
            line = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "ilk": __version__}
            log.write(json.dumps(line | {"output": str(output)}) + "\n")
    return rows.write(stays, output, added_columns=counts, force=force)


def open_rows_of_plan(plan: Mapping[str, Any], running: Running) -> DataSet:
    """Return the rows that a plan covers."""
    origins = [Origin(row["path"], row["below"]) for row in plan["inputs"]]
    reading = Reading.of(**{name: plan[name] for name in _READ})
    return reopen_rows(origins, replace(reading, keyed=plan.get("keyed") is True), running)


def read_plan(folder: Path) -> dict[str, Any]:
    """Return the plan in a folder; a PlanError if it holds no plan."""
    try:
        if (folder / PLAN).exists() and not (folder / PLAN).is_file():
            raise ValueError(f"{PLAN} is not a file")
        plan = parse_json((folder / PLAN).read_bytes())
        if plan.keys() >= {"inputs", "alarms", *_READ}:
            return dict(plan)
        reason = "part of it is missing"
    except (OSError, ValueError, AttributeError) as error:
        reason = str(error)
    raise PlanError(f"{folder} holds no plan ({reason}); make one: ilk dedup ... --plan {folder}")
