"""A bare FastAPI that sends back what it was sent: the yardstick of ``benchmarks.service``."""

from __future__ import annotations

from typing import Any

import uvicorn
from fastapi import Body, FastAPI

app = FastAPI()


@app.post("/check")
async def check(body: Any = Body(...)) -> Any:  # noqa: B008 - FastAPI's own way
    """Send the body back."""
    return body


class _Server(uvicorn.Server):
    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"http://127.0.0.1:{port}", flush=True)


if __name__ == "__main__":
    _Server(uvicorn.Config(app, port=0, log_config=None, access_log=False)).run()
