//! Faults in the start of a sandbox, for tests. A test arms a fault, and the helper program meets it at a step.
//!
//! Without the feature `faults` this module does not exist. A helper program with the feature does not work for a
//! program without it. Only the script and the arguments of the helper program carry a fault, and no bot can write to
//! them.

use crate::{Cause, Refused, Step};
use rustix::io::Errno;
use std::{cell::Cell, sync::OnceLock, time::Duration};

/// What happens at a point of a start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The process that reaches the point is killed.
    Kill,
    /// The process is stopped.
    Stop,
    /// The step fails with this error number.
    Errno(i32),
}

/// A point of a start at which a fault can happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// Before the helper program greets.
    Greeting,
    /// Before it copies itself.
    Copying,
    /// When the copy begins to run.
    Copied,
    /// At the beginning of a step.
    Step(Step),
    /// At the end of a trial, after the helper has reported that the sandbox is ready.
    Ready,
}

/// A fault at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Armed {
    /// The point at which the fault happens.
    pub point: Point,
    /// What happens there.
    pub fault: Fault,
}

thread_local! {
    static ARMED: Cell<Option<(Armed, u32)>> = const { Cell::new(None) };
    static TIMEOUT: Cell<Option<Duration>> = const { Cell::new(None) };
}

/// Arms a fault for the next `tries` starts that this thread tries. `None` disarms it. Faults of the helper program
/// itself ([`Point::Greeting`], [`Point::Copying`], [`Point::Copied`]) apply to the next `tries` helper programs that
/// this thread starts, and each of these keeps its fault for as long as it lives.
pub fn arm(armed: Option<Armed>, tries: u32) {
    ARMED.set(armed.map(|armed| (armed, tries)));
}

/// How many tries are left for which the fault is armed.
#[must_use]
pub fn left() -> u32 {
    ARMED.get().map_or(0, |(_, tries)| tries)
}

/// Sets how long each answer may take on this thread. `None` restores the usual time.
pub fn set_timeout(time: Option<Duration>) {
    TIMEOUT.set(time);
}

pub(crate) fn timeout(usual: Duration) -> Duration {
    TIMEOUT.get().unwrap_or(usual)
}

/// Like [`best`](crate::best), but always tries the levels again.
///
/// # Errors
/// The same as those of [`best`](crate::best).
pub fn try_all() -> Result<crate::SupportedLevel, Refused> {
    crate::level::try_all()
}

impl Armed {
    fn is_of_server(self) -> bool {
        matches!(self.point, Point::Greeting | Point::Copying | Point::Copied)
    }

    /// Encodes the fault as two numbers, neither of which is 0.
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

/// Uses up one try of the armed fault and returns it as it is sent. `of_server` selects faults of the helper program
/// itself instead of those of its copies. Returns zeroes if no such fault is armed.
pub(crate) fn take(of_server: bool) -> (u32, u32) {
    match ARMED.get() {
        Some((armed, tries @ 1..)) if armed.is_of_server() == of_server => {
            ARMED.set(Some((armed, tries - 1)));
            armed.numbers()
        }
        _ => (0, 0),
    }
}

/// The fault that this process, a helper program, has received.
static TO_MEET: OnceLock<Armed> = OnceLock::new();

/// Stores a received fault in the helper program.
pub(crate) fn note(point: u32, fault: u32) {
    if let Some(armed) = Armed::of_numbers(point, fault) {
        let _ = TO_MEET.set(armed);
    }
}

/// Lets the fault happen if it is armed for this point. The helper program calls this at every point.
pub(crate) fn meet(point: Point) -> Result<(), Errno> {
    let Some(armed) = TO_MEET.get().filter(|armed| armed.point == point) else { return Ok(()) };
    match armed.fault {
        Fault::Errno(number) => Err(Errno::from_raw_os_error(number)),
        Fault::Kill => {
            // SAFETY: takes no pointers.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            // A signal from inside does not kill the first process of a namespace, but an illegal instruction does.
            std::process::abort()
        }
        Fault::Stop => loop {
            // SAFETY: takes no pointers. The first process of a namespace cannot stop itself, so it waits instead.
            unsafe {
                libc::kill(libc::getpid(), libc::SIGSTOP);
                libc::pause();
            }
        },
    }
}

/// Lets the fault happen if it is armed for this step. The helper program calls this at every step.
pub(crate) fn step(step: Step) -> Result<(), Refused> {
    meet(Point::Step(step)).map_err(|errno| Refused::new(step, "", Cause::Errno(errno)))
}
