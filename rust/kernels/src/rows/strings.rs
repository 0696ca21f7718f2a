//! Strings one after another, as a column of them lies in memory.

/// A growing column of strings.
#[derive(Debug)]
pub struct Strings {
    values: Vec<u8>,
    offsets: Vec<i64>,
    valid: Vec<bool>,
}

impl Default for Strings {
    fn default() -> Self {
        Self { values: Vec::new(), offsets: vec![0], valid: Vec::new() }
    }
}

impl Strings {
    /// Makes room for `bytes` more bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.values.reserve(bytes);
    }

    /// Appends a row.
    pub fn push(&mut self, value: Option<&str>) {
        self.values.extend_from_slice(value.unwrap_or_default().as_bytes());
        self.offsets.push(self.values.len() as i64);
        self.valid.push(value.is_some());
    }

    /// Appends what `write` appends to the bytes, in UTF-8, as a row; none if it returns false.
    pub fn push_written(&mut self, write: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
        let before = self.values.len();
        if !write(&mut self.values) {
            // What was half written is taken back: the careful way writes the row again.
            self.values.truncate(before);
            return false;
        }
        self.offsets.push(self.values.len() as i64);
        self.valid.push(true);
        true
    }

    /// The bytes of all strings (each is UTF-8), where they begin and end, and which rows have one.
    pub fn into_parts(self) -> (Vec<u8>, Vec<i64>, Vec<bool>) {
        (self.values, self.offsets, self.valid)
    }
}
