//! The guard before every recursive parser: a stack overflow aborts the process and cannot be caught.

/// Deeper nesting than this is refused before a parser sees the text.
pub const NESTING_LIMIT: usize = 200;

/// Says whether the brackets of `text` nest deeper than [`NESTING_LIMIT`]. Counts `(`, `[`, `{` wherever they
/// stand, strings and comments included: too careful is the safe side, and no real file comes near.
pub fn too_deep(text: &[u8]) -> bool {
    let mut depth = 0usize;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                if depth > NESTING_LIMIT {
                    return true;
                }
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_open_brackets_only() {
        assert!(!too_deep("[]".repeat(5_000).as_bytes()));
        assert!(!too_deep("[".repeat(200).as_bytes()));
        assert!(too_deep("[({".repeat(67).as_bytes()));
    }
}
