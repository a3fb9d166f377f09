//! What foreshock knows of other people's software: the types of the tables in `rules/`, read once, when first asked
//! for. Touches no file of the user.

pub mod command;
pub mod copy;
pub mod host;
pub mod lock;
pub mod pin;
pub mod place;
pub mod pool;
pub mod process;
pub mod restart;
pub mod retry;
pub mod ruby;
pub mod setting;
pub mod timeout;
pub mod unit;
pub mod wait;

use serde::de::DeserializeOwned;

/// Reads a compiled-in table. A table that does not fit its type is our fault and fails a test of its module; at run
/// time it then knows nothing.
fn read<T: DeserializeOwned + Default>(text: &str) -> T {
    toml::from_str(text).unwrap_or_default()
}
