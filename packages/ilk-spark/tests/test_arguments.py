"""Every public name with every odd value, without a cluster: a documented error, or it works."""

from __future__ import annotations

import inspect

import pytest
from tests.property.test_arguments import odd_values
from tests.support.demands import package

from ilk.base.errors import IlkError, OptionError

pyspark = package("pyspark")

import ilk_spark

#: What a call without a session may raise, beside the documented errors.
_NO_SESSION = pyspark.errors.PySparkRuntimeError, AssertionError


#: What is public; a batch is added to a table, by its name or by a call.
_CALLED = {
    **{name: getattr(ilk_spark, name) for name in ilk_spark.__all__ if name != "Deduplicated"},
    "add": lambda batch, number: ilk_spark.Incremental("x").add(batch, number),
    "call": lambda batch, number: ilk_spark.Incremental("x")(batch, number),
}


@pytest.mark.parametrize("name", _CALLED)
def test_odd_values_are_refused_or_used(name: str) -> None:
    function = _CALLED[name]
    signature = inspect.signature(function)
    needed = {p.name for p in signature.parameters.values() if p.default is p.empty}
    calls = 0
    for argument in signature.parameters:
        for value in odd_values():
            calls += 1
            try:
                function(**dict.fromkeys(needed, "x") | {argument: value})
            except (IlkError, TypeError, ValueError, *_NO_SESSION):
                pass
            except Exception as error:
                raise AssertionError(f"{name}({argument}={value!r:.60}): {error!r:.200}") from error
    assert calls > 100


@pytest.mark.parametrize("number", [None, -1, "../x", 1.5, True])
def test_what_is_no_number_of_a_batch_is_refused(number: object) -> None:
    """It is part of the name of a folder, which Spark writes over."""
    with pytest.raises(OptionError, match="number is"):
        ilk_spark.Incremental("x").add(None, number)  # type: ignore[arg-type]


def test_what_is_no_batch_is_refused() -> None:
    with pytest.raises(TypeError, match="not a data frame"):
        ilk_spark.Incremental("x").add([1], 0)


@pytest.mark.parametrize("odd", [None, 3, object(), ["a"]])
def test_what_is_no_column_is_refused(odd: object) -> None:
    with pytest.raises(TypeError, match="neither a column"):
        ilk_spark.hamming_distance("a", odd)
