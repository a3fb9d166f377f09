//! Which bare words are local variables: the names assigned so far, scope by scope.

use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    /// The file or a method: names outside are not seen.
    Closed,
    /// The body of a class or module: names outside are not seen either.
    Type,
    /// A block or lambda: names outside are seen.
    Open,
}

/// Starts with the scope of the file.
#[derive(Debug)]
pub(super) struct Scopes(Vec<(ScopeKind, BTreeSet<String>)>);

impl Default for Scopes {
    fn default() -> Self {
        Self(vec![(ScopeKind::Closed, BTreeSet::new())])
    }
}

impl Scopes {
    pub(super) fn enter(&mut self, kind: ScopeKind) {
        self.0.push((kind, BTreeSet::new()));
    }

    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    pub(super) fn declare(&mut self, name: &str) {
        // `x = x + 1` in a block assigns the outer variable; a set of its own would only repeat the name.
        if !self.knows(name)
            && let Some((_, names)) = self.0.last_mut()
        {
            names.insert(name.to_owned());
        }
    }

    pub(super) fn knows(&self, name: &str) -> bool {
        for (kind, names) in self.0.iter().rev() {
            if names.contains(name) {
                return true;
            }
            if *kind != ScopeKind::Open {
                return false;
            }
        }
        false
    }

    /// Says whether a method defined here belongs to a class or module.
    pub(super) fn in_type(&self) -> bool {
        self.0.iter().rev().find(|(kind, _)| *kind != ScopeKind::Open).is_some_and(|(kind, _)| *kind == ScopeKind::Type)
    }
}
