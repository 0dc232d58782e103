//! The threads that look at the memory of programs: one for all programs that are single processes, and one for all others.
//!
//! A thread for each program would take longer to start and to end than a short match.

use crate::{
    memory_watch::Watched,
    watch_thread::{self, Priority},
};
use rustix::time::{ClockId, clock_gettime};
use std::{
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A thread, and the programs that it looks at.
pub(crate) struct Looks {
    priority: Priority,
    state: Mutex<State>,
    come: Condvar,
}

struct State {
    /// Each program, and when the next look at it is due.
    programs: Vec<(Instant, Arc<Watched>)>,
    /// When the thread wakes. `None` while it waits for a program.
    wakes: Option<Instant>,
    /// The process in which the thread runs. 0 if there is none. A copy of a process has no copy of its threads.
    process: u32,
}

/// A look at a single process takes microseconds.
static SINGLE: Looks = Looks::new(Priority::RealTime);
/// Nobody may keep a core for looks at many processes.
static SEVERAL: Looks = Looks::new(Priority::ShortSlices);

/// The thread for programs of one process or of several.
pub(crate) fn thread_for(single: bool) -> &'static Looks {
    if single { &SINGLE } else { &SEVERAL }
}

impl Looks {
    const fn new(priority: Priority) -> Self {
        let state = State { programs: Vec::new(), wakes: None, process: 0 };
        Self { priority, state: Mutex::new(state), come: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at a program from now on, for the first time after `pause`.
    ///
    /// # Errors
    /// The system starts no thread.
    pub(crate) fn begin(&'static self, program: Arc<Watched>, pause: Duration) -> io::Result<()> {
        let first = Instant::now() + pause;
        let mut state = self.lock();
        let process = std::process::id();
        if state.process != process {
            watch_thread::start("memory", self.priority, || self.run())?;
            *state = State { programs: Vec::new(), wakes: None, process };
        }
        state.programs.push((first, program));
        if state.wakes.is_none_or(|wakes| first < wakes) {
            self.come.notify_one();
        }
        Ok(())
    }

    /// Looks at a program no longer. A look may be under way.
    pub(crate) fn end(&self, program: &Arc<Watched>) {
        self.lock().programs.retain(|(_, other)| !Arc::ptr_eq(other, program));
    }

    fn run(&self) {
        let mut state = self.lock();
        loop {
            let Some((due, program)) = state.programs.iter().min_by_key(|(due, _)| *due).cloned() else {
                state.wakes = None;
                state = self.come.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = due.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                state.wakes = Some(due);
                state = self.come.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            // Whoever begins or ends a watch does not wait for a look.
            drop(state);
            let began = cpu_time();
            let pause = program.look_unless_ended();
            // However many processes a program has, looks at it take at most half of a core, and much less if the kernel limits
            // its memory too.
            let rest = cpu_time().saturating_sub(began).saturating_mul(program.least_rest());
            let next = pause.map(|pause| Instant::now() + pause.max(rest));
            state = self.lock();
            match next {
                Some(next) => {
                    let known = state.programs.iter_mut().find(|(_, other)| Arc::ptr_eq(other, &program));
                    known.into_iter().for_each(|(due, _)| *due = next);
                }
                None => state.programs.retain(|(_, other)| !Arc::ptr_eq(other, &program)),
            }
        }
    }
}

/// The CPU time of this thread.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
