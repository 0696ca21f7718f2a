"""The user's own programs that convert other files to text: `--convert`.

A program runs once per file, as an argument list without a shell, with empty standard input, in its
own process group and for a limited time. Its output is the text.
"""

import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ilk.base import portable
from ilk.base.errors import OptionError
from ilk.read.files.content import Unreadable, spell_os_error

PLACEHOLDER = "{}"

_LONGEST_REASON = 500


class Converter(NamedTuple):
    """A program for files with an extension, without its dot, and the arguments of the program."""

    extension: str
    arguments: list[str]


def parse_converter(spec: str) -> Converter:
    """Parse "pdf=pdftotext {} -", with the arguments as a POSIX shell splits them."""
    extension, _, command = spec.partition("=")
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise _bad_converter_error(spec, str(error).lower()) from None
    if not arguments:
        raise _bad_converter_error(spec, "no program is given")
    return Converter(_check_extension_without_dot(extension, spec), arguments)


def parse_command_if_given(
    name: str, command: str | Sequence[str] | None
) -> tuple[str, ...] | None:
    """Return a program with its arguments, from a command line or from a list; None for None."""
    if command is None:
        return None
    try:
        words = tuple(shlex.split(command) if isinstance(command, str) else command)
    except ValueError as error:
        raise OptionError(f"{name} is {command!r}: {str(error).lower()}.") from None
    if not words:
        raise OptionError(f"{name} is {command!r}; give a program with its arguments.")
    return words


def check_converters(convert: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the argument lists by extension with its dot (".pdf"); OptionError if bad."""
    if not isinstance(convert, Mapping):
        raise OptionError(f"convert is {convert!r}; it must be a dict of extensions and programs.")
    converters: dict[str, list[str]] = {}
    for extension, arguments in convert.items():
        if isinstance(arguments, str) or not arguments:
            raise _bad_converter_error(
                f"{extension}={arguments}", "the program is not a list of arguments"
            )
        converters["." + _check_extension_without_dot(extension, extension)] = list(arguments)
    return converters


def _check_extension_without_dot(extension: str, spec: str) -> str:
    name = extension.strip().lower().removeprefix(".")
    if not name or any(char in "./" or char.isspace() for char in name):
        raise _bad_converter_error(spec, f"{extension!r} is not a file extension")
    return name


def _bad_converter_error(spec: str, problem: str) -> OptionError:
    return OptionError(
        f"cannot convert by {spec!r}: {problem}; give an extension, and a program with its "
        "arguments, with '{}' for the path: --convert 'pdf=pdftotext {} -'"
    )


def run_converter(arguments: Sequence[str], path: str, timeout_seconds: float) -> bytes:
    """Return what the program prints for the file; Unreadable with the reason if it fails.

    The path replaces "{}" in the arguments, or follows them if they have no "{}". After
    ``timeout_seconds``, the program is killed with everything it has started.
    """
    if path.startswith("-"):
        path = "./" + path  # Otherwise the program would read it as an option.
    command = [argument.replace(PLACEHOLDER, path) for argument in arguments]
    command += [] if any(PLACEHOLDER in argument for argument in arguments) else [path]
    # Files, not pipes: a grandchild that keeps a pipe open would keep the reader waiting.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                **portable.OWN_GROUP,
            )
        except FileNotFoundError:
            raise Unreadable(f"{command[0]}: there is no such program") from None
        except OSError as error:
            raise Unreadable(f"{command[0]}: {spell_os_error(error)}") from None
        try:
            status = process.wait(timeout_seconds)
        except BaseException as error:
            portable.kill_process_group(process)
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise Unreadable(
                    f"{command[0]}: it did not end within {timeout_seconds:g} s"
                ) from None
            raise
        if status != 0:
            # The first line that the program wrote to standard error, or how it ended.
            errors.seek(0)
            first_line = (
                errors.read(_LONGEST_REASON).decode("utf-8", "replace").strip().split("\n")[0]
            )
            code = f"ended with exit code {status}"
            ended = code if status > 0 else f"killed by signal {-status}"
            raise Unreadable(f"{command[0]}: {first_line.strip() or ended}")
        output.seek(0)
        return output.read()
