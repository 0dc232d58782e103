//! Processes that should be gone.

use std::{
    fs,
    os::unix::ffi::OsStrExt,
    time::{Duration, Instant},
};

/// How long a process that was killed may take until nobody sees it any more. It may be waited for by the system's
/// first process rather than by us.
const PATIENCE: Duration = Duration::from_secs(5);

/// The command lines of all processes but this one that carry the marker. Empty where there is no `/proc`.
fn with(marker: &str) -> Vec<(i32, String)> {
    let Ok(folder) = fs::read_dir("/proc") else { return Vec::new() };
    let us = std::process::id() as i32;
    let named = |entry: fs::DirEntry| {
        let process = std::str::from_utf8(entry.file_name().as_bytes()).ok()?.parse::<i32>().ok()?;
        let bytes = fs::read(entry.path().join("cmdline")).ok()?;
        let text = String::from_utf8_lossy(&bytes).replace('\0', " ");
        (process != us && text.contains(marker)).then_some((process, text))
    };
    folder.flatten().filter_map(named).collect()
}

/// What is left with this marker after a moment, as command lines. Whatever it is, it is killed: nothing of a hostile
/// bot outlives the suite.
pub(crate) fn after(marker: &str) -> Vec<String> {
    let start = Instant::now();
    loop {
        let left = with(marker);
        if left.is_empty() || start.elapsed() > PATIENCE {
            for (process, _) in &left {
                // SAFETY: numbers alone; it was ours a moment ago.
                unsafe { libc::kill(*process, libc::SIGKILL) };
            }
            return left.into_iter().map(|(_, line)| line).collect();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
