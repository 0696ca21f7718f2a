"""What the description of the addresses allows, and what it forbids: nothing of it breaks them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from server_support import TOKENS, make_app
from tests.support.demands import package
from tests.support.stores import LONG

from ilk.store import Store

schemathesis = package("schemathesis")

HEAD = {"Authorization": f"Bearer {TOKENS['admin']}", "Host": "localhost"}


def lines(context: Any, value: Any) -> bytes:
    """Return what is generated as lines of a batch."""
    del context
    return value if isinstance(value, bytes) else f"{json.dumps({'text': value})}\n".encode()


schemathesis.serializer("application/x-ndjson")(lines)


def _drawn(store: Store, examples: int) -> Counter[int]:
    """Draw requests for every address, those that it should take and those that it should not."""
    store.add(LONG, metadata={"id": "a"})
    app = make_app(store)
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=HEAD)
    modes = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
    answered: Counter[int] = Counter()
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= 14
    for operation in operations:
        for mode in modes:

            @given(case=operation.as_strategy(generation_mode=mode))
            @settings(
                max_examples=examples,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            )
            def call(case: Any) -> None:
                answer = case.call(headers=HEAD)
                answered[answer.status_code] += 1
                assert answer.status_code < 500, case.as_curl_command()
                if answer.status_code >= 400:
                    assert answer.headers["content-type"] == ["application/problem+json"]
                    assert json.loads(answer.text)["status"] == answer.status_code

            call()
    return answered


def test_no_drawn_request_breaks_the_service(store: Store) -> None:
    answered = _drawn(store, 5)
    # They were looked at, and not only turned away.
    assert {200, 201, 401, 404, 422} <= answered.keys()


@pytest.mark.long
def test_none_of_many_drawn_requests_breaks_the_service(store: Store) -> None:
    assert _drawn(store, 250).total() > 5_000
