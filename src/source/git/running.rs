//! A git process whose output is read with a deadline. It is killed, with what it started, when it is dropped.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::NoHistory;

const CHUNK: usize = 1 << 16;
/// Enough for the first lines of a message.
const MESSAGE: u64 = 1 << 12;

#[derive(Debug)]
pub(in crate::source) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    message: Receiver<String>,
    limit: Duration,
    deadline: Instant,
}

impl Running {
    /// Starts a command that must end within `limit`.
    pub(super) fn start(mut command: Command, limit: Duration) -> Result<Self, NoHistory> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::PermissionDenied => {
                NoHistory::Failed("no permission to run it as the owner of the work tree".to_owned())
            }
            _ => NoHistory::Failed(error.to_string()),
        })?;
        let (send, output) = sync_channel(4);
        let (tell, message) = sync_channel(1);
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || pass_on(stdout, &send));
        }
        if let Some(stderr) = child.stderr.take() {
            std::thread::spawn(move || keep_start(stderr, &tell));
        }
        let stdin = child.stdin.take();
        Ok(Self { child, stdin, output, message, limit, deadline: Instant::now() + limit })
    }

    /// Gives the process its whole time again.
    pub(in crate::source) fn rewind(&mut self) {
        self.deadline = Instant::now() + self.limit;
    }

    /// Writes a request to the process.
    pub(in crate::source) fn ask(&mut self, request: &[u8]) -> Result<(), NoHistory> {
        let failed = |error: std::io::Error| NoHistory::Failed(error.to_string());
        let stdin = self.stdin.as_mut().ok_or_else(|| NoHistory::Failed("no input".to_owned()))?;
        stdin.write_all(request).and_then(|()| stdin.flush()).map_err(failed)
    }

    /// Ends the process's input.
    pub(in crate::source) fn ask_no_more(&mut self) {
        self.stdin = None;
    }

    /// Returns the next piece of output, and none at its end if the process ended well.
    pub(in crate::source) fn next(&mut self) -> Result<Option<Vec<u8>>, NoHistory> {
        match self.output.recv_timeout(self.deadline.saturating_duration_since(Instant::now())) {
            Ok(chunk) => Ok(Some(chunk)),
            Err(RecvTimeoutError::Timeout) => Err(NoHistory::TimedOut(self.limit.as_secs())),
            Err(RecvTimeoutError::Disconnected) => self.end().map(|()| None),
        }
    }

    fn end(&mut self) -> Result<(), NoHistory> {
        self.stdin = None;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => {
                    let message = self.message.recv_timeout(Duration::from_millis(100)).unwrap_or_default();
                    let line = message.lines().next().unwrap_or_default();
                    let line = line.strip_prefix("fatal: ").unwrap_or(line);
                    return Err(NoHistory::Failed(if line.is_empty() { status.to_string() } else { line.to_owned() }));
                }
                Ok(None) if Instant::now() < self.deadline => std::thread::sleep(Duration::from_millis(1)),
                Ok(None) => return Err(NoHistory::TimedOut(self.limit.as_secs())),
                Err(error) => return Err(NoHistory::Failed(error.to_string())),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stdin = None;
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // The child is not waited for yet, so its number cannot be another process's.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        // It may have ended meanwhile.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn pass_on(mut from: impl Read, to: &SyncSender<Vec<u8>>) {
    let mut chunk = vec![0; CHUNK];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) => {
                let read = chunk.get(..count).unwrap_or_default().to_vec();
                if to.send(read).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Keeps the start of a message and reads the rest away, so that its writer does not wait.
fn keep_start(mut from: impl Read, to: &SyncSender<String>) {
    let mut start = Vec::new();
    let _ = from.by_ref().take(MESSAGE).read_to_end(&mut start);
    let _ = to.send(String::from_utf8_lossy(&start).into_owned());
    let _ = std::io::copy(&mut from, &mut std::io::sink());
}
