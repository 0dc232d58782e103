//! How the time of an answer was spent: pure functions that compare two snapshots of a bot's process tree.
//!
//! Linux keeps two counters for each thread, and both only grow: how long the thread has run, and how long it was
//! ready to run but had no core. The second counter is updated only when the thread gets a core. A wait that is not
//! over yet shows in another way: the thread is ready in both snapshots and has not run in between.
//!
//! # What caused the wait
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
    /// The process to which it belongs.
    pub process: i32,
    /// How long it has run.
    pub cpu: Duration,
    /// How long it has waited for a core in total, without a wait that is not over.
    pub waited: Duration,
    /// How often it got a core.
    pub runs: u64,
    /// Whether it runs or waits for a core.
    pub ready: bool,
    /// Whether it waits in the kernel for something that nothing but the end of its process interrupts.
    pub blocked: bool,
    /// How long its present wait for a core has lasted at least: the time since the first snapshot that saw this wait.
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
    /// The process that keeps the bot and is not a part of it. 0 if there is none.
    pub keeper: i32,
    /// How much was stolen from each core of the match since its start.
    pub stolen: Vec<Duration>,
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
    pub(crate) fn follow(&mut self, last: &Self) {
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
        let (blocked, is_blocked) = (Duration::ZERO, self.is_blocked());
        TreeUsage { cpu, busy, waited, by_others: by_others.min(waited), blocked, is_blocked, waiting, cores }
    }

    /// The threads of the bot. While nothing but its keeper is there, which is about to start it, the keeper's.
    fn own_threads(&self) -> impl Iterator<Item = &Thread> {
        let is_there = self.threads.iter().any(|thread| thread.process != self.keeper);
        self.threads.iter().filter(move |thread| (thread.process == self.keeper) != is_there)
    }

    /// Whether the system holds every thread of the bot. If one of them sleeps, the others may wait for it, as after
    /// `vfork`.
    pub(crate) fn is_blocked(&self) -> bool {
        self.own_threads().next().is_some() && self.own_threads().all(|thread| thread.blocked)
    }

    /// Whether the system has held every thread of the bot since an earlier snapshot. A thread has to get a core before it
    /// can wait for something else, and the kernel counts how often it does.
    pub(crate) fn is_blocked_since(&self, before: &Self) -> bool {
        let still = |thread: &Thread| {
            before.thread(thread.id).is_some_and(|earlier| {
                thread.blocked && earlier.blocked && (thread.runs, thread.cpu) == (earlier.runs, earlier.cpu)
            })
        };
        let span = self.at.saturating_sub(before.at);
        self.is_blocked()
            && self.own_threads().all(still)
            && self.own_threads().count() == before.own_threads().count()
            // A control group counts what a thread uses that nobody sees, too.
            && self.cpu_since(before) <= span / 16
    }

    /// Whether no thread has had a core since an earlier snapshot.
    pub(crate) fn is_asleep_since(&self, before: &Self) -> bool {
        self.threads.iter().all(|thread| before.thread(thread.id).is_some_and(|earlier| earlier.runs == thread.runs))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// A snapshot of one process. For each thread: milliseconds of running, milliseconds of waiting, number of runs,
    /// and 1 if it is ready, 2 if it is blocked.
    pub(crate) fn look(at: u64, running: u32, threads: &[[u64; 4]]) -> Snapshot {
        let thread = |(id, [cpu, waited, runs, ready]): (usize, &[u64; 4])| Thread {
            id: id as i32 + 7,
            process: 7,
            cpu: ms(*cpu),
            waited: ms(*waited),
            runs: *runs,
            ready: *ready == 1,
            blocked: *ready == 2,
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
            keeper: 0,
            stolen: Vec::new(),
        }
    }

    /// CPU time, busy time and waiting time in milliseconds, and whether the bot waits now.
    pub(crate) fn used(before: &Snapshot, now: &Snapshot, cores: u32) -> (u64, u64, u64, bool) {
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
    fn a_bot_that_makes_itself_wait_gets_nothing_back() {
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
    fn a_blocked_process_uses_no_cpu_time() {
        let is_blocked = |used| {
            let [before, mut now] = [100, 132].map(|at| look(at, 0, &[[5, 0, 4, 2]]));
            now.processes[0].cpu += ms(used);
            now.is_blocked_since(&before)
        };
        assert_eq!([2, 3].map(is_blocked), [true, false]);
    }

    #[test]
    fn a_group_also_counts_processes_that_nobody_has_waited_for() {
        let group = |cpu| Snapshot { group: Some(ms(cpu)), ..Snapshot::default() };
        assert_eq!(group(1700).cpu_since(&group(20)), ms(1680));
        assert_eq!(group(1700).cpu_since(&Snapshot::default()), ms(0), "nothing to compare with");
    }
}
