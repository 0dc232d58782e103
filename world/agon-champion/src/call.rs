//! The current turn in the process of a champion, and the function that receives all its calls.
//!
//! A champion calls the API without a handle, as its headers require. So the turn is global, as in the original engine.

use crate::answer::{Unanswered, answer};
use agon_portals::Turn;
use std::{
    io::Write,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The result of [`call`] for `position_agent` and `score` of an unknown player.
pub const NO_SUCH_PLAYER: i32 = -1;
/// The result of [`call`] for an invalid call of the API.
pub const NO_SUCH_CALL: i32 = -2;
/// The result of [`call`] before the greeting, for example while a library is being loaded.
pub const NO_POSITION: i32 = -3;

/// The type of [`call`] for the glue.
pub type Call = unsafe extern "C" fn(i32, *const i32, i32, *mut i32, i32) -> i32;

/// The position as the champion sees it.
struct SharedTurn {
    turn: Option<Turn>,
    /// The last answer.
    answer: Vec<i32>,
}

static SHARED: Mutex<SharedTurn> = Mutex::new(SharedTurn { turn: None, answer: Vec::new() });

fn shared() -> MutexGuard<'static, SharedTurn> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes `turn` the current turn and returns the previous one. The exchange is atomic, because a champion may have
/// threads that outlive its turn.
pub fn show(turn: Turn) -> Option<Turn> {
    shared().turn.replace(turn)
}

/// Calls the API function with this number. `arguments` points to `count` integers.
///
/// Returns the number of integers in the answer, and writes the first `capacity` of them to `out`. If the answer is
/// longer, repeat the call with more room. This gives the same answer, because only reads have answers of more than two
/// integers. A negative result means that there is no answer.
///
/// If the champion exceeds the maximum number of actions in a turn, the process ends.
///
/// # Safety
/// `arguments` points to `count` integers and `out` to room for `capacity`; either may be null if there are none.
pub unsafe extern "C" fn call(function: i32, arguments: *const i32, count: i32, out: *mut i32, capacity: i32) -> i32 {
    let (Ok(function), Ok(count), Ok(capacity)) =
        (usize::try_from(function), usize::try_from(count), usize::try_from(capacity))
    else {
        return NO_SUCH_CALL;
    };
    let arguments = if count == 0 || arguments.is_null() {
        &[]
    } else {
        // SAFETY: the caller vouches for `count` integers.
        unsafe { std::slice::from_raw_parts(arguments, count) }
    };
    let mut shared = shared();
    let SharedTurn { turn, answer: numbers } = &mut *shared;
    let Some(turn) = turn else { return NO_POSITION };
    match answer(turn, function, arguments, numbers) {
        Ok(()) => {}
        Err(Unanswered::NoSuchPlayer(_)) => return NO_SUCH_PLAYER,
        Err(Unanswered::NoSuchCall) => return NO_SUCH_CALL,
        Err(Unanswered::TooManyActions) => {
            let _ = writeln!(std::io::stderr(), "agon: more than {} actions in one turn", agon_portals::MAX_ACTIONS);
            std::process::abort();
        }
    }
    let written = numbers.len().min(capacity);
    if written > 0 && !out.is_null() {
        // SAFETY: the caller vouches for room for `capacity` integers, and nobody else knows the answer's vector.
        unsafe { std::ptr::copy_nonoverlapping(numbers.as_ptr(), out, written) };
    }
    i32::try_from(numbers.len()).unwrap_or(i32::MAX)
}

/// Gives a test exclusive access to the current turn, and clears it.
#[cfg(test)]
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    shared().turn = None;
    guard
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Contest, Seat, Setup, Terms};
    use agon_portals::{Position, Rules};

    #[test]
    fn answers_go_where_there_is_room() {
        let _alone = alone();
        let mut out = [7; 6];
        let mut ask = |function: i32, arguments: &[i32], capacity: i32| {
            // SAFETY: both pointers are of slices of at least these lengths.
            let count =
                unsafe { call(function, arguments.as_ptr(), arguments.len() as i32, out.as_mut_ptr(), capacity) };
            (count, out)
        };
        assert_eq!(ask(28, &[], 6), (NO_POSITION, [7; 6]));
        let map = Position::parse_map(b"0 0 1 1\nX.\nXX\n").expect("it is a map");
        let terms = Terms { rules: Rules::SPEC, seats: 2, limit: None };
        let position = Position::from_map(map, &terms).unwrap_or_else(|f| panic!("{}", f.flaw));
        assert!(show(Turn::open(&position, Seat::new(1))).is_none());
        assert_eq!(ask(28, &[], 6), (1, [1, 7, 7, 7, 7, 7]));
        assert_eq!(ask(8, &[], 0), (6, [1, 7, 7, 7, 7, 7]));
        assert_eq!(ask(8, &[], 5), (6, [0, 0, 0, 1, 1, 7]));
        assert_eq!(ask(8, &[], 6), (6, [0, 0, 0, 1, 1, 1]));
        assert_eq!(ask(30, &[2], 6).0, NO_SUCH_PLAYER);
        assert_eq!(ask(30, &[], 6).0, NO_SUCH_CALL);
        assert_eq!(ask(-1, &[], 6).0, NO_SUCH_CALL);
        assert_eq!(ask(36, &[], 6).0, NO_SUCH_CALL);
        assert!(show(Turn::closed(&position, Seat::new(1))).is_some());
    }
}
