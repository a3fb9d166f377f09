//! The password in a URL's user information.

use std::ops::Range;

use super::reference::is_reference;

/// A user without a password that is as long as this is taken for a token (`https://<token>@github.com`).
const TOKEN: usize = 20;

/// Returns the password of every `scheme://user:password@host` in `text`.
pub(super) fn passwords(text: &str) -> Vec<Range<usize>> {
    let finder = memchr::memmem::Finder::new("://");
    let mut starts = finder.find_iter(text.as_bytes()).map(|at| at + 3).peekable();
    let mut found = Vec::new();
    while let Some(start) = starts.next() {
        // The regions are apart from each other, so that the time is linear.
        let limit = starts.peek().map_or(text.len(), |next| *next);
        if let Some(region) = text.get(start..limit)
            && let Some(range) = password(region)
        {
            let range = start + range.start..start + range.end;
            let reference = text.get(range.clone()).is_some_and(is_reference);
            found.extend((!reference).then_some(range));
        }
    }
    found
}

fn password(region: &str) -> Option<Range<usize>> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
    let token = region.split(ends).next()?;
    let authority = token.split(['/', '?', '#']).next()?;
    // A password with a bare `/`, `?` or `#` ends the authority early; a port does so too.
    let information = match authority.rfind('@') {
        Some(at) => token.get(..at)?,
        None if is_host(authority) => return None,
        None => token.get(..token.rfind('@')?)?,
    };
    match information.find(':') {
        Some(colon) => Some(colon + 1..information.len()),
        None => (information.len() >= TOKEN && !is_reference(information)).then_some(0..information.len()),
    }
}

/// Says whether this is a host with an optional port, and so the whole authority.
fn is_host(authority: &str) -> bool {
    match authority.rsplit_once(':') {
        Some((_, port)) => port.bytes().all(|b| b.is_ascii_digit()) || authority.ends_with(']'),
        None => true,
    }
}
