"""The options of a service: its address, who may ask, and the limits of requests.

Those that a person must choose are marked as ``refused_in_default_config``: a file ``ilk.toml``
that merely lies in a folder may not set them.
"""

from __future__ import annotations

from typing import Any

from ilk.companions import Size
from ilk.plugins import Choice, Flag, Option, Seconds, Text, Whole

#: Every option of ``ilk serve`` and ``ilk review`` that no other package has, by its name.
SERVICE = {
    "host": Option(
        Text(),
        "the address to listen on; for access from other machines, use a proxy with TLS",
        "127.0.0.1",
        "ADDRESS",
        usual=True,
        refused_in_default_config=True,
    ),
    "port": Option(
        Whole(0, 65_535),
        "the port to listen on; 0 chooses a free one",
        8_017,
        "PORT",
        default_phrase="8017",
        usual=True,
    ),
    "allow_host": Option(
        Text(),
        "a host name by which clients may reach the service, such as the proxy's; repeatable",
        metavar="NAME",
        repeated=True,
        default_phrase="localhost and the address it listens on",
        refused_in_default_config=True,
    ),
    "add_token": Option(
        Choice(("read", "write", "admin")),
        "create another token, print it, and end: read may query; write may also add and change "
        "documents; admin may also remove them",
        refused_in_default_config=True,
    ),
    "additions": Option(
        Text(),
        "append a line of JSON to this file for each document that comes in, with what it is like; "
        "at the start, also for those added in other ways since its last line",
        metavar="FILE",
        refused_in_default_config=True,
    ),
    "mcp": Option(
        Flag(),
        "answer an agent on standard input and output, by the Model Context Protocol, instead of "
        "HTTP; ILK_TOKEN in the environment says who asks",
        refused_in_default_config=True,
        idle_with=("host", "port", "allow_host", "add_token", "open"),
    ),
    "notify": Option(
        Text(),
        "send each new line of `additions` to this address of http or https, again until it is "
        "taken",
        metavar="URL",
        needs=("additions",),
        refused_in_default_config=True,
    ),
    "limit_body": Option(
        Size(),
        "the most that one request may send; of JSON, and in a line of a batch, an eighth",
        64_000_000,
        part=("limit", "body"),
    ),
    "limit_seconds": Option(
        Seconds(),
        "the time limit for a body to arrive, and for an answer to be ready",
        30.0,
        part=("limit", "seconds"),
    ),
    "limit_requests": Option(
        Whole(1, 1 << 16, "requests"),
        "answer 503 if more requests than this are waiting",
        256,
        part=("limit", "requests"),
    ),
    "open": Option(
        Flag(),
        "open the page in a browser, by a link that logs in once: no token to copy",
        False,
        refused_in_default_config=True,
    ),
}


def choose_service_options(*names: str) -> dict[str, Any]:
    """Return some options of the service, for ``options.add_options``."""
    return {name: SERVICE[name] for name in names}
