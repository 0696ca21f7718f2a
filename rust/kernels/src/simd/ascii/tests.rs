use super::*;
use crate::simd::each_level;

#[test]
fn every_level_stops_at_the_first_byte_beyond_ascii() {
    let all: Vec<u8> = (0..300u32).map(|i| (i * 37 % 128) as u8).collect();
    for length in 0..all.len() {
        for high in (0..=length).filter(|high| length < 140 || high % 7 == 0) {
            let mut bytes = all[..length].to_vec();
            if let Some(byte) = bytes.get_mut(high) {
                *byte = 0x80 + (high % 128) as u8;
            }
            let mut expected = b"Before".to_vec();
            expected.extend(bytes[..high].iter().map(u8::to_ascii_lowercase));
            for (run, found) in each_level(|| {
                let mut to = b"Before".to_vec();
                (push_lowercase(&bytes, &mut to), to)
            }) {
                assert_eq!(run, high);
                assert_eq!(found, expected);
            }
        }
    }
}
