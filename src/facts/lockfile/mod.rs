//! Lockfiles.
