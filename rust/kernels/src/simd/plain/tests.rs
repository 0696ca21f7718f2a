use super::*;
use ilk_joins::simd::each_level;

fn check(bytes: &[u8]) {
    let is_odd = |byte: &u8| *byte < 32 || matches!(byte, b'"' | b'\\');
    let expected = bytes.iter().position(is_odd).unwrap_or(bytes.len());
    assert_eq!(plain(bytes), expected, "{}", bytes.escape_ascii());
    for (count, found) in each_level(|| {
        let mut to = b"before".to_vec();
        (push_plain(bytes, &mut to), to)
    }) {
        assert_eq!(count, expected, "{}", bytes.escape_ascii());
        assert_eq!(found.strip_prefix(b"before"), Some(&bytes[..expected]));
    }
}

#[test]
fn every_byte_at_every_place_of_a_block() {
    for place in (0..70).chain([127, 128, 191, 192]) {
        for byte in 0..=255 {
            for behind in [0, 1, 63, 64, 200] {
                let mut bytes = vec![b'x'; place];
                bytes.push(byte);
                bytes.resize(bytes.len() + behind, 0xC3);
                check(&bytes);
            }
        }
    }
}

#[test]
fn plain_bytes_of_any_length() {
    for length in (0..300).chain([5000]) {
        check(&vec![b'y'; length]);
        check(&vec![0xFF; length]);
    }
}
