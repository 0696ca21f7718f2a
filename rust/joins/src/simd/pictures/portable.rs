//! One picture at a time, on any machine.

use super::Question;

/// See [`super::near`].
#[inline(always)]
pub fn near<const W: usize>(
    questions: &[Question<W>],
    pictures: &[[u64; W]],
    hit: &mut impl FnMut(u32, u32),
) {
    for question in questions {
        for (place, picture) in (question.from..).zip(question.list(pictures)) {
            let words = question.picture.iter().zip(picture);
            let differing: u32 = words.map(|(own, word)| (own ^ word).count_ones()).sum();
            if differing <= question.most {
                hit(question.key, place);
            }
        }
    }
}
