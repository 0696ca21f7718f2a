//! One bitmap at a time, on any machine.

use super::BitmapQuestion;

/// See [`super::each_near_bitmap`].
#[inline(always)]
pub fn each_near_bitmap<const W: usize>(
    questions: &[BitmapQuestion<W>],
    bitmaps: &[[u64; W]],
    hit: &mut impl FnMut(u32, u32),
) {
    for question in questions {
        for (place, bitmap) in (question.from..).zip(question.list(bitmaps)) {
            let words = question.bitmap.iter().zip(bitmap);
            let differing: u32 = words.map(|(own, word)| (own ^ word).count_ones()).sum();
            if differing <= question.most {
                hit(question.key, place);
            }
        }
    }
}
