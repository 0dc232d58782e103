//! The browser of the user.

use std::{
    env,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

/// Opens an address in the browser of the user. Returns whether there is a program that can.
pub fn open(url: &str) -> bool {
    let has_screen =
        cfg!(target_os = "macos") || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    if !has_screen {
        return false;
    }
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C, which ends this program, must not end the browser.
    command.process_group(0).spawn().is_ok()
}
