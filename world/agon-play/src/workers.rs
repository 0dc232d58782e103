//! Plays many matches at once on threads that live as long as the work.

use crate::{Error, Result};
use std::{
    convert::Infallible,
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError, mpsc},
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

/// Work of which others do a part, who send messages. All methods are called on the thread that leads.
pub trait SharedWorkload: Workload {
    /// What others tell.
    type Message: Send + 'static;

    /// Called once, before the first part is done. Whoever has `post` may send messages as long as the work goes on.
    fn begin(&mut self, post: Post<Self::Message>);

    /// Takes a message. Messages of one sender come in the order in which they were sent.
    fn hear(&mut self, message: Self::Message);

    /// Returns whether others have parts in work, or may still be given some. As long as they do, the work goes on.
    fn awaits(&self) -> bool;
}

/// Where messages go. They wake the thread that leads.
pub struct Post<M>(Arc<dyn Fn(M) -> bool + Send + Sync>);

impl<M> Clone for Post<M> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<M> Post<M> {
    /// Sends messages to `take`, which returns whether somebody still takes them.
    pub fn new(take: impl Fn(M) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    /// Sends a message. Returns whether the work still goes on.
    pub fn send(&self, message: M) -> bool {
        (self.0)(message)
    }
}

/// What the thread that leads is woken by.
enum Woken<D, M> {
    Done(D),
    Message(M),
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
    let others = (|_: &mut L, message: Infallible| match message {}, |_: &L| false);
    lead(at_once.get(), load, work, mpsc::channel(), others)
}

/// Does the same with work of which others do a part. They do all of it if `at_once` is 0.
///
/// # Errors
/// The same as those of [`work_at_once`].
///
/// # Panics
/// If `work` panics.
pub fn work_with_others<L: SharedWorkload>(
    at_once: usize,
    load: &mut L,
    work: impl Fn(usize, L::Job) -> L::Done + Sync,
) -> Result<()>
where
    L::Done: 'static,
{
    let (sender, receiver) = mpsc::channel();
    let post = sender.clone();
    load.begin(Post::new(move |message| post.send(Woken::Message(message)).is_ok()));
    lead(at_once, load, work, (sender, receiver), (L::hear, L::awaits))
}

type Channel<D, M> = (mpsc::Sender<Woken<D, M>>, mpsc::Receiver<Woken<D, M>>);

/// Leads the work. `hear` takes the messages of others, and `awaits` says whether the work goes on for them.
fn lead<L: Workload, M: Send>(
    at_once: usize,
    load: &mut L,
    work: impl Fn(usize, L::Job) -> L::Done + Sync,
    (results, woken): Channel<L::Done, M>,
    (hear, awaits): (impl Fn(&mut L, M), impl Fn(&L) -> bool),
) -> Result<()> {
    let (jobs, open) = mpsc::channel::<L::Job>();
    let open = Mutex::new(open);
    thread::scope(|scope| {
        let mut workers = Vec::new();
        for worker in 0..at_once {
            let (open, results, work) = (&open, results.clone(), &work);
            let started = thread::Builder::new().name("worker".to_owned()).spawn_scoped(scope, move || {
                loop {
                    let job = open.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = job else { return };
                    if results.send(Woken::Done(work(worker, job))).is_err() {
                        return;
                    }
                }
            });
            match started {
                Ok(worker) => workers.push(worker),
                Err(why) if workers.is_empty() => return Err(Error::Run(why)),
                Err(_) => break,
            }
        }
        drop(results);
        let mut running = 0;
        loop {
            while !workers.is_empty()
                && running < workers.len() + load.ahead()
                && let Some(job) = load.next()
            {
                running += 1;
                // This fails only if every worker has panicked, and then the next result fails too.
                let _ = jobs.send(job);
            }
            if running == 0 && !awaits(load) {
                break;
            }
            if running > workers.len() {
                thread::sleep(COLLECTING);
            }
            let mut take = |load: &mut L, woken| match woken {
                Woken::Done(result) => {
                    running -= 1;
                    load.done(result);
                }
                Woken::Message(message) => hear(load, message),
            };
            match woken.recv_timeout(TICK) {
                Ok(first) => {
                    take(load, first);
                    woken.try_iter().for_each(|next| take(load, next));
                    load.collected();
                }
                // Others may still have a sender when every worker has panicked.
                Err(_) if !workers.is_empty() && workers.iter().all(|worker| worker.is_finished()) => break,
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

    /// Numbers that others count, and answer by messages.
    struct Shared {
        post: Option<mpsc::Sender<Post<u32>>>,
        left: u32,
        out: u32,
        sum: u32,
    }

    impl Workload for Shared {
        type Job = u32;
        type Done = u32;

        fn next(&mut self) -> Option<u32> {
            self.left = self.left.checked_sub(1)?;
            Some(1)
        }

        fn done(&mut self, done: u32) {
            self.sum += done;
        }
    }

    impl SharedWorkload for Shared {
        type Message = u32;

        fn begin(&mut self, post: Post<u32>) {
            self.post.take().expect("it begins once").send(post).expect("somebody counts");
        }

        fn hear(&mut self, message: u32) {
            self.out -= 1;
            self.sum += message;
        }

        fn awaits(&self) -> bool {
            self.out > 0
        }
    }

    #[test]
    fn the_work_goes_on_until_others_have_done_their_part() {
        for at_once in [0, 1, 3] {
            let (post, begun) = mpsc::channel::<Post<u32>>();
            let other = thread::spawn(move || {
                let post = begun.recv().expect("it begins");
                (0..10).all(|_| post.send(100))
            });
            let mut load = Shared { post: Some(post), left: 50, out: 10, sum: 0 };
            work_with_others(at_once, &mut load, |_, job| job).expect("threads");
            assert_eq!((load.out, load.sum), (0, if at_once == 0 { 1_000 } else { 1_050 }));
            assert!(other.join().expect("it ends"), "every message was taken");
        }
    }
}
