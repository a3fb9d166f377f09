//! The guard before every recursive parser: a stack overflow aborts the process and cannot be caught.

/// Deeper nesting than this is refused before a parser sees the text.
pub const NESTING_LIMIT: usize = 200;

/// Returns the offset of the first bracket of `text` that nests deeper than [`NESTING_LIMIT`]. Counts `(`, `[`, `{`
/// wherever they stand, strings and comments included: too careful is the safe side, and no real file comes near.
pub fn too_deep_at(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                if depth > NESTING_LIMIT {
                    return Some(at);
                }
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_open_brackets_only() {
        assert_eq!(too_deep_at("[]".repeat(5_000).as_bytes()), None);
        assert_eq!(too_deep_at("[".repeat(200).as_bytes()), None);
        assert_eq!(too_deep_at("[({".repeat(67).as_bytes()), Some(200));
    }
}
