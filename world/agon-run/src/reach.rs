//! The processes of a bot: which they are, and how to stop them and let them continue.

use crate::{
    counters::{self, Stillness},
    held::{Held, signal_group},
};
#[cfg(target_os = "linux")]
use agon_sandbox::Freezer;
use rustix::process::{Pid, Signal, kill_process};
use std::{sync::OnceLock, time::Duration};

/// What is necessary to find and stop all processes of a bot. This value outlives the bot. From the moment when the bot was
/// waited for, its IDs may belong to other processes, so nothing here may be used then.
#[derive(Debug)]
pub(crate) struct Reach {
    /// The process that was started as the bot.
    main: i32,
    /// The root of its process tree.
    root: i32,
    several: bool,
    stopping: Stopping,
    /// Opened when the bot is first stopped. `None` if the system does not tell.
    alone: OnceLock<Option<Alone>>,
}

/// What stops most processes of a bot at once.
#[derive(Debug)]
enum Stopping {
    /// A signal to a process group.
    Group(Pid),
    /// The sandbox, or the helper program of the sandbox.
    #[cfg(target_os = "linux")]
    Sandbox(Freezer),
}

impl Reach {
    pub(crate) fn of(held: &Held) -> Self {
        match held {
            Held::Outside(child, _) => {
                let group = Pid::from_child(child);
                let main = group.as_raw_nonzero().get();
                Self::new(main, main, true, Stopping::Group(group))
            }
            #[cfg(target_os = "linux")]
            Held::Inside(process) => {
                Self::new(process.pid, process.reaper, process.may_be_several(), Stopping::Sandbox(process.freezer()))
            }
        }
    }

    fn new(main: i32, root: i32, several: bool, stopping: Stopping) -> Self {
        Self { main, root, several, stopping, alone: OnceLock::new() }
    }

    /// Makes the reach of a process that leads a group.
    #[cfg(test)]
    pub(crate) fn of_group(leader: Pid) -> Self {
        let main = leader.as_raw_nonzero().get();
        Self::new(main, main, true, Stopping::Group(leader))
    }

    /// Returns the process that was started as the bot.
    pub(crate) fn main(&self) -> i32 {
        self.main
    }

    /// Returns the root of the bot's process tree, which may not be a process of the bot itself.
    pub(crate) fn root(&self) -> i32 {
        self.root
    }

    /// Returns the root of its process tree if that is not a process of the bot itself.
    pub(crate) fn keeper(&self) -> Option<i32> {
        Some(self.root).filter(|root| *root != self.main)
    }

    /// Whether the bot may start processes of its own.
    pub(crate) fn may_be_several(&self) -> bool {
        self.several
    }

    /// Returns all processes of the bot.
    pub(crate) fn processes(&self) -> Vec<i32> {
        if !self.several {
            // To look for others would take a look at each of its threads.
            return if self.main_has_ended() { Vec::new() } else { vec![self.main] };
        }
        let mut all = counters::tree(self.root);
        all.retain(|process| *process != self.root || self.root == self.main);
        all
    }

    /// Returns the CPU time of all processes of the bot, and of the one that reaps them.
    pub(crate) fn cpu_time(&self) -> Duration {
        if self.several {
            return counters::cpu_time(self.root);
        }
        let mut processes = self.processes();
        processes.extend(self.keeper());
        counters::own_times(&processes)
    }

    /// Whether the process that was started as the bot has ended, so that its ID may belong to another one.
    fn main_has_ended(&self) -> bool {
        match &self.stopping {
            Stopping::Group(_) => false,
            #[cfg(target_os = "linux")]
            Stopping::Sandbox(freezer) => freezer.program_has_ended(),
        }
    }

    /// How far the processes of the bot have stopped, and which they are. There is no need to know them if a control group tells.
    pub(crate) fn stillness(&self) -> (Stillness, Vec<i32>) {
        #[cfg(target_os = "linux")]
        if let Stopping::Sandbox(freezer) = &self.stopping
            && freezer.is_frozen()
        {
            // The kernel shows processes that their control group has stopped as asleep.
            return (Stillness::Stopped, Vec::new());
        }
        let processes = self.processes();
        (counters::stillness(&processes), processes)
    }

    /// Stops all processes of the bot. Returns whether it is a single thread without children, for which one signal is enough. That
    /// is looked at after the signal: nothing comes between them, because a process with such a signal starts nothing.
    pub(crate) fn stop(&self) -> bool {
        let alone = self.alone.get_or_init(|| Alone::open(self.main, self.root, self.several));
        if self.signal_main(Signal::STOP) && alone.as_ref().is_some_and(|alone| alone.is_so(self.main)) {
            return true;
        }
        self.stop_all();
        false
    }

    /// Sends a signal to the process that was started as the bot. Returns whether it was sent.
    fn signal_main(&self, signal: Signal) -> bool {
        match &self.stopping {
            Stopping::Group(_) => Pid::from_raw(self.main).is_some_and(|main| kill_process(main, signal).is_ok()),
            #[cfg(target_os = "linux")]
            Stopping::Sandbox(freezer) => freezer.signal_program(signal),
        }
    }

    fn stop_all(&self) {
        // A process that has ended may have been reaped, and then its ID may belong to another process.
        let (by_cgroup, root_has_ended) = match &self.stopping {
            Stopping::Group(group) => {
                signal_group(*group, Signal::STOP);
                (false, false)
            }
            #[cfg(target_os = "linux")]
            Stopping::Sandbox(freezer) => (freezer.freeze(true), freezer.reaper_has_ended()),
        };
        // No process leaves a control group.
        if by_cgroup {
            return;
        }
        if !self.main_has_ended() {
            counters::stop_threads(self.main);
        }
        if !root_has_ended {
            self.signal_strays(Signal::STOP);
        }
    }

    /// Lets all processes of the bot continue. `is_alone` is what [`stop`](Self::stop) returned.
    pub(crate) fn go_on(&self, is_alone: bool) {
        self.signal_main(Signal::CONT);
        if is_alone {
            return;
        }
        #[cfg(target_os = "linux")]
        let root_has_ended = matches!(&self.stopping, Stopping::Sandbox(freezer) if freezer.reaper_has_ended());
        #[cfg(not(target_os = "linux"))]
        let root_has_ended = false;
        if !root_has_ended {
            self.signal_strays(Signal::CONT);
        }
        match &self.stopping {
            Stopping::Group(group) => signal_group(*group, Signal::CONT),
            #[cfg(target_os = "linux")]
            Stopping::Sandbox(freezer) => {
                freezer.freeze(false);
            }
        }
    }

    /// Sends a signal to processes that the bot has started, which may have left its group.
    fn signal_strays(&self, signal: Signal) {
        if !self.several {
            return;
        }
        let mut strays = counters::tree(self.root);
        strays.retain(|process| ![self.root, self.main].contains(process));
        signal_all(&strays, signal);
    }
}

/// Open files that tell at little cost whether a process is a single thread without children.
#[derive(Debug)]
struct Alone {
    /// The folder of its threads.
    #[cfg(target_os = "linux")]
    threads: std::fs::File,
    /// The list of its children.
    #[cfg(target_os = "linux")]
    children: Option<std::fs::File>,
    /// The list of the children of the process that adopts what it leaves.
    #[cfg(target_os = "linux")]
    siblings: Option<std::fs::File>,
}

#[cfg(target_os = "linux")]
impl Alone {
    /// `None` if a file cannot be opened.
    fn open(main: i32, root: i32, several: bool) -> Option<Self> {
        let children = |of: i32| std::fs::File::open(format!("/proc/{of}/task/{of}/children"));
        let list = |of: i32, is_needed: bool| is_needed.then(|| children(of)).transpose().ok();
        Some(Self {
            threads: std::fs::File::open(format!("/proc/{main}/task")).ok()?,
            children: list(main, several)?,
            siblings: list(root, several && root != main)?,
        })
    }

    fn is_so(&self, main: i32) -> bool {
        use std::os::unix::fs::{FileExt, MetadataExt};
        /// The folder has so many links, and one more for each thread.
        const LINKS: u64 = 2;
        let has = |list: &Option<std::fs::File>, expected: &[i32]| {
            let Some(list) = list else { return true };
            let mut text = [0; 64];
            let Ok(length) = list.read_at(&mut text, 0) else { return false };
            let text = std::str::from_utf8(&text[..length]).unwrap_or("?");
            text.split_whitespace().map(str::parse).eq(expected.iter().map(|id| Ok(*id)))
        };
        self.threads.metadata().is_ok_and(|about| about.nlink() == LINKS + 1)
            && has(&self.children, &[])
            && has(&self.siblings, &[main])
    }
}

#[cfg(not(target_os = "linux"))]
impl Alone {
    fn open(_main: i32, _root: i32, _several: bool) -> Option<Self> {
        None
    }

    fn is_so(&self, _main: i32) -> bool {
        false
    }
}

/// Sends a signal to processes.
pub(crate) fn signal_all(processes: &[i32], signal: Signal) {
    for process in processes.iter().filter_map(|process| Pid::from_raw(*process)) {
        let _ = kill_process(process, signal);
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::shell::{Shell, in_the_end};

    #[test]
    fn a_bot_of_one_process_is_not_searched_for_others() {
        let parent = Shell::new("while :; do :; done & wait");
        let several = parent.reach();
        assert!(in_the_end(|| several.processes().len() >= 2));
        let one = Reach { several: false, ..parent.reach() };
        assert_eq!(one.processes(), [parent.id()]);
        // The child computes, and the parent waits for it.
        let (before, alone) = (several.cpu_time(), one.cpu_time());
        assert!(in_the_end(|| several.cpu_time() > before + Duration::from_millis(2)));
        assert!(one.cpu_time() < alone + Duration::from_millis(2));
        assert!(!several.stop(), "it has a child");
        assert!(in_the_end(|| one.stillness() == (Stillness::Stopped, vec![parent.id()])));
        assert!(in_the_end(|| several.stillness().0 == Stillness::Stopped));
    }

    #[test]
    fn one_signal_is_enough_for_a_bot_that_is_alone() {
        for (script, is_alone) in [("echo; read x", true), ("sleep 60 & echo; wait", false)] {
            let bot = Shell::new(script);
            let reach = bot.reach();
            assert!(in_the_end(|| (reach.processes().len() == 1) == is_alone && !counters::is_ready(bot.id())));
            for _ in 0..3 {
                assert_eq!(reach.stop(), is_alone, "{script}");
                assert!(in_the_end(|| reach.stillness().0 == Stillness::Stopped));
                reach.go_on(is_alone);
                assert!(in_the_end(|| !reach.processes().into_iter().any(counters::is_stopped)));
            }
        }
        let us = std::process::id() as i32;
        assert!(Alone::open(us, us, true).is_some_and(|alone| !alone.is_so(us)), "tests have several threads");
    }
}
