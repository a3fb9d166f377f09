//! visible
