//! How npm, yarn, pnpm and bun write a package with its version or its range.

/// Splits `name@rest` behind the scope's `@`; `None` without a second part.
pub(super) fn split_name(text: &str) -> Option<(&str, &str)> {
    let scope = usize::from(text.starts_with('@'));
    let at = text.get(scope..)?.find('@')? + scope;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Splits `npm:real@range`, an alias; `npm:^1.2` of Berry is a plain range and has no name.
pub(super) fn split_alias(range: &str) -> Option<(&str, &str)> {
    split_name(range.strip_prefix("npm:")?)
}

/// Returns the package that a folder of a repository would be called: its last part, with a scope before it.
pub(super) fn folder_name(path: &str) -> &str {
    let parent_end = path.rfind('/').map_or(0, |at| at);
    let scope = path.get(..parent_end).map_or(0, |parent| parent.rfind('/').map_or(0, |at| at + 1));
    match path.get(scope..) {
        Some(scoped) if scoped.starts_with('@') => scoped,
        _ => path.get(parent_end..).unwrap_or_default().trim_start_matches('/'),
    }
}
