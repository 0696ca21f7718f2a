//! Eight words at a time: four bitmaps of two words, or two of four.

use std::arch::x86_64::*;

use super::Question;

const WORDS: usize = 8;

/// See [`super::each_near_bitmap`].
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub fn each_near_bitmap<const W: usize>(
    questions: &[Question<W>],
    bitmaps: &[[u64; W]],
    hit: &mut impl FnMut(u32, u32),
) {
    // The first word of each bitmap.
    let first = if W == 2 { 0b0101_0101 } else { 0b0001_0001 };
    for question in questions {
        let words = question.list(bitmaps).as_flattened();
        let own: [u64; WORDS] = std::array::from_fn(|place| question.bitmap[place % W]);
        // SAFETY: eight words are read from an array of eight words.
        let own = unsafe { _mm512_loadu_epi64(own.as_ptr().cast()) };
        let limit = _mm512_set1_epi64(i64::from(question.most));
        let mut place = question.from;
        for block in words.chunks(WORDS) {
            let there = (0xff_u16 >> (WORDS - block.len())) as u8;
            // SAFETY: only the words in the mask are read, as many as the block has.
            let block = unsafe { _mm512_maskz_loadu_epi64(there, block.as_ptr().cast()) };
            let ones = _mm512_popcnt_epi64(_mm512_xor_si512(own, block));
            // Each word takes the sum of its bitmap.
            let mut sums = _mm512_add_epi64(ones, _mm512_shuffle_epi32::<0b01_00_11_10>(ones));
            if W == 4 {
                sums = _mm512_add_epi64(sums, _mm512_permutex_epi64::<0b01_00_11_10>(sums));
            }
            let mut near = _mm512_mask_cmple_epu64_mask(there & first, sums, limit);
            while near != 0 {
                hit(question.key, place + near.trailing_zeros() / W as u32);
                near &= near - 1;
            }
            place += (WORDS / W) as u32;
        }
    }
}
