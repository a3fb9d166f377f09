//! Property lists into the data view: XML with the place of every string, binary ones without places. Old-style
//! (OpenStep) lists are refused: whether launchd loads them is not known.

mod binary;
mod text;
mod xml;

use crate::source::Bytes;
use crate::syntax::{Trouble, TroubleKind};

use super::{Document, Parsed, refuse};

pub(super) fn parse(bytes: &[u8]) -> Parsed<Document> {
    if bytes.starts_with(b"bplist") {
        return binary::parse(bytes);
    }
    let content = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    match content.first() {
        None => refuse(unparsable(0, "empty")),
        Some(b'<') if !is_old_data(content) => xml::parse(bytes),
        Some(0xfe | 0xff) => xml::parse(bytes),
        Some(b'{' | b'(' | b'"' | b'/' | b'<') => {
            refuse(unparsable(bytes.len() - content.len(), "an old-style property list, neither XML nor binary"))
        }
        Some(_) => refuse(unparsable(bytes.len() - content.len(), "neither an XML nor a binary property list")),
    }
}

/// `<0fbd77 1c2735ae>` is data in an old-style list.
fn is_old_data(content: &[u8]) -> bool {
    let inside = content.split(|byte| *byte == b'>').next().unwrap_or_default();
    inside.iter().skip(1).all(|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace())
}

fn unparsable(at: usize, message: &str) -> Trouble {
    Trouble { at: Bytes::new(at, at), kind: TroubleKind::Unparsable, message: message.to_owned() }
}

#[cfg(test)]
mod tests;
