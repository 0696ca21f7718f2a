//! Entry of a set in an index, which can be written down and given to the next index.

use super::Bitmap;

/// Entry of one set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub(super) size: u32,
    pub(super) bitmap: Bitmap,
    /// Spread values, in the order of the index.
    pub(super) prefix: Vec<u32>,
}

/// Bytes of the size and the bitmap.
const HEAD: usize = size_of::<u32>() + size_of::<Bitmap>();

impl Entry {
    /// The size, the bitmap and the values, little-endian, one after the other.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + size_of_val(self.prefix.as_slice()));
        bytes.extend(self.size.to_le_bytes());
        bytes.extend(self.bitmap.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(self.prefix.iter().flat_map(|value| value.to_le_bytes()));
        bytes
    }

    /// Read an entry; `None` if no entry has these bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (size, rest) = bytes.split_first_chunk()?;
        let (words, rest) = rest.split_at_checked(HEAD - size.len())?;
        let (values, left) = rest.as_chunks();
        let mut bitmap = Bitmap::default();
        for (word, bytes) in bitmap.iter_mut().zip(words.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let size = u32::from_le_bytes(*size);
        let prefix: Vec<u32> = values.iter().map(|value| u32::from_le_bytes(*value)).collect();
        (left.is_empty() && prefix.len() <= size as usize).then_some(Self { size, bitmap, prefix })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written_and_nothing_else_is_one() {
        let entry = Entry { size: 3, bitmap: [1, 0, u64::MAX, 7], prefix: vec![9, u32::MAX] };
        let bytes = entry.to_bytes();
        assert_eq!(Entry::of_bytes(&bytes), Some(entry.clone()));
        for length in 0..bytes.len() {
            let whole = length == HEAD || length == HEAD + 4;
            assert_eq!(Entry::of_bytes(&bytes[..length]).is_some(), whole, "{length}");
        }
        let many = Entry { size: 1, ..entry };
        assert_eq!(Entry::of_bytes(&many.to_bytes()), None);
    }
}
