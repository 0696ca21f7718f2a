//! Rows cut and read: by definition, wherever a piece ends, whatever is in a row.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::ops::Range;

use serde_json::Value;

use super::{
    Field, Rows, UnreadableRows, ValueKind, WantedRows, csv, gather_rows, json,
    nonblank_lines_with_ends,
};

const ALL: WantedRows = WantedRows(None);

/// Lines of every shape, sound and malformed.
const LINES: &[&str] = &[
    r#"{"text": "plain", "id": 7}"#,
    r#"{"id": "a\"b", "text": "two\nlines, \u6f22\u5b57 \ud83d\ude00 \\ \/"}"#,
    r#"  {"text":null,"id":null}  "#,
    r#"{"text": 12.50e1, "id": -0.0}"#,
    r#"{"text": ["a", {"b": "]}"}], "id": {"x": [1]}}"#,
    r#"{"text": {"text": "inner"}, "id": true}"#,
    r#"{"text": "first", "text": "last", "id": 1, "id": 123456789012345678901234567890}"#,
    r#"{"text": "string", "text": null}"#,
    r#"{"text": "lone \ud800 and \udc00\ud800", "id": "\udfff"}"#,
    r#"{"other \ud800": 1, "text": "odd key", "id": 1e999}"#,
    r#"{"text": "", "id": ""}"#,
    r#"{}"#,
    r#"{"a.b": {"c": "dotted"}, "a": {"b": {"c": "stepped"}}}"#,
    r#"{"a": {"b": {"c": "stepped"}, "b.c": "longer"}}"#,
    r#"{"a": {"b": {"c": "gone"}}, "a": {"b": 1}}"#,
    r#"{"text": "nul \u0000", "id": "\u00e9"}"#,
    r#"{"text": "unfinished"#,
    r#"{"text": "too much"} {}"#,
    r#"{"text": "bare	tab"}"#,
    r#"{"ke	y": 1, "text": "x", "id": "\ud800"}"#,
    r#"{"text": "bad escape \x"}"#,
    r#"{"text": NaN}"#,
    r#"{"text": 01}"#,
    r#"{'text': 'quotes'}"#,
    r#"[{"text": "a list"}]"#,
    r#""text""#,
    r#"null"#,
    r#"{"text": "a",}"#,
    r#"{"id": 1, "language": "de", "text": "with columns", "flag": true, "a": null}"#,
    r#"{"language": null, "flag":false , "text": "x", "a": 17}"#,
    r#"{"text": "odd columns", "language": "d\u0065", "flag": nul, "a": [1, "b"]}"#,
];

fn column(field: Field) -> Vec<(ValueKind, Option<String>)> {
    let (values, offsets, valid) = field.values.into_parts();
    assert_eq!(offsets.len(), valid.len() + 1);
    let row = |row: usize| &values[offsets[row] as usize..offsets[row + 1] as usize];
    let text = |at: usize| valid[at].then(|| str::from_utf8(row(at)).unwrap().to_owned());
    field.kinds.into_iter().enumerate().map(|(at, kind)| (kind, text(at))).collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// The value at a path, by definition: of the keys it begins with, the longest counts.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let leads = |key: &&String| path == *key || path.starts_with(&format!("{key}."));
    let key = value.as_object()?.keys().filter(leads).max_by_key(|key| key.len())?;
    let value = &value[key];
    if path.len() == key.len() { Some(value) } else { at(value, &path[key.len() + 1..]) }
}

/// Lines of conversations, sound and odd.
const CHATS: &[&str] = &[
    r#"{"turns": [{"role": "user", "text": "hi \n there"}, {"role": "bot", "text": "yes"}], "id": 3}"#,
    r#"{"turns": [{"text": "late role", "role": "user"}, {"role": "user"}, {"text": null}]}"#,
    r#"{"turns": []}"#,
    r#"{"turns": [ ], "id": "x"}"#,
    r#"{"turns": null}"#,
    r#"{"turns": "a string"}"#,
    r#"{"turns": ["one", "two", 3, null, ["four"]], "tags": ["a", "b"]}"#,
    r#"{"turns": {"text": "no list"}, "tags": "a"}"#,
    r#"{"turns": [{"role": "user", "text": {"parts": ["a", "b"]}}, {"role": 7, "text": "seven"}]}"#,
    r#"{"turns[]": {"text": "a name as it stands"}, "turns": [{"text": "not this"}]}"#,
    r#"{"turns": [{"text": "x"}], "turns[0].text": "a longer name"}"#,
    r#"{"turns": [{"role": "user", "role": "bot", "text": "a", "text": "b"}, {}]}"#,
    r#"{"turns": [1, 2, 3]}"#,
    r#"{"turns": [{"role": "u\u0073er", "text": "escaped role"}, {"role": true, "text": "t"}]}"#,
    r#"{"turns": [{"text": "a"}, {"text": "b"}], "turns": [{"text": "the last counts"}]}"#,
    r#"{"turns": [{"text": "a"} {"text": "b"}]}"#,
    r#"{"turns": [{"text": "a"},]}"#,
];

const CHAT_PATHS: &[&str] = &[
    "turns[].text",
    "turns[role=user].text",
    "turns[role=7].text",
    "turns[role=true].text",
    "turns[text=a].text",
    "turns[0].text",
    "turns[1].text",
    "turns[]",
    "turns[4][0]",
    "tags[]",
    "turns[].text.parts[]",
    "turns[role=user]",
    "turns[x].text",
    "turns[",
    "turns.text",
];

/// The texts at the end of a path, by definition; and whether it leads to an empty list or null
/// instead of a list.
fn texts_at(value: &Value, path: &str, found: &mut Vec<(ValueKind, Option<String>)>) {
    let kind = |value: &Value| match value {
        Value::Null => ValueKind::Null,
        Value::Bool(_) => ValueKind::Bool,
        Value::Number(_) => ValueKind::Number,
        Value::String(_) => ValueKind::String,
        _ => ValueKind::Nested,
    };
    if path.is_empty() {
        found.push((kind(value), value.as_str().map(str::to_owned)));
    } else if let Some(name) = path.strip_prefix('.') {
        let Some(object) = value.as_object() else { return };
        let leads = |key: &&String| {
            let rest = name.strip_prefix(key.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        if let Some(key) = object.keys().filter(leads).max_by_key(|key| key.len()) {
            texts_at(&object[key], &name[key.len()..], found);
        }
    } else if let Some((inside, rest)) = path[1..].split_once(']') {
        if !rest.is_empty() && !rest.starts_with(['.', '[']) {
            return;
        }
        let is_selector = inside.contains('=') || inside.bytes().all(|byte| byte.is_ascii_digit());
        if !is_selector {
            return;
        }
        let list = match value {
            Value::Array(list) if !list.is_empty() => list,
            Value::Array(_) | Value::Null => return found.push((ValueKind::Null, None)),
            _ => return,
        };
        for (at, element) in list.iter().enumerate() {
            let spelled = |value: &Value| match value {
                Value::String(text) => Some(text.clone()),
                Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
                _ => None,
            };
            let chosen = match inside.split_once('=') {
                Some((name, wanted)) => {
                    element.get(name).and_then(spelled).as_deref() == Some(wanted)
                }
                None => inside.is_empty() || inside.parse() == Ok(at),
            };
            if chosen {
                texts_at(element, rest, found);
            }
        }
    }
}

#[test]
fn a_path_leads_through_lists_as_by_definition() {
    for line in CHATS.iter().copied().chain(plain_lines()) {
        for path in CHAT_PATHS {
            let texts = names(&[path]);
            let rows = json::read_json(
                line.as_bytes(),
                true,
                json::JsonFields { texts: &texts, id: None, others: &[] },
                ALL,
            );
            let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
            if !value.is_object() {
                continue;
            }
            let mut found = Vec::new();
            texts_at(&value, &format!(".{path}"), &mut found);
            let strings: Vec<&str> = found.iter().filter_map(|(_, text)| text.as_deref()).collect();
            let expected = if strings.is_empty() {
                let kinds = found.iter().map(|&(kind, _)| kind);
                (kinds.max_by_key(|&kind| kind as u8).unwrap_or(ValueKind::Missing), None)
            } else {
                (ValueKind::String, Some(strings.join("\n\n")))
            };
            assert_eq!(column(rows.texts), [expected], "{line} {path}");
        }
    }
}

#[test]
fn the_quick_way_through_lists_reads_what_the_careful_way_reads() {
    let read = |line: &[u8], texts: &[String]| {
        let rows = json::read_json(
            line,
            true,
            json::JsonFields { texts, id: Some("id"), others: &[] },
            ALL,
        );
        (column(rows.texts), column(rows.ids), rows.replaced, rows.bad)
    };
    for path in CHAT_PATHS {
        let (one, two) = (names(&[path]), names(&[path, "no.such"]));
        for line in CHATS.iter().map(|line| line.as_bytes()) {
            assert_eq!(read(line, &one), read(line, &two), "{path}");
            for (place, byte) in (0..line.len())
                .flat_map(|place| b"\"\\{}[],:u0. \n".iter().map(move |&byte| (place, byte)))
            {
                let mut line = line.to_vec();
                line[place] = byte;
                assert_eq!(read(&line, &one), read(&line, &two), "{path}");
            }
        }
    }
}

/// Lines without lone surrogates, which serde_json's values do not hold.
fn plain_lines() -> impl Iterator<Item = &'static str> {
    LINES.iter().copied().filter(|line| !line.contains(r"\ud8") && !line.contains(r"\udf"))
}

#[test]
fn a_line_is_read_as_its_value_says() {
    for line in plain_lines() {
        for path in ["text", "id", "a.b.c", "a.b", "nothing", ""] {
            let texts = names(&[path]);
            let fields = json::JsonFields { texts: &texts, id: Some(path), others: &[] };
            let rows = json::read_json(line.as_bytes(), true, fields, ALL);
            let value = match serde_json::from_str::<Value>(line) {
                Ok(value) if value.is_object() => value,
                Ok(_) => {
                    assert_eq!(rows.bad.rows.len(), 1, "{line}");
                    continue;
                }
                Err(_) if line.contains("1e999") => continue, // No float holds it.
                Err(_) => {
                    assert_eq!((rows.bad.rows.len(), rows.texts.kinds.len()), (1, 0), "{line}");
                    continue;
                }
            };
            let expected = match at(&value, path) {
                None => (ValueKind::Missing, None),
                Some(Value::Null) => (ValueKind::Null, None),
                Some(Value::Bool(b)) => (ValueKind::Bool, Some(b.to_string())),
                Some(Value::Number(n)) => (ValueKind::Number, Some(n.to_string())),
                Some(Value::String(s)) => (ValueKind::String, Some(s.clone())),
                Some(_) => (ValueKind::Nested, None),
            };
            let (text, id) = (column(rows.texts).remove(0), column(rows.ids).remove(0));
            let string = Some(expected.1.clone()).filter(|_| expected.0 == ValueKind::String);
            assert_eq!(text, (expected.0, string.flatten()), "{line} {path}");
            assert_eq!(id.0, expected.0, "{line} {path}");
            if matches!(
                id.0,
                ValueKind::Missing | ValueKind::Null | ValueKind::Bool | ValueKind::String
            ) {
                assert_eq!(id.1, expected.1, "{line} {path}");
            }
        }
    }
}

#[test]
fn other_columns_are_read_as_ids_are() {
    let paths = ["text", "a", "flag", "language", "id", "a.b.c", "a"];
    for line in LINES {
        let read = |id: &str, others: &[String]| {
            let texts = names(&["text"]);
            let fields = json::JsonFields { texts: &texts, id: Some(id), others };
            json::read_json(line.as_bytes(), true, fields, ALL)
        };
        let together = read("id", &names(&paths));
        for (path, found) in paths.into_iter().zip(together.others) {
            assert_eq!(column(found), column(read(path, &[]).ids), "{line} {path}");
        }
    }
}

#[test]
fn the_quick_way_reads_what_the_careful_way_reads() {
    let (one, two) = (names(&["text"]), names(&["text", "no.such"]));
    let others = names(&["a", "flag", "language"]);
    let read = |line: &[u8], texts: &[String]| {
        let fields = json::JsonFields { texts, id: Some("id"), others: &others };
        let rows = json::read_json(line, true, fields, ALL);
        let others: Vec<_> = rows.others.into_iter().map(column).collect();
        (column(rows.texts), column(rows.ids), others, rows.replaced, rows.bad)
    };
    for line in plain_lines().map(str::as_bytes).chain(LINES.iter().map(|line| line.as_bytes())) {
        assert_eq!(read(line, &one), read(line, &two));
        for (place, byte) in (0..line.len())
            .flat_map(|place| b"\"\\{}[],:u0e- \x01\n\xED".iter().map(move |&byte| (place, byte)))
        {
            let mut line = line.to_vec();
            line[place] = byte;
            assert_eq!(read(&line, &one), read(&line, &two), "{}", line.escape_ascii());
        }
    }
}

#[test]
fn numbers_and_nested_values_keep_their_spelling() {
    for spelled in ["12.50e1", "-0.0", "1e999", "123456789012345678901234567890", "[1, {}]"] {
        let line = format!(r#"{{"id": {spelled}}}"#);
        let rows = json::read_json(
            line.as_bytes(),
            true,
            json::JsonFields { texts: &names(&["id"]), id: Some("id"), others: &[] },
            ALL,
        );
        assert_eq!(column(rows.ids)[0].1.as_deref(), Some(spelled));
        assert_eq!(column(rows.texts)[0].1, None);
    }
}

#[test]
fn what_is_no_unicode_becomes_a_replacement_and_is_counted() {
    let texts = names(&["text"]);
    let fields = json::JsonFields { texts: &texts, id: Some("id"), others: &[] };
    for (line, text, replaced) in [
        (&br#"{"text": "a\ud800b\udc00"}"#[..], "a\u{FFFD}b\u{FFFD}", 1),
        (br#"{"text": "\ud800\ud800\udc00"}"#, "\u{FFFD}\u{10000}", 1),
        (br#"{"text": "\ud7ff\ue000"}"#, "\u{D7FF}\u{E000}", 0),
        (br#"{"\udc00": "\udc00", "text": "elsewhere"}"#, "elsewhere", 0),
        (b"{\"text\": \"caf\xe9\"}", "caf\u{FFFD}", 1),
        (b"{\"text\": \"caf\xe9 \\ud800\"}", "caf\u{FFFD} \u{FFFD}", 1),
    ] {
        let rows = json::read_json(line, true, fields, ALL);
        assert_eq!(rows.replaced, replaced, "{text}");
        assert_eq!(column(rows.texts), [(ValueKind::String, Some(text.to_owned()))]);
    }
}

#[test]
fn texts_are_put_together_in_the_order_they_are_named() {
    let line = br#"{"b": "2", "a": "1", "c": null, "d": "", "e": 5}"#;
    for (asked, expected) in [
        (&["a", "b"][..], Some("1\n\n2")),
        (&["b", "a", "b"], Some("2\n\n1\n\n2")),
        (&["c", "a", "e"], Some("1")),
        (&["d", "a"], Some("\n\n1")),
        (&["c", "e"], None),
    ] {
        let texts = names(asked);
        let rows = json::read_json(
            line,
            true,
            json::JsonFields { texts: &texts, id: None, others: &[] },
            ALL,
        );
        assert_eq!(column(rows.texts)[0].1.as_deref(), expected, "{asked:?}");
    }
}

#[test]
fn a_line_nested_without_end_is_no_trouble() {
    for open in ["[", r#"{"a":"#] {
        let deep = open.repeat(200_000);
        for line in [format!(r#"{{"text": {deep}"#), format!(r#"{{"x": {deep}, "text": 1}}"#)] {
            let texts = names(&["text"]);
            let fields = json::JsonFields { texts: &texts, id: Some("x"), others: &[] };
            assert_eq!(json::read_json(line.as_bytes(), true, fields, ALL).bad.rows.len(), 1);
        }
    }
}

#[test]
fn blank_lines_are_no_rows_and_every_other_line_is_one() {
    let piece = b"\n{}\n \t\r\n  {} \r\n\n\r\n{}";
    let found: Vec<_> = nonblank_lines_with_ends(piece, true).map(|line| &piece[line]).collect();
    assert_eq!(found, [&b"{}\n"[..], b"  {} \r\n", b"{}"]);
    assert_eq!(nonblank_lines_with_ends(piece, false).count(), 2);
    assert_eq!(nonblank_lines_with_ends(b"", true).count(), 0);
}

/// Read a file in pieces, the first of which ends at `cut`.
fn in_two(content: &[u8], cut: usize, read: impl Fn(&[u8], bool) -> Rows) -> Vec<Found> {
    let mut found = Vec::new();
    let (mut start, mut end) = (0, cut);
    loop {
        let last = end == content.len();
        let rows = read(&content[start..end], last);
        found.extend(shifted(&rows, start));
        found.extend(column(rows.texts).into_iter().zip(column(rows.ids)).map(Found::Row));
        start += rows.read;
        if last {
            assert_eq!(start, content.len());
            return found;
        }
        end = content.len();
    }
}

#[derive(Debug, PartialEq)]
enum Found {
    Row(((ValueKind, Option<String>), (ValueKind, Option<String>))),
    Bad(usize, usize, String),
}

fn shifted(rows: &Rows, by: usize) -> Vec<Found> {
    let bad = told(&rows.bad).into_iter();
    bad.map(|(at, reason)| Found::Bad(at.start + by, at.end + by, reason.to_owned())).collect()
}

/// The places of the rows that cannot be read, and why.
fn told(bad: &UnreadableRows) -> Vec<(Range<usize>, &str)> {
    let UnreadableRows { starts, ends, why, reasons, .. } = bad;
    let places = starts.iter().zip(ends).map(|(&start, &end)| start as usize..end as usize);
    places.zip(why.iter().map(|&why| &reasons[why as usize][..])).collect()
}

/// The same, in an order that does not depend on the pieces.
fn sorted(mut found: Vec<Found>) -> Vec<String> {
    let mut told: Vec<String> = found.drain(..).map(|one| format!("{one:?}")).collect();
    told.sort();
    told
}

#[test]
fn json_lines_are_the_same_wherever_a_piece_ends() {
    let content = LINES.join("\r\n");
    let texts = names(&["text", "a.b.c"]);
    let read = |piece: &[u8], last| {
        json::read_json(
            piece,
            last,
            json::JsonFields { texts: &texts, id: Some("id"), others: &[] },
            ALL,
        )
    };
    let whole = sorted(in_two(content.as_bytes(), content.len(), read));
    assert_eq!(whole.len(), LINES.len());
    for cut in 0..content.len() {
        assert_eq!(sorted(in_two(content.as_bytes(), cut, read)), whole, "{cut}");
    }
}

/// A file of CSV with everything that is hard: quotes, line ends of three kinds, marks, emptiness.
const CSV: &[u8] =
    b"a,b,c\r\n1,\"x\ny\",3\n\n\r\n\"q\"\"q\",,\"\"\r\"\xef\xbb\xbfm\",\"\r\n\",z\r\n\
    \xef\xbb\xbfm,n,o\n1,2\n1,2,3,4\n \n\"open\"x,2,3\r\nl,m\xff,\"a\0b,\"";

#[test]
fn csv_is_the_same_wherever_a_piece_ends() {
    let read = |piece: &[u8], last| {
        let fields = csv::CsvFields { count: 3, texts: &[1, 2], id: Some(0), others: &[] };
        csv::read_csv(piece, last, b',', fields, ALL)
    };
    for content in [CSV, b"a,b,c\n1,2,\"never closed\n,", b"a,b,c\n1,2,3\r", b"a,b,c\n\n", b""] {
        let whole = sorted(in_two(content, content.len(), read));
        for cut in 0..content.len() {
            assert_eq!(sorted(in_two(content, cut, read)), whole, "{cut}");
        }
    }
}

#[test]
fn csv_is_read_as_rfc_4180_says() {
    let fields = csv::CsvFields { count: 3, texts: &[1, 2], id: Some(0), others: &[] };
    let rows = csv::read_csv(CSV, true, b',', fields, ALL);
    assert_eq!((rows.read, rows.count, rows.replaced), (CSV.len(), 10, 1));
    let found: Vec<_> = column(rows.texts).into_iter().zip(column(rows.ids)).collect();
    let found: Vec<_> =
        found.iter().map(|(text, id)| (text.1.as_deref(), id.1.as_deref())).collect();
    assert_eq!(
        found,
        [
            (Some("b\n\nc"), Some("a")),
            (Some("x\ny\n\n3"), Some("1")),
            (Some("\n\n"), Some("q\"q")),
            (Some("\r\n\n\nz"), Some("\u{FEFF}m")),
            (Some("n\n\no"), Some("\u{FEFF}m")),
            (Some("2\n\n3"), Some("openx")),
            (Some("m\u{FFFD}\n\na\0b,"), Some("l")),
        ]
    );
    let bad: Vec<_> = told(&rows.bad).into_iter().map(|(at, why)| (&CSV[at], why)).collect();
    assert_eq!(
        bad,
        [
            (&b"1,2\n"[..], "has 2 fields, and the header has 3"),
            (b"1,2,3,4\n", "has 4 fields, and the header has 3"),
            (b" \n", "has 1 field, and the header has 3"),
        ]
    );
}

#[test]
fn a_quote_that_is_never_closed_is_told() {
    let fields = csv::CsvFields { count: 2, texts: &[1], id: Some(0), others: &[] };
    let rows = csv::read_csv(b"1,2\n3,\"4\n5,6\n", true, b',', fields, ALL);
    assert_eq!((rows.count, rows.bad.rows.len()), (2, 1));
    assert_eq!(told(&rows.bad), [(4..13, "a quote is never closed")]);
    // The piece may go on with a closing quote; until then there is no row.
    assert_eq!(csv::read_csv(b"1,2\n3,\"4\n5,6\n", false, b',', fields, ALL).read, 4);
    assert_eq!(csv::read_csv(b"1,2\n3,\"4\n5,6\"\n", false, b',', fields, ALL).read, 14);
}

#[test]
fn rows_longer_than_any_buffer_are_read() {
    let long = "long,\"\"\n".repeat(50_000);
    let content = format!("\"{long}\",{}", "x,".repeat(100));
    let fields = csv::CsvFields { count: 102, texts: &[0], id: Some(100), others: &[] };
    let rows = csv::read_csv(content.as_bytes(), true, b',', fields, ALL);
    assert_eq!(column(rows.texts)[0].1.as_deref(), Some(&long.replace("\"\"", "\"")[..]));
    assert_eq!(column(rows.ids)[0].1.as_deref(), Some("x"));
}

#[test]
fn the_header_is_the_first_row() {
    assert_eq!(
        csv::read_first_row(b"\n\na;\"b\n\"\r\nc", false, b';'),
        Some((2..10, names(&["a", "b\n"])))
    );
    assert_eq!(csv::read_first_row(b"a;b", false, b';'), None);
    assert_eq!(csv::read_first_row(b"a;b", true, b';'), Some((0..3, names(&["a", "b"]))));
    assert_eq!(csv::read_first_row(b"", true, b';'), None);
}

#[test]
fn only_what_is_wanted_is_read_and_gathered() {
    let content = LINES.join("\n") + "\n";
    let texts = names(&["text"]);
    let fields = json::JsonFields { texts: &texts, id: None, others: &[] };
    let all: Vec<bool> = vec![true; LINES.len()];
    let whole = json::read_json(content.as_bytes(), true, fields, ALL);
    for at in 0..LINES.len() {
        let mut one = vec![false; LINES.len()];
        one[at] = true;
        let rows = json::read_json(content.as_bytes(), true, fields, WantedRows(Some(&one)));
        assert_eq!((rows.read, rows.count), (content.len(), LINES.len()));
        assert_eq!(rows.texts.kinds.len() + rows.bad.rows.len(), 1);
        assert!(told(&rows.bad).iter().all(|bad| told(&whole.bad).contains(bad)));
        let bytes = content.as_bytes();
        let gathered =
            gather_rows(bytes, nonblank_lines_with_ends(bytes, true), WantedRows(Some(&one)));
        assert_eq!(gathered, format!("{}\n", LINES[at]).as_bytes());
    }
    let bytes = content.as_bytes();
    assert_eq!(
        gather_rows(bytes, nonblank_lines_with_ends(bytes, true), WantedRows(Some(&all))),
        bytes
    );
    let odd: Vec<bool> = (0..10).map(|row| row % 2 == 1).collect();
    let gathered = gather_rows(CSV, csv::cut_rows(CSV, true, b','), WantedRows(Some(&odd)));
    let rows: Vec<_> = csv::cut_rows(CSV, true, b',').map(|row| &CSV[row]).collect();
    assert_eq!(gathered, [rows[1], rows[3], rows[5], rows[7], rows[9]].concat());
    // Nothing but blank lines lies between the rows.
    let blank = CSV.len() - rows.concat().len();
    assert_eq!((rows.len(), blank), (10, 3));
}
