"""Memory that is free: of the machine, or less where a control group limits it; and threads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ilk.base import resources
from ilk.base.errors import OptionError
from ilk.base.run_options import Running

#: Bytes that the machine has.
MACHINE = 8_000_000 * 1024

#: A limit of version 1 where none is set.
NONE_V1 = (1 << 63) - 4096


class System:
    """Folders as the kernel shows them."""

    def __init__(self, folder: Path) -> None:
        self.proc, self.groups = folder / "proc", folder / "cgroup"
        (self.proc / "self").mkdir(parents=True)
        self.groups.mkdir()
        self.meminfo("MemTotal: 16000000 kB\nMemFree: 1 kB\nMemAvailable:    8000000 kB\n")

    def meminfo(self, content: str) -> None:
        (self.proc / "meminfo").write_text(content)

    def process(self, *lines: str) -> None:
        """Put this process into control groups."""
        (self.proc / "self" / "cgroup").write_text("".join(f"{line}\n" for line in lines))

    def group(self, path: str, **files: object) -> None:
        """Make a group of version 2; ``memory_max=7`` is its file ``memory.max``."""
        self._group(self.groups / path, files)

    def group_v1(self, path: str, limit: object, usage: object, **stat: int) -> None:
        """Make a group of version 1."""
        files = {"memory_limit__in__bytes": limit, "memory_usage__in__bytes": usage}
        self._group(self.groups / "memory" / path, files | {"memory_stat": _stat(**stat)})

    def _group(self, folder: Path, files: dict[str, object]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            spelled = name.replace("__", "-").replace("_", ".").replace("-", "_")
            (folder / spelled).write_text(f"{content}\n")

    def free(self) -> int:
        return resources.free_memory(self.proc, self.groups)


def _stat(**values: int) -> str:
    return "\n".join(f"{name} {value}" for name, value in values.items())


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path)


def test_without_control_groups_it_is_what_the_machine_has(system: System) -> None:
    assert system.free() == MACHINE
    system.process("0::/")
    assert system.free() == MACHINE


@pytest.mark.parametrize("meminfo", ["", "MemTotal: 1 kB\n", "MemAvailable: much\n", "nonsense\n"])
def test_where_the_machine_does_not_say_it_is_4_gb(system: System, meminfo: str) -> None:
    system.meminfo(meminfo)
    assert system.free() == 4_000_000_000
    (system.proc / "meminfo").unlink()
    assert system.free() == 4_000_000_000


def test_the_limit_of_the_own_group_leaves_room(system: System) -> None:
    system.process("0::/user/job")
    stat = _stat(anon=60, file=40, inactive_file=0)
    system.group("user/job", memory_max=1000, memory_current=100, memory_stat=stat)
    assert system.free() == 900


def test_what_the_page_cache_holds_is_given_back(system: System) -> None:
    system.process("0::/job")
    stat = _stat(anon=60, file=500, inactive_file=440, active_file=60)
    system.group("job", memory_max=1000, memory_current=560, memory_stat=stat)
    assert system.free() == 1000 - (560 - 440)


def test_the_smallest_room_of_the_group_and_its_parents_counts(system: System) -> None:
    system.process("0::/slice/service/job")
    stat = _stat(inactive_file=0)
    system.group("slice/service/job", memory_max="max", memory_current=1, memory_stat=stat)
    system.group("slice/service", memory_max=5000, memory_current=1000, memory_stat=stat)
    system.group("slice", memory_max=9000, memory_current=8500, memory_stat=stat)
    system.group("slice/other", memory_max=1, memory_current=0, memory_stat=stat)
    assert system.free() == 500
    system.group("slice/service/job", memory_max=300, memory_current=1, memory_stat=stat)
    assert system.free() == 299


def test_no_limit_is_none(system: System) -> None:
    system.process("0::/job")
    system.group("job", memory_max="max", memory_current=10, memory_stat=_stat(inactive_file=0))
    assert system.free() == MACHINE


def test_in_a_container_the_group_is_mounted_at_the_root(system: System) -> None:
    """The path is that of the host, and there is no such folder."""
    system.process("0::/docker/0123456789abcdef")
    system.group(".", memory_max=2000, memory_current=500, memory_stat=_stat(inactive_file=100))
    assert system.free() == 1600


def test_more_held_than_allowed_leaves_nothing(system: System) -> None:
    system.process("0::/job")
    system.group("job", memory_max=100, memory_current=150, memory_stat=_stat(inactive_file=0))
    assert system.free() == 0


@pytest.mark.parametrize("missing", ["memory.max", "memory.current", "memory.stat"])
def test_a_group_that_does_not_say_all_limits_nothing(system: System, missing: str) -> None:
    system.process("0::/slice/job")
    stat = _stat(inactive_file=0)
    for path in ("slice/job", "slice"):
        system.group(path, memory_max=1000, memory_current=10, memory_stat=stat)
    (system.groups / "slice/job" / missing).unlink()
    assert system.free() == 990
    (system.groups / "slice" / missing).write_text("nonsense\n")
    assert system.free() == MACHINE


def test_groups_of_version_1_limit_too(system: System) -> None:
    system.process("12:cpu,cpuacct:/other", "4:memory:/docker/job", "1:name=systemd:/docker/job")
    system.group_v1("docker/job", 4000, 3000, inactive_file=1, total_inactive_file=500)
    assert system.free() == 1500
    system.group_v1("docker", 3000, 2900, total_inactive_file=0)
    assert system.free() == 100
    for path in ("docker/job", "docker"):
        system.group_v1(path, NONE_V1, 10, total_inactive_file=0)
    assert system.free() == MACHINE


def test_a_machine_may_have_both_versions(system: System) -> None:
    system.process("4:memory:/job", "0::/job")
    stat = _stat(inactive_file=0)
    system.group("job", memory_max=7000, memory_current=0, memory_stat=stat)
    system.group_v1("job", 5000, 1000, total_inactive_file=0)
    assert system.free() == 4000
    system.group("job", memory_max=700, memory_current=0, memory_stat=stat)
    assert system.free() == 700


def test_a_path_with_colons_is_a_path(system: System) -> None:
    system.process("0::/a:b/c")
    stat = _stat(inactive_file=0)
    system.group("a:b/c", memory_max=1000, memory_current=1, memory_stat=stat)
    assert system.free() == 999


def test_this_machine_has_memory() -> None:
    assert 0 < resources.free_memory() < 10**15
    assert 0 <= Running.of().memory <= resources.free_memory() + 10**9
    assert resources.resident_memory_or_zero() > 1_000_000


def test_threads_are_those_asked_for_or_one_per_processor() -> None:
    assert resources.thread_count(3) == Running.of(3).jobs == 3
    assert resources.thread_count(None) == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", True])
def test_what_is_no_number_of_threads_is_refused(wrong: Any) -> None:
    with pytest.raises(OptionError, match="jobs is .* a whole number of threads from 1 to 65536"):
        resources.thread_count(wrong)
