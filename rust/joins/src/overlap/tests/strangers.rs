use super::cases::{Numbers, column, thresholds};
use super::{Column, patient, resembling};
use crate::overlap::{Ratio, strangers};

const LEAST: Ratio = Ratio { numerator: 4, denominator: 5 };

#[test]
fn no_set_that_resembles_another_is_a_stranger() {
    let mut numbers = Numbers(11);
    for case in 0..400 {
        let column = column(&mut numbers);
        let sets = column.sets();
        let room = numbers.pick(&[0, 1, 64, 1 << 20]);
        for threshold in thresholds() {
            let found = strangers(sets, threshold, room, &patient).unwrap();
            for (row, &alone) in found.iter().enumerate() {
                let resembles = |other: usize| {
                    other != row && resembling(sets.get(row), sets.get(other), threshold).is_some()
                };
                assert!(!(alone && (0..sets.len()).any(resembles)), "{case}, row {row}");
            }
        }
    }
}

/// Many rows of a hundred values of their own, then two that resemble each other.
fn apart() -> Column {
    let mut sets: Vec<Vec<u32>> =
        (0..200).map(|row| (0..100).map(|at| row * 1000 + at).collect()).collect();
    sets.push((0..100).map(|at| 900_000 + at).collect());
    sets.push((5..105).map(|at| 900_000 + at).collect());
    Column::new(&sets)
}

#[test]
fn sets_with_values_of_their_own_are_strangers() {
    let column = apart();
    let found = strangers(column.sets(), LEAST, 1 << 16, &patient).unwrap();
    assert_eq!(found.iter().filter(|&&alone| alone).count(), 200);
    assert_eq!(found[200..], [false, false]);
}

#[test]
fn in_a_small_room_the_values_are_counted_part_by_part() {
    // 20,200 values; 4,096 cells in the room, eight times.
    let column = apart();
    let found = strangers(column.sets(), LEAST, 1 << 10, &patient).unwrap();
    assert_eq!(found.iter().filter(|&&alone| alone).count(), 200);
}

#[test]
fn where_nothing_can_tell_nobody_is_a_stranger() {
    let column = apart();
    let found = strangers(column.sets(), LEAST, 0, &patient).unwrap();
    assert_eq!(found.iter().filter(|&&alone| alone).count(), 0);
}

#[test]
fn a_watch_stops_it() {
    let column = apart();
    assert!(strangers(column.sets(), LEAST, 1 << 16, &|_| false).is_err());
}
