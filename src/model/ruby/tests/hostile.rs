//! Files that nobody would write.
