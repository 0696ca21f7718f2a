//! A JSON array as lines of its elements, in place.
//!
//! The commas between the elements, and the closing bracket, become line ends; line ends between
//! the tokens of an element become spaces. So a reader of lines reads elements, each the same JSON
//! as before, and every byte stays where it is.

/// Array read piece by piece: where in its grammar the next byte is.
#[derive(Debug, Clone, Copy, Default)]
pub struct ArrayLines {
    begun: bool,
    ended: bool,
    in_string: bool,
    escaped: bool,
    depth: i64,
}

impl ArrayLines {
    /// Rewrites the next bytes.
    pub fn rewrite_in_place(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            if self.in_string {
                // Within a string nothing is changed, and only its end is looked for.
                self.in_string = self.escaped || *byte != b'"';
                self.escaped = !self.escaped && *byte == b'\\';
                continue;
            }
            match *byte {
                b'"' => self.in_string = true,
                b'[' | b'{' => {
                    self.depth += 1;
                    if !self.begun {
                        (*byte, self.begun) = (b' ', true);
                    }
                }
                b']' | b'}' => {
                    self.depth -= 1;
                    if self.depth == 0 && !self.ended {
                        (*byte, self.ended) = (b'\n', true);
                    }
                }
                // What stands before and after the array is left for the reader of lines to
                // complain of.
                _ if !self.begun || self.ended => {}
                b'\r' | b'\n' => *byte = b' ',
                b',' if self.depth == 1 => *byte = b'\n',
                _ => {}
            }
        }
    }
}
