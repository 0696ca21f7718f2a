//! Eight numbers against eight at a time, for whatever instructions count the ones of eight words.

/// Writes the loops of this room with `ones`, which counts them and needs these features.
macro_rules! eight_at_a_time {
    ($features:literal) => {
        use std::arch::x86_64::*;

        use super::Fingerprint;

        const LANES: usize = 8;

        /// Fill of unused lanes: words 32 bits from each other and, negated, from each other
        /// again, so that an unused lane seldom raises an alarm (rows of a Hadamard matrix,
        /// repeated).
        const FILL: [u64; LANES] = [
            0x0000_0000_0000_0000,
            0x5555_5555_5555_5555,
            0x3333_3333_3333_3333,
            0x6666_6666_6666_6666,
            0x0f0f_0f0f_0f0f_0f0f,
            0x5a5a_5a5a_5a5a_5a5a,
            0x3c3c_3c3c_3c3c_3c3c,
            0x6969_6969_6969_6969,
        ];

        /// The words of eight numbers, the lowest in one vector and the second, if there is one, in
        /// the other.
        #[derive(Clone, Copy)]
        struct Lanes {
            low: __m512i,
            high: __m512i,
        }

        /// Up to eight numbers, and the same in lanes; lanes beyond them hold the fill.
        #[derive(Clone, Copy)]
        struct NumbersInLanes<'a, T> {
            numbers: &'a [T],
            lanes: Lanes,
        }

        /// The lanes that at most eight numbers take.
        fn mask<T>(numbers: &[T]) -> u8 {
            (0xff_u16 >> (LANES - numbers.len())) as u8
        }

        impl<'a, T: Fingerprint> NumbersInLanes<'a, T> {
            /// The first eight numbers of a list, and the rest of it.
            #[inline]
            #[target_feature(enable = $features)]
            fn load(list: &'a [T], fill: __m512i) -> (Self, &'a [T]) {
                let (numbers, rest) = list.split_at(list.len().min(LANES));
                let words = numbers.as_ptr().cast::<i64>();
                let used = mask(numbers);
                let lanes = if T::BITS == u64::BITS {
                    // SAFETY: only the lanes in the mask are read, one for each number's only word.
                    let low = unsafe { _mm512_mask_loadu_epi64(fill, used, words) };
                    Lanes { low, high: fill }
                } else {
                    let there = 0xffff_u16 >> (2 * (LANES - numbers.len()));
                    // SAFETY: only the lanes in the masks are read, one for each number's two
                    // words; the second address is not used where no number is there.
                    let (first, second) = unsafe {
                        (
                            _mm512_maskz_loadu_epi64(there as u8, words),
                            _mm512_maskz_loadu_epi64((there >> 8) as u8, words.wrapping_add(LANES)),
                        )
                    };
                    let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
                    let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
                    let low = _mm512_permutex2var_epi64(first, even, second);
                    let high = _mm512_permutex2var_epi64(first, odd, second);
                    Lanes {
                        low: _mm512_mask_mov_epi64(fill, used, low),
                        high: _mm512_mask_mov_epi64(fill, used, high),
                    }
                };
                (Self { numbers, lanes }, rest)
            }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn seldom_near_words() -> __m512i {
            // SAFETY: eight words are read from an array of eight words.
            unsafe { _mm512_loadu_si512(FILL.as_ptr().cast()) }
        }

        /// See [`super::each_pair_within`].
        #[target_feature(enable = $features)]
        pub fn each_pair_within<'a, T: Fingerprint + 'a>(
            lists: impl Iterator<Item = &'a [T]>,
            radius: u32,
            hit: &mut impl FnMut(T, T),
        ) {
            let fill = seldom_near_words();
            for mut list in lists {
                while list.len() > 1 {
                    let (block, rest) = NumbersInLanes::load(list, fill);
                    pairs_in_block(block, radius, hit);
                    if !rest.is_empty() {
                        pairs_with_list(block, rest, radius, hit);
                    }
                    list = rest;
                }
            }
        }

        /// See [`super::each_pair_across`].
        #[target_feature(enable = $features)]
        pub fn each_pair_across<'a, T: Fingerprint + 'a>(
            lists: impl Iterator<Item = (&'a [T], &'a [T])>,
            radius: u32,
            hit: &mut impl FnMut(T, T),
        ) {
            let fill = seldom_near_words();
            for (mut left, right) in lists {
                while !left.is_empty() {
                    let (block, rest) = NumbersInLanes::load(left, fill);
                    pairs_with_list(block, right, radius, hit);
                    left = rest;
                }
            }
        }

        /// See [`super::each_near`].
        #[target_feature(enable = $features)]
        pub fn each_near<'a, T: Fingerprint + 'a>(
            query: T,
            lists: impl Iterator<Item = &'a [T]>,
            radius: u32,
            hit: &mut impl FnMut(T),
        ) {
            let (fill, query) = (seldom_near_words(), in_every_lane(query));
            let limit = _mm512_set1_epi64(i64::from(radius));
            for mut list in lists {
                while !list.is_empty() {
                    let (block, rest) = NumbersInLanes::load(list, fill);
                    let distances = distances::<T>(block.lanes, query);
                    let mut near =
                        _mm512_mask_cmple_epu64_mask(mask(block.numbers), distances, limit);
                    while near != 0 {
                        hit(block.numbers[near.trailing_zeros() as usize]);
                        near &= near - 1;
                    }
                    list = rest;
                }
            }
        }

        /// See [`super::each_near_place`].
        #[target_feature(enable = $features)]
        pub fn each_near_place<const N: usize>(
            queries: [u64; N],
            lists: [&[u64]; N],
            radius: u32,
            hit: &mut impl FnMut(usize),
        ) {
            let length = lists.iter().map(|list| list.len()).min().unwrap_or(0);
            let whole = length - length % LANES;
            let repeated = queries.map(|query| _mm512_set1_epi64(query.cast_signed()));
            let limit = _mm512_set1_epi64(i64::from(radius));
            for start in (0..whole).step_by(LANES) {
                let mut sum = _mm512_setzero_si512();
                for (query, list) in repeated.iter().zip(&lists) {
                    // SAFETY: eight words are read from `start` on, which is at most `whole` - 8.
                    let words = unsafe { _mm512_loadu_epi64(list.as_ptr().add(start).cast()) };
                    sum = _mm512_add_epi64(sum, ones(_mm512_xor_si512(words, *query)));
                }
                let mut near = _mm512_cmple_epu64_mask(sum, limit);
                while near != 0 {
                    hit(start + near.trailing_zeros() as usize);
                    near &= near - 1;
                }
            }
            let rest = lists.map(|list| &list[whole..length]);
            super::portable::each_near_place(
                queries,
                rest,
                radius,
                &mut |place| hit(whole + place),
            );
        }

        /// Compares a block with itself: rotations by one to four lanes meet every two lanes.
        #[inline]
        #[target_feature(enable = $features)]
        fn pairs_in_block<T: Fingerprint>(
            block: NumbersInLanes<T>,
            radius: u32,
            hit: &mut impl FnMut(T, T),
        ) {
            let lanes = block.lanes;
            let nearest = _mm512_min_epu64(
                _mm512_min_epu64(
                    distances::<T>(lanes, rotate_lanes::<1>(lanes)),
                    distances::<T>(lanes, rotate_lanes::<2>(lanes)),
                ),
                _mm512_min_epu64(
                    distances::<T>(lanes, rotate_lanes::<3>(lanes)),
                    distances::<T>(lanes, rotate_lanes::<4>(lanes)),
                ),
            );
            let limit = _mm512_set1_epi64(i64::from(radius));
            let mut alarms = _mm512_cmple_epu64_mask(nearest, limit) & mask(block.numbers);
            // One end at least of every near pair is alarmed; the pair is reported with the first.
            let mut among = mask(block.numbers);
            while alarms != 0 {
                let lane = alarms.trailing_zeros();
                alarms &= alarms - 1;
                among &= !(1 << lane);
                report(block, among, block.numbers[lane as usize], limit, hit);
            }
        }

        /// Compares a block with a list.
        #[inline]
        #[target_feature(enable = $features)]
        fn pairs_with_list<T: Fingerprint>(
            block: NumbersInLanes<T>,
            list: &[T],
            radius: u32,
            hit: &mut impl FnMut(T, T),
        ) {
            let limit = _mm512_set1_epi64(i64::from(radius));
            let other_fill = _mm512_xor_si512(seldom_near_words(), _mm512_set1_epi64(-1));
            let queries = spread(block.lanes);
            let mut list = list;
            while !list.is_empty() {
                let (targets, rest) = NumbersInLanes::load(list, other_fill);
                list = rest;
                let mut nearest = distances::<T>(queries[0], targets.lanes);
                for &query in &queries[1..] {
                    nearest = _mm512_min_epu64(nearest, distances::<T>(query, targets.lanes));
                }
                let mut alarms = _mm512_cmple_epu64_mask(nearest, limit) & mask(targets.numbers);
                while alarms != 0 {
                    let target = targets.numbers[alarms.trailing_zeros() as usize];
                    alarms &= alarms - 1;
                    report(block, mask(block.numbers), target, limit, hit);
                }
            }
        }

        /// Reports the numbers of a block, those in the lanes `among`, that are near another
        /// number.
        #[inline]
        #[target_feature(enable = $features)]
        fn report<T: Fingerprint>(
            block: NumbersInLanes<T>,
            among: u8,
            other: T,
            limit: __m512i,
            hit: &mut impl FnMut(T, T),
        ) {
            let distances = distances::<T>(block.lanes, in_every_lane(other));
            let mut near = _mm512_mask_cmple_epu64_mask(among, distances, limit);
            while near != 0 {
                hit(block.numbers[near.trailing_zeros() as usize], other);
                near &= near - 1;
            }
        }

        /// Lane by lane the bits in which the numbers differ.
        #[inline]
        #[target_feature(enable = $features)]
        fn distances<T: Fingerprint>(a: Lanes, b: Lanes) -> __m512i {
            let low = ones(_mm512_xor_si512(a.low, b.low));
            if T::BITS == u64::BITS {
                return low;
            }
            _mm512_add_epi64(low, ones(_mm512_xor_si512(a.high, b.high)))
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn rotate_lanes<const BY: i32>(lanes: Lanes) -> Lanes {
            Lanes {
                low: _mm512_alignr_epi64::<BY>(lanes.low, lanes.low),
                high: _mm512_alignr_epi64::<BY>(lanes.high, lanes.high),
            }
        }

        /// A number in every lane.
        #[inline]
        #[target_feature(enable = $features)]
        fn in_every_lane<T: Fingerprint>(number: T) -> Lanes {
            Lanes {
                low: _mm512_set1_epi64(number.word(0).cast_signed()),
                high: _mm512_set1_epi64(number.word(1).cast_signed()),
            }
        }

        /// Every lane, repeated in all lanes of its own vector.
        #[inline]
        #[target_feature(enable = $features)]
        fn spread(lanes: Lanes) -> [Lanes; LANES] {
            let mut queries = [lanes; LANES];
            for (lane, query) in (0_i64..).zip(&mut queries) {
                let lane = _mm512_set1_epi64(lane);
                query.low = _mm512_permutexvar_epi64(lane, lanes.low);
                query.high = _mm512_permutexvar_epi64(lane, lanes.high);
            }
            queries
        }
    };
}
pub(super) use eight_at_a_time;
