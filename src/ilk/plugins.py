"""The interface for plug-ins: verbs, readers of rows and of formats of documents, engines.

These names, and those of ``ilk`` itself, are what a package by anybody can use. Each has a
docstring. They are loaded when they are first used. Arguments are of the kinds that signatures
name; others raise an error of ilk, of Python or of Arrow, such as a ``TypeError``,
``AttributeError``, ``KeyError`` or ``OverflowError``. No call exits the process or hangs.
"""

from __future__ import annotations

from ilk.base.lazy import lazy_attributes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ilk.base.errors import ColumnTypeError, MissingExtra
    from ilk.base.errors import NothingRead, OptionError, OutputError
    from ilk.base.errors import SourceDamaged, SourceNotFound
    from ilk.base.kinds import Choice, Flag, Seconds, Text, Whole
    from ilk.base.options import Option, check_option
    from ilk.base.progress import Progress, Step, expect_steps_if_meter, accept_true_as_progress
    from ilk.base.run_options import Running
    from ilk.base.terminal import printable
    from ilk.cli import options, output
    from ilk.cli.wording import note
    from ilk.search.measures import count_noun
    from ilk.read import Reading, ReadReport
    from ilk.read.encodings.decoding import decode
    from ilk.read.formats.parts import DocumentPart, DocumentText, Left
    from ilk.read.formats.parts import MemberPart, StillWorking, Unfit, Unread
    from ilk.read.rows.sources import RowChoice
    from ilk.read.rows.kinds import Opener
    from ilk.read.rows.sources import (
        Counts,
        ColumnRequest,
        Part,
        Rejected,
        Source,
        Stamp,
        TellBytesRead,
        Writer,
    )
    from ilk import arrow
else:
    _PLACES = {
        # Names, by scripts/make-signatures.
        "ColumnTypeError": "ilk.base.errors:ColumnTypeError",
        "MissingExtra": "ilk.base.errors:MissingExtra",
        "NothingRead": "ilk.base.errors:NothingRead",
        "OptionError": "ilk.base.errors:OptionError",
        "OutputError": "ilk.base.errors:OutputError",
        "SourceDamaged": "ilk.base.errors:SourceDamaged",
        "SourceNotFound": "ilk.base.errors:SourceNotFound",
        "Choice": "ilk.base.kinds:Choice",
        "Flag": "ilk.base.kinds:Flag",
        "Seconds": "ilk.base.kinds:Seconds",
        "Text": "ilk.base.kinds:Text",
        "Whole": "ilk.base.kinds:Whole",
        "Option": "ilk.base.options:Option",
        "check_option": "ilk.base.options:check_option",
        "Progress": "ilk.base.progress:Progress",
        "Step": "ilk.base.progress:Step",
        "expect_steps_if_meter": "ilk.base.progress:expect_steps_if_meter",
        "accept_true_as_progress": "ilk.base.progress:accept_true_as_progress",
        "Running": "ilk.base.run_options:Running",
        "printable": "ilk.base.terminal:printable",
        "options": "ilk.cli.options",
        "output": "ilk.cli.output",
        "note": "ilk.cli.wording:note",
        "count_noun": "ilk.search.measures:count_noun",
        "Reading": "ilk.read:Reading",
        "ReadReport": "ilk.read:ReadReport",
        "decode": "ilk.read.encodings.decoding:decode",
        "DocumentPart": "ilk.read.formats.parts:DocumentPart",
        "DocumentText": "ilk.read.formats.parts:DocumentText",
        "Left": "ilk.read.formats.parts:Left",
        "MemberPart": "ilk.read.formats.parts:MemberPart",
        "StillWorking": "ilk.read.formats.parts:StillWorking",
        "Unfit": "ilk.read.formats.parts:Unfit",
        "Unread": "ilk.read.formats.parts:Unread",
        "RowChoice": "ilk.read.rows.sources:RowChoice",
        "Opener": "ilk.read.rows.kinds:Opener",
        "Counts": "ilk.read.rows.sources:Counts",
        "ColumnRequest": "ilk.read.rows.sources:ColumnRequest",
        "Part": "ilk.read.rows.sources:Part",
        "Rejected": "ilk.read.rows.sources:Rejected",
        "Source": "ilk.read.rows.sources:Source",
        "Stamp": "ilk.read.rows.sources:Stamp",
        "TellBytesRead": "ilk.read.rows.sources:TellBytesRead",
        "Writer": "ilk.read.rows.sources:Writer",
        "arrow": "ilk.arrow",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(__name__, _PLACES)
