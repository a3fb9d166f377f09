//! Slots that a path out of a function does not give back.

use super::{Scene, View};
use crate::knowledge::wait::{Hold, Pool};
use crate::source::Span;

/// A slot that is lost on some path.
#[derive(Clone, Debug)]
pub struct Leak<'k> {
    pub pool: &'k Pool,
    pub hold: &'k Hold,
    /// The call that takes it.
    pub span: Span,
    pub handle: String,
    pub lost: Lost,
    pub anchor: String,
}

/// How it is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// This `return` leaves without giving it back.
    Return(Span),
    /// If this fails, nothing gives it back.
    Failure(Span),
    /// Nothing in the function gives it back.
    Never,
}

/// Finds the slots of a file that are lost.
pub(super) fn find<'k>(scene: &Scene<'_, '_, 'k>, view: View<'_>, found: &mut Vec<Leak<'k>>) {
    let _ = (scene, view, found);
}
