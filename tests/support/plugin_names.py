"""Names of ``ilk.plugins`` and ``ilk.companions`` that can be called, with usable arguments."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

from ilk import _kernels, companions, plugins
from tests.support.usual_arguments import BYTES, samples


def _public(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """What a module defines for others, or a room lets others import."""
    imported = set[str]()
    if hasattr(module, "__path__"):
        # Rooms load their names when they are first used, or import them at once.
        imported = {*vars(module).get("_PLACES", vars(module))}
    for name, value in ((name, getattr(module, name, None)) for name in {*vars(module), *imported}):
        own = getattr(value, "__module__", None) == module.__name__ or module is _kernels
        if not name.startswith("_") and (name in imported or own):
            yield name, value


def _classed(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    yield name, value
    if inspect.isclass(value):
        for inner in vars(value):
            static = inspect.getattr_static(value, inner)
            if not inner.startswith("_") and isinstance(static, classmethod | staticmethod):
                yield f"{name}.{inner}", getattr(value, inner)


def callables() -> dict[str, Callable[..., Any]]:
    """Return what can be called, once each, but errors and protocols."""
    found: dict[str, Callable[..., Any]] = {}
    homes = [(module, name) for module in (plugins, companions) for name in vars(module)["_PLACES"]]
    for module, name in sorted(homes, key=lambda home: home[1]):
        value = getattr(module, name)
        inner = _public(value) if isinstance(value, types.ModuleType) else [("", value)]
        for part, each in sorted(inner, key=lambda one: one[0]):
            for called, one in _classed(f"{name}.{part}".rstrip("."), each):
                kind = isinstance(one, type) and (
                    issubclass(one, BaseException) or getattr(one, "_is_protocol", False)
                )
                new = callable(one) and not kind and one not in found.values()
                if new and _signature(one) is not None:
                    found[called] = one
    return found | dict(_methods())


def _methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """What objects of the kernels can do."""
    collection = _kernels.Collection(1)
    collection.add(BYTES)
    keys = _kernels.SetKeys.of_rare_values([(b"\1\0\0\0", False)] * 9, (4, 5), 1)
    builder = _kernels.EvidenceBuilder(samples()["kernels.EvidenceBuilder.rule"], 1)
    made = [_kernels.ArrayLines(), _kernels.BytesDigest(), _kernels.Collection(1), builder, keys]
    made += [
        _kernels.HammingIndex(False, 3),
        keys.make_question_empty_if_below_threshold([(b"\1\0\0\0", False)], (4, 5)),
    ]
    made += [_kernels.UrlRules(["fragment"], []), collection.find_repeated_outside_base(3)]
    for each in made:
        for name in dir(each):
            static = inspect.getattr_static(each, name)
            if not name.startswith("_") and type(static).__name__ == "method_descriptor":
                yield f"kernels.{type(each).__name__}().{name}", getattr(each, name)


def _signature(value: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(value)
    except (TypeError, ValueError):
        return None


def usual(called: str, function: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments that must be given, with values that fit."""
    known, given = samples(), {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.default is not parameter.empty:
            continue
        kind = parameter.annotation
        kind = getattr(
            kind,
            "__forward_arg__",
            kind if isinstance(kind, str) else getattr(kind, "__name__", ""),
        )
        kind = "" if parameter.annotation is parameter.empty else kind
        for key in (f"{called}.{name}", kind or name, kind.removesuffix(" | None"), name):
            if key in known:
                given[name] = known[key]
                break
        else:
            given[name] = "x"
    return given
