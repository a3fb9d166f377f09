//! The directive view as text, for tests.

use std::fmt::Write as _;

use super::Directive;

/// Returns one line a directive: `[Section] key = "value"`, or the fields of a table.
pub fn print(file: &[Directive]) -> String {
    let mut out = String::new();
    for directive in file {
        for section in &directive.section {
            let _ = write!(out, "[{}] ", section.text);
        }
        out.push_str(&directive.key.text);
        if let Some(value) = &directive.value {
            let _ = write!(out, " = {:?}", value.text);
        }
        for (index, field) in directive.fields.iter().enumerate() {
            let gap = if index == 0 && directive.key.text.is_empty() { "" } else { " " };
            let _ = write!(out, "{gap}{:?}", field.text);
        }
        out.push('\n');
    }
    out
}
