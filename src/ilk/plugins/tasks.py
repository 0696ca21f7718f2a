"""Tasks whole, and what plans and labels say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.base.lazy import loader

if TYPE_CHECKING:
    from ilk.tasks import find as find
    from ilk.tasks import labels as labels
    from ilk.tasks import plans as plans
    from ilk.tasks.apply import plan as plan
    from ilk.tasks.apply.journal import row_of
    from ilk.tasks.apply.plan import DIFFERENT, DROP, KEEP, SAME, VERSION
    from ilk.tasks.labels import add_labels

__all__ = [
    "DIFFERENT",
    "DROP",
    "KEEP",
    "SAME",
    "VERSION",
    "add_labels",
    "find",
    "labels",
    "plan",
    "plans",
    "row_of",
]

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {
            "ilk.tasks.apply.journal": ("row_of",),
            "ilk.tasks.apply.plan": (
                "DIFFERENT",
                "DROP",
                "KEEP",
                "SAME",
                "VERSION",
            ),
            "ilk.tasks.labels": ("add_labels",),
            "ilk.tasks.find:": ("find",),
            "ilk.tasks.labels:": ("labels",),
            "ilk.tasks.apply.plan:": ("plan",),
            "ilk.tasks.plans:": ("plans",),
        },
    )
