//! Temporary.
/// Temporary.
#[must_use]
pub fn components(n: usize, left: &[u32], right: &[u32]) -> Vec<u32> {
    let mut label: Vec<u32> = (0..n as u32).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (&a, &b) in left.iter().zip(right) {
            let m = label[a as usize].min(label[b as usize]);
            for r in [a, b] {
                if label[r as usize] != m {
                    label[r as usize] = m;
                    changed = true;
                }
            }
        }
    }
    label
}
