//! The threads that look at the memory of programs: some at all programs that are single processes, and others at the rest.
//!
//! A thread for each program would take longer to start and to end than a short match. Where the system lets no thread run
//! at once when it wakes, two do the same work on different cores: the second takes a look for which the first is late.

use crate::{
    memory_watch::Watched,
    watch_thread::{self, CoreShare, Priority},
};
use rustix::time::{ClockId, clock_gettime};
use std::{
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How late a look may begin, or how long it may take, until the second thread takes it. Most begin within 100 us and take 40 us.
const PATIENCE: Duration = Duration::from_micros(300);

/// Threads, and the programs that they look at.
pub(crate) struct Looks {
    priority: Priority,
    state: Mutex<State>,
    come: Condvar,
}

struct State {
    programs: Vec<Entry>,
    /// When the look is due for which each thread waits. `None` while it waits for a program.
    awaited: Vec<Option<Instant>>,
    /// The process in which the threads run. 0 if there are none. A copy of a process has no copy of its threads.
    process: u32,
}

/// A program, and the next look at it.
struct Entry {
    program: Arc<Watched>,
    due: Instant,
    /// When a thread began this look.
    begun: Option<Instant>,
}

/// A look at a single process takes microseconds.
static SINGLE: Looks = Looks::new(Priority::RealTime);
/// Nobody may keep a core for looks at many processes.
static SEVERAL: Looks = Looks::new(Priority::ShortSlices);

/// The threads for programs of one process or of several.
pub(crate) fn threads_for(single: bool) -> &'static Looks {
    if single { &SINGLE } else { &SEVERAL }
}

impl State {
    const fn new() -> Self {
        Self { programs: Vec::new(), awaited: Vec::new(), process: 0 }
    }

    /// Whether a thread would sleep beyond this instant.
    fn sleeps_beyond(&self, due: Instant) -> bool {
        self.awaited.iter().any(|awaited| awaited.is_none_or(|awaited| due < awaited))
    }
}

impl Entry {
    /// When a thread takes this look if it waits so long for others. `None` if it must not.
    fn is_taken_at(&self, patience: Duration) -> Option<Instant> {
        match self.begun {
            None => Some(self.due + patience),
            Some(begun) => self.program.allows_two_looks().then_some(begun + PATIENCE),
        }
    }
}

impl Looks {
    const fn new(priority: Priority) -> Self {
        Self { priority, state: Mutex::new(State::new()), come: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at a program from now on, for the first time after `pause`.
    ///
    /// # Errors
    /// The system starts no thread.
    pub(crate) fn begin(&'static self, program: Arc<Watched>, pause: Duration) -> io::Result<()> {
        let due = Instant::now() + pause;
        let mut state = self.lock();
        let process = std::process::id();
        if state.process != process {
            *state = State::new();
            let of = if watch_thread::runs_at_once(self.priority) { 1 } else { 2 };
            let start = |number, patience| {
                watch_thread::start("memory", self.priority, CoreShare { number, of }, move || {
                    self.run(number, patience)
                })
            };
            start(0, Duration::ZERO)?;
            state.awaited.push(None);
            if of > 1 && start(1, PATIENCE).is_ok() {
                state.awaited.push(None);
            }
            state.process = process;
        }
        state.programs.push(Entry { program, due, begun: None });
        let wakes = state.sleeps_beyond(due);
        // Who is woken may take the core of this thread, and needs the lock.
        drop(state);
        if wakes {
            self.come.notify_all();
        }
        Ok(())
    }

    /// Looks at a program no longer. A look may be under way.
    pub(crate) fn end(&self, program: &Arc<Watched>) {
        self.lock().programs.retain(|entry| !Arc::ptr_eq(&entry.program, program));
    }

    fn run(&self, thread: usize, patience: Duration) {
        let mut state = self.lock();
        loop {
            let State { programs, awaited, .. } = &mut *state;
            let open = programs.iter_mut().filter_map(|entry| Some((entry.is_taken_at(patience)?, entry)));
            let Some((at, next)) = open.min_by_key(|(at, _)| *at) else {
                awaited[thread] = None;
                state = self.come.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let now = Instant::now();
            let left = at.saturating_duration_since(now);
            if !left.is_zero() {
                awaited[thread] = Some(next.due);
                state = self.come.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            next.begun = Some(now);
            let program = next.program.clone();
            // Whoever begins or ends a watch does not wait for a look.
            drop(state);
            let before = cpu_time();
            let pause = program.look_unless_ended();
            // However many processes a program has, looks at it take at most half of a core, and much less if the kernel limits
            // its memory too.
            let rest = cpu_time().saturating_sub(before).saturating_mul(program.least_rest());
            let due = pause.map(|pause| Instant::now() + pause.max(rest));
            state = self.lock();
            let known = state.programs.iter().position(|entry| Arc::ptr_eq(&entry.program, &program));
            match (known, due) {
                (Some(known), Some(due)) => state.programs[known] = Entry { program, due, begun: None },
                (Some(known), None) => drop(state.programs.swap_remove(known)),
                (None, _) => {}
            }
            // The other thread did not know when this look would be due.
            if due.is_some_and(|due| state.sleeps_beyond(due)) {
                self.come.notify_all();
            }
        }
    }
}

/// The CPU time of this thread.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{memory_watch::Killing, usage::Processes};

    #[test]
    fn a_second_thread_takes_a_look_that_is_late_or_lasts() {
        let ourselves = std::process::id() as i32;
        let due = Instant::now();
        for (processes, is_one) in [(Processes::one(ourselves), true), (Processes::tree(ourselves, true), false)] {
            let program = Arc::new(Watched::new(processes, None, Killing::default(), 64));
            let mut entry = Entry { program, due, begun: None };
            assert_eq!(entry.is_taken_at(Duration::ZERO), Some(due));
            assert_eq!(entry.is_taken_at(PATIENCE), Some(due + PATIENCE));
            let begun = due + Duration::from_millis(2);
            entry.begun = Some(begun);
            // Two threads that search for the same processes would wait for each other.
            for patience in [Duration::ZERO, PATIENCE] {
                assert_eq!(entry.is_taken_at(patience), is_one.then_some(begun + PATIENCE));
            }
        }
    }
}
