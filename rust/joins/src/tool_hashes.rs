//! Hashes of other tools, for fingerprints that must equal theirs: each is as its author has it.

use crate::hash::pad_to_16;

/// A hash function that others have defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolHash {
    /// MD5 (RFC 1321), its 16 bytes as one number.
    Md5,
    /// SHA-1 (RFC 3174), the last 16 of its 20 bytes.
    Sha1,
    /// FNV-1a (RFC 9923) of 32 bits.
    Fnv32,
    /// FNV-1a (RFC 9923) of 64 bits.
    Fnv64,
    /// Appleby's MurmurHash3 (x86, 32 bits), seed 0.
    Murmur32,
    /// Appleby's MurmurHash3 (x64, 128 bits), seed 0.
    Murmur128,
    /// Jenkins' one-at-a-time of 1997.
    OneAtATime32,
    /// The same steps on numbers of 64 bits.
    OneAtATime64,
    /// Jenkins' lookup2 of 1996: c, and b above it.
    Lookup2,
    /// Jenkins' lookup3 of 2006 (`hashlittle2`), both seeds 0: c, and b above it.
    Lookup3,
    /// Java's `String.hashCode`, of UTF-16 code units.
    Java,
}

impl ToolHash {
    /// The hash of a text, as UTF-8 unless it hashes code units.
    #[must_use]
    pub fn of(self, text: &str) -> u128 {
        let bytes = text.as_bytes();
        match self {
            Self::Md5 => md5(bytes),
            Self::Sha1 => sha1_last_16_bytes(bytes),
            Self::Fnv32 => u128::from(fnv32(bytes)),
            Self::Fnv64 => u128::from(fnv64(bytes)),
            Self::Murmur32 => u128::from(murmur32(bytes)),
            Self::Murmur128 => murmur128(bytes),
            Self::OneAtATime32 => u128::from(one_at_a_time32(bytes)),
            Self::OneAtATime64 => u128::from(one_at_a_time64(bytes)),
            Self::Lookup2 => u128::from(lookup2(bytes)),
            Self::Lookup3 => u128::from(lookup3(bytes)),
            Self::Java => u128::from(java(text)),
        }
    }

    /// Return whether a word is hashed about as fast as it is looked up in a table.
    #[must_use]
    pub fn is_fast(self) -> bool {
        !matches!(self, Self::Md5 | Self::Sha1)
    }
}

/// Up to 4 bytes as a little-endian number.
fn word32(bytes: &[u8]) -> u32 {
    match bytes.first_chunk() {
        Some(word) => u32::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)),
    }
}

/// Up to 8 bytes as a little-endian number.
fn word64(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// The bytes from a place on; none beyond the end.
fn bytes_from(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

/// Hands on the blocks of 64 bytes of a message of MD5 or SHA-1: its bytes, 0x80, zeros, and its
/// length in bits.
fn each_block(bytes: &[u8], length: [u8; 8], mut hand_on: impl FnMut(&[u8; 64])) {
    let mut rest = bytes;
    while let Some((block, next)) = rest.split_first_chunk() {
        hand_on(block);
        rest = next;
    }
    let mut block = [0; 64];
    block[..rest.len()].copy_from_slice(rest);
    block[rest.len()] = 0x80;
    if rest.len() > 55 {
        hand_on(&block);
        block = [0; 64];
    }
    block[56..].copy_from_slice(&length);
    hand_on(&block);
}

/// The 64 summands of MD5: the fractional bits of sines.
const SINES: [u32; 64] = [
    0xD76A_A478,
    0xE8C7_B756,
    0x2420_70DB,
    0xC1BD_CEEE,
    0xF57C_0FAF,
    0x4787_C62A,
    0xA830_4613,
    0xFD46_9501,
    0x6980_98D8,
    0x8B44_F7AF,
    0xFFFF_5BB1,
    0x895C_D7BE,
    0x6B90_1122,
    0xFD98_7193,
    0xA679_438E,
    0x49B4_0821,
    0xF61E_2562,
    0xC040_B340,
    0x265E_5A51,
    0xE9B6_C7AA,
    0xD62F_105D,
    0x0244_1453,
    0xD8A1_E681,
    0xE7D3_FBC8,
    0x21E1_CDE6,
    0xC337_07D6,
    0xF4D5_0D87,
    0x455A_14ED,
    0xA9E3_E905,
    0xFCEF_A3F8,
    0x676F_02D9,
    0x8D2A_4C8A,
    0xFFFA_3942,
    0x8771_F681,
    0x6D9D_6122,
    0xFDE5_380C,
    0xA4BE_EA44,
    0x4BDE_CFA9,
    0xF6BB_4B60,
    0xBEBF_BC70,
    0x289B_7EC6,
    0xEAA1_27FA,
    0xD4EF_3085,
    0x0488_1D05,
    0xD9D4_D039,
    0xE6DB_99E5,
    0x1FA2_7CF8,
    0xC4AC_5665,
    0xF429_2244,
    0x432A_FF97,
    0xAB94_23A7,
    0xFC93_A039,
    0x655B_59C3,
    0x8F0C_CC92,
    0xFFEF_F47D,
    0x8584_5DD1,
    0x6FA8_7E4F,
    0xFE2C_E6E0,
    0xA301_4314,
    0x4E08_11A1,
    0xF753_7E82,
    0xBD3A_F235,
    0x2AD7_D2BB,
    0xEB86_D391,
];

/// The turns of MD5, four for each of its rounds.
const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

fn md5(bytes: &[u8]) -> u128 {
    let mut state = [0x6745_2301_u32, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476];
    each_block(bytes, (8 * bytes.len() as u64).to_le_bytes(), |block| {
        let [mut a, mut b, mut c, mut d] = state;
        for (step, &sine) in SINES.iter().enumerate() {
            let (mixed, at) = match step / 16 {
                0 => (b & c | !b & d, step),
                1 => (d & b | !d & c, 5 * step + 1),
                2 => (b ^ c ^ d, 3 * step + 5),
                _ => (c ^ (b | !d), 7 * step),
            };
            let word = word32(&block[4 * (at % 16)..]);
            let sum = a.wrapping_add(mixed).wrapping_add(sine).wrapping_add(word);
            let turned = b.wrapping_add(sum.rotate_left(TURNS[step / 16][step % 4]));
            (a, b, c, d) = (d, turned, b, c);
        }
        for (kept, new) in state.iter_mut().zip([a, b, c, d]) {
            *kept = kept.wrapping_add(new);
        }
    });
    state.iter().fold(0, |all, &word| all << 32 | u128::from(word.swap_bytes()))
}

fn sha1_last_16_bytes(bytes: &[u8]) -> u128 {
    let mut state = [0x6745_2301_u32, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0];
    each_block(bytes, (8 * bytes.len() as u64).to_be_bytes(), |block| {
        let mut words = [0; 80];
        for at in 0..80 {
            words[at] = if at < 16 {
                word32(&block[4 * at..]).swap_bytes()
            } else {
                (words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16]).rotate_left(1)
            };
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (step, word) in words.into_iter().enumerate() {
            let (mixed, summand) = match step / 20 {
                0 => (b & c | !b & d, 0x5A82_7999_u32),
                1 => (b ^ c ^ d, 0x6ED9_EBA1),
                2 => (b & c | b & d | c & d, 0x8F1B_BCDC),
                _ => (b ^ c ^ d, 0xCA62_C1D6),
            };
            let sum = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e);
            let first = sum.wrapping_add(summand).wrapping_add(word);
            (a, b, c, d, e) = (first, a, b.rotate_left(30), c, d);
        }
        for (kept, new) in state.iter_mut().zip([a, b, c, d, e]) {
            *kept = kept.wrapping_add(new);
        }
    });
    state[1..].iter().fold(0, |all, &word| all << 32 | u128::from(word))
}

fn fnv32(bytes: &[u8]) -> u32 {
    let add = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811C_9DC5, add)
}

fn fnv64(bytes: &[u8]) -> u64 {
    let add = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, add)
}

fn murmur32(bytes: &[u8]) -> u32 {
    let scramble =
        |word: u32| word.wrapping_mul(0xCC9E_2D51).rotate_left(15).wrapping_mul(0x1B87_3593);
    let mut hash = 0_u32;
    let mut rest = bytes;
    while rest.len() >= 4 {
        hash ^= scramble(word32(rest));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xE654_6B64);
        rest = &rest[4..];
    }
    if !rest.is_empty() {
        hash ^= scramble(word32(rest));
    }
    hash ^= bytes.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
    hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
    hash ^ hash >> 16
}

fn murmur128(bytes: &[u8]) -> u128 {
    const FACTORS: [u64; 2] = [0x87C3_7B91_1142_53D5, 0x4CF5_AD43_2745_937F];
    let low = |word: u64| word.wrapping_mul(FACTORS[0]).rotate_left(31).wrapping_mul(FACTORS[1]);
    let high = |word: u64| word.wrapping_mul(FACTORS[1]).rotate_left(33).wrapping_mul(FACTORS[0]);
    let (mut one, mut two) = (0_u64, 0_u64);
    let mut rest = bytes;
    while rest.len() >= 16 {
        one = (one ^ low(word64(rest))).rotate_left(27).wrapping_add(two);
        one = one.wrapping_mul(5).wrapping_add(0x52DC_E729);
        two = (two ^ high(word64(&rest[8..]))).rotate_left(31).wrapping_add(one);
        two = two.wrapping_mul(5).wrapping_add(0x3849_5AB5);
        rest = &rest[16..];
    }
    if rest.len() > 8 {
        two ^= high(word64(&rest[8..]));
    }
    if !rest.is_empty() {
        one ^= low(word64(rest));
    }
    let end = |word: u64| {
        let word = (word ^ word >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        let word = (word ^ word >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        word ^ word >> 33
    };
    one ^= bytes.len() as u64;
    two ^= bytes.len() as u64;
    one = one.wrapping_add(two);
    two = two.wrapping_add(one);
    let two = end(two);
    let one = end(one).wrapping_add(two);
    u128::from(two.wrapping_add(one)) << 64 | u128::from(one)
}

fn one_at_a_time32(bytes: &[u8]) -> u32 {
    let mut hash = bytes.iter().fold(0_u32, |hash, &byte| {
        let hash = hash.wrapping_add(u32::from(byte));
        let hash = hash.wrapping_add(hash << 10);
        hash ^ hash >> 6
    });
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

fn one_at_a_time64(bytes: &[u8]) -> u64 {
    let mut hash = bytes.iter().fold(0_u64, |hash, &byte| {
        let hash = hash.wrapping_add(u64::from(byte));
        let hash = hash.wrapping_add(hash << 10);
        hash ^ hash >> 6
    });
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

fn lookup2(bytes: &[u8]) -> u64 {
    let (mut a, mut b, mut c) = (0x9E37_79B9_u32, 0x9E37_79B9_u32, 0_u32);
    let mix = |a: &mut u32, b: &mut u32, c: &mut u32| {
        for [right, left, down] in [[13_u32, 8, 13], [12, 16, 5], [3, 10, 15]] {
            *a = a.wrapping_sub(*b).wrapping_sub(*c) ^ *c >> right;
            *b = b.wrapping_sub(*c).wrapping_sub(*a) ^ *a << left;
            *c = c.wrapping_sub(*a).wrapping_sub(*b) ^ *b >> down;
        }
    };
    let mut rest = bytes;
    while rest.len() >= 12 {
        a = a.wrapping_add(word32(rest));
        b = b.wrapping_add(word32(&rest[4..]));
        c = c.wrapping_add(word32(&rest[8..]));
        mix(&mut a, &mut b, &mut c);
        rest = &rest[12..];
    }
    a = a.wrapping_add(word32(rest));
    b = b.wrapping_add(word32(bytes_from(rest, 4)));
    // The lowest byte of the last c is the length's.
    c = c.wrapping_add(bytes.len() as u32).wrapping_add(word32(bytes_from(rest, 8)) << 8);
    mix(&mut a, &mut b, &mut c);
    u64::from(b) << 32 | u64::from(c)
}

fn lookup3(bytes: &[u8]) -> u64 {
    let start = 0xDEAD_BEEF_u32.wrapping_add(bytes.len() as u32);
    let (mut a, mut b, mut c) = (start, start, start);
    let mut rest = bytes;
    while rest.len() > 12 {
        a = a.wrapping_add(word32(rest));
        b = b.wrapping_add(word32(&rest[4..]));
        c = c.wrapping_add(word32(&rest[8..]));
        for turn in [4, 6, 8, 16, 19, 4] {
            a = a.wrapping_sub(c) ^ c.rotate_left(turn);
            c = c.wrapping_add(b);
            (a, b, c) = (b, c, a);
        }
        rest = &rest[12..];
    }
    if !rest.is_empty() {
        let last = pad_to_16(rest);
        a = a.wrapping_add(last as u32);
        b = b.wrapping_add((last >> 32) as u32);
        c = c.wrapping_add((last >> 64) as u32);
        for turn in [14, 11, 25, 16, 4, 14, 24] {
            c = (c ^ b).wrapping_sub(b.rotate_left(turn));
            (a, b, c) = (b, c, a);
        }
        // Seven turns leave the three one place further than a whole number of rounds.
        (b, c) = (a, b);
    }
    u64::from(b) << 32 | u64::from(c)
}

fn java(text: &str) -> u32 {
    let add = |hash: u32, unit: u16| hash.wrapping_mul(31).wrapping_add(u32::from(unit));
    text.encode_utf16().fold(0, add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_numbers() {
        let fox = "The quick brown fox jumps over the lazy dog";
        let four = "Four score and seven years ago";
        for (hash, text, number) in [
            (ToolHash::Md5, "", 0xD41D_8CD9_8F00_B204_E980_0998_ECF8_427E),
            (ToolHash::Md5, "abc", 0x9001_5098_3CD2_4FB0_D696_3F7D_28E1_7F72),
            (ToolHash::Md5, &"1234567890".repeat(8), 0x57ED_F4A2_2BE3_C955_AC49_DA2E_2107_B67A),
            (ToolHash::Sha1, "abc", 0x4706_816A_BA3E_2571_7850_C26C_9CD0_D89D),
            (ToolHash::Fnv32, "foobar", 0xBF9C_F968),
            (ToolHash::Fnv64, "foobar", 0x8594_4171_F739_67E8),
            (ToolHash::Murmur32, fox, 0x2E4F_F723),
            (ToolHash::Murmur128, "foo", 0x7EAF_87E4_2BBA_7D87_E271_8657_01F5_4561),
            (ToolHash::OneAtATime32, fox, 0x519E_91F5),
            (ToolHash::Lookup2, "hello world", 0x53FC_7FBC_1AA9_19E6),
            (ToolHash::OneAtATime64, "hello world", 0xD354_DB7F_295B_F971),
            (ToolHash::Lookup3, "", 0xDEAD_BEEF_DEAD_BEEF),
            (ToolHash::Lookup3, four, 0xCE72_26E6_1777_0551),
            (ToolHash::Java, "hello", 99_162_322),
            (ToolHash::Java, "\u{1F600}", 0xD83D * 31 + 0xDE00),
        ] {
            assert_eq!(hash.of(text), number, "{hash:?} of {text:?}");
        }
    }

    #[test]
    fn a_hash_has_no_bits_above_its_own() {
        for (hash, bits) in [
            (ToolHash::Fnv32, 32),
            (ToolHash::Murmur32, 32),
            (ToolHash::OneAtATime32, 32),
            (ToolHash::Java, 32),
            (ToolHash::Fnv64, 64),
            (ToolHash::OneAtATime64, 64),
            (ToolHash::Lookup2, 64),
            (ToolHash::Lookup3, 64),
            (ToolHash::Murmur128, 128),
            (ToolHash::Md5, 128),
            (ToolHash::Sha1, 128),
        ] {
            let every = (0..200).fold(0, |every, n| {
                every | hash.of(&format!("a text that fills every bit, number {n}"))
            });
            assert_eq!(128 - every.leading_zeros(), bits, "{hash:?}");
        }
    }
}
