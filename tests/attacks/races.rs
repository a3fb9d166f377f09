//! Files that are something else when they are opened than when they were seen: nothing waits, nothing outside is read.

use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use foreshock::config::Config;
use foreshock::source::{Globs, Limits, RootKind, Sources, named};

use super::scratch::Scratch;
use super::tripwire::Tripwire;

/// Nothing here computes.
const BOUND: Duration = Duration::from_secs(20);

/// Walks a tree with `folder/file`, changes it with `swap`, and says whether the file can still be read.
fn read_after(swap: impl FnOnce(&Path)) -> Option<Vec<u8>> {
    let scratch = Scratch::new();
    scratch.put("outside/file", "outside");
    scratch.put("repo/folder/file", "inside");
    let mut sources = Sources::new(Limits::default());
    let root = sources.add_root(RootKind::WorkTree, &scratch.path("repo"), "repo").expect("a root");
    sources.walk(root, &Globs::default(), NonZeroUsize::MIN);
    let file = sources.id(root, Path::new("folder/file")).expect("the file was seen");
    let wire = Tripwire::on(&scratch.path("outside/file"));
    swap(&scratch.path("repo/folder/file"));
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = sources.read(file, 1 << 20, &mut bytes);
        let beginning = sources.beginning(file, 16);
        done.send((read.is_ok() || beginning.is_some()).then_some(bytes))
    });
    let read = wait.recv_timeout(BOUND).expect("reading does not wait");
    assert!(!wire.was_opened());
    read
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success()));
}

#[test]
fn a_file_becomes_a_fifo() {
    let read = read_after(|file| {
        fs::remove_file(file).expect("our own file");
        fifo(file);
    });
    assert_eq!(read, None);
}

#[test]
fn a_file_becomes_a_link() {
    for target in ["../../outside/file", "/dev/zero", "/etc/passwd"] {
        let read = read_after(|file| {
            fs::remove_file(file).expect("our own file");
            symlink(target, file).expect("a link");
        });
        assert_eq!(read, None, "{target}");
    }
}

#[test]
fn a_file_becomes_a_device() {
    let read = read_after(|file| {
        fs::remove_file(file).expect("our own file");
        // Where no device can be made, there is none to open.
        let _ = Command::new("mknod").arg(file).args(["c", "1", "5"]).output();
    });
    assert_eq!(read, None);
}

#[test]
fn a_file_becomes_a_socket_or_a_folder() {
    let read = read_after(|file| {
        fs::remove_file(file).expect("our own file");
        drop(UnixListener::bind(file).expect("a socket"));
    });
    assert_eq!(read, None);
    let read = read_after(|file| {
        fs::remove_file(file).expect("our own file");
        fs::create_dir(file).expect("a folder");
    });
    assert_eq!(read, None);
}

#[test]
fn a_file_grows_without_end() {
    let read = read_after(|file| {
        File::options().write(true).open(file).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    });
    assert_ne!(read, None, "its beginning is there");
    assert_eq!(read.unwrap_or_default(), b"", "and no more of it is kept");
}

#[test]
fn a_folder_becomes_a_link() {
    let read = read_after(|file| {
        let folder = file.parent().expect("a folder");
        fs::rename(folder, folder.with_extension("old")).expect("our own folder");
        symlink("../outside", folder).expect("a link");
    });
    assert_eq!(read, None);
}

/// Calls `body` again and again while `path` is by turns a file, a FIFO and a link to what never ends.
fn swapped(path: &Path, text: &str, body: impl Fn(&Path) + Send + 'static) {
    let aside = |name: &str| -> PathBuf { path.with_file_name(name) };
    let stop = Arc::new(AtomicBool::new(false));
    let (done, wait) = mpsc::channel();
    let (same, at) = (Arc::clone(&stop), path.to_owned());
    std::thread::spawn(move || {
        let mut count = 0;
        while !same.load(Ordering::Relaxed) {
            body(&at);
            count += 1;
        }
        done.send(count)
    });
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(700) {
        fs::write(aside("file"), text).expect("a file");
        fifo(&aside("fifo"));
        symlink("/dev/zero", aside("link")).expect("a link");
        for next in ["fifo", "file", "link"] {
            fs::rename(aside(next), path).expect("our own file");
            std::thread::yield_now();
        }
    }
    stop.store(true, Ordering::Relaxed);
    let count = wait.recv_timeout(BOUND).expect("reading does not wait");
    assert!(count > 10, "it was read {count} times only");
}

#[test]
fn a_configuration_is_swapped_while_it_is_read() {
    let scratch = Scratch::new();
    let path = scratch.room("repo/foreshock.toml");
    swapped(&path, "exclude = [\"a\"]\n", |path| {
        let _ = Config::load(path, &[]);
    });
}

#[test]
fn a_named_file_is_swapped_while_it_is_read() {
    let scratch = Scratch::new();
    let path = scratch.room("repo/.foreshock-baseline.json");
    swapped(&path, "{}", |path| {
        if let Ok(bytes) = named::read(path, 1 << 20) {
            assert!(bytes.len() <= 1 << 20);
        }
    });
}

#[test]
fn a_report_is_swapped_for_a_link_while_it_is_written() {
    let scratch = Scratch::new();
    scratch.put("outside/kept", "kept");
    let path = scratch.room("repo/report.json");
    let trees = [scratch.path("repo")];
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let _ = named::write(&path, &trees, b"written");
            }
        });
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(500) {
            let link = path.with_file_name("link");
            symlink("../outside/kept", &link).expect("a link");
            fs::rename(&link, &path).expect("our own link");
            let _ = fs::remove_file(&path);
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read(scratch.path("outside/kept")).expect("our own file"), b"kept");
}
