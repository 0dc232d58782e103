//! CPU time by the clocks of the system.

use agon_referee::MatchEvent;
use std::time::Duration;

/// Returns what a CPU clock of the system shows. Zero if there is no such clock, or if its process has ended.
pub(crate) fn cpu_time(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one `timespec`.
    unsafe { libc::clock_gettime(clock, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Measures the CPU time that the hostile bot uses in the turns of its opponent, from outside. Also measures that of this
/// process, the referee: what makes it work takes the opponent's time as well.
#[derive(Debug)]
pub(crate) struct ForeignTime {
    /// A word on the command line of every process of the bot, and the name of the bot.
    words: [String; 2],
    /// Its processes.
    known: Vec<i32>,
    /// Its processes when its opponent was asked, with their CPU time.
    before: Vec<(i32, Duration)>,
    total: Duration,
    /// The CPU time of this process when the opponent was asked, and that in all turns of the opponent.
    own_before: Duration,
    own_total: Duration,
    turns: u32,
}

impl ForeignTime {
    pub(crate) fn new(row: &str, bot: &str) -> Self {
        Self {
            words: [row.to_owned(), bot.to_owned()],
            known: Vec::new(),
            before: Vec::new(),
            total: Duration::ZERO,
            own_before: Duration::ZERO,
            own_total: Duration::ZERO,
            turns: 0,
        }
    }

    /// Takes notice of an event. In a game of turns, the events say whose turn begins and ends. The match waits meanwhile,
    /// so that the measurement takes nobody's time.
    pub(crate) fn observe(&mut self, event: &MatchEvent) {
        let seat = match event {
            MatchEvent::Greeted { seat, .. } => seat.index(),
            MatchEvent::Ply(ply) => match &ply.entries[..] {
                [entry] => entry.seat.index(),
                _ => return,
            },
            _ => return,
        };
        let own = cpu_time(libc::CLOCK_PROCESS_CPUTIME_ID);
        // A search takes long, and the scheduler would make this process wait for it later, while the bot computes. Processes
        // that are not known yet count in whole.
        if seat != 0 || self.known.is_empty() {
            self.known = self.processes();
        }
        let now: Vec<(i32, Duration)> = self.known.iter().map(|id| (*id, cpu_time(clock_of(*id)))).collect();
        if seat == 0 {
            self.before = now;
        } else if !self.before.is_empty() {
            let earlier =
                |id| self.before.iter().find(|(known, _)| *known == id).map_or(Duration::ZERO, |(_, cpu)| *cpu);
            let used = now.iter().map(|(id, cpu)| cpu.saturating_sub(earlier(*id))).sum::<Duration>();
            self.total += used;
            self.own_total += own.saturating_sub(self.own_before);
            self.turns += 1;
        }
        self.own_before = cpu_time(libc::CLOCK_PROCESS_CPUTIME_ID);
    }

    /// The CPU time for each turn of the opponent, in microseconds.
    pub(crate) fn mean_us(&self) -> u64 {
        self.total.as_micros() as u64 / u64::from(self.turns.max(1))
    }

    /// The CPU time of this process for each turn of the opponent, in microseconds.
    pub(crate) fn own_mean_us(&self) -> u64 {
        self.own_total.as_micros() as u64 / u64::from(self.turns.max(1))
    }

    fn processes(&self) -> Vec<i32> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let is_of_bot = |id: &i32| {
            let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
            let has = |word: &str| words.contains(&word.as_bytes());
            has(crate::BOT) && has(&format!("row={}", self.words[0])) && has(&self.words[1])
        };
        // They are younger than the referee.
        ids.filter(|id| *id > std::process::id() as i32).filter(is_of_bot).collect()
    }
}

/// The CPU time that this process needs to read a small file of the system, in nanoseconds. How long the referee's look at a thread
/// takes depends on the machine in the same way.
pub(crate) fn read_ns() -> u64 {
    /// Enough for a mean.
    const READS: u32 = 200;
    let before = cpu_time(libc::CLOCK_THREAD_CPUTIME_ID);
    for _ in 0..READS {
        let _ = std::hint::black_box(std::fs::read("/proc/self/stat"));
    }
    (cpu_time(libc::CLOCK_THREAD_CPUTIME_ID).saturating_sub(before) / READS).as_nanos() as u64
}

/// The CPU clock of a process, as the kernel numbers it.
fn clock_of(process: i32) -> libc::clockid_t {
    (!process << 3) | 2
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_some_time() {
        assert!(read_ns() > 0);
    }

    #[test]
    fn the_clock_of_a_process_is_its_own() {
        let own = cpu_time(libc::CLOCK_PROCESS_CPUTIME_ID);
        let by_number = cpu_time(clock_of(std::process::id() as i32));
        assert!(!own.is_zero() && by_number >= own && by_number <= own + Duration::from_secs(60), "{by_number:?}");
    }
}
