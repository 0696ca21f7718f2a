"""Messages and mailboxes: what was written, and what was attached."""

from __future__ import annotations

import base64
import io
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import samples
from tests.support.readers import Read

from ilk import Limits
from ilk.read.formats.parts import HEADERS, UNREAD, DocumentText, MemberPart
from ilk_sources.documents import mail


def parts(content: bytes, replies: str = "keep") -> tuple[DocumentText, list[MemberPart]]:
    first, *others = mail.read_mail(io.BytesIO(content), Limits(), replies=replies)
    assert isinstance(first, DocumentText)
    return first, [one for one in others if isinstance(one, MemberPart)]


def test_the_subject_and_the_plain_text_count_once() -> None:
    text, _ = parts(bytes(samples.message(["Dear reader,", "hello."], title="Grüße")))
    assert text.text.splitlines() == ["Grüße", "", "Dear reader,", "hello."]
    assert text.declared == {"title": "Grüße", "author": "A. Writer", "date": "2026-01-02"}


@pytest.mark.parametrize("subject", ["=?utf-8?b?abcde?=", "=?nonsense?q?a?=", "=?utf-8?q?=ff?="])
def test_a_subject_that_cannot_be_decoded_leaves_the_text_readable(subject: str) -> None:
    text, _ = parts(f"Subject: {subject}\n\nDear reader".encode())
    assert text.text == f"{subject}\n\nDear reader"
    assert text.declared == {"title": subject}


def test_a_page_counts_where_there_is_no_plain_text() -> None:
    made = EmailMessage()
    made.set_content("<p>one &amp; two</p><script>x</script><p>th<b>ree</b></p>", subtype="html")
    assert parts(bytes(made))[0].text.splitlines() == ["one & two", "three"]


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "koi8-r", "nonsense"])
def test_text_is_in_the_charset_that_is_declared(charset: str) -> None:
    word = {"koi8-r": "мир"}.get(charset, "Grüße")
    body = word.encode("utf-8" if charset == "nonsense" else charset)
    head = f"Content-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    assert parts(head.encode() + body)[0].text == word


def test_attachments_are_documents_and_their_names_are_no_paths(read: Read, tmp_path: Path) -> None:
    inner = samples.message(["within"], title="Inner")
    made = samples.message(["outer"], title="Outer", a_pdf=samples.pdf(), inner=inner)
    made.add_attachment(b"a note", "text", "plain", filename="../../note.txt")
    made.add_attachment(b"a note", "text", "plain", filename="../../note.txt")
    (tmp_path / "m.eml").write_bytes(bytes(made))
    rows, tally = read(tmp_path)
    assert tally.failures == []
    found = {row["source"].removeprefix(f"{tmp_path}/"): row["text"] for row in rows}
    assert list(found) == [
        "m.eml",
        "m.eml/a.pdf",
        "m.eml/message.eml",
        "m.eml/.._.._note.txt",
        "m.eml/.._.._note.txt~2",
    ]
    assert found["m.eml"].split() == ["Outer", "outer"]
    assert found["m.eml/message.eml"].split() == ["Inner", "within"]
    assert found["m.eml/a.pdf"].split("\n")[0] == samples.SENTENCES[0]


REPLY = """\
Yes, we do.

On Fri, 2 Jan 2026 at 03:04, A. Reader
<reader@example.org> wrote:

> Do we have something like this already?
>> Nobody knows.

And more of it.

--\x20
A. Writer
Example Ltd.
"""


def test_replies_and_signatures_are_left_out_where_that_is_asked() -> None:
    content = b"Content-Type: text/plain\n\n" + REPLY.encode()
    assert parts(content)[0].text == REPLY
    assert parts(content, "drop")[0].text.split("\n") == ["Yes, we do.", "", "And more of it."]


@given(st.text(max_size=400))
def test_what_the_writer_wrote_is_in_the_text(text: str) -> None:
    kept = mail.drop_quotations_and_signature(text).split("\n")
    lines = [line.strip() for line in text.splitlines()]
    assert all(line.strip() in lines or not line.strip() for line in kept)
    assert mail.drop_quotations_and_signature(
        mail.drop_quotations_and_signature(text)
    ) == mail.drop_quotations_and_signature(text)


@given(st.binary(max_size=2000))
def test_any_bytes_are_a_message(content: bytes) -> None:
    """Whatever they are, there is one text, and no error but one that the child reports."""
    found = mail.read_mail(io.BytesIO(content), Limits())
    assert len([one for one in found if isinstance(one, DocumentText)])


def test_parts_in_parts_without_end_are_refused() -> None:
    deep = b"x"
    for number in range(200):
        line = b"--b%d" % number
        deep = b"Content-Type: multipart/mixed; boundary=b%d\n\n%s\n%s\n%s--\n" % (
            number, line, deep, line,
        )  # fmt: skip
    with pytest.raises(Exception, match="more than 50 deep|recursion"):
        parts(deep)


def sent(number: int, body: str) -> bytes:
    return (
        f"From writer@example.org Fri Jan  2 03:04:{number:02} 2026\nFrom: A. Writer\n"
        f"Date: Fri, 02 Jan 2026 03:04:05 +0000\nSubject: Number {number}\n\n{body}\n\n"
    ).encode()


def test_one_message_in_a_file_is_the_file_whatever_it_is_called(
    read: Read, tmp_path: Path
) -> None:
    made = samples.message(["only here"], title="Alone", note=b"a note of its own")
    content = b"From writer@example.org Fri Jan  2 03:04:05 2026\n" + bytes(made)
    (tmp_path / "let.go").write_bytes(content)
    rows, _ = read(tmp_path)
    names = [row["source"].removeprefix(f"{tmp_path}/") for row in rows]
    assert names[0] == "let.go"
    assert all(name.startswith("let.go/") for name in names[1:])
    assert rows[0]["size"] == len(content)
    assert {row["file"] for row in rows} == {f"{tmp_path}/let.go"}


def test_a_mailbox_is_its_messages(read: Read, tmp_path: Path) -> None:
    bodies = ["One.", "Two.\n\n>From here on\n\nstill two.", "From the start, three."]
    content = b"".join(sent(at, body) for at, body in enumerate(bodies))
    (tmp_path / "mail.mbox").write_bytes(content)
    (tmp_path / "Sent").write_bytes(content + b"\n")
    (tmp_path / "Sent.again").write_bytes(content + b"\n")  # Its messages are listed already.
    rows, tally = read(tmp_path)
    assert tally.failures == []
    assert [row["source"].removeprefix(f"{tmp_path}/") for row in rows] == [
        *("Sent#0", "Sent#1", "Sent#2"),
        *("mail.mbox#0", "mail.mbox#1", "mail.mbox#2"),
    ]
    assert [row["text"].strip() for row in rows[3:]] == [
        "Number 0\n\nOne.",
        "Number 1\n\nTwo.\n\nFrom here on\n\nstill two.",
        "Number 2\n\nFrom the start, three.",
    ]


def test_messages_of_a_maildir_are_known_without_an_extension(read: Read, tmp_path: Path) -> None:
    (tmp_path / "cur").mkdir()
    (tmp_path / "cur" / "1767323045.M1.host:2,S").write_bytes(b"Subject: A title\n\nA text.\n")
    (tmp_path / "note").write_bytes(b"Subject: A title\n\nA text.\n")
    rows, _ = read(tmp_path)
    assert [row["text"] for row in rows] == [
        "A title\n\nA text.\n",
        "Subject: A title\n\nA text.\n",
    ]


@given(st.lists(st.binary(max_size=99).filter(lambda body: b"From " not in body), max_size=9))
def test_a_mailbox_has_as_many_messages_as_were_written(bodies: list[bytes]) -> None:
    content = b"".join(b"From x Fri Jan  2 03:04:05 2026\n\n" + body + b"\n\n" for body in bodies)
    found = [
        one for one in mail.read_mbox(io.BytesIO(content), Limits()) if isinstance(one, MemberPart)
    ]
    assert [one.data for one in found] == [b"\n" + body + b"\n\n" for body in bodies]


def in_parts(
    *some: bytes, kind: bytes = b"mixed", before: bytes = b"", after: bytes = b""
) -> bytes:
    head = b"Subject: S\nContent-Type: multipart/%b; boundary=b\n\n" % kind
    return head + before + b"".join(b"--b\n%b\n" % one for one in some) + b"--b--\n" + after


PLAIN = b"Content-Type: text/plain\n\nwhat was written"

#: What a message may hold beside its text, and that no reader shows as its text.
BESIDE = {
    "delivery-status": in_parts(PLAIN, b"Content-Type: message/delivery-status\n\nStatus: 5.1.1\n"),
    "feedback-report": in_parts(PLAIN, b"Content-Type: message/feedback-report\n\nUser-Agent: x\n"),
    "external-body": in_parts(
        PLAIN, b"Content-Type: message/external-body; access-type=URL; URL=x\n\nContent-Type: x/y\n"
    ),
    "another plain text": in_parts(
        PLAIN, b"Content-Type: text/plain\n\nanother", kind=b"alternative"
    ),
    "preamble": in_parts(PLAIN, before=b"before the parts\n"),
    "epilogue": in_parts(PLAIN, after=b"after the parts\n"),
    "a second message": in_parts(PLAIN, after=b"\nFrom a Fri Jan  2 03:04:05 2026\n\nsecond\n"),
}


@pytest.mark.parametrize("what", BESIDE)
def test_what_a_message_holds_beside_its_text_is_left_out_and_named(what: str) -> None:
    text, carried = parts(BESIDE[what])
    assert text.text.split() == ["S", "what", "was", "written"]
    assert carried == []
    assert text.left is not None
    assert text.left.kinds
    changed = BESIDE[what].replace(b"5.1.1", b"5.1.2").replace(b"-Agent: x", b"-Agent: y")
    for word in (b"another", b"before the", b"after the", b"second"):
        changed = changed.replace(word, b"other words")
    changed = changed.replace(b"x/y", b"x/z")
    other = parts(changed)[0].left
    assert other is not None
    assert other.digest != text.left.digest


@pytest.mark.parametrize("charset", ["us-ascii", "utf-8", "euc-jp", "nonsense"])
def test_a_text_that_its_charset_does_not_fit_is_shown_all_the_same(charset: str) -> None:
    for body in (b"words \x00\x01\x02\x03 and \xff\xfe more words", b"\x80\x81 caf\xe9 words"):
        content = b"Content-Type: text/plain; charset=%b\n\n%b" % (charset.encode(), body)
        assert "words" in parts(content)[0].text


def test_a_message_of_usenet_is_one_without_a_date(read: Read, tmp_path: Path) -> None:
    (tmp_path / "53521").write_bytes(
        b"From: a@example.org (A. Writer)\nSubject: Re: A title\nOrganization: none\nLines: 2\n\n"
        b"A text.\n"
    )
    (tmp_path / "note").write_bytes(b"From: here\nSubject: of talk\nand so on\n\nA text.\n")
    (tmp_path / "short").write_bytes(b"From: here\nSubject: of talk\n")
    rows, _ = read(tmp_path)
    assert [row["text"] for row in rows] == [
        "Re: A title\n\nA text.\n",
        "From: here\nSubject: of talk\nand so on\n\nA text.\n",
        "From: here\nSubject: of talk\n",
    ]


_PICTURE = f'<img src="data:image/png;base64,{"QUJD" * 2_000}">'


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        (_PICTURE, "pictures"),
        ("<p style=\"background: url('data:image/gif;base64,QUJD')\">", "pictures"),
        ("<style>p {background: url(data:image/gif;base64,QUJD)}</style>", "pictures"),
        ('<a href="data:application/pdf;base64,QUJD"></a>', "embedded files"),
        ("<svg><path d='M 0 0 L 9 9'/></svg>", "drawings"),
        ('<input name="a" value="zebra">', "typed text"),
        ("<input type=checkbox checked>", "typed text"),
        ("<!-- never closed <p>zebra</p>", "text after a comment that never closes"),
        ("<script>zebra", "text after an element that never closes"),
        ("<style>zebra", "text after an element that never closes"),
        ("<noscript><p>zebra</p>", "text after an element that never closes"),
    ],
)
def test_what_a_page_in_mail_does_not_show_is_left_out_by_name(more: str, kind: str) -> None:
    def read(html: str) -> DocumentText:
        made = EmailMessage()
        made.set_content(html, subtype="html")
        return parts(bytes(made))[0]

    plain, other = read("<p>one two</p>"), read(f"<p>one two</p>{more}")
    assert plain.text == other.text == "one two"
    assert plain.left is not None
    assert other.left is not None
    assert set(other.left.kinds) - set(plain.left.kinds) - {UNREAD} == {kind}
    assert other.left.digest not in ("", plain.left.digest)


def test_what_follows_a_comment_or_a_script_that_closes_is_text() -> None:
    made = EmailMessage()
    html = "<!-- one --><p>two</p><script>three</script><p>four</p><title/><p>five <b>six"
    made.set_content(html, subtype="html")
    text, _ = parts(bytes(made))
    assert text.text.splitlines() == ["two", "four", "five six"]
    assert text.left is not None
    assert set(text.left.kinds) == {HEADERS, UNREAD}


def test_a_footer_after_base64_is_text() -> None:
    body = base64.encodebytes(b"A text that ends.").decode()
    head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    footer = "_______\nThe list of readers\nunsubscribe"
    text, _ = parts(f"{head}{body}{footer}\n".encode())
    assert text.text.splitlines() == ["A text that ends.", *footer.split("\n")]


def test_damage_in_base64_is_no_footer() -> None:
    words = [f"word{at}" for at in range(60)]
    body = base64.encodebytes(" ".join(words).encode()).decode().replace("\n", "\n!!\n", 1)
    head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    assert parts(f"{head}{body}".encode())[0].text.split() == words
