//! The same expressions in a real Ruby.
