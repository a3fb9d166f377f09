//! plist into the data view.

use super::{Document, Parsed};

pub(super) fn parse(_bytes: &[u8]) -> Parsed<Document> {
    Parsed::default()
}
