//! How the time of an answer was spent: pure functions that compare two snapshots of a bot's process tree.
//!
//! Linux keeps two counters for each thread, and both only grow: how long the thread has run, and how long it was
//! ready to run but had no core. The second counter is updated only when the thread gets a core. A wait that is not
//! over yet shows in another way: the thread is ready in both snapshots and has not run in between.
//!
//! # Who caused the wait
//!
//! A bot with 64 threads that spin makes itself wait, and the host is not responsible for that. Consider a tree that
//! has used `cpu` of CPU time in `wall` of wall time on at most `cores` cores:
//!
//! * The computation alone takes at least `busy`: `cpu / cores`, and at least as long as the busiest thread ran. The
//!   host took at most `wall - busy`. With 64 spinning threads on two cores, `busy` equals `wall` and the host took
//!   nothing. If another program used a quarter of the cores, the host took a quarter of the time.
//! * The host delayed no thread by more than that thread waited, and it delayed the bot by no more than the longest of
//!   these waits. (If threads pass work to each other, the host may have delayed each of them. But a bot that starts
//!   many threads and lets them sleep would profit if all their waits were added.)
//!
//! The smaller of the two bounds counts. Whatever a bot does with its threads, `busy` plus the time that is given back
//! never exceeds the wall time. A bot therefore gains no time to compute by making itself wait.

use agon_referee::TreeUsage;
use std::time::Duration;

/// The longest tick of any kernel. The CPU time of a running thread can be out of date by this much.
const TICK: Duration = Duration::from_millis(10);

/// The counters of one thread at an instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Thread {
    pub id: i32,
    /// How long it has run.
    pub cpu: Duration,
    /// How long it has waited for a core in total, without a wait that is not over.
    pub waited: Duration,
    /// How often it got a core.
    pub runs: u64,
    /// Whether it runs or waits for a core.
    pub ready: bool,
    /// How long its present wait has lasted at least: the time since the first snapshot that saw this wait.
    pub queued: Duration,
}

/// The counters of one process at an instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Process {
    pub id: i32,
    /// The CPU time of all its threads, including those that have ended.
    pub cpu: Duration,
    /// The CPU time of its children that have ended, including that of their ended children.
    pub children: Duration,
}

/// A snapshot of the counters of all processes of a bot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Snapshot {
    /// The time since the start of the match.
    pub at: Duration,
    /// The CPU time of all processes, including those that have ended. `None` if no control group counts it.
    pub group: Option<Duration>,
    pub processes: Vec<Process>,
    /// All threads, in ascending order of their IDs.
    pub threads: Vec<Thread>,
    /// How many of the threads were running, estimated from the CPU time that they used during the snapshot.
    pub running: u32,
}

impl Snapshot {
    fn cpu(&self) -> Duration {
        self.processes.iter().map(|process| process.cpu.saturating_add(process.children)).sum()
    }

    fn thread(&self, id: i32) -> Option<&Thread> {
        let at = self.threads.binary_search_by_key(&id, |thread| thread.id).ok()?;
        Some(&self.threads[at])
    }

    /// Recognises waits that have lasted since the last snapshot.
    fn follow(&mut self, last: &Self) {
        for thread in &mut self.threads {
            let Some(earlier) = last.thread(thread.id) else { continue };
            if thread.ready && earlier.ready && (thread.runs, thread.cpu) == (earlier.runs, earlier.cpu) {
                thread.queued = earlier.queued.saturating_add(self.at.saturating_sub(last.at));
            }
        }
    }

    /// The CPU time used since an earlier snapshot. The time of a process that has ended since then may be lost, or
    /// may have moved to its parent.
    pub(crate) fn cpu_since(&self, before: &Self) -> Duration {
        if let Some((now, then)) = self.group.zip(before.group) {
            return now.saturating_sub(then);
        }
        let earlier = |id| before.processes.iter().find(|process| process.id == id);
        let living = self.processes.iter().map(|process| {
            process.cpu.saturating_sub(earlier(process.id).map_or(Duration::ZERO, |process| process.cpu))
        });
        living.sum::<Duration>().max(self.cpu().saturating_sub(before.cpu()))
    }

    /// What the bot used since an earlier snapshot if it could run on at most `cores` cores.
    pub(crate) fn since(&self, before: &Self, cores: u32) -> TreeUsage {
        let (wall, cpu) = (self.at.saturating_sub(before.at), self.cpu_since(before));
        let (mut active, mut ready) = (0, 0);
        let (mut most, mut longest, mut by_others) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        for thread in &self.threads {
            let earlier = before.thread(thread.id).copied().unwrap_or_default();
            let ran = thread.cpu.saturating_sub(earlier.cpu);
            let waited = thread.waited.saturating_sub(earlier.waited).saturating_add(thread.queued);
            active += u32::from(!ran.is_zero());
            ready += u32::from(thread.ready);
            most = most.max(ran);
            longest = longest.max(waited);
            by_others = by_others.max(waited.saturating_sub(cpu.saturating_sub(ran)));
        }
        // The clock of a process is exact, and that of a running thread is not. The difference may also come from
        // threads that have ended.
        let alone = active <= 1 && cpu.saturating_sub(most) <= TICK;
        let busy = if alone { cpu } else { most.max(cpu / cores.max(1)) };
        let waited = longest.min(wall.saturating_sub(busy));
        let left = wall.saturating_sub(busy).saturating_sub(waited);
        let waiting = self.running < ready.min(cores) && !left.is_zero();
        TreeUsage { cpu, busy, waited, by_others: by_others.min(waited), waiting, cores }
    }

    /// Whether no thread has had a core since an earlier snapshot.
    fn is_asleep_since(&self, before: &Self) -> bool {
        self.threads.iter().all(|thread| before.thread(thread.id).is_some_and(|earlier| earlier.runs == thread.runs))
    }
}

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
    lag: Duration,
    /// How long a neighbour computed on the same cores.
    disturbed: Duration,
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

    /// Notes for how long a neighbour has computed on the same cores since the question.
    pub(crate) fn disturb(&mut self, question: u64, lost: Duration) {
        self.turn_to(question);
        self.disturbed = self.disturbed.max(lost);
    }

    /// Returns for how long a neighbour computed on the same cores in this question.
    pub(crate) fn disturbed(&self) -> Duration {
        self.disturbed
    }

    fn turn_to(&mut self, question: u64) {
        if self.question != question {
            (self.question, self.before) = (question, None);
            (self.waited, self.by_others, self.lag, self.disturbed) = Default::default();
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
        self.last = now;
        Some(usage)
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

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// A snapshot of one process. For each thread: milliseconds of running, milliseconds of waiting, number of runs,
    /// and 1 if it is ready.
    fn look(at: u64, running: u32, threads: &[[u64; 4]]) -> Snapshot {
        let thread = |(id, [cpu, waited, runs, ready]): (usize, &[u64; 4])| Thread {
            id: id as i32 + 7,
            cpu: ms(*cpu),
            waited: ms(*waited),
            runs: *runs,
            ready: *ready == 1,
            queued: Duration::ZERO,
        };
        let cpu = threads.iter().map(|thread| ms(thread[0])).sum();
        let processes = vec![Process { id: 7, cpu, children: Duration::ZERO }];
        Snapshot {
            at: ms(at),
            group: None,
            processes,
            threads: threads.iter().enumerate().map(thread).collect(),
            running,
        }
    }

    /// CPU time, busy time and waiting time in milliseconds, and whether the bot waits now.
    fn used(before: &Snapshot, now: &Snapshot, cores: u32) -> (u64, u64, u64, bool) {
        let mut now = now.clone();
        now.follow(before);
        let TreeUsage { cpu, busy, waited, waiting, .. } = now.since(before, cores);
        let ms = |time: Duration| time.as_millis() as u64;
        (ms(cpu), ms(busy), ms(waited), waiting)
    }

    #[test]
    fn one_thread_is_what_its_counters_say() {
        let before = look(100, 0, &[[10, 5, 3, 0]]);
        assert_eq!(used(&before, &look(200, 0, &[[40, 45, 9, 0]]), 2), (30, 30, 40, false));
        assert_eq!(used(&before, &look(200, 0, &[[10, 5, 3, 0]]), 2), (0, 0, 0, false), "it slept");
        assert_eq!(used(&before, &look(200, 1, &[[110, 5, 4, 1]]), 2), (100, 100, 0, false), "it computed");
    }

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
    fn who_makes_itself_wait_has_nothing_back() {
        // 64 threads on two cores for 640 ms, each with 20 ms and 620 ms of waiting.
        let before = look(0, 2, &[[0, 0, 0, 1]; 64]);
        assert_eq!(used(&before, &look(640, 2, &[[20, 620, 5, 1]; 64]), 2), (1280, 640, 0, false));
        // The host has taken a quarter of both cores.
        assert_eq!(used(&before, &look(640, 1, &[[15, 625, 5, 1]; 64]), 2), (960, 480, 160, false));
        // Three threads on one core that is theirs.
        let before = look(0, 1, &[[0, 0, 0, 1]; 3]);
        assert_eq!(used(&before, &look(90, 1, &[[30, 60, 5, 1]; 3]), 1), (90, 90, 0, false));
        // They slept for most of the time: the waits are not added, and the longest counts.
        assert_eq!(used(&before, &look(990, 0, &[[30, 60, 5, 0]; 3]), 1), (90, 90, 60, false));
    }

    #[test]
    fn a_thread_that_waits_behind_its_own_bot_was_not_kept_by_others() {
        let by_others = |now: &Snapshot, before: &Snapshot| now.since(before, 1).by_others;
        // Two threads share a core that is theirs.
        let before = look(0, 1, &[[0, 0, 0, 1]; 2]);
        assert_eq!(by_others(&look(100, 1, &[[50, 50, 5, 1]; 2]), &before), ms(0));
        // Somebody else used it for 40 ms.
        assert_eq!(by_others(&look(100, 1, &[[30, 70, 5, 1]; 2]), &before), ms(40));
        // One thread sleeps, and the other waits for somebody else.
        assert_eq!(by_others(&look(100, 0, &[[0, 0, 0, 0], [10, 90, 5, 1]]), &before), ms(90));
    }

    #[test]
    fn an_idle_companion_does_not_make_a_thread_two() {
        let before = look(0, 0, &[[0, 0, 0, 0]; 2]);
        assert_eq!(used(&before, &look(100, 0, &[[60, 40, 5, 0], [1, 0, 1, 0]]), 2), (61, 60, 40, false));
    }

    #[test]
    fn processes_come_and_go() {
        let process = |id, cpu, children| Process { id, cpu: ms(cpu), children: ms(children) };
        let tree = |processes: &[Process]| Snapshot { processes: processes.to_vec(), ..Snapshot::default() };
        let before = tree(&[process(1, 10, 0), process(2, 50, 0)]);
        for (now, cpu) in [
            (tree(&[process(1, 15, 0), process(2, 60, 0)]), 15),
            (tree(&[process(1, 15, 70)]), 25), // 2 has ended after 20 ms more, and 1 has waited for it
            (tree(&[process(1, 15, 0)]), 5),   // 2 has ended, and its time is lost
            (tree(&[process(1, 15, 0), process(2, 50, 0), process(3, 30, 0)]), 35),
        ] {
            assert_eq!(now.cpu_since(&before), ms(cpu), "{now:?}");
        }
    }

    #[test]
    fn a_group_also_counts_processes_that_nobody_has_waited_for() {
        let group = |cpu| Snapshot { group: Some(ms(cpu)), ..Snapshot::default() };
        assert_eq!(group(1700).cpu_since(&group(20)), ms(1680));
        assert_eq!(group(1700).cpu_since(&Snapshot::default()), ms(0), "nothing to compare with");
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
    fn who_has_not_got_a_core_since_it_was_asked_has_waited_since_then() {
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
    fn what_a_keeper_used_before_is_not_the_bots() {
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
