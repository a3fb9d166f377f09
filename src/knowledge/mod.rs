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

/// Reads a compiled-in table. A table that does not fit its type is our fault: a debug build says so and ends, a release
/// knows nothing of what stands in it.
fn read<T: DeserializeOwned + Default>(text: &str) -> T {
    let table = toml::from_str(text);
    debug_assert!(table.is_ok(), "a table of rules/ does not fit its type: {}", message(&table));
    table.unwrap_or_default()
}

fn message<T>(table: &Result<T, toml::de::Error>) -> String {
    table.as_ref().err().map(ToString::to_string).unwrap_or_default()
}
