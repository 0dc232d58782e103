//! A thread that stops bots which compute outside their own turn.
//!
//! The thread of a match cannot do this in time. When a bot with many threads computes on its core, the scheduler lets that
//! thread run only as much as each of these, and it has just used its share for the answer. This thread uses microseconds
//! for each look, so that the scheduler lets it run whenever it wakes. It looks at the bots of all matches of this process.
//! Bots that may have several processes have a thread of their own: the looks at them take longer.

use crate::{off_turn::OffTurn, reach::Reach};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};
pub(crate) use thread::{Bell, Watch};

/// A bot that the watchdog can stop.
#[derive(Debug)]
pub(crate) struct WatchedBot {
    pub reach: Reach,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// The watchdog does not look at the bot: it may compute, or its match has stopped it, or it has ended.
    Unwatched,
    /// The bot must not compute.
    OffTurn(OffTurn),
    /// The watchdog has stopped the bot.
    Stopped(Instant),
}

impl WatchedBot {
    pub(crate) fn new(reach: Reach) -> Self {
        Self { reach, state: Mutex::new(State::Unwatched) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the bot must not compute from now on.
    pub(crate) fn leave_turn(&self) {
        *self.lock() = State::OffTurn(OffTurn::default());
        #[cfg(target_os = "linux")]
        thread::Watchdog::of(self).wake();
    }

    /// Ends the looks at the bot. When this returns, no look is under way. Returns whether the watchdog has stopped the bot.
    pub(crate) fn end(&self) -> bool {
        matches!(std::mem::replace(&mut *self.lock(), State::Unwatched), State::Stopped(_))
    }

    /// Whether the bot is outside its turn and was not stopped.
    pub(crate) fn is_off_turn(&self) -> bool {
        matches!(*self.lock(), State::OffTurn(_))
    }

    /// Returns when the watchdog has stopped the bot, and leaves it to its match.
    pub(crate) fn take_stop(&self) -> Option<Instant> {
        let mut state = self.lock();
        let State::Stopped(at) = *state else { return None };
        *state = State::Unwatched;
        Some(at)
    }

    /// Takes a look at the bot, and stops it if it computes outside its turn. Returns whether it did.
    #[cfg(target_os = "linux")]
    fn look(&self) -> bool {
        let mut state = self.lock();
        let State::OffTurn(off_turn) = &mut *state else { return false };
        let computes = off_turn.has_computed(&self.reach);
        if computes {
            self.reach.stop();
            *state = State::Stopped(Instant::now());
        }
        computes
    }
}

#[cfg(target_os = "linux")]
mod thread {
    use super::WatchedBot;
    use agon_sandbox::watch_thread::{self, Priority};
    use rustix::{
        event::{EventfdFlags, eventfd},
        fd::{AsFd, BorrowedFd, OwnedFd},
    };
    use std::{
        io,
        sync::{
            Arc, Condvar, Mutex, MutexGuard, PoisonError,
            atomic::{AtomicBool, Ordering, fence},
        },
        time::Duration,
    };

    /// The time between two looks at a bot. The second look after a question stops a neighbour, which is within 2 ms.
    const TICK: Duration = Duration::from_micros(900);
    /// After so many looks in a row without a bot outside its turn, the thread sleeps until there is one. In a fast exchange one is
    /// soon there, and to be woken for it would cost more than the looks.
    const IDLE_LOOKS: u32 = 8;

    /// Tells a match that the watchdog has stopped one of its bots.
    #[derive(Debug)]
    pub(crate) struct Bell {
        rung: AtomicBool,
        event: OwnedFd,
    }

    impl Bell {
        fn ring(&self) {
            self.rung.store(true, Ordering::Release);
            let _ = rustix::io::write(&self.event, &1u64.to_ne_bytes());
        }

        /// Whether it has rung since the last call.
        pub(crate) fn has_rung(&self) -> bool {
            self.rung.load(Ordering::Acquire) && self.rung.swap(false, Ordering::AcqRel)
        }

        /// Readable when it has rung.
        pub(crate) fn wakes(&self) -> BorrowedFd<'_> {
            self.event.as_fd()
        }

        /// Makes it unreadable until it rings again.
        pub(crate) fn quiet(&self) {
            let _ = rustix::io::read(&self.event, &mut [0; 8]);
        }
    }

    /// A thread, and the bots that it watches.
    pub(super) struct Watchdog {
        priority: Priority,
        watched: Mutex<Watched>,
        come: Condvar,
        /// Whether the thread sleeps until a bot leaves its turn.
        sleeps: AtomicBool,
    }

    struct Watched {
        bots: Vec<(Arc<WatchedBot>, Arc<Bell>)>,
        started: bool,
    }

    /// Watches the bots that are a single process each. A look at one takes microseconds.
    static OF_ONE: Watchdog = Watchdog::new(Priority::RealTime);
    /// Watches all others. A bot with many processes must not keep a core busy by the looks at them.
    static OF_SEVERAL: Watchdog = Watchdog::new(Priority::ShortSlices);

    /// The watch over the bots of a match. Dropping this value ends it.
    #[derive(Debug)]
    pub(crate) struct Watch {
        bell: Arc<Bell>,
    }

    impl Watch {
        /// Watches the bots of a match.
        ///
        /// # Errors
        /// The system starts no thread, or has no file descriptor left.
        pub(crate) fn over(bots: impl Iterator<Item = Arc<WatchedBot>>) -> io::Result<Option<Self>> {
            let event = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
            let bell = Arc::new(Bell { rung: AtomicBool::new(false), event });
            let watch = Self { bell };
            for bot in bots {
                Watchdog::of(&bot).watch(bot, watch.bell.clone())?;
            }
            Ok(Some(watch))
        }

        pub(crate) fn bell(&self) -> &Arc<Bell> {
            &self.bell
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            for watchdog in [&OF_ONE, &OF_SEVERAL] {
                watchdog.lock().bots.retain(|(_, bell)| !Arc::ptr_eq(bell, &self.bell));
            }
        }
    }

    impl Watchdog {
        const fn new(priority: Priority) -> Self {
            let watched = Watched { bots: Vec::new(), started: false };
            Self { priority, watched: Mutex::new(watched), come: Condvar::new(), sleeps: AtomicBool::new(false) }
        }

        /// The one that watches this bot.
        pub(super) fn of(bot: &WatchedBot) -> &'static Self {
            if bot.reach.may_be_several() { &OF_SEVERAL } else { &OF_ONE }
        }

        /// Wakes the thread if it sleeps. A bot has left its turn.
        pub(super) fn wake(&self) {
            // Either this sees that the thread falls asleep, or the thread sees the bot.
            fence(Ordering::SeqCst);
            if self.sleeps.load(Ordering::Relaxed) {
                // The thread lets the lock go only when it can be woken.
                drop(self.lock());
                self.come.notify_one();
            }
        }

        #[cfg(test)]
        pub(super) fn is_asleep(&self) -> bool {
            self.sleeps.load(Ordering::Relaxed)
        }

        /// Sleeps until a bot is outside its turn, unless one is there already, or none is watched.
        fn sleep<'a>(&self, watched: MutexGuard<'a, Watched>) -> MutexGuard<'a, Watched> {
            self.sleeps.store(true, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            let is_idle = |watched: &mut Watched| !watched.bots.iter().any(|(bot, _)| bot.is_off_turn());
            let watched = self.come.wait_while(watched, is_idle).unwrap_or_else(PoisonError::into_inner);
            self.sleeps.store(false, Ordering::Relaxed);
            watched
        }

        fn watch(&'static self, bot: Arc<WatchedBot>, bell: Arc<Bell>) -> io::Result<()> {
            let mut watched = self.lock();
            if !watched.started {
                watch_thread::start("watchdog", self.priority, || self.run())?;
                watched.started = true;
            }
            watched.bots.push((bot, bell));
            // It may be outside its turn already.
            self.come.notify_one();
            Ok(())
        }

        fn lock(&self) -> MutexGuard<'_, Watched> {
            self.watched.lock().unwrap_or_else(PoisonError::into_inner)
        }

        fn run(&self) {
            let (mut watched, mut idle) = (self.lock(), 0);
            loop {
                if watched.bots.is_empty() || idle >= IDLE_LOOKS {
                    (watched, idle) = (self.sleep(watched), 0);
                }
                idle += 1;
                for (bot, bell) in &watched.bots {
                    if bot.look() {
                        bell.ring();
                    }
                    if bot.is_off_turn() {
                        idle = 0;
                    }
                }
                watched = self.come.wait_timeout(watched, TICK).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod thread {
    use super::WatchedBot;
    use rustix::fd::BorrowedFd;
    use std::{io, sync::Arc};

    /// Never exists: the system does not report how long a bot computes.
    #[derive(Debug)]
    pub(crate) enum Watch {}

    impl Watch {
        pub(crate) fn over(_: impl Iterator<Item = Arc<WatchedBot>>) -> io::Result<Option<Self>> {
            Ok(None)
        }

        pub(crate) fn bell(&self) -> &Arc<Bell> {
            match *self {}
        }
    }

    /// Never rings.
    #[derive(Debug)]
    pub(crate) enum Bell {}

    impl Bell {
        pub(crate) fn has_rung(&self) -> bool {
            match *self {}
        }

        pub(crate) fn wakes(&self) -> BorrowedFd<'_> {
            match *self {}
        }

        pub(crate) fn quiet(&self) {
            match *self {}
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::{
        counters,
        shell::{Shell, in_the_end},
    };
    use std::sync::Arc;

    fn watched(bot: &Shell) -> Arc<WatchedBot> {
        Arc::new(WatchedBot::new(bot.reach()))
    }

    #[test]
    fn only_a_bot_that_computes_outside_its_turn_is_stopped() {
        let (spinner, sleeper) = (Shell::new("while :; do :; done"), Shell::asleep());
        let bots = [watched(&spinner), watched(&sleeper)];
        let watch = Watch::over(bots.iter().cloned()).expect("a thread").expect("this is Linux");
        bots[1].leave_turn();
        for _ in 0..2 {
            assert!(!watch.bell().has_rung(), "its turn has not ended");
            bots[0].leave_turn();
            assert!(in_the_end(|| watch.bell().has_rung()) && bots[0].take_stop().is_some());
            assert!(in_the_end(|| counters::is_stopped(spinner.id())));
            bots[0].reach.go_on();
        }
        assert!(bots[1].is_off_turn(), "it sleeps");
        assert!(!bots[1].end() && !bots[1].is_off_turn());
    }

    #[test]
    fn the_watchdog_sleeps_until_a_bot_leaves_its_turn() {
        let spinner = Shell::new("while :; do :; done");
        let bot = watched(&spinner);
        let watch = Watch::over([bot.clone()].into_iter()).expect("a thread").expect("this is Linux");
        for _ in 0..3 {
            // Bots of other tests may keep it awake for a while.
            assert!(in_the_end(|| thread::Watchdog::of(&bot).is_asleep()));
            bot.leave_turn();
            assert!(in_the_end(|| watch.bell().has_rung()) && bot.take_stop().is_some());
            bot.reach.go_on();
        }
    }

    #[test]
    fn the_end_of_a_match_ends_its_watch() {
        let spinner = Shell::new("while :; do :; done");
        let bot = watched(&spinner);
        bot.leave_turn();
        drop(Watch::over([bot.clone()].into_iter()).expect("a thread"));
        assert_eq!(Arc::strong_count(&bot), 1);
        bot.end();
        assert_eq!(bot.take_stop(), None);
    }
}
