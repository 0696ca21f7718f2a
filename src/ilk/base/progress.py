"""How steps report their progress, and its line on stderr."""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, Protocol, TypeVar

from ilk.base.errors import OptionError
from ilk.base.sizes import spell_size

#: Seconds between two updates of the line.
EVERY = 0.2

#: The widest and the narrowest bar; the characters for done and not done.
_BAR, _LEAST_BAR, _BLOCKS = 20, 6, ("█", "░")

#: Seconds before a remaining time is estimated, and those over which its changes are smoothed; the
#: share of a step from which its own pace counts.
_UNSURE, _SMOOTH, _PACED = 2.0, 4.0, 0.05

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")


class Progress(Protocol):
    """A function that follows every step.

    It gets the name of the step; the units done, and how many there are (files, bytes, rows;
    hundredths where ``total`` is 100; None: unknown); and the bytes done, 0 if they do not count.
    Steps follow one another. A step may begin again at 0, for another part of its work.
    """

    def __call__(self, step: str, done: int, total: int | None = None, size: int = 0) -> None:
        """Take note."""


def ignore_progress(step: str, done: int, total: int | None = None, size: int = 0) -> None:
    """Ignore progress."""


class Step(NamedTuple):
    """A step of a run that is to come.

    Attributes:
        name: as it reports its progress.
        share: its share of the time of the run, in any unit.
        repeats: whether it goes through its work several times, nobody knows how often.
    """

    name: str
    share: float
    repeats: bool = False


class _StepShares(NamedTuple):
    """Shares of a run's time: of the steps before the one that runs, of that one, of the rest."""

    before: float
    own: float
    later: float


class Meter:
    """A line on stderr: how much of the run is done, what is being done, how long it will take.

    With the steps of the run (see ``expect_steps_unless_known``) there is one bar, one percentage
    that never goes back, and one remaining time. Without them, the line says what is being done,
    and nothing about the whole.
    """

    def __init__(
        self, draws: bool, every: float = EVERY, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._draws, self._every, self._clock = draws, every, clock
        self._began = self._last_drawing = self._last = self._step_began = clock()
        self._steps: list[Step] = []
        self._after: list[Step] = []
        self._at = -1  # The expected step that runs; -1 before the first.
        self._step, self._units_done = "", 0
        self._is_expected = False
        self._passes = 0  # How often the step has begun again.
        self._share = self._whole = 0.0  # Of the step, and of the run.
        self._seconds_left: float | None = None

    def expect_steps_unless_known(self, steps: Sequence[Step]) -> None:
        """Take the steps of the run, in order, unless it has them already.

        A name may occur several times, for a step that comes several times. The first call is that
        of the whole run; later ones, by parts of it, are ignored.
        """
        if not self._steps:
            self._steps = [*steps, *self._after]

    def expect_steps_after_run(self, steps: Sequence[Step]) -> None:
        """Take steps that follow those of the run, in order, before it says what those are."""
        self._after += steps

    def __call__(self, step: str, done: int, total: int | None = None, size: int = 0) -> None:
        if not self._draws:
            return
        now = self._clock()
        self._begin_step_or_pass_if_new(step, done)
        if total and self._is_expected:
            share = min(done / total, 1.0)
            if self._steps[self._at].repeats:  # Each pass takes most of what is left of the step.
                share = 1 - 0.1**self._passes * (1 - 0.9 * share)
            self._share = max(self._share, share)
        self._units_done, self._last = done, now
        if now - self._last_drawing >= self._every:
            if self._at >= 0:
                self._update_share_of_run()
                self._update_seconds_left_if_sure(now)
            self._write_to_stderr(f"\r\x1b[K{self._format_line(done, total, size, now)}")
            self._last_drawing = now

    def _begin_step_or_pass_if_new(self, step: str, units_done: int) -> None:
        """Go on to the expected step of that name, or to another pass of the one that runs.

        A step that is not expected leaves the bar as it is.
        """
        again = step == self._step and units_done < self._units_done
        if step == self._step and not again:
            return
        coming = [each.name for each in self._steps[self._at + 1 :]]
        if again:  # Another of its name, if that follows; else another pass.
            coming = coming[:1]
        if step in coming:
            # What is passed over has nothing to do, such as what an interrupted run has done.
            del self._steps[self._at + 1 : self._at + 1 + coming.index(step)]
            self._at += 1
            self._share, self._passes, self._is_expected = 0.0, 0, True
        else:
            self._is_expected = self._at >= 0 and step == self._steps[self._at].name
            self._passes += self._is_expected
        if step != self._step or step in coming:
            # A step says something only once it has done something: it began where the last ended.
            self._step, self._step_began = step, self._last

    def _format_line(self, units_done: int, total: int | None, bytes_done: int, now: float) -> str:
        what = self._step
        if bytes_done and units_done == bytes_done:
            what += f" {spell_size(units_done)}" + (f" of {spell_size(total)}" if total else "")
        elif total != 100 and (units_done or total):  # Of 100, the units are hundredths.
            what += f" {units_done:,}" + (f" of {total:,}" if total else "")
        seconds = now - self._step_began
        if bytes_done and seconds > 0:
            what += f", {spell_size(bytes_done / seconds)}/s"
        columns = shutil.get_terminal_size().columns - 1  # In the last one, the line would wrap.
        if self._at < 0:
            return what[:columns]
        share = f"{math.floor(100 * self._whole):3d} %  "
        unknown = self._seconds_left is None or self._whole == 1
        left = "" if unknown else f"  {_spell_time_rounded_up(self._seconds_left or 0)} left"
        width = min(_BAR, columns - len(share) - len(what) - len(left) - 2)
        bar = _format_bar(self._whole, width) + "  " if width >= _LEAST_BAR else ""
        line = bar + share + what
        return (line + left if len(line + left) <= columns else line)[:columns]

    def _shares_of_steps(self) -> _StepShares:
        """Return the shares of the steps before, in and after the one that runs."""
        return _StepShares(
            sum(step.share for step in self._steps[: self._at]),
            self._steps[self._at].share,
            sum(step.share for step in self._steps[self._at + 1 :]),
        )

    def _update_share_of_run(self) -> None:
        before, own, later = self._shares_of_steps()
        self._whole = max(self._whole, (before + own * self._share) / (before + own + later))

    def _update_seconds_left_if_sure(self, now: float) -> None:
        """Estimate the remaining time, unless too little is done to tell."""
        before, own, later = self._shares_of_steps()
        share_done = before + own * self._share
        since_begin, since_drawing = now - self._began, now - self._last_drawing
        if since_begin < _UNSURE or share_done < (before + own + later) / 100:
            return
        of_step = now - self._step_began
        # The step by its own pace, once it has one; what follows by the pace of all so far.
        left = (1 - self._share) * own * since_begin / share_done
        if self._is_expected and self._share > _PACED:
            left = of_step * (1 - self._share) / self._share
        left += later * since_begin / share_done
        if self._seconds_left is None:
            self._seconds_left = left
        else:
            expected = max(self._seconds_left - since_drawing, 0.0)
            self._seconds_left = expected + (left - expected) * min(since_drawing / _SMOOTH, 1)

    def clear(self) -> None:
        """Clear the line, before something else is printed."""
        if self._draws:
            self._write_to_stderr("\r\x1b[K")

    def clear_then_stop_drawing(self) -> None:
        """Clear the line, and draw none again: texts that a result reads later are no step."""
        self.clear()
        self._draws = False

    def _write_to_stderr(self, characters: str) -> None:
        sys.stderr.write(characters)
        sys.stderr.flush()


def _format_bar(share: float, width: int) -> str:
    full, rest = _BLOCKS
    try:
        (full + rest).encode(getattr(sys.stderr, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        full, rest = "#", "-"
    count = int(share * width)
    return full * count + rest * (width - count)


def _spell_time_rounded_up(seconds: float) -> str:
    """Return a time as people say it, rounded up.

    >>> [_spell_time_rounded_up(seconds) for seconds in (0.2, 89, 91, 3_700)]
    ['1 s', '89 s', '2 min', '1 h 2 min']
    """
    if seconds <= 90:
        return f"{max(1, math.ceil(seconds))} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def expect_steps_if_meter(progress: Progress | bool | None, *steps: Step) -> None:
    """Give a meter the steps of a run; other functions get to know the steps as they come."""
    if isinstance(progress, Meter):
        progress.expect_steps_unless_known(steps)


def _refuse_unusable_progress(progress: object) -> None:
    """Raise OptionError if ``progress`` is neither a function nor True, False or None."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise OptionError(
            f"progress is {progress!r}; it must be True, or a function of step, done, total and "
            "size."
        )


@contextmanager
def put_meter_in_place_of_true(keyword_arguments: dict[str, Any]) -> Iterator[None]:
    """Replace ``progress=True`` among keyword arguments by a meter, which ends with the context."""
    if keyword_arguments.get("progress") is not True:
        yield
        return
    keyword_arguments["progress"] = meter = Meter(draws=True)
    try:
        yield
    finally:
        meter.clear_then_stop_drawing()


def accept_true_as_progress(function: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
    """Let a function accept ``progress=True``: it gets a meter, a line on stderr."""

    @wraps(function)
    def call_with_meter(*args: _Asked.args, **keywords: _Asked.kwargs) -> _Answer:
        _refuse_unusable_progress(keywords.get("progress"))
        with put_meter_in_place_of_true(keywords):
            return function(*args, **keywords)

    return call_with_meter


def ignore_progress_unless_callable(progress: Progress | bool | None) -> Progress:
    """Return the function that follows progress, if there is one."""
    return progress if callable(progress) else ignore_progress


class StepTimer:
    """Passes on progress, and measures the seconds of each step.

    ``steps`` are those of the run, with their shares of its time, for a line of progress.
    """

    def __init__(self, progress: Progress | bool | None, *steps: Step) -> None:
        expect_steps_if_meter(progress, *steps)
        self._progress = ignore_progress_unless_callable(progress)
        self._step, self._began = "", time.monotonic()
        self._seconds: dict[str, float] = {}

    def __call__(self, step: str, done: int, total: int | None = None, size: int = 0) -> None:
        if step != self._step:
            self._add_time_of_step()
            self._step = step
        self._progress(step, done, total, size)

    def seconds(self) -> dict[str, float]:
        """Return how long each step has taken so far, in the order in which they began."""
        self._add_time_of_step()
        return {step: round(seconds, 3) for step, seconds in self._seconds.items() if step}

    def _add_time_of_step(self) -> None:
        now = time.monotonic()
        self._seconds[self._step] = self._seconds.get(self._step, 0.0) + now - self._began
        self._began = now
