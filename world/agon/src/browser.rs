//! The browser of the user.

use crate::{
    command::Format,
    error::{Error, Result},
    printer::Printer,
};
use agon_sandbox::open_files::as_before;
use agon_spec::{Versioned, ViewDocument};
use std::{
    env,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

/// Prints the address of a page on stdout, with a note for people. Opens `opened`, if there is one: everybody on this machine
/// can read the arguments of a browser.
///
/// # Errors
/// Stdout cannot be written.
pub fn announce_and_open(url: &str, note: &str, format: Format, opened: Option<&str>, printer: &Printer) -> Result<()> {
    match format {
        Format::Json => {
            let document = serde_json::to_string(&Versioned::of(ViewDocument { url: url.to_owned() }));
            printer.data(document.map_err(|why| Error::user(why.to_string()))? + "\n")?;
        }
        Format::Text => printer.data(format!("{url}\n"))?,
    }
    if opened.is_some_and(|opened| !start(opened)) {
        printer.note(elsewhere(url));
    }
    if format == Format::Text {
        printer.note(note);
    }
    Ok(())
}

/// Opens an address in the browser of the user, or says where the page is.
pub fn open(url: &str, printer: &Printer) {
    if !start(url) {
        printer.note(elsewhere(url));
    }
}

/// Says how to come to a page for which no browser was found.
fn elsewhere(url: &str) -> String {
    let place = url.strip_prefix("http://").unwrap_or(url).split('/').next().unwrap_or_default();
    let port = place.rsplit(':').next().unwrap_or_default();
    format!(
        "no browser was found on this machine: open {url} yourself; if you sit at another machine, type there first: ssh -L \
         {port}:{place} HOST"
    )
}

/// Starts the browser. Returns whether there is a program that can.
fn start(url: &str) -> bool {
    let has_screen =
        cfg!(target_os = "macos") || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    if !has_screen {
        return false;
    }
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C, which ends this program, must not end the browser.
    as_before(command.process_group(0)).spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_a_browser_says_where_it_is() {
        let said = elsewhere("http://127.0.0.1:8080/#token");
        assert!(said.contains("open http://127.0.0.1:8080/#token yourself"), "{said}");
        assert!(said.ends_with("ssh -L 8080:127.0.0.1:8080 HOST"), "{said}");
    }
}
