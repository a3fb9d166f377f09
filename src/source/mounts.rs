//! Which directories of this machine must not be touched, because what is mounted there may not answer.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Types that are served by another machine, or mounted by a touch.
const REMOTE: [&str; 34] = [
    "9p",
    "acfs",
    "afpfs",
    "afs",
    "auristorfs",
    "autofs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "davfs2",
    "gfs",
    "gfs2",
    "glusterfs",
    "gpfs",
    "lustre",
    "mvfs",
    "ncp",
    "ncpfs",
    "nfs",
    "nfs3",
    "nfs4",
    "ocfs2",
    "orangefs",
    "panfs",
    "pvfs2",
    "s3fs",
    "smb2",
    "smb3",
    "smbfs",
    "sshfs",
    "vmhgfs",
    "webdav",
];

/// FUSE programs whose data is on this machine. Any other may hang like a network.
const LOCAL_FUSE: [&str; 15] = [
    "apfs",
    "bindfs",
    "cryfs",
    "encfs",
    "exfat",
    "ext2",
    "fuse-overlayfs",
    "gocryptfs",
    "lxcfs",
    "mergerfs",
    "ntfs",
    "ntfs-3g",
    "snapfuse",
    "squashfuse",
    "unionfs",
];

/// Returns the mount points of this machine that must not be touched; none where the table cannot be read.
pub(super) fn untouchable() -> Vec<PathBuf> {
    if cfg!(target_os = "linux") {
        std::fs::read("/proc/self/mountinfo").map(|table| remote(&table)).unwrap_or_default()
    } else {
        Vec::new()
    }
}

/// Returns the mount points of `/etc/fstab` where nothing is mounted: what is missing below them may be there tomorrow.
pub(super) fn unmounted() -> Vec<PathBuf> {
    let read = |path: &str| std::fs::read(path).ok();
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    read("/etc/fstab")
        .zip(read("/proc/self/mountinfo"))
        .map(|(wanted, table)| lacking(&wanted, &table))
        .unwrap_or_default()
}

/// Returns the mount points of a table like `/etc/fstab` that are none in one like `/proc/self/mountinfo`.
fn lacking(wanted: &[u8], table: &[u8]) -> Vec<PathBuf> {
    let mounted: Vec<PathBuf> = mounted(table).into_iter().map(|(point, _)| point).collect();
    let lines = wanted.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.starts_with(b"#"));
    let points = lines.filter_map(|line| {
        let blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
        line.split(blank).filter(|field| !field.is_empty()).nth(1).map(|point| path(&unescaped(point)))
    });
    points.filter(|point| point.has_root() && point.parent().is_some() && !mounted.contains(point)).collect()
}

/// Returns the mount points in a table like `/proc/self/mountinfo` whose topmost file system is remote.
fn remote(table: &[u8]) -> Vec<PathBuf> {
    mounted(table).into_iter().filter_map(|(point, remote)| remote.then_some(point)).collect()
}

/// Returns every mount point, and whether its topmost file system is remote.
fn mounted(table: &[u8]) -> Vec<(PathBuf, bool)> {
    let mut points: Vec<(PathBuf, bool)> = Vec::new();
    for line in table.split(|byte| *byte == b'\n') {
        let mut fields = line.split(|byte| *byte == b' ');
        // proc_pid_mountinfo(5): id, parent, device, root, mount point, options, optional fields, `-`, type.
        let Some(point) = fields.by_ref().nth(4) else { continue };
        let Some(kind) = fields.skip_while(|field| *field != b"-").nth(1) else { continue };
        let point = path(&unescaped(point));
        // Later lines lie on top of earlier ones: a local disk that automount has mounted may be touched.
        points.retain(|(earlier, _)| *earlier != point);
        points.push((point, is_remote(kind)));
    }
    points
}

fn is_remote(kind: &[u8]) -> bool {
    let kind = String::from_utf8_lossy(kind);
    match kind.strip_prefix("fuse.") {
        Some(program) => !LOCAL_FUSE.contains(&program),
        // A program that does not name itself.
        None => *kind == *"fuse" || REMOTE.contains(&&*kind),
    }
}

/// Undoes the octal escapes of a mount table (` ` is `\040`).
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, after @ ..] = rest {
        rest = after;
        if let (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..]) = (first, after) {
            plain.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
            rest = after;
        } else {
            plain.push(*first);
        }
    }
    plain
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from(String::from_utf8_lossy(bytes).into_owned()))
}

/// Returns those of `points` that lie below `directory`, relative to it.
pub(super) fn below(points: &[PathBuf], directory: &Path) -> Vec<PathBuf> {
    let inside = points.iter().filter_map(|point| point.strip_prefix(directory).ok());
    // The directory itself was named by the user.
    inside.filter(|point| !point.as_os_str().is_empty()).map(Path::to_owned).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const TABLE: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 0:30 / /srv/data rw shared:1 master:2 - nfs4 server:/data rw
31 27 0:31 / /home rw - autofs systemd-1 rw
32 31 254:1 / /home rw - ext4 /dev/vdb rw
33 27 0:33 / /mnt/with\\040blank rw - fuse.sshfs me@there: rw
34 27 0:34 / /mnt/local rw - fuse.mergerfs a:b rw
35 27 0:35 / /net rw,relatime shared:9 - autofs /etc/auto.net rw
36 27 0:36 / /mnt/usb rw - fuseblk /dev/sdb1 rw
38 27 0:38 / /mnt/unnamed rw - fuse someone rw
a line that is none

37 27 0:37 / /mnt/cut rw -";

    #[test]
    fn only_what_may_not_answer_is_barred() {
        let remote = remote(TABLE.as_bytes());
        let expected = ["/srv/data", "/mnt/with blank", "/net", "/mnt/unnamed"].map(PathBuf::from);
        assert_eq!(remote, expected);
        assert_eq!(below(&remote, Path::new("/srv")), [PathBuf::from("data")]);
        assert_eq!(below(&remote, Path::new("/srv/data")), Vec::<PathBuf>::new());
        assert_eq!(below(&remote, Path::new("/")).len(), 4);
    }

    #[test]
    fn what_fstab_wants_and_nobody_mounted_may_hold_anything() {
        let wanted = b"# /dev/vdc /commented ext4\n/dev/vda / ext4\nserver:/x\t/mnt/x  nfs noauto 0 0\n/dev/vdb /home ext4\nswap none swap\n\n";
        assert_eq!(lacking(wanted, TABLE.as_bytes()), [PathBuf::from("/mnt/x")]);
    }
}
