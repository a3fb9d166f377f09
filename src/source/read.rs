//! The bytes of one open file, up to a limit.

use std::fs::File;
use std::io::{self, Read};

use super::disk::{Kind, is_loop, is_special, status_of_file};

/// Why the bytes of a file cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("no permission to read it")]
    Permission,
    #[error("{size} bytes, more than the limit of {limit}")]
    TooLarge { size: u64, limit: u64 },
    #[error("not a regular file")]
    NotAFile,
    #[error("it is gone")]
    Gone,
    #[error("{0}")]
    Error(String),
}

/// Replaces the content of `buffer` by the bytes of `file`, at most `limit` of them.
pub(super) fn all(file: File, limit: u64, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
    buffer.clear();
    let status = status_of_file(&file).map_err(|error| unreadable(&error))?;
    if status.kind != Kind::File {
        return Err(Unreadable::NotAFile);
    }
    if status.size > limit {
        return Err(Unreadable::TooLarge { size: status.size, limit });
    }
    buffer.reserve(usize::try_from(status.size).unwrap_or(0).saturating_add(1));
    // One byte more than allowed tells a file that grew, or whose size the system does not know (as in /proc).
    let read = file.take(limit.saturating_add(1)).read_to_end(buffer);
    let size = buffer.len() as u64;
    match read {
        Ok(_) if size <= limit => Ok(()),
        Ok(_) => {
            buffer.clear();
            Err(Unreadable::TooLarge { size, limit })
        }
        Err(error) => {
            buffer.clear();
            Err(unreadable(&error))
        }
    }
}

/// Returns at most the first `limit` bytes of a regular file.
pub(super) fn first(file: File, limit: usize) -> Option<Vec<u8>> {
    if status_of_file(&file).ok()?.kind != Kind::File {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(u64::try_from(limit).unwrap_or(u64::MAX)).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Says what an error of the system means for a reader.
pub(super) fn unreadable(error: &io::Error) -> Unreadable {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Unreadable::Permission,
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Unreadable::Gone,
        // ELOOP: a link took the place of a file.
        io::ErrorKind::IsADirectory => Unreadable::NotAFile,
        _ if is_loop(error) || is_special(error) => Unreadable::NotAFile,
        _ => Unreadable::Error(error.to_string()),
    }
}
