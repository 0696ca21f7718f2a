"""The command line: finds the verb, runs it, turns errors into exit codes.

Exit codes: 0 something was found (or done), 1 nothing was found, 2 an error, 3 an alarm.
Nothing heavy is imported before the verb is known, so that ``ilk --help`` answers at once.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from ilk.cli.exit_codes import ALARM, ERROR, INTERRUPTED, TERMINATED, ExitCode
from ilk.cli.verbs import GROUPS, VERBS, load_verb_or_none

#: The threshold of the garbage collector, in objects that are made and not freed.
_BETWEEN_LOOKS = 100_000


#: Seconds for which a thread keeps the interpreter that another one waits for. Python's own are 5
#: ms. The thread that writes rows waits for the one that makes the page after each step of a block,
#: and such a step takes less than that.
_TURN = 0.0005


class _Terminated(KeyboardInterrupt):
    """SIGTERM: a run ends as at Ctrl-C, and keeps the same."""


def _interrupt_at_sigterm() -> None:
    """Have SIGTERM interrupt the run, as the system or a scheduler sends it before it kills; a
    second one ends the process at once.
    """
    import signal

    def terminate(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise _Terminated

    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:  # Or the caller has it ignored.
        signal.signal(signal.SIGTERM, terminate)


def _restore_default_signal_handlers() -> None:
    """Let SIGINT and SIGTERM end the process at once, without a message: the run is over.

    Python would raise an error in the code that it runs at its end, and print where.
    """
    import signal

    for number in (signal.SIGINT, signal.SIGTERM):
        if callable(signal.getsignal(number)):  # The caller may have it ignored.
            signal.signal(number, signal.SIG_DFL)


def main(arguments: Sequence[str] | None = None) -> ExitCode:
    """Run one verb and return its exit code."""
    from ilk.cli import styling

    # Standard streams that the caller closed: nobody reads there, nothing is written.
    for closed, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, closed) is None:
            setattr(sys, closed, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0].partition("=")[0] == "--color":
        # Every verb accepts it, and it may stand before the verb too.
        length = 2 if words[0] == "--color" else 1
        words = [*words[length : length + 1], *words[:length], *words[length + 1 :]]
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if arguments is None:
        gc.set_threshold(_BETWEEN_LOOKS)  # Thousands of rows are not garbage.
        sys.setswitchinterval(_TURN)
        _interrupt_at_sigterm()
    styling.set_color_option(words)
    named = bool(words) and not words[0].startswith("-")
    name, parser = f"ilk {words[0]}" if named else "ilk", None
    try:
        verb = load_verb_or_none(words[0]) if named else None
        if words == ["--version"]:
            code = _print_version_and_extras()  # Without the verbs of all packages, and their help.
        elif verb is None:
            name = "ilk"
            code = _run_without_verb(words)
        else:
            parser = verb.parser()
            args = parser.parse_args(words[1:])
            if args.configured:
                from ilk.cli import config, wording

                wording.note(
                    config.spell_options_from_config_file(
                        args, parser.command_line_names_of_all_options()
                    ),
                    getattr(args, "quiet", False),
                )
            if arguments is None and words[0] in VERBS and not getattr(args, "engine", None):
                _import_pyarrow_without_numpy_and_pandas()
            code = verb.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        return 0  # The reader has gone (`ilk scan ... | head`): there is nobody to report to.
    except KeyboardInterrupt as stop:
        from ilk.cli import wording

        message = "; ".join(("interrupted", *getattr(stop, "__notes__", ())))
        code = TERMINATED if isinstance(stop, _Terminated) else INTERRUPTED
        return wording.print_refusal_and_return_code("ilk", message, code)
    except Exception as error:
        from ilk.base.errors import AlarmRaised, IlkError
        from ilk.base.terminal import printable
        from ilk.cli import wording

        if not isinstance(error, IlkError | OSError | MemoryError):
            raise
        message = str(error) or "out of memory"
        if type(error).__module__ == "builtins" and isinstance(error, OSError) and error.strerror:
            place = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
            message = f"{place}{error.strerror}"
        # Options as the user types them.
        message = wording.spell_parameters_as_flags(
            message, wording.FLAGS if parser is None else parser.command_line_names_of_all_options()
        )
        code = ALARM if isinstance(error, AlarmRaised) else ERROR
        return wording.print_refusal_and_return_code(name, printable(message), code)
    finally:
        if arguments is None:
            _restore_default_signal_handlers()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:  # Python would try again, and end with 120.
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if arguments is None:
            gc.freeze()  # Skip the two full collections at interpreter shutdown.
    return int(code)


class _FrameImportBlocker:
    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name in ("numpy", "pandas"):
            raise ModuleNotFoundError(name, name=name)


def _import_pyarrow_without_numpy_and_pandas() -> None:
    """Stop pyarrow from importing NumPy and pandas at its first array, and its first list of times.

    They take half of the start-up time and 60 MB, and no verb of the core returns a frame.
    """
    sys.meta_path.insert(0, _FrameImportBlocker)
    try:
        import pyarrow.compute  # This import looks for them too.

        pyarrow.array([None])
        pyarrow.array([0], pyarrow.timestamp("us", "UTC")).to_pylist()
    finally:
        sys.meta_path.remove(_FrameImportBlocker)


def _print_version_and_extras() -> ExitCode:
    from ilk.cli import about

    print("\n".join(about.version_and_extras_lines()))
    return 0


def _run_without_verb(words: Sequence[str]) -> ExitCode:
    """Print the help, the version or a script of completion; return the exit code."""
    import argparse

    from ilk.base import packages
    from ilk.cli.options import spell_names_with_meanings
    from ilk.cli.parsing import Parser, SingleValueAction

    others = {
        name: packages.load_entry_point(point).SUMMARY
        for name, point in packages.entry_points_in_ilk_group("verbs").items()
    }
    groups = GROUPS | ({"from packages": others} if others else {})
    width = max(map(len, VERBS | others))
    lists = [
        f"{title}:\n{spell_names_with_meanings(verbs, width)}" for title, verbs in groups.items()
    ]
    absent = [
        f"{', '.join(verbs)} ({name})" for name, verbs in packages.missing_verbs_by_extra().items()
    ]
    if absent:
        how = "pip install 'ilk[NAME]'; in a clone, each verb says how"
        lists.append(f"not installed: {'; '.join(absent)}; {how}")
    parser = Parser(
        prog="ilk",
        description="\n\n".join(["Find exact and near-duplicate documents.", *lists]),
        epilog="`ilk VERB --help` explains a verb. Start with: ilk scan FOLDER",
        usage="ilk VERB ...",
    )
    parser.drop_config_option()
    parser.add_argument(
        "--version", action="store_true", help="print the version, its recipe, and the extras found"
    )
    parser.add_argument(
        "--print-completion",
        action=SingleValueAction,
        metavar="SHELL",
        help="print what completes commands in bash, zsh, fish or tcsh (needs the extra "
        "`completion`)",
    )
    if not words:
        parser.print_help(sys.stderr)
        return ERROR
    parser.add_argument(
        "verb", choices=VERBS | others, metavar="verb", nargs="?", help=argparse.SUPPRESS
    )
    args = parser.parse_args(words)
    if args.print_completion is not None:
        from ilk.cli import about

        print(about.completion_script(args.print_completion))
    elif args.version:
        return _print_version_and_extras()
    else:
        parser.error("put the verb first")
    return 0
