//! location
