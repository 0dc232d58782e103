//! Plays many matches at once on threads that live as long as the work.

use crate::{Error, Result};
use std::{
    num::NonZeroUsize,
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

/// How long the caller's thread waits for a result before [`Workload::tick`] is called.
const TICK: Duration = Duration::from_millis(100);
/// How long results are collected while every worker has another part to do. To be woken for each of them would take more time
/// than they need.
const COLLECTING: Duration = Duration::from_millis(8);

/// Work that is done in parts, such as the matches of a tournament. All methods are called on one thread.
pub trait Workload {
    /// One part, such as a match to play.
    type Job: Send;
    /// What a part results in.
    type Done: Send;

    /// Returns the next part, or `None` if there is none now. It is asked again after every result, and for the last time
    /// when no part is in work.
    fn next(&mut self) -> Option<Self::Job>;

    /// Takes a result. Results come in the order in which the parts end.
    fn done(&mut self, done: Self::Done);

    /// Called after results that came together, so that what is costly is done once for all of them.
    fn collected(&mut self) {}

    /// Returns how many parts wait for a worker beside those in work, so that no worker waits for its next part. Parts that take
    /// less time than handing them out need some. They are lost if the work is broken off.
    fn ahead(&self) -> usize {
        0
    }

    /// Called now and then while parts are in work, for example to draw progress.
    fn tick(&mut self) {}
}

/// Does all of `load`, at most `at_once` parts at the same time. `work` does one part on a worker thread, which it is told
/// by its number from 0. If the system starts fewer threads, fewer parts are done at the same time.
///
/// # Errors
/// The system starts no thread. Then nothing was done.
///
/// # Panics
/// If `work` panics.
pub fn work_at_once<L: Workload>(
    at_once: NonZeroUsize,
    load: &mut L,
    work: impl Fn(usize, L::Job) -> L::Done + Sync,
) -> Result<()> {
    let (jobs, open) = mpsc::channel::<L::Job>();
    let open = Mutex::new(open);
    let (results, done) = mpsc::channel();
    thread::scope(|scope| {
        let mut workers = 0;
        for worker in 0..at_once.get() {
            let (open, results, work) = (&open, results.clone(), &work);
            let started = thread::Builder::new().name("worker".to_owned()).spawn_scoped(scope, move || {
                loop {
                    let job = open.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = job else { return };
                    if results.send(work(worker, job)).is_err() {
                        return;
                    }
                }
            });
            match started {
                Ok(_) => workers += 1,
                Err(why) if workers == 0 => return Err(Error::Run(why)),
                Err(_) => break,
            }
        }
        drop(results);
        let mut running = 0;
        loop {
            while running < workers + load.ahead()
                && let Some(job) = load.next()
            {
                running += 1;
                // This fails only if every worker has panicked, and then the next result fails too.
                let _ = jobs.send(job);
            }
            if running == 0 {
                break;
            }
            if running > workers {
                thread::sleep(COLLECTING);
            }
            match done.recv_timeout(TICK) {
                Ok(result) => {
                    running -= 1;
                    load.done(result);
                    while let Ok(result) = done.try_recv() {
                        running -= 1;
                        load.done(result);
                    }
                    load.collected();
                }
                Err(mpsc::RecvTimeoutError::Timeout) => load.tick(),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        drop(jobs);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts down. The last three parts come only when all others are done.
    struct Countdown {
        left: u32,
        running: u32,
        sum: u32,
        /// The results since they were last collected.
        uncollected: u32,
    }

    impl Workload for Countdown {
        type Job = u32;
        type Done = u32;

        fn next(&mut self) -> Option<u32> {
            if self.left == 0 || (self.left == 3 && self.running > 0) {
                return None;
            }
            self.running += 1;
            self.left -= 1;
            Some(self.left + 1)
        }

        fn done(&mut self, done: u32) {
            self.running -= 1;
            self.sum += done;
            self.uncollected += 1;
        }

        fn collected(&mut self) {
            assert!(self.uncollected > 0, "there is something new");
            self.uncollected = 0;
        }
    }

    #[test]
    fn every_part_is_done_once_and_no_more_than_allowed_at_once() {
        for at_once in [1, 2, 7] {
            let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let mut load = Countdown { left: 100, running: 0, sum: 0, uncollected: 0 };
            work_at_once(NonZeroUsize::new(at_once).expect("not zero"), &mut load, |worker, job| {
                assert!(worker < at_once);
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                thread::yield_now();
                now.fetch_sub(1, Ordering::SeqCst);
                job
            })
            .expect("threads");
            assert_eq!((load.left, load.running, load.sum, load.uncollected), (0, 0, 5050, 0));
            assert!(most.load(Ordering::SeqCst) <= at_once);
        }
    }
}
