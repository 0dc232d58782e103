//! The time of one answer: what of it is charged to the bot, what is given back, and whether the host spoilt the match. A function of
//! what was measured, and of nothing else.
//!
//! * What a bot computed is always charged, so charged time plus the time given back is the wall time.
//! * Under `fair`, a wait for a core and the referee's own delay are given back up to the limit once more, and so is a wait that the
//!   system caused and nothing interrupts, up to [`MOST_BLOCKED`].
//! * If a bot is late and others certainly had the cores for its whole limit, or the referee looked late for as long, nobody can tell
//!   what the bot would have done. That spoils the match, and it is played again. A bot that computed for longer than its limit, or
//!   whose children may have, spoils nothing.

use crate::{Usage, usage::MOST_BLOCKED};
use agon_core::TimePolicy;
use core::time::Duration;

/// What is known about the time of an answer at some instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AnswerTime {
    pub policy: TimePolicy,
    /// The limit of the turn or of the bank. `None` if neither has one.
    pub limit: Option<Duration>,
    /// The wall time since the clock started.
    pub wall: Duration,
    /// The counters since then.
    pub usage: Usage,
}

impl AnswerTime {
    fn busy(&self) -> Duration {
        self.usage.tree.map_or(Duration::ZERO, |tree| tree.busy)
    }

    /// Returns the time in which the bot computed on no core.
    fn not_busy(&self) -> Duration {
        self.wall.saturating_sub(self.busy())
    }

    /// Returns how much of the time is given back.
    pub(crate) fn given(&self) -> Duration {
        if self.policy != TimePolicy::Fair {
            return Duration::ZERO;
        }
        let waited = self.usage.tree.map_or(Duration::ZERO, |tree| tree.waited);
        let taken = waited.saturating_add(self.usage.lag).min(self.limit.unwrap_or(Duration::MAX)).min(self.not_busy());
        taken.saturating_add(self.usage.blocked(self.wall).min(MOST_BLOCKED)).min(self.not_busy())
    }

    /// Returns how much of the time is charged to the bot.
    pub(crate) fn charged(&self) -> Duration {
        match (self.policy, self.usage.tree) {
            (TimePolicy::Cpu, Some(tree)) => tree.cpu,
            _ => self.wall.saturating_sub(self.given()),
        }
    }

    /// Returns whether the policy is `cpu` and the bot has used more CPU time than its limit.
    pub(crate) fn is_overdrawn(&self) -> bool {
        let limit = self.limit.unwrap_or(Duration::MAX);
        self.policy == TimePolicy::Cpu && self.usage.tree.is_some_and(|tree| tree.cpu > limit)
    }

    /// Returns by how much a deadline that has passed may move at most, because the bot waits at this instant: the system reports
    /// the length of a wait only when it is over. `None` if the bot does not wait, or has computed for its whole limit.
    pub(crate) fn most_wait(&self) -> Option<Duration> {
        let limit = self.limit?;
        let tree = self.usage.tree.filter(|tree| self.policy == TimePolicy::Fair && tree.busy < limit)?;
        let blocked = self.usage.blocked(self.wall);
        if tree.is_blocked && blocked < MOST_BLOCKED {
            return Some(Duration::MAX);
        }
        tree.waiting.then(|| limit.saturating_add(blocked.min(MOST_BLOCKED)))
    }

    /// Returns for how long others certainly kept the bot from a core if this answer, which is late, spoils the match: that time and
    /// the referee's delay are the whole limit or more.
    pub(crate) fn spoils(&self) -> Option<Duration> {
        let (limit, tree) = (self.limit?, self.usage.tree?);
        // The counters are read at different instants, but the sum must not exceed the time that has passed.
        let by_others = tree.by_others.min(tree.waited).min(self.not_busy());
        let taken = by_others.saturating_add(self.usage.lag).min(self.not_busy());
        let is_its_own = self.is_overdrawn() || self.usage.partial || tree.busy > limit;
        (!is_its_own && taken >= limit).then_some(by_others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeUsage;
    use TimePolicy::{Cpu, Fair, Wall};

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// What was measured, in milliseconds. By default a bot with one thread that slept for 100 ms, where 100 ms are allowed.
    #[derive(Clone, Copy)]
    struct Measured {
        policy: TimePolicy,
        wall: u64,
        busy: u64,
        waited: u64,
        by_others: u64,
        blocked: u64,
        lag: u64,
        partial: bool,
    }

    const SLEPT: Measured =
        Measured { policy: Fair, wall: 100, busy: 0, waited: 0, by_others: 0, blocked: 0, lag: 0, partial: false };

    impl Measured {
        fn time(self) -> AnswerTime {
            let tree = TreeUsage {
                cpu: ms(self.busy),
                busy: ms(self.busy),
                waited: ms(self.waited),
                by_others: ms(self.by_others),
                blocked: ms(self.blocked),
                cores: 1,
                ..TreeUsage::default()
            };
            let usage = Usage { tree: Some(tree), lag: ms(self.lag), partial: self.partial };
            AnswerTime { policy: self.policy, limit: Some(ms(100)), wall: ms(self.wall), usage }
        }
    }

    #[test]
    fn charges_refunds_and_spoilt_matches_follow_the_table() {
        let waited = |waited| Measured { waited, by_others: waited, wall: 150, ..SLEPT };
        for (what, measured, charged, given, spoils) in [
            ("it slept", SLEPT, 100, 0, false),
            ("it computed", Measured { busy: 100, ..SLEPT }, 100, 0, false),
            ("it waited for a core", waited(60), 90, 60, false),
            ("by the wall clock, too", Measured { policy: Wall, ..waited(60) }, 150, 0, false),
            ("by CPU time it did nothing", Measured { policy: Cpu, ..waited(60) }, 0, 0, false),
            ("others had the core all the time", waited(120), 50, 100, true),
            ("and whatever the policy is", Measured { policy: Wall, ..waited(120) }, 150, 0, true),
            ("it waited for itself", Measured { by_others: 0, ..waited(120) }, 50, 100, false),
            ("it computed and waited", Measured { busy: 90, wall: 190, ..waited(100) }, 90, 100, true),
            ("more than there was time for", Measured { busy: 90, ..waited(100) }, 90, 60, false),
            ("it computed too long itself", Measured { busy: 101, wall: 300, ..waited(120) }, 200, 100, false),
            ("its children may have", Measured { partial: true, ..waited(120) }, 50, 100, false),
            ("the referee looked late", Measured { lag: 40, wall: 140, ..SLEPT }, 100, 40, false),
            ("for the whole limit", Measured { lag: 100, wall: 140, ..SLEPT }, 40, 100, true),
            ("both together", Measured { lag: 50, ..waited(60) }, 50, 100, true),
            ("and not twice", Measured { lag: 500, wall: 160, ..waited(500) }, 60, 100, true),
            ("the system blocked it", Measured { blocked: 900, wall: 1000, ..SLEPT }, 100, 900, false),
            ("but not for ever", Measured { blocked: 60_000, wall: 61_000, ..SLEPT }, 31_000, 30_000, false),
            ("blocked and waiting", Measured { blocked: 30, ..waited(60) }, 60, 90, false),
            ("in time that others explain", Measured { blocked: 150, busy: 90, ..waited(60) }, 90, 60, false),
        ] {
            let time = measured.time();
            assert_eq!((time.charged(), time.given()), (ms(charged), ms(given)), "{what}");
            assert_eq!(time.spoils().is_some(), spoils, "{what}");
            assert!(time.given() + time.busy() <= time.wall, "{what}: it gains time to compute");
        }
    }

    #[test]
    fn where_nothing_is_measured_the_wall_time_counts() {
        for policy in [Fair, Wall, Cpu] {
            let time = AnswerTime { policy, limit: Some(ms(100)), wall: ms(170), usage: Usage::default() };
            assert_eq!((time.charged(), time.given(), time.spoils(), time.most_wait()), (ms(170), ms(0), None, None));
            assert!(!time.is_overdrawn());
        }
        let unlimited = AnswerTime { limit: None, ..Measured { waited: 60, by_others: 60, ..SLEPT }.time() };
        assert_eq!((unlimited.charged(), unlimited.spoils(), unlimited.most_wait()), (ms(40), None, None));
    }

    #[test]
    fn a_wait_that_is_not_over_moves_a_deadline_within_bounds() {
        let wait = |change: fn(&mut TreeUsage), measured: Measured| {
            let mut time = measured.time();
            time.usage.tree.iter_mut().for_each(change);
            time.most_wait()
        };
        let late = Measured { wall: 120, ..SLEPT };
        assert_eq!(wait(|_| (), late), None);
        assert_eq!(wait(|tree| tree.waiting = true, late), Some(ms(100)));
        assert_eq!(wait(|tree| tree.waiting = true, Measured { blocked: 20, ..late }), Some(ms(120)));
        assert_eq!(wait(|tree| tree.waiting = true, Measured { busy: 100, ..late }), None);
        assert_eq!(wait(|tree| tree.waiting = true, Measured { policy: Wall, ..late }), None);
        assert_eq!(wait(|tree| tree.is_blocked = true, late), Some(Duration::MAX));
        let long = Measured { blocked: 30_000, wall: 30_001, ..SLEPT };
        assert_eq!(wait(|tree| tree.is_blocked = true, long), None);
    }
}
