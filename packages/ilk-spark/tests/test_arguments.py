"""Every public name with every odd value, without a cluster: a documented error, or it works."""

from __future__ import annotations

import inspect

import pytest
from tests.demands import package
from tests.property.test_arguments import odd_values

from ilk.base.errors import IlkError

pyspark = package("pyspark")

import ilk_spark

#: What a call without a session may raise, beside the documented errors.
_NO_SESSION = pyspark.errors.PySparkRuntimeError


@pytest.mark.parametrize(
    "name", ["Incremental", "deduplicate", "evidence", "fingerprint", "near_pairs", "register"]
)
def test_odd_values_are_refused_or_used(name: str) -> None:
    function = getattr(ilk_spark, name)
    signature = inspect.signature(function)
    needed = {p.name for p in signature.parameters.values() if p.default is p.empty}
    calls = 0
    for argument in signature.parameters:
        for value in odd_values():
            calls += 1
            try:
                function(**dict.fromkeys(needed, "x") | {argument: value})
            except (IlkError, TypeError, ValueError, _NO_SESSION):
                pass
            except Exception as error:
                raise AssertionError(f"{name}({argument}={value!r:.60}): {error!r:.200}") from error
    assert calls > 100
