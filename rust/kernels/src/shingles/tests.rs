use std::collections::HashMap;

use super::*;

fn count(text: &str, unit: Unit, width: usize) -> usize {
    let shingling = Shingling::plain(unit, width, Normalisation::Fold);
    Shingler::default().hash_shingles(text, shingling).len()
}

#[test]
fn how_many_shingles() {
    for (text, unit, width, expected) in [
        ("", Unit::Words, 3, 0),
        ("...", Unit::Words, 3, 0),
        ("one two", Unit::Words, 3, 1),
        ("one two three", Unit::Words, 3, 1),
        ("one two three four", Unit::Words, 3, 2),
        (" ", Unit::Characters, 3, 0),
        (" a b ", Unit::Characters, 3, 1),
        ("ab", Unit::Characters, 3, 1),
        ("漢字仮名", Unit::Characters, 3, 2),
    ] {
        assert_eq!(count(text, unit, width), expected, "{text:?}");
    }
}

/// Texts that put characters of every kind at every place of a block of 64 bytes, and words
/// across the ends of blocks and pieces.
fn texts() -> Vec<String> {
    let odd = ["é", "é", "ß", "—", "\u{A0}", "漢", "漢字か゛", "क्षि", "Ⱥ", "😀", "Ａ\u{301}", "\0"];
    let mut texts = vec![String::new(), "x".repeat(1 << 20), "漢".repeat(20_000)];
    for (i, odd) in odd.iter().enumerate() {
        for place in 0..70 {
            let (before, after) = ("Ab 9".repeat(place), "cD, e7".repeat(i * 5));
            texts.push(format!("{}{odd}{after}", &before[..place]));
            texts.push(format!("{} {odd}{odd} {after}{odd}", &before[..place]));
        }
    }
    for spread in [1, 7, 50, 400] {
        let words = (0..30_000 / spread).map(|i| odd[i * i % odd.len()].to_owned());
        texts.push(words.map(|odd| odd + &"Word two".repeat(spread)).collect());
    }
    texts
}

#[test]
fn every_level_and_piece_gives_the_words_of_the_whole_text() {
    for text in texts() {
        for normalisation in [Normalisation::Fold, Normalisation::None] {
            let mut normalised = Normalised::default();
            normalised.set_text(&text, normalisation);
            let mut tokens = Tokens::default();
            tokens::cut_words(&normalised, &mut tokens);
            let places: Vec<_> = tokens.starts.iter().copied().zip(tokens.ends).collect();
            let hash =
                |&(start, end): &(usize, usize)| hash::hash_bytes(&normalised.bytes[start..end]);
            let hashes: Vec<u64> = places.iter().map(hash).collect();
            let origin = |at| normalised.origin(at);
            let origins = places.iter().map(|&(start, end)| origin(start..end));
            let expected = (hashes, origins.collect::<Vec<_>>());
            for found in simd::each_level(|| Shingler::default().hash_words(&text, normalisation)) {
                assert!(found == expected, "{} bytes, {:.200?}", text.len(), text);
            }
        }
    }
}

#[test]
fn every_level_gives_the_same_shingles() {
    for text in texts().iter().filter(|text| text.len() < 10_000) {
        for unit in [Unit::Words, Unit::Characters] {
            for width in [1, 2, 3, 17, 40] {
                let shingling = Shingling::plain(unit, width, Normalisation::Fold);
                let found = simd::each_level(|| {
                    let mut shingler = Shingler::default();
                    let mut ids = vec![7];
                    shingler.push_ids(text, shingling, &Stops::default(), &mut ids);
                    (shingler.hash_shingles(text, shingling).to_vec(), ids)
                });
                let (hashes, ids) = &found[0];
                let expected = hashes.iter().map(|&hash| hash::id_of_hash(hash));
                assert!(ids.iter().copied().eq(std::iter::once(7).chain(expected)));
                assert!(found.iter().all(|other| *other == found[0]), "{:.200?}", text);
            }
        }
    }
}

#[test]
fn shingles_reach_from_one_piece_into_the_next() {
    for text in texts() {
        let (words, _) = Shingler::default().hash_words(&text, Normalisation::Fold);
        for width in [1, 2, 3, 17, 64] {
            let runs = words.windows(width.min(words.len()).max(1));
            let expected: Vec<u64> = runs.map(hash::hash_shingle).collect();
            let shingling = Shingling::plain(Unit::Words, width, Normalisation::Fold);
            let found = Shingler::default().hash_shingles(&text, shingling).to_vec();
            assert!(found == expected, "{width} words of {:.200?}", text);
        }
    }
}

#[test]
fn shingles_as_texts_have_the_ids_of_the_shingles() {
    let stops = Stops::new(
        &["the", "\u{e9}", "0"].map(|w| hash::id_of_hash(hash::hash_bytes(w.as_bytes()))),
    );
    let masks =
        Masks { accents: true, digits: true, punctuation: true, spaces: true, ..Masks::NONE };
    for text in texts().iter().filter(|text| text.len() < 3000).chain([&"The 7 \u{c9} x".into()]) {
        for (unit, masks) in [
            (Unit::Words, Masks::default()),
            (Unit::Words, Masks { punctuation: false, spaces: false, ..masks }),
            (Unit::Characters, Masks::default()),
            (Unit::Characters, masks),
        ] {
            for width in [1, 3] {
                let plain = Shingling::plain(unit, width, Normalisation::NfcFold);
                let shingling = Shingling { masks, ..plain };
                let mut ids = Vec::new();
                let mut shingler = Shingler::default();
                shingler.push_ids(text, shingling, &stops, &mut ids);
                let mut found = Vec::new();
                let mut hashes = HashMap::new();
                let mut keep = |shingle: &str, hash: u64| {
                    found.push(shingle.to_owned());
                    assert_eq!(*hashes.entry(shingle.to_owned()).or_insert(hash), hash);
                };
                shingler.each_shingle_text(text, shingling, &stops, &mut keep);
                let id = |shingle: &String| {
                    let words: Vec<u64> =
                        shingle.split(' ').map(|word| hash::hash_bytes(word.as_bytes())).collect();
                    hash::id_of_hash(match unit {
                        Unit::Words => hash::hash_shingle(&words),
                        Unit::Characters => hash::hash_bytes(shingle.as_bytes()),
                    })
                };
                assert_eq!(found.iter().map(id).collect::<Vec<_>>(), ids, "{:.200?}", text);
            }
        }
    }
}

#[test]
fn words_lead_back_to_their_places() {
    let text = "Straße ﬁnds Ünique — TEXT";
    let (hashes, places) = Shingler::default().hash_words(text, Normalisation::Fold);
    let found: Vec<&str> = places.iter().map(|place| &text[place.clone()]).collect();
    assert_eq!(found, ["Straße", "ﬁnds", "Ünique", "TEXT"]);
    assert_eq!(hashes[3], hash::hash_bytes(b"text"));
}
