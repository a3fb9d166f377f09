//! A decimal number of any length: version parts may be dates, or hostile, and overflow no integer here.

/// The derived order compares the length first, which is the numeric order once leading zeros are gone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number {
    length: usize,
    digits: String,
}

impl Number {
    /// Reads ASCII digits; `None` for anything else, and for nothing.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = text.trim_start_matches('0').to_owned();
        Some(Self { length: digits.len(), digits })
    }

    pub(super) fn zero() -> Self {
        Self { length: 0, digits: String::new() }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.length == 0
    }

    /// Returns the next number as text.
    pub(super) fn successor(&self) -> String {
        let mut digits = Vec::with_capacity(self.length + 1);
        let mut carry = true;
        for digit in self.digits.bytes().rev() {
            digits.push(match (carry, digit) {
                (true, b'9') => b'0',
                (true, below) => {
                    carry = false;
                    below + 1
                }
                (false, same) => same,
            });
        }
        if carry {
            digits.push(b'1');
        }
        digits.iter().rev().map(|digit| char::from(*digit)).collect()
    }

    pub(super) fn to_text(&self) -> &str {
        if self.is_zero() { "0" } else { &self.digits }
    }
}
