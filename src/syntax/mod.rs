//! Text into one of four small views; cannot fail: what was not understood is a [`Trouble`] beside the view.
//!
//! Attaches no meaning and reads no other file. Facts know these types only, never a grammar's node names.

pub mod code;
pub mod data;
pub mod directive;
mod fragment;
mod nesting;
mod readable;
pub mod shell;

pub use fragment::{Fragment, OffsetMap};
pub use nesting::{NESTING_LIMIT, too_deep_at};
pub use readable::readable;

use crate::source::Bytes;

/// A view of one text, and what could not be read of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed<T> {
    pub tree: T,
    pub comments: Vec<Comment>,
    pub troubles: Vec<Trouble>,
}

/// A comment as the language's own parser sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The comment with its markers.
    pub bytes: Bytes,
    /// Text without the markers, trimmed.
    pub text: String,
    pub place: CommentPlace,
}

/// What stands before a comment on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentPlace {
    /// Nothing but blanks: the comment speaks of what follows.
    OwnLine,
    /// Code: the comment speaks of this line.
    AfterCode,
}

/// Something in a text that its parser refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub at: Bytes,
    pub kind: TroubleKind,
    /// One clause, lower case, for people.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TroubleKind {
    /// A part is wrong; the rest of the view is whole.
    Syntax,
    /// Nothing of the text could be used; the view is empty.
    Unparsable,
    /// A limit of ours was reached (size, nesting, nodes); the view may be empty.
    Limit,
    /// The text is not in the encoding that its format demands.
    Encoding,
}
