//! Tells whether anybody opened a file, whoever it was.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};

/// A file that is watched.
pub(crate) struct Tripwire {
    events: OwnedFd,
}

impl Tripwire {
    pub(crate) fn on(path: &Path) -> Self {
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).expect("inotify");
        inotify::add_watch(&events, path, WatchFlags::OPEN | WatchFlags::ACCESS).expect("a watch");
        Self { events }
    }

    /// Says whether the file was opened since it was last asked.
    pub(crate) fn was_opened(&self) -> bool {
        let mut room = [const { MaybeUninit::uninit() }; 4096];
        let mut reader = inotify::Reader::new(&self.events, &mut room);
        let mut opened = false;
        while reader.next().is_ok() {
            opened = true;
        }
        opened
    }
}
