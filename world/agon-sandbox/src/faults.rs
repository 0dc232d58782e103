//! Faults in the start of a sandbox, for tests: whoever starts it arms one, and the helper program meets it at a step.
//!
//! Without the feature `faults` none of this exists, and a helper program with it does not work for a program without.
//! Nothing but the script and the words of the helper program arm one, and both are ours.

use crate::{Cause, Refused, Step};
use rustix::io::Errno;
use std::{cell::Cell, sync::OnceLock, time::Duration};

/// What happens at a point of a start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The process that has come there is killed.
    Kill,
    /// It is stopped.
    Stop,
    /// It is answered with this number.
    Errno(i32),
}

/// Where that happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// Before the helper program greets.
    Greeting,
    /// Before it copies itself.
    Copying,
    /// When the copy begins.
    Copied,
    /// At the beginning of a step.
    Step(Step),
    /// When the sandbox is made and was reported, at the end of a trial.
    Ready,
}

/// A fault at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Armed {
    /// The step at which it happens.
    pub point: Point,
    /// What happens there.
    pub fault: Fault,
}

thread_local! {
    static ARMED: Cell<Option<(Armed, u32)>> = const { Cell::new(None) };
    static TIMEOUT: Cell<Option<Duration>> = const { Cell::new(None) };
}

/// Arms a fault for the next tries of this thread to start something, `None` for none. Those of the helper program itself
/// ([`Point::Greeting`], [`Point::Copying`], [`Point::Copied`]) are for the next ones that are started, for as long as
/// these live.
pub fn arm(armed: Option<Armed>, tries: u32) {
    ARMED.set(armed.map(|armed| (armed, tries)));
}

/// How many tries the armed fault is still good for.
#[must_use]
pub fn left() -> u32 {
    ARMED.get().map_or(0, |(_, tries)| tries)
}

/// How long each answer may take on this thread, instead of the usual time.
pub fn set_timeout(time: Option<Duration>) {
    TIMEOUT.set(time);
}

pub(crate) fn timeout(usual: Duration) -> Duration {
    TIMEOUT.get().unwrap_or(usual)
}

/// As [`best`](crate::best), found out anew.
///
/// # Errors
/// As there.
pub fn try_all() -> Result<crate::SupportedLevel, Refused> {
    crate::level::try_all()
}

impl Armed {
    fn is_of_server(self) -> bool {
        matches!(self.point, Point::Greeting | Point::Copying | Point::Copied)
    }

    /// As two numbers, neither of them 0.
    fn numbers(self) -> (u32, u32) {
        let point = match self.point {
            Point::Greeting => 1,
            Point::Copying => 2,
            Point::Copied => 3,
            Point::Ready => 4,
            Point::Step(step) => 10 + Step::ALL.iter().position(|other| *other == step).unwrap_or(0) as u32,
        };
        let fault = match self.fault {
            Fault::Kill => 1,
            Fault::Stop => 2,
            Fault::Errno(number) => 10 + number.unsigned_abs(),
        };
        (point, fault)
    }

    fn of_numbers(point: u32, fault: u32) -> Option<Self> {
        let point = match point {
            1 => Point::Greeting,
            2 => Point::Copying,
            3 => Point::Copied,
            4 => Point::Ready,
            step => Point::Step(*Step::ALL.get(step.checked_sub(10)? as usize)?),
        };
        let fault = match fault {
            1 => Fault::Kill,
            2 => Fault::Stop,
            number => Fault::Errno(i32::try_from(number.checked_sub(10)?).ok()?),
        };
        Some(Self { point, fault })
    }
}

/// Takes one try of an armed fault of the server, or of a copy of it, as it is sent: zeroes if there is none.
pub(crate) fn take(of_server: bool) -> (u32, u32) {
    match ARMED.get() {
        Some((armed, tries @ 1..)) if armed.is_of_server() == of_server => {
            ARMED.set(Some((armed, tries - 1)));
            armed.numbers()
        }
        _ => (0, 0),
    }
}

/// What this process, a helper program, was told to meet.
static TO_MEET: OnceLock<Armed> = OnceLock::new();

/// Notes in the helper program what was sent.
pub(crate) fn note(point: u32, fault: u32) {
    if let Some(armed) = Armed::of_numbers(point, fault) {
        let _ = TO_MEET.set(armed);
    }
}

/// The helper program comes to a point.
pub(crate) fn meet(point: Point) -> Result<(), Errno> {
    let Some(armed) = TO_MEET.get().filter(|armed| armed.point == point) else { return Ok(()) };
    match armed.fault {
        Fault::Errno(number) => Err(Errno::from_raw_os_error(number)),
        Fault::Kill => {
            // SAFETY: takes no pointers.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            // Nobody can kill the first process of a namespace from inside; the processor can.
            std::process::abort()
        }
        Fault::Stop => loop {
            // SAFETY: takes no pointers. The first process of a namespace cannot stop itself either, and waits.
            unsafe {
                libc::kill(libc::getpid(), libc::SIGSTOP);
                libc::pause();
            }
        },
    }
}

/// The helper program comes to a step.
pub(crate) fn step(step: Step) -> Result<(), Refused> {
    meet(Point::Step(step)).map_err(|errno| Refused::new(step, "", Cause::Errno(errno)))
}
