//! Eight words at a time on machines that count no ones of words (Intel Skylake-X, Cascade Lake).

super::eight::eight_at_a_time!("avx512f,avx512bw");

/// The ones of each word: those of every four bits from a table, added up byte by byte and then
/// word by word (Muła, Kurz and Lemire 2018, section 3).
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn ones(words: __m512i) -> __m512i {
    let table =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    let four = _mm512_set1_epi8(0x0f);
    let low = _mm512_shuffle_epi8(table, _mm512_and_si512(words, four));
    let high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16::<4>(words), four));
    _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512())
}
