//! How the time of an answer was spent: what is measured of one bot, question by question.

use crate::{
    steal,
    usage::{Process, Snapshot},
};
use agon_referee::TreeUsage;
use std::time::Duration;

/// Measures what one bot uses for each question.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// The number of the question that is measured.
    question: u64,
    /// What the bot had used for this question at the first reading. `None` before it.
    before: Option<TreeUsage>,
    first: Snapshot,
    last: Snapshot,
    /// The longest wait that was measured for this question. It is kept because a thread that ends takes its counters
    /// with it.
    waited: Duration,
    /// The part of it that others caused for certain.
    by_others: Duration,
    /// How long the system held every thread in this question.
    blocked: Duration,
    /// How much of this question was stolen.
    stolen: Duration,
    /// How much of this question until the last reading the bot computed or waited for a core.
    explained: Duration,
    lag: Duration,
    /// The number of the last sleep of the referee that delayed this bot.
    round: u64,
    /// How long the last reading took.
    cost: Duration,
}

impl Meter {
    /// Starts to measure a bot in whose tree this process was before, the root. What that has used is not the bot's.
    pub(crate) fn beside(root: Process) -> Self {
        Self { last: Snapshot { processes: vec![root], ..Snapshot::default() }, ..Self::default() }
    }

    /// Whether the counters were read for this question.
    pub(crate) fn knows(&self, question: u64) -> bool {
        self.question == question && self.before.is_some()
    }

    /// When the counters were read last.
    pub(crate) fn looked(&self) -> Duration {
        self.last.at
    }

    /// Whether the system held every thread when the counters were read last.
    pub(crate) fn saw_it_blocked(&self) -> bool {
        self.last.is_blocked()
    }

    /// Adds `lag`, by which the referee was late to read from this bot after the sleep with the number `round`. Each
    /// sleep counts once: what is read later after the same sleep did not wait longer.
    pub(crate) fn add_lag(&mut self, question: u64, round: u64, lag: Duration) {
        self.turn_to(question);
        if self.round != round {
            self.round = round;
            self.lag = self.lag.saturating_add(lag);
        }
    }

    /// How long the last reading took.
    pub(crate) fn cost(&self) -> Duration {
        self.cost
    }

    pub(crate) fn costs(&mut self, cost: Duration) {
        self.cost = cost;
    }

    /// The referee's lag in this question.
    pub(crate) fn lag(&self) -> Duration {
        self.lag
    }

    fn turn_to(&mut self, question: u64) {
        if self.question != question {
            (self.question, self.before) = (question, None);
            (self.waited, self.by_others, self.blocked, self.lag) = Default::default();
            (self.stolen, self.explained) = Default::default();
        }
    }

    /// What was used until now (`at`) for a question whose clock started at `since`. `None` if there is no snapshot.
    pub(crate) fn read(
        &mut self,
        question: u64,
        since: Duration,
        at: Duration,
        now: Option<Snapshot>,
        cores: u32,
    ) -> Option<TreeUsage> {
        self.turn_to(question);
        let Some(mut now) = now else {
            self.before.get_or_insert_default();
            self.last.at = at;
            return None;
        };
        now.follow(&self.last);
        if now.is_blocked_since(&self.last) {
            self.blocked = self.blocked.saturating_add(now.at.saturating_sub(self.last.at.max(since)));
        }
        let usage = match self.before {
            None => {
                let before = until_first_look(&self.last, &now, since, cores);
                self.before = Some(before);
                self.first.clone_from(&now);
                before
            }
            Some(before) => {
                let after = now.since(&self.first, cores);
                let (cpu, busy) = (before.cpu + after.cpu, before.busy + after.busy);
                // If a wait was not over at the first reading, the system reports all of it when it is over.
                let most = now.at.saturating_sub(since).saturating_sub(busy);
                let waited = (before.waited + after.waited).max(self.waited).min(most);
                let by_others = (before.by_others + after.by_others).max(self.by_others).min(waited);
                TreeUsage { cpu, busy, waited, by_others, ..after }
            }
        };
        (self.waited, self.by_others) = (usage.waited, usage.by_others);
        let not_explained = self.note_steal(&now, since, usage.busy.saturating_add(usage.waited));
        let stolen = self.stolen.min(not_explained);
        self.last = now;
        // Not for certain by others: it may have slept. Otherwise, a bot that loses could sleep until its match is spoilt.
        Some(TreeUsage { waited: usage.waited.saturating_add(stolen), blocked: self.blocked, ..usage })
    }

    /// Notes how much was stolen since the last reading. Time that the other counters explain was not stolen, so that only the
    /// rest can have been. Returns how much of the question until now they do not explain.
    fn note_steal(&mut self, now: &Snapshot, since: Duration, explained: Duration) -> Duration {
        let rest = |span: Duration, explained| span.saturating_sub(explained);
        let passed = now.at.saturating_sub(self.last.at.max(since));
        let stolen = steal::most_between(&self.last.stolen, &now.stolen);
        self.stolen = self.stolen.saturating_add(stolen.min(rest(passed, explained.saturating_sub(self.explained))));
        self.explained = explained;
        rest(now.at.saturating_sub(since), explained)
    }
}

/// What was used from the start of a clock to the first reading. So that quick answers cost nothing, the counters were
/// not read at that start. The use is bounded by the growth of the counters since they were last read, and by the time
/// that has passed. The remaining doubt counts in the bot's favour.
fn until_first_look(last: &Snapshot, now: &Snapshot, since: Duration, cores: u32) -> TreeUsage {
    let span = now.at.saturating_sub(since);
    let gained = now.since(last, cores);
    let queued = gained.waiting && now.is_asleep_since(last);
    let waited = if queued { span } else { gained.waited.min(span) };
    let busy = gained.busy.min(span.saturating_sub(waited));
    let most = if gained.busy == gained.cpu { busy } else { busy.saturating_mul(cores) };
    let by_others = if queued { span } else { gained.by_others.min(span) };
    TreeUsage { cpu: gained.cpu.min(most), busy, waited, by_others, ..gained }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::tests::{look, ms, used};

    #[test]
    fn a_wait_that_goes_on_counts_from_the_first_look_that_saw_it() {
        let before = look(100, 0, &[[10, 5, 3, 1]]);
        assert_eq!(used(&before, &look(150, 0, &[[10, 5, 3, 1]]), 2), (0, 0, 50, false), "nothing is left to learn");
        let asleep = look(100, 0, &[[10, 5, 3, 0]]);
        assert_eq!(used(&asleep, &look(150, 0, &[[10, 5, 3, 1]]), 2), (0, 0, 0, true), "since when is not known");
        assert_eq!(used(&asleep, &look(160, 0, &[[12, 50, 4, 0]]), 2), (2, 2, 45, false), "now it is");
        let mut meter = Meter::default();
        let waits = [100, 120, 150, 155].map(|at| {
            let (ran, runs, ready) = if at == 100 { (5, 2, 0) } else { (10, 3, 1) };
            meter.read(1, ms(80), ms(at), Some(look(at, 0, &[[ran, 5, runs, ready]])), 2).unwrap().waited
        });
        assert_eq!(waits, [ms(5), ms(5), ms(35), ms(40)]);
    }

    #[test]
    fn before_the_first_look_the_gain_since_the_last_one_is_the_bound() {
        let mut meter = Meter::default();
        let mut read =
            |question, since, look: Snapshot| meter.read(question, ms(since), look.at, Some(look), 2).unwrap();
        let first = read(1, 0, look(20, 1, &[[15, 2, 3, 1]]));
        assert_eq!((first.cpu, first.waited), (ms(15), ms(2)));
        // Quick questions came in between. Together they have used less than the short time before this reading.
        let next = read(9, 500, look(520, 1, &[[25, 6, 9, 1]]));
        assert_eq!((next.cpu, next.waited), (ms(10), ms(4)));
        // Or they have used more. Then the short time is the bound, in the bot's favour.
        let next = read(12, 800, look(820, 1, &[[125, 21, 20, 1]]));
        assert_eq!((next.cpu, next.waited), (ms(5), ms(15)));
        // From the first reading on, the measurement is exact.
        let later = read(12, 800, look(920, 1, &[[185, 51, 20, 1]]));
        assert_eq!((later.cpu, later.busy, later.waited), (ms(65), ms(65), ms(45)));
        assert!(meter.knows(12) && !meter.knows(1) && !meter.knows(13));
    }

    #[test]
    fn a_bot_without_a_core_since_it_was_asked_has_waited_since_then() {
        let mut meter = Meter::default();
        let mut read =
            |question, since, look: Snapshot| meter.read(question, ms(since), look.at, Some(look), 1).unwrap();
        read(1, 0, look(20, 0, &[[5, 1, 3, 0]]));
        assert_eq!(read(2, 100, look(105, 0, &[[5, 1, 3, 1]])).waited, ms(5));
        assert_eq!(read(2, 100, look(150, 0, &[[5, 1, 3, 1]])).waited, ms(50));
        // The system reports the whole wait when it is over. It is not counted twice.
        let got_it = read(2, 100, look(160, 1, &[[6, 60, 4, 1]]));
        assert_eq!((got_it.busy, got_it.waited), (ms(1), ms(59)));
    }

    #[test]
    fn a_bot_held_at_two_looks_that_has_not_run_was_held_in_between() {
        // The states of three threads at two looks, and how often the last has run since.
        for (before, now, runs, held) in [
            ([2, 2, 2], [2, 2, 2], 0, true),
            ([2, 2, 2], [2, 2, 2], 1, false), // it had a core, and waits for something else
            ([2, 2, 0], [2, 2, 2], 0, false),
            ([2, 2, 2], [2, 2, 0], 0, false), // one sleeps, and the others may wait for it
            ([2, 2, 2], [2, 2, 1], 0, false),
            ([0, 0, 0], [0, 0, 0], 0, false),
        ] {
            let look = |at, states: [u64; 3], runs: u64| {
                look(at, 0, &[[5, 0, 4, states[0]], [5, 0, 4, states[1]], [5, 0, 4 + runs, states[2]]])
            };
            let mut meter = Meter::default();
            meter.read(1, ms(80), ms(100), Some(look(100, before, 0)), 2);
            let then = meter.read(1, ms(80), ms(150), Some(look(150, now, runs)), 2).expect("it was counted");
            assert_eq!((then.blocked, then.is_blocked), (ms(if held { 50 } else { 0 }), now == [2; 3]), "{before:?}");
            assert_eq!(meter.saw_it_blocked(), now == [2; 3]);
        }
    }

    #[test]
    fn a_wait_that_was_there_before_the_question_counts_from_the_question_on() {
        let mut meter = Meter::default();
        let mut read = |question, since, at| {
            let seen = meter.read(question, ms(since), ms(at), Some(look(at, 0, &[[5, 1, 3, 2]])), 1);
            seen.expect("it was counted").blocked
        };
        assert_eq!([read(1, 0, 20), read(1, 0, 30), read(2, 50, 70)], [ms(0), ms(10), ms(20)]);
    }

    #[test]
    fn a_keeper_that_waits_beside_a_bot_is_not_the_bot() {
        let look = |at, keeper, bot: &[u64]| {
            let threads: Vec<_> = [keeper].iter().chain(bot).map(|state| [5, 0, 3, *state]).collect();
            let mut look = look(at, 0, &threads);
            look.keeper = 9;
            look.threads[0].process = 9;
            look
        };
        for (keeper, bot, held) in [(0, &[2][..], true), (2, &[0], false), (2, &[], true), (0, &[], false)] {
            let mut meter = Meter::default();
            let reads = [20, 30].map(|at| meter.read(1, ms(0), ms(at), Some(look(at, keeper, bot)), 1));
            assert_eq!(reads[1].map(|usage| usage.blocked), Some(ms(if held { 10 } else { 0 })), "{keeper} {bot:?}");
        }
    }

    #[test]
    fn threads_that_have_ended_are_not_forgotten() {
        let mut meter = Meter::default();
        let mut read = |look: Snapshot| meter.read(1, ms(0), look.at, Some(look), 2).unwrap();
        read(look(20, 2, &[[0, 0, 1, 0], [5, 5, 1, 1], [5, 5, 1, 1], [5, 5, 1, 1]]));
        let then = read(look(120, 1, &[[0, 0, 1, 0], [40, 70, 9, 1], [40, 70, 9, 1], [40, 70, 9, 1]]));
        let waited = Duration::from_micros(52_500);
        assert_eq!((then.busy, then.waited), (ms(60), waited), "of 120 ms");
        let mut over = look(140, 0, &[[0, 0, 2, 0]]);
        over.processes[0].cpu = ms(160);
        let over = read(over);
        assert_eq!((over.cpu, over.waited), (ms(160), waited));
        assert!(over.busy >= ms(80) && over.busy < ms(90), "on two cores: {over:?}");
    }

    #[test]
    fn cpu_time_that_a_keeper_used_before_is_not_the_bots() {
        let root = |children| Process { id: 9, cpu: ms(30), children: ms(children) };
        let first_cpu = |mut meter: Meter| {
            let mut now = look(20, 0, &[[2, 0, 2, 0]]);
            now.processes.push(root(500));
            meter.read(1, ms(0), ms(20), Some(now), 2).map(|usage| usage.cpu)
        };
        assert_eq!(first_cpu(Meter::beside(root(500))), Some(ms(2)));
        assert_eq!(first_cpu(Meter::default()), Some(ms(40)), "as much as two cores give in that time");
    }

    #[test]
    fn time_that_a_hypervisor_stole_was_not_the_bots() {
        let look = |at, ran: u64, waited, stolen: [u64; 2]| {
            let mut look = look(at, 0, &[[ran, waited, 3, 0]]);
            look.stolen = stolen.map(ms).to_vec();
            look
        };
        let told = |looks: &[Snapshot]| {
            let mut meter = Meter::default();
            let reads = looks.iter().map(|look| meter.read(1, ms(0), look.at, Some(look.clone()), 1));
            let last = reads.last().flatten().expect("it was counted");
            (last.busy, last.waited, last.by_others)
        };
        let began = || look(20, 15, 5, [0, 0]);
        for (then, waited) in [
            (look(100, 25, 5, [0, 0]), 5),
            (look(100, 25, 5, [0, 40]), 55),   // almost 50 ms may have been stolen
            (look(100, 25, 5, [0, 400]), 75),  // no more than passed without another reason
            (look(100, 75, 25, [40, 40]), 25), // it computed, or waited in the usual way
            (look(100, 95, 5, [200, 200]), 5),
        ] {
            let busy = then.threads[0].cpu;
            let certain = then.threads[0].waited;
            assert_eq!(told(&[began(), then.clone()]), (busy, ms(waited), certain), "{then:?}");
        }
        // It slept before, when nothing was stolen.
        let slept = [began(), look(100, 15, 5, [0, 0]), look(120, 30, 5, [10, 0])];
        assert_eq!(told(&slept), (ms(30), ms(10), ms(5)));
        let first = [look(40, 10, 0, [20, 0])];
        assert_eq!(told(&first), (ms(10), ms(30), ms(0)), "also before the first look");
    }

    #[test]
    fn lag_belongs_to_its_question() {
        let mut meter = Meter::default();
        meter.add_lag(1, 10, ms(5));
        meter.add_lag(1, 10, ms(6));
        meter.add_lag(1, 11, ms(2));
        assert_eq!(meter.lag(), ms(7), "once a sleep");
        assert_eq!(meter.read(2, ms(0), ms(9), None, 1), None);
        assert!(meter.knows(2) && meter.lag().is_zero(), "also where there is nothing to be seen");
    }
}
