"""A server of the files of a folder, and of stretches of them, as a reader of Parquet asks."""

from __future__ import annotations

import functools
import re
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path


class Ranges(SimpleHTTPRequestHandler):
    """Answers ``Range``, which the server of Python does not know."""

    protocol_version = "HTTP/1.1"

    def send_head(self) -> BytesIO | None:
        """Send all that comes before the bytes."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return None
        whole, found = path.read_bytes(), re.fullmatch(r"bytes=(\d+)-(\d*)", self._range())
        first = int(found[1]) if found else 0
        last = min(int(found[2] or len(whole)) if found else len(whole), len(whole) - 1)
        self.send_response(206 if found else 200)
        if found:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(whole)}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        return BytesIO(whole[first : last + 1])

    def _range(self) -> str:
        return str(self.headers.get("Range", ""))

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    handler = functools.partial(Ranges, directory=sys.argv[1])
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        sys.stdout.write(f"{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()
