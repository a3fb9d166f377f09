//! Facts: what one file says, typed, with its span; applies no defaults and never judges.

pub mod lockfile;
