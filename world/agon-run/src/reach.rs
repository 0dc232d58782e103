//! The processes of a bot: which they are, and how to stop them and let them continue.

use crate::{
    counters::{self, Stillness},
    held::{Held, signal_group},
};
#[cfg(target_os = "linux")]
use agon_sandbox::Freezer;
use rustix::process::{Pid, Signal, kill_process};
use std::time::Duration;

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
                Self { main, root: main, several: true, stopping: Stopping::Group(group) }
            }
            #[cfg(target_os = "linux")]
            Held::Inside(process) => Self {
                main: process.pid,
                root: process.reaper,
                several: process.may_be_several(),
                stopping: Stopping::Sandbox(process.freezer()),
            },
        }
    }

    /// Makes the reach of a process that leads a group.
    #[cfg(test)]
    pub(crate) fn of_group(leader: Pid) -> Self {
        let main = leader.as_raw_nonzero().get();
        Self { main, root: main, several: true, stopping: Stopping::Group(leader) }
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
            && let Some(frozen) = freezer.is_frozen()
        {
            // The kernel shows processes that their control group has stopped as asleep.
            return (if frozen { Stillness::Stopped } else { Stillness::Awake }, Vec::new());
        }
        let processes = self.processes();
        (counters::stillness(&processes), processes)
    }

    /// Stops all processes of the bot.
    pub(crate) fn stop(&self) {
        // Who has ended may have been waited for by the process that reaps it, and then its ID may belong to another process.
        let (by_control_group, root_has_ended) = match &self.stopping {
            Stopping::Group(group) => {
                signal_group(*group, Signal::STOP);
                (false, false)
            }
            #[cfg(target_os = "linux")]
            Stopping::Sandbox(freezer) => (freezer.freeze(true), freezer.reaper_has_ended()),
        };
        // No process leaves a control group.
        if by_control_group {
            return;
        }
        if !self.main_has_ended() {
            counters::stop_threads(self.main);
        }
        if !root_has_ended {
            self.signal_strays(Signal::STOP);
        }
    }

    /// Lets all processes of the bot continue.
    pub(crate) fn go_on(&self) {
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
        several.stop();
        assert!(in_the_end(|| one.stillness() == (Stillness::Stopped, vec![parent.id()])));
        assert!(in_the_end(|| several.stillness().0 == Stillness::Stopped));
    }
}
