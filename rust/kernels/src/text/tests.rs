use super::*;

fn folded(text: &str) -> String {
    let mut normalised = Normalised::default();
    normalised.set_text(text, Normalisation::Fold);
    String::from_utf8_lossy(&normalised.bytes).into_owned()
}

#[test]
fn folding_equals_the_full_algorithms_on_the_whole_text() {
    let pool: Vec<char> = "aZ 9éＡ，\u{93E}\u{93F}\u{94D}क\u{93C}\u{301}\u{327}\u{1100}\u{1161}\u{11A8}한ßﬁ…ΣǅЖ漢ー゛ｶﾞ\u{A0}\u{2028}\u{9BE}\u{9C7}İ\u{1F600}\u{345}"
        .chars()
        .collect();
    let mut state = 1u64;
    for length in 0..2000 {
        let text: String = (0..length % 9)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                pool[(state >> 33) as usize % pool.len()]
            })
            .collect();
        let expected: String = characters::fold(&characters::nfkc(&text))
            .chars()
            .map(|c| if c == '\u{2028}' { ' ' } else { c })
            .collect();
        assert_eq!(folded(&text), expected, "{text:?}");
    }
}

#[test]
fn parts_of_a_text_become_what_the_whole_text_does() {
    let text = "Ab\u{301}é e\u{301}Ｂ\u{AD}ﬁ漢字ｶﾞ\u{1100}\u{1161}x\u{327}ß\u{2028}İ\u{345}";
    type Form = fn(&str) -> String;
    let forms: [(Normalisation, Form); 5] = [
        (Normalisation::NfcFold, |t| characters::fold(&characters::nfc(t)).into_owned()),
        (Normalisation::CaseFold, |t| characters::fold(t).into_owned()),
        (Normalisation::Nfkc, |t| characters::nfkc(t).into_owned()),
        (Normalisation::Nfc, |t| characters::nfc(t).into_owned()),
        (Normalisation::None, str::to_owned),
    ];
    for (normalisation, form) in forms {
        let mut normalised = Normalised::default();
        normalised.set_text(text, normalisation);
        let expected = form(text).replace('\u{2028}', " ");
        assert_eq!(String::from_utf8_lossy(&normalised.bytes), expected, "{normalisation:?}");
    }
}

#[test]
fn every_assigned_character_alone_and_before_an_acute() {
    for c in '\0'..=char::MAX {
        for text in [format!("{c}"), format!("x{c}\u{301}y")] {
            let expected = characters::fold(&characters::nfkc(&text)).into_owned();
            let spaced: String =
                expected
                    .chars()
                    .map(|c| {
                        if characters::class(c) == Class::Space && !c.is_ascii() { ' ' } else { c }
                    })
                    .collect();
            assert_eq!(folded(&text), spaced, "{text:?}");
        }
    }
}

#[test]
fn origins_lead_back_into_the_text() {
    let text = "The Ligature ﬁne… — and\u{A0}Straße e\u{301}t ゛か ガ end";
    let mut normalised = Normalised::default();
    normalised.set_text(text, Normalisation::Fold);
    let folded = String::from_utf8_lossy(&normalised.bytes).into_owned();
    for (word, original) in [
        ("the", "The"),
        ("fine", "ﬁne"),
        ("and", "and"),
        ("strasse", "Straße"),
        ("ét", "e\u{301}t"),
        ("ガ", "ガ"),
        ("end", "end"),
    ] {
        let found = folded.find(word).map(|at| normalised.origin(at..at + word.len()));
        assert_eq!(found.and_then(|place| text.get(place)), Some(original), "{word}");
    }
}

#[test]
fn every_origin_is_one_of_whole_characters() {
    // Found by fuzzing: the marks change places, and one becomes a letter.
    let found = "\u{20000}\u{345}\u{3099}";
    for text in
        [found, "a\u{345}\u{3099}b", "漢\u{3099}\u{345}\u{301}字", "x\u{1DC0}\u{327}\u{345}ß"]
    {
        for normalisation in [Normalisation::Fold, Normalisation::NfcFold, Normalisation::Nfkc] {
            let mut normalised = Normalised::default();
            normalised.set_text(text, normalisation);
            let folded = String::from_utf8_lossy(&normalised.bytes).into_owned();
            for (at, c) in folded.char_indices() {
                let origin = normalised.origin(at..at + c.len_utf8());
                assert!(
                    text.get(origin.clone()).is_some_and(|part| !part.is_empty()),
                    "{text:?} {origin:?}"
                );
            }
        }
    }
}

#[test]
fn collapsing_white_space() {
    for (text, expected) in
        [("", ""), (" \r\n\t", ""), ("  a \n b  ", "a b"), ("a", "a"), ("a ", "a")]
    {
        let mut bytes = text.as_bytes().to_vec();
        collapse_spaces(&mut bytes);
        assert_eq!(bytes, expected.as_bytes());
    }
}
