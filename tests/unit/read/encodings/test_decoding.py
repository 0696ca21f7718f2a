"""Decoding: never fails, changes nothing that is UTF-8, and finds the older encodings."""

from __future__ import annotations

import codecs
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.read.encodings.decoding import decode
from ilk.read.encodings.kinds import HEAD
from tests.support.fixtures import examples

SENTENCES = {
    "French": "Dès Noël où un zéphyr haï me vêt, je dîne d'exquis rôtis de bœuf à l'aÿ d'âge mûr.",
    "German": "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich; Äpfel, Öl, Übung.",
    "Spanish": "El pingüino Wenceslao hizo kilómetros bajo la lluvia. ¿Qué añoraba? ¡Ánimo!",
    "Danish": "Høj bly gom vandt fræk sexquiz på wc; åben dør, ærlig sø.",
    "Icelandic": "Kæmi ný öxi hér, ykist þjófum nú bæði víl og ádrepa.",
    "Polish": "Zażółć gęślą jaźń. Pchnąć w tę łódź jeża lub ośm skrzyń fig.",
    "Czech": "Příliš žluťoučký kůň úpěl ďábelské ódy. Nechť již hříšné saxofony zní síní.",
    "Hungarian": "Árvíztűrő tükörfúrógép. Jó foxim és don Quijote húszwattos lámpánál ülve.",
    "Croatian": "Gojazni đačić s biciklom drži hmelj i finu vatu u džepu nošnje; šuma, kuća.",
    "Romanian": "Gheorghe, obezul, a reuşit să obţină jucându-se un flux în Quebec; ţară, pâine.",
    "Turkish": "Pijamalı hasta yağız şoföre çabucak güvendi. İstanbul'da ılık bir gün, öğle.",
    "Lithuanian": "Įlinkdama fechtuotojo špaga sublykčiojusi pragręžė apvalų arbūzą; ūkis.",
    "Russian": "Съешь ещё этих мягких французских булок, да выпей чаю. Южный грач увёл мышь.",
    "Greek": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. Τάχιστη αλώπηξ βαφής ψημένη γη.",
    "Hebrew": "כל בני האדם נולדו בני חורין ושווים בערכם, וחובה עליהם לנהוג ברוח של אחווה.",
    "Arabic": "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق.",
    "Japanese": "いろはにほへと散りぬるを。私は毎日学校で日本語を勉強しています。",
    "Chinese": "我能吞下玻璃而不伤身体。今天天气很好,我们一起去公园散步,看见很多人在那里锻炼。",
    "Korean": "키스의 고유조건은 입술끼리 만나야 하고. 오늘은 날씨가 좋습니다.",
}


@pytest.mark.parametrize(
    ("language", "encodings"),
    [
        ("French", ["cp1252", "iso8859-15", "cp850", "mac-roman"]),
        ("German", ["cp1252", "latin-1", "cp850", "cp437", "mac-roman"]),
        ("Spanish", ["cp1252", "latin-1", "cp850", "mac-roman"]),
        ("Danish", ["cp1252", "latin-1", "cp850"]),
        ("Icelandic", ["cp1252", "latin-1"]),
        ("Polish", ["cp1250", "iso8859-2", "cp852"]),
        ("Czech", ["cp1250", "iso8859-2", "cp852"]),
        ("Hungarian", ["cp1250", "iso8859-2", "cp852"]),
        ("Croatian", ["cp1250", "iso8859-2"]),
        ("Romanian", ["cp1250", "iso8859-2"]),
        ("Turkish", ["cp1254", "iso8859-9"]),
        ("Lithuanian", ["cp1257", "iso8859-13"]),
        ("Russian", ["cp1251", "koi8-r", "iso8859-5", "cp866", "mac-cyrillic"]),
        ("Greek", ["cp1253", "iso8859-7"]),
        ("Hebrew", ["cp1255", "iso8859-8"]),
        ("Arabic", ["cp1256", "iso8859-6"]),
        ("Japanese", ["cp932", "euc-jp", "iso2022_jp"]),
        ("Chinese", ["gb18030", "gb2312"]),
        ("Korean", ["cp949", "euc-kr", "iso2022_kr"]),
    ],
)
def test_a_text_in_an_older_encoding_is_read_as_it_was_written(
    language: str, encodings: list[str]
) -> None:
    text = (SENTENCES[language] + "\n") * 3
    plain = "Nothing but plain words on this line.\n" * 3000
    for encoding in encodings:
        for whole in (text, plain + text, text + plain, text.replace("\n", " ")):
            if encoding in ("iso8859-15", "cp850"):
                whole = whole.replace("œ", "oe")
            decoded = decode(whole.encode(encoding))
            assert decoded is not None
            assert decoded.utf8.decode() == whole, encoding
            assert not decoded.replaced


@pytest.mark.parametrize(
    "prose",
    [
        "The café was naïve about its clientèle.",
        "“So it goes,” he said — and left. It’s 5 £.",
        "The fiancée of the façade-maker; a soupçon of rôle-playing.",
        "Æsop and the æther; the Brontë sisters; Señor Muñoz.",
        "50 °C ± 2 µm, § 5, © 1999 Smith® 3½ in² ×4 ÷2",
        "Größe",
        "é",
        "¿Qué?",
    ],
)
@pytest.mark.parametrize("plain", [0, 1, 1000])
def test_english_with_a_few_other_characters_is_western(prose: str, plain: int) -> None:
    text = (
        "Call me Ishmael. Some years ago, never mind how long precisely.\n" * plain + prose + "\n"
    )
    decoded = decode(text.encode("cp1252"))
    assert decoded is not None
    assert (decoded.utf8.decode(), decoded.encoding) == (text, "cp1252")


@examples(1_000, derandomize=True, deadline=None)
@given(st.binary(max_size=300))
def test_whatever_the_bytes_the_result_is_utf8(content: bytes) -> None:
    decoded = decode(content)
    if decoded is not None:
        text = decoded.utf8.decode()
        assert codecs.lookup(decoded.encoding).name == decoded.encoding
        assert ("\ufffd" in text) or not decoded.replaced


@examples(1_000, derandomize=True, deadline=None)
@given(
    st.text(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"), max_size=300
    )
)
def test_utf8_is_handed_on_unchanged(text: str) -> None:
    content = text.encode()
    if content.startswith((b"%PDF-", b"!<arch>", b"BZh91AY", b"GIF8")):
        return
    assert decode(content) == (content, "utf-8", False)
    assert decode(codecs.BOM_UTF8 + content) == (content, "utf-8", False)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-be"])
def test_wide_texts_lose_their_mark_only(encoding: str) -> None:
    for sentence in SENTENCES.values():
        decoded = decode((sentence + "\r\n").encode(encoding))
        assert decoded is not None
        assert decoded.utf8.decode() == sentence + "\r\n"
        assert not decoded.replaced


@pytest.mark.parametrize("language", ["French", "Polish", "Russian", "Japanese", "Korean"])
@pytest.mark.parametrize("damage", [1, 5, 20])
def test_damaged_utf8_stays_utf8(language: str, damage: int) -> None:
    content = ((SENTENCES[language] + "\n") * 200).encode()
    rng = random.Random(damage)
    for bad in (b"\xff", b"\xe9", b"\x80", b"\xc0\xaf", b"\xed\xa0\x80"):
        damaged = content
        for _ in range(damage):
            place = rng.randrange(len(damaged))
            damaged = damaged[:place] + bad + damaged[place:]
        decoded = decode(damaged)
        assert decoded == (damaged.decode("utf-8", "replace").encode(), "utf-8", True)


def test_where_most_characters_are_sound_it_is_utf8() -> None:
    content = ("schöner ".encode() * 3 + "schöner ".encode("latin-1")) * 50
    assert decode(content) == (content.decode("utf-8", "replace").encode(), "utf-8", True)
    content = ("schöner ".encode() + "schöner ".encode("latin-1") * 3) * 50
    decoded = decode(content)
    assert decoded is not None
    assert decoded.encoding == "cp1252"


def test_utf8_that_is_cut_within_a_character_stays_utf8() -> None:
    content = SENTENCES["Russian"].encode()
    for cut in range(20, len(content)):
        decoded = decode(content[:cut])
        assert decoded is not None
        assert decoded.utf8.decode().rstrip("\ufffd") in SENTENCES["Russian"]
        assert decoded.encoding == "utf-8"


#: Short texts with Latin words among others, as messages of programs have them.
MIXED = {
    "cp949": "파일 README.txt 를 열 수 없습니다: Permission denied. --retry 를 쓰세요.",
    "euc-kr": "Usage: backup [OPTION] FILE 백업할 파일을 적어 주십시오. 자세한 것은 --help 참고.",
    "koi8-r": "Не могу открыть README.txt: Permission denied; попробуйте ещё раз с ключом --retry.",
    "mac-cyrillic": "Usage: backup [OPTION] FILE. Сохраняет файлы; подробнее смотрите в --help.",
    "hz": "文件 README.txt 打不开: Permission denied。请用 --retry 再试一次。",
}


@pytest.mark.parametrize("encoding", MIXED)
def test_latin_words_do_not_hide_the_encoding_of_the_others(encoding: str) -> None:
    decoded = decode(MIXED[encoding].encode(encoding))
    assert decoded is not None
    assert decoded.utf8.decode() == MIXED[encoding]


@pytest.mark.parametrize("lisp", ["~{~a~}", "~{~a ~}, ~{~s~}", "~{ab~}", "~{a b~^, ~} ~{AB~}"])
def test_formats_of_lisp_are_no_chinese(lisp: str) -> None:
    content = f'(format t "{lisp}" list)\n'.encode()
    assert decode(content) == (content, "utf-8", False)


def test_damaged_older_encodings_keep_their_page() -> None:
    content = ((SENTENCES["Japanese"] + "\n") * 50).encode("euc-jp")
    damaged = content[:1001] + b"\xff" + content[1001:]
    decoded = decode(damaged)
    assert decoded is not None
    assert decoded.encoding == "euc_jis_2004"  # What contains EUC-JP.
    assert decoded.replaced
    content = ((SENTENCES["Russian"] + "\n") * 50).encode("cp1251")
    decoded = decode(content[:1001] + b"\x98" + content[1001:])
    assert decoded is not None
    assert decoded.encoding == "cp1251"
    assert decoded.utf8.decode().count("\ufffd") == 1


def test_the_lines_that_count_may_stand_far_from_the_start() -> None:
    plain = "Nothing but plain words on this line.\n" * 100_000
    for text in (plain + SENTENCES["Czech"], plain.replace("\n", " ") + SENTENCES["Czech"]):
        decoded = decode(text.encode("iso8859-2"))
        assert decoded is not None
        assert decoded.utf8.decode() == text


def test_a_long_line_without_a_space_is_decoded() -> None:
    text = SENTENCES["Chinese"] * 5000
    for encoding in ("gb18030", "utf-8", "utf-16"):
        decoded = decode(text.encode(encoding))
        assert decoded is not None
        assert decoded.utf8.decode() == text


def test_an_archive_behind_a_script_is_binary() -> None:
    script = b"#!/bin/sh\ntail -n +3 $0\n" * HEAD
    assert decode(script + random.Random(8).randbytes(HEAD)) is None
    assert decode(script) == (script, "utf-8", False)


def test_controls_and_surrogates_and_nothing_are_ordinary() -> None:
    assert decode(b"") == (b"", "utf-8", False)
    assert decode(codecs.BOM_UTF8) == (b"", "utf-8", False)
    assert decode(codecs.BOM_UTF16_LE) == (b"", "utf-16-le", False)
    assert decode(b"a\0b" + b" words" * 99) == (b"a\0b" + b" words" * 99, "utf-8", False)
    wide = ("\ufeff" + "Some words, " * 20).encode("utf-16-le")
    expected = ("Some words, " * 20 + "\ufffdmore").encode()
    assert decode(wide + b"\x00\xd8" + "more".encode("utf-16-le")) == (expected, "utf-16-le", True)
