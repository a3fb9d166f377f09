//! Templates over YAML: masked to equal length, holes and statements kept.

use super::{Document, Parsed};

pub(super) fn parse_yaml(_bytes: &[u8]) -> Parsed<Document> {
    Parsed::default()
}

pub(super) fn parse_helm_yaml(_bytes: &[u8]) -> Parsed<Document> {
    Parsed::default()
}
