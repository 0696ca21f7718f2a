"""``ilk urls``, as it is called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.command_line import Run

LINKS = "HTTP://A.org/index.html\n\nnonsense\n  https://www.a.org/?b=1&a=2#top  \n"


@pytest.fixture
def links(tmp_path: Path) -> Path:
    file = tmp_path / "links.txt"
    file.write_text(LINKS)
    return file


def test_a_line_each(run: Run, links: Path) -> None:
    code, out, err = run("urls", links)
    assert code == 0
    assert out.splitlines() == [
        "http://a.org/\tHTTP://A.org/index.html",
        "(no URL)\tnonsense",
        "https://www.a.org/?a=2&b=1\thttps://www.a.org/?b=1&a=2#top",
    ]
    assert f"not read: {links}: 'nonsense' is not an absolute URL" in err
    assert run("urls", "--strict", "--quiet", links) == (2, out, "")


def test_how_many_urls_are_canonical_is_said_at_the_end(
    run: Run, links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "ilk: 2 URLs, 0 of them are canonical as given\n" in run("urls", links)[2]
    links.write_text("HTTP://A.example/\n")
    assert run("urls", links)[2] == "ilk: 1 URL, not canonical as given\n"
    links.write_text("http://a.org/\nhttp://a.org/#top\n")
    _, out, err = run("urls", links)
    assert err == "ilk: 2 URLs, 1 of them is canonical as given\n"
    assert out.splitlines()[1] == "http://a.org/\thttp://a.org/#top"
    monkeypatch.setattr("ilk.cli.output.stdout_terminal_cells_or_none", lambda: 80)
    lines = ["http://a.org/", "http://a.org/", "    was http://a.org/#top"]
    assert run("urls", links)[1].splitlines() == lines


def test_a_profile_is_chosen_rule_by_rule(run: Run, links: Path) -> None:
    _, out, _ = run("urls", links, "--profile", "aggressive-order", "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["canonical"] for row in rows] == ["http://a.org/", None, "http://a.org/?b=1&a=2"]
    assert run("urls", links, "--profile", "wild")[0] == 2


def test_surt_order(run: Run, links: Path) -> None:
    _, out, _ = run("urls", links, "--surt", "--profile", "aggressive", "--format", "jsonl")
    found = [json.loads(line)["canonical"] for line in out.splitlines()]
    assert found == ["org,a)/", None, "org,a)/?a=2&b=1"]


def test_rules_are_told(run: Run, links: Path) -> None:
    _, out, _ = run("urls", links, "--explain")
    assert "  index      http://a.org/" in out.splitlines()
    _, out, _ = run("urls", links, "--explain", "--format", "jsonl")
    first = json.loads(out.splitlines()[0])
    assert [fired["rule"] for fired in first["rules"]] == ["standard", "index"]


def test_rows_have_a_column_of_urls(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pages.csv").write_text("link,text\nhttp://A.org,x\n")
    out_file = tmp_path / "found.txt"
    code, out, _ = run("urls", tmp_path / "pages.csv", "--url", "link", "-o", out_file)
    assert (code, out) == (0, "")
    assert out_file.read_text() == "http://a.org/\thttp://A.org\n"


def test_rules_are_learned_from_pages(run: Run, tmp_path: Path) -> None:
    pages = [
        {"url": f"http://a.org/{page}?id={page}{end}", "body": f"page {page}"}
        for page in range(4)
        for end in ("", "&from=x")
    ]
    file = tmp_path / "pages.jsonl"
    rows = [*pages, {"body": "no URL"}, {"url": "http://a.org/9", "body": " "}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, err = run("urls", "--learn", file, "--text", "body", "--format", "jsonl")
    assert code == 0
    assert "1 row without a URL in the column url" in err
    assert [json.loads(line) for line in out.splitlines()] == [
        {"site": "a.org", "rule": "parameter:from", "same": 4, "different": 0, "holds": True}
    ]
    _, out, _ = run("urls", "--learn", file, "--text", "body")
    assert out.splitlines()[1].split() == ["4", "0", "yes", "a.org", "parameter:from"]
    assert run("urls", "--learn", file)[0] == 2


def test_an_input_without_urls_is_no_answer(run: Run, tmp_path: Path) -> None:
    lines, rows = tmp_path / "a.txt", tmp_path / "a.jsonl"
    for content, count in (("", 0), ("no URL\nnor this\n", 2)):
        lines.write_text(content)
        code, _, err = run("urls", lines)
        assert code == 2
        assert f"no line of {count} is a URL" in err
        code, out, err = run("urls", "--learn", lines)
        assert (code, out) == (2, "")
        assert "no page has both a URL and a text (--url is 'url')" in err
    rows.write_text('{"url": "http://a.org/", "body": "a"}\n')
    code, out, err = run("urls", "--learn", rows)
    assert (code, out) == (2, "")
    assert "no row of" in err
    assert run("urls", "--learn", rows, "--text", "body")[0] == 0
