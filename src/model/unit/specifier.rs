//! `%x` in a unit: what the manager puts there, or unknown.

use std::path::Path;

use crate::knowledge::unit::systemd;

/// The unit that a specifier speaks of.
pub(super) struct Specifiers<'a> {
    /// `system` or `user`.
    pub manager: &'a str,
    pub name: &'a str,
    /// The home of the manager's user, where that is not the table's.
    pub home: Option<&'a Path>,
    /// The fragment's path, links resolved.
    pub fragment: &'a Path,
}

impl Specifiers<'_> {
    /// Returns the text with its specifiers replaced, or nothing if one is unknown here.
    pub(super) fn expand(&self, text: &str) -> Option<String> {
        if !text.contains('%') {
            return Some(text.to_owned());
        }
        let mut whole = String::new();
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            if letter == '%' {
                whole.push_str(&self.value(letters.next()?)?);
            } else {
                whole.push(letter);
            }
        }
        Some(whole)
    }

    fn value(&self, letter: char) -> Option<String> {
        let (stem, _) = self.name.rsplit_once('.').unwrap_or((self.name, ""));
        let (prefix, instance) = match stem.split_once('@') {
            Some((prefix, instance)) => (prefix, instance),
            None => (stem, ""),
        };
        Some(match letter {
            '%' => "%".to_owned(),
            'n' => self.name.to_owned(),
            'N' => stem.to_owned(),
            'p' => prefix.to_owned(),
            'P' => unescape(prefix),
            'i' => instance.to_owned(),
            'I' => unescape(instance),
            'j' => prefix.rsplit('-').next().unwrap_or(prefix).to_owned(),
            'J' => unescape(prefix.rsplit('-').next().unwrap_or(prefix)),
            'f' => {
                format!("/{}", unescape(if instance.is_empty() { prefix } else { instance }).trim_start_matches('/'))
            }
            'y' => self.fragment.to_str()?.to_owned(),
            'Y' => self.fragment.parent()?.to_str()?.to_owned(),
            _ => {
                let value = systemd().specifiers.get(self.manager)?.get(&letter)?;
                match value.strip_prefix('~') {
                    Some(rest) => format!("{}{rest}", self.home?.to_str()?),
                    None => value.clone(),
                }
            }
        })
    }
}

/// systemd-escape(1) undone: `-` is `/`, `\xHH` is a byte.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'-' => bytes.push(b'/'),
            b'\\' => {
                let code = after.strip_prefix(b"x").and_then(|digits| digits.get(..2));
                let byte = code
                    .and_then(|code| std::str::from_utf8(code).ok())
                    .and_then(|code| u8::from_str_radix(code, 16).ok());
                match byte {
                    Some(byte) => {
                        bytes.push(byte);
                        rest = after.get(3..).unwrap_or_default();
                    }
                    None => bytes.push(b'\\'),
                }
            }
            other => bytes.push(*other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_of_a_system_unit() {
        let unit = Specifiers {
            manager: "system",
            name: "backup@srv-data\\x2dold.service",
            home: None,
            fragment: Path::new("/srv/app/deploy/backup@.service"),
        };
        let check = |text: &str, expected: Option<&str>| assert_eq!(unit.expand(text).as_deref(), expected, "{text}");
        check("%h/bin", Some("/root/bin"));
        check("/x/%i", Some("/x/srv-data\\x2dold"));
        check("%f", Some("/srv/data-old"));
        check("%Y/run.sh", Some("/srv/app/deploy/run.sh"));
        check("100%%", Some("100%"));
        check("%p.%N", Some("backup.backup@srv-data\\x2dold"));
        check("/x/%H", None);
        check("/x/%", None);
    }
}
