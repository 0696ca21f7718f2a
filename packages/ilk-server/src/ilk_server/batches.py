"""Batches: JSON lines in, JSON lines out, as they arrive; a bad line does not affect others."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple, TypeAlias

from ilk import IlkError
from ilk_server import problems
from ilk_server.answers import StoreAnswers
from ilk_server.bodies import (
    Document,
    RequestBody,
    check_fields_and_size_beside_text,
    parse_json_body,
)
from ilk_server.problems import Refused
from ilk_server.work import ThreadCalls

#: Lines, and bytes, to process together; a client that reads answers only after sending everything
#: must not send more.
LINES, BYTES = 256, 4 << 20


#: Returns the answers to the documents of a group of lines, one each; IlkError if one is bad.
AnswerDocuments: TypeAlias = Callable[[list[RequestBody]], list[dict[str, Any]]]


class Line(NamedTuple):
    """A line of a batch, by its number from 1."""

    number: int
    body: bytes


class LineAnswer(NamedTuple):
    """The answer to a line of a batch, by the number of that line."""

    number: int
    answer: dict[str, Any]


async def group_lines_or_refuse_long(
    pieces: AsyncIterator[bytes], max_line_bytes: int
) -> AsyncIterator[list[Line]]:
    """Yield the lines of a stream in groups; empty ones are left out.

    Raises:
        Refused: a line is longer than ``max_line_bytes`` bytes.
    """
    rest, number, waiting, size = bytearray(), 0, list[Line](), 0
    async for piece in pieces:
        start = len(rest)
        rest += piece
        if b"\n" in piece:
            *whole, last = bytes(rest).split(b"\n")
            rest = bytearray(last)
            full = [line for line in enumerate(whole, number + 1) if line[1].strip()]
            number += len(whole)
            for line in full:
                waiting.append(Line(*line))
                size += len(line[1])
                if len(waiting) == LINES or size > BYTES:
                    yield waiting
                    waiting, size = [], 0
        if len(rest) > max_line_bytes or start > max_line_bytes:
            if waiting:
                yield waiting
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"line {number + 1} is longer than {max_line_bytes:,} bytes, the most that is "
                "accepted.",
            )
    if rest.strip():
        waiting.append(Line(number + 1, bytes(rest)))
    if waiting:
        yield waiting


async def answer_lines(
    pieces: AsyncIterator[bytes],
    max_line_bytes: int,
    *,
    work: ThreadCalls,
    answer: AnswerDocuments,
    subtract_held_bytes_of_body: Callable[[], None],
) -> AsyncIterator[bytes]:
    """Yield an answer for every line, as a line of JSON.

    ``subtract_held_bytes_of_body`` is called whenever the lines so far have been answered.
    """
    try:
        async for some in group_lines_or_refuse_long(pieces, max_line_bytes):
            async with work.turn_for_large():
                answers = await work(_answer_group_or_one_by_one, some, answer)
            for number, found in answers:
                yield _json_line({"line": number, **found})
            subtract_held_bytes_of_body()
    except Refused as refused:
        yield _json_line(problems.problem_record(refused))


def _json_line(values: dict[str, Any]) -> bytes:
    return json.dumps(values).encode() + b"\n"


def _answer_group_or_one_by_one(lines: Sequence[Line], answer: AnswerDocuments) -> list[LineAnswer]:
    """Return the answers to some lines, in their order."""
    answers: dict[int, dict[str, Any]] = {}
    documents: dict[int, RequestBody] = {}
    for number, body in lines:
        try:
            documents[number] = RequestBody(
                check_fields_and_size_beside_text(parse_json_body(body), Document)
            )
            documents[number].document_or_refuse()
        except Refused as refused:
            documents.pop(number, None)
            answers[number] = problems.problem_record(refused)
    try:
        answers |= (
            zip(documents, answer(list(documents.values())), strict=True) if documents else ()
        )
    except IlkError:
        # One of them is bad, and nothing has happened yet: try each by itself.
        for number, one in documents.items():
            try:
                answers[number] = answer([one])[0]
            except IlkError as error:
                answers[number] = problems.problem_record(problems.refusal_of_error(error))
    return [LineAnswer(number, answers[number]) for number in sorted(answers)]


def make_line_checker(answers: StoreAnswers, limits: dict[str, Any]) -> AnswerDocuments:
    """Return a function that says what the documents of lines are like."""

    def answer(bodies: list[RequestBody]) -> list[dict[str, Any]]:
        documents = [one.document_or_refuse() for one in bodies]
        texts = [str(one.text) for one in documents]
        return [
            {"id": one.id, "source": one.source, "matches": matches}
            for one, matches in zip(documents, answers.check_many(texts, **limits), strict=True)
        ]

    return answer


def make_all_or_none_line_adder(answers: StoreAnswers, on_duplicate: str) -> AnswerDocuments:
    """Return a function that adds the documents of lines: a group of them in one transaction."""

    def answer(bodies: list[RequestBody]) -> list[dict[str, Any]]:
        documents = [one.document_or_refuse() for one in bodies]
        return answers.add_documents(documents, on_duplicate=on_duplicate)

    return answer
