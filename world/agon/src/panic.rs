//! A panic is a bug of Agon and never the user's fault. It is shown as a short error with everything that a report
//! needs.

use std::{
    cell::RefCell,
    fmt,
    panic::{self, UnwindSafe},
};

thread_local! {
    /// The message and the place of this thread's last panic.
    static LAST: RefCell<Option<Bug>> = const { RefCell::new(None) };
}

/// A panic in the form that people see.
#[derive(Clone, Debug)]
pub struct Bug {
    what: String,
    place: String,
}

/// Replaces the usual output of panics, unless `RUST_BACKTRACE` is set.
pub fn hide() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let text = info.payload_as_str().unwrap_or("no message");
        let place = info.location().map_or_else(String::new, |l| format!("{}:{}", l.file(), l.line()));
        LAST.with_borrow_mut(|last| *last = Some(Bug { what: crate::clean::clean(text), place }));
        if std::env::var_os("RUST_BACKTRACE").is_some() {
            usual(info);
        }
    }));
}

/// Runs `f` and returns a panic in it as a [`Bug`].
pub fn caught<T>(f: impl FnOnce() -> T) -> Result<T, Bug> {
    // After a panic the program prints it and exits. It uses nothing else that `f` has touched.
    let f = panic::AssertUnwindSafe(f);
    catch(f).map_err(|()| {
        LAST.with_borrow_mut(Option::take).unwrap_or_else(|| Bug { what: "no message".into(), place: String::new() })
    })
}

fn catch<T>(f: impl FnOnce() -> T + UnwindSafe) -> Result<T, ()> {
    panic::catch_unwind(f).map_err(drop)
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: internal error: {}", self.what)?;
        writeln!(f, "  at {} in agon {}", self.place, env!("CARGO_PKG_VERSION"))?;
        write!(
            f,
            "\nhint: this is a bug of Agon, not of yours: please report it at {}/issues\n      \
             with the command line and these lines (RUST_BACKTRACE=1 shows more)",
            env!("CARGO_PKG_REPOSITORY")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_short_error() {
        hide();
        let bug = caught(|| -> () { panic!("lost a \x1b[31mplanet") }).expect_err("it panics");
        let shown = bug.to_string();
        assert!(shown.contains("internal error: lost a \\x1b[31mplanet"), "{shown}");
        assert!(shown.contains("panic.rs:") && shown.contains("report it at"), "{shown}");
        assert_eq!(caught(|| 5).expect("no panic"), 5);
    }
}
