//! Processes that have outlived their match.

use std::{
    fs,
    os::unix::ffi::OsStrExt,
    time::{Duration, Instant},
};

/// How long a killed process may stay visible. Its parent may be the first process of the system, which reaps it late.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the numbers and command lines of all other processes whose command line contains the marker. The list is
/// empty on systems without `/proc`.
pub(crate) fn marked(marker: &str) -> Vec<(i32, String)> {
    let Ok(folder) = fs::read_dir("/proc") else { return Vec::new() };
    let us = std::process::id() as i32;
    let of_entry = |entry: fs::DirEntry| {
        let process = std::str::from_utf8(entry.file_name().as_bytes()).ok()?.parse::<i32>().ok()?;
        let bytes = fs::read(entry.path().join("cmdline")).ok()?;
        let text = String::from_utf8_lossy(&bytes).replace('\0', " ");
        (process != us && text.contains(marker)).then_some((process, text))
    };
    folder.flatten().filter_map(of_entry).collect()
}

/// Waits until no process with this marker is left. Kills those that remain at the end of the time, and returns their
/// command lines.
pub(crate) fn kill(marker: &str) -> Vec<String> {
    let start = Instant::now();
    loop {
        let left = marked(marker);
        if left.is_empty() || start.elapsed() > TIMEOUT {
            for (process, _) in &left {
                // SAFETY: numbers alone; the process carried our marker a moment ago.
                unsafe { libc::kill(*process, libc::SIGKILL) };
            }
            return left.into_iter().map(|(_, line)| line).collect();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
