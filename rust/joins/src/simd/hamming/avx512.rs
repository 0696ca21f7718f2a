//! Eight words at a time, and one instruction that counts their ones.

super::eight::eight_at_a_time!("avx512f,avx512vpopcntdq");

/// The ones of each word.
#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn ones(words: __m512i) -> __m512i {
    _mm512_popcnt_epi64(words)
}
