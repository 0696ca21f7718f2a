"""``ilk serve STORE``: a store over HTTP, for a team and its programs."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilk.companions import CREATING, new_store_options
from ilk.plugins import (
    MissingExtra,
    OptionError,
    note,
    options,
    output,
    printable,
)
from ilk_server.options import SERVICE, choose_service_options

if TYPE_CHECKING:
    from ilk_server.guard import Guard
    from ilk_server.limits import RequestLimits
    from ilk_server.tokens import LoadedTokens

#: What the verb does.
SUMMARY = "serve a store over HTTP, to people and programs"

#: The address, and the limits of requests.
ADDRESS = choose_service_options("host", "port", "allow_host", "add_token")
LIMITED = choose_service_options("limit_body", "limit_seconds", "limit_requests")
_ASKED = choose_service_options("additions", "notify", "mcp", "open")

_EPILOG = """\
examples:
  ilk serve letters.ilk                     at http://127.0.0.1:8017, with a token
  ilk serve letters.ilk --open              the same, and opens it in a browser
  ilk serve letters.ilk --add-token read    another token, for those who only query
  ilk serve letters.ilk --mcp               to an agent, on standard input and output

The first start creates a token, prints it, and saves it in STORE.token. Programs send it in the
header `Authorization: Bearer TOKEN`; a browser asks for it once. GET /openapi.json
describes the interface."""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.make_parser(
        "serve",
        "Serves a store over HTTP. Several clients at a time can ask what a document is like, and "
        "can add, change and remove documents. Needs the extra `server`.",
        _EPILOG,
    )
    verb.add_argument("store", metavar="STORE", help="the file of the store, created if missing")
    options.add_options(verb, **ADDRESS, **_ASKED)
    options.add_options(verb, heading="limits", **LIMITED)
    CREATING(verb)
    options.add_options(verb, "jobs", heading="running")
    return verb


def run(args: argparse.Namespace) -> int:
    """Serve until a signal, and return the exit code."""
    if add_and_print_token_if_requested(args, args.store):
        return output.DONE
    announce_opening_at_terminal(args.store)
    limits = check_extra_and_request_limits(args)
    from ilk import Store
    from ilk_server.additions import AdditionLog
    from ilk_server.answers import StoreAnswers
    from ilk_server.application import make_store_application
    from ilk_server.metrics import Metrics

    with contextlib.ExitStack() as stack:
        additions = None
        if args.additions is not None:
            additions = stack.enter_context(AdditionLog(args.additions))
        made = Store(args.store, **new_store_options(args), timeout=limits.seconds)
        it = stack.enter_context(made)
        tokens = read_or_create_tokens_and_print_new(args.store, quiet=args.mcp)
        if additions is not None and args.notify is not None:
            from ilk_server.notifying import Notifier

            last = additions.read_last_number_or_begin_at(it.last_id)
            stack.enter_context(Notifier(args.additions, args.notify, last))
        StoreAnswers(it, Metrics(), additions).log_missing_additions()

        def make_app_for_hosts(hosts: Sequence[str]) -> Guard:
            return make_store_application(
                it, tokens, limits=limits, hosts=hosts, additions=additions
            )

        if args.texts and not it.settings.texts:
            note(
                f"{args.store} was made without texts, and stays so: there is nothing to show side "
                "by side. Make another store with --texts.",
                quiet=False,
            )
        if args.mcp:
            token = os.environ.get("ILK_TOKEN", "")
            serve_mcp_on_stdio(make_app_for_hosts(()), token, args.store)
            return output.DONE
        annexed = {"store": args.store, "jobs": args.jobs, "additions": args.additions}
        serve_with_note_file_beside_path(
            args, args.store, make_app_for_hosts, store_settings=annexed, documents=len(it)
        )
    return output.DONE


def announce_opening_at_terminal(path: str) -> None:
    """Tell a person at a terminal at once that the service starts; its log elsewhere stays JSON."""
    if sys.stderr.isatty():
        note(f"{printable(path)} is being opened; the address follows", quiet=False)


def serve_with_note_file_beside_path(
    args: argparse.Namespace,
    served_path: str | Path,
    make_app_for_hosts: Callable[[Sequence[str]], Guard],
    **log_fields: Any,
) -> None:
    """Serve an application at the address of the options."""
    from ilk_server import process

    host, port = (SERVICE[name].check(name, getattr(args, name)) for name in ("host", "port"))
    file = Path(f"{served_path}.serving")
    process.serve(
        make_app_for_hosts,
        host,
        port,
        allowed_hosts=args.allow_host or (),
        note_file=file,
        open_browser=args.open,
        **log_fields,
    )


def add_and_print_token_if_requested(args: argparse.Namespace, path: str) -> bool:
    """Add a token if requested, and return whether it was."""
    from ilk_server.tokens import add_token_creating_file_if_missing, tokens_path

    if args.add_token is None:
        return False
    token = add_token_creating_file_if_missing(tokens_path(path), args.add_token)
    print(f"token: {token}")
    return True


def serve_mcp_on_stdio(app: Guard, token: str, served_path: str) -> None:
    """Answer an agent that has a token, on standard input and output, until it ends.

    Raises:
        MissingExtra: the package is not installed.
        OptionError: the token, which ``ILK_TOKEN`` holds, is unknown.
    """
    from ilk_server.tokens import tokens_path

    if app.role_of(token) is None:
        raise OptionError(
            f"ILK_TOKEN in the environment is no token of {served_path}; set it to one from the "
            f"file {tokens_path(served_path)}."
        )
    from ilk_server.agents import make_mcp_server

    make_mcp_server(app, token).run()


def read_or_create_tokens_and_print_new(path: str, *, quiet: bool = False) -> LoadedTokens:
    """Return the tokens of a store or plan; create the first one, and print it unless quiet."""
    from ilk_server.tokens import LoadedTokens, tokens_path

    tokens, made = LoadedTokens.read_or_create(tokens_path(path))
    if made is not None and not quiet:
        print(f"token: {made}", flush=True)
    return tokens


def check_extra_and_request_limits(args: argparse.Namespace) -> RequestLimits:
    """Return the limits of requests.

    Raises:
        MissingExtra: the packages of the service are not installed.
        OptionError: a limit is out of bounds.
    """
    try:
        import ilk_server.process  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "fastapi", "server") from error
    from ilk_server.limits import RequestLimits

    return RequestLimits(
        body=SERVICE["limit_body"].check("limit_body", args.limit_body),
        seconds=SERVICE["limit_seconds"].check("limit_seconds", args.limit_seconds),
        requests=SERVICE["limit_requests"].check("limit_requests", args.limit_requests),
    )
