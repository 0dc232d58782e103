//! Steal time: the time in which a hypervisor ran others on the cores of this virtual machine. The kernel counts it neither as
//! computing nor as waiting for a core, so a process that needed such a core then seems to have slept.

use agon_sandbox::Shortage;
use std::{fs::File, io::Read, time::Duration};

/// The unit of times in `/proc/stat`. It is the same on every Linux that Rust supports.
const TICK: Duration = Duration::from_millis(10);

/// Measures what was stolen from the cores of a match since its start. By default, it measures nothing.
#[derive(Default, Debug)]
pub(crate) struct StealTime {
    /// The cores that the match may use, in ascending order. All if empty.
    cores: Vec<usize>,
    /// What had been stolen from each of them before.
    before: Vec<Duration>,
    /// Whether there is anything to measure.
    is_any: bool,
}

impl StealTime {
    /// Starts to measure. On a machine from which nothing was ever stolen, the counters are not read again: there is no
    /// hypervisor, or it leaves the machine its cores.
    pub(crate) fn over(seat_cores: &[Vec<usize>]) -> Self {
        let mut cores = seat_cores.concat();
        cores.sort_unstable();
        cores.dedup();
        let text = counters();
        let is_any = stolen(&text, &[]).iter().any(|time| !time.is_zero());
        let before = stolen(&text, &cores);
        Self { cores, before, is_any }
    }

    /// Returns what was stolen from each core since the start. Empty if nothing is measured.
    pub(crate) fn read(&self) -> Vec<Duration> {
        if !self.is_any {
            return Vec::new();
        }
        let now = stolen(&counters(), &self.cores);
        now.iter().zip(&self.before).map(|(now, before)| now.saturating_sub(*before)).collect()
    }
}

/// Returns the most that was stolen from one core between two readings. Readings are in whole ticks, so that it may have been
/// almost one more.
pub(crate) fn most_between(before: &[Duration], now: &[Duration]) -> Duration {
    let earlier = before.iter().copied().chain(std::iter::repeat(Duration::ZERO));
    let most = now.iter().zip(earlier).map(|(now, before)| now.saturating_sub(before)).max().unwrap_or_default();
    if most.is_zero() { most } else { most + TICK }
}

fn counters() -> String {
    /// More bytes than the counters of all cores have, which come first.
    const MOST: u64 = 1 << 20;
    // The kernel does not say how long this file is, so that reading would begin with small pieces.
    let mut text = String::with_capacity(16 << 10);
    let read = File::open("/proc/stat").and_then(|file| file.take(MOST).read_to_string(&mut text));
    let read = read.map_err(Shortage::noted);
    if read.is_ok() { text } else { String::new() }
}

/// Parses what was stolen from these cores, or from all if none is named, from the text of `/proc/stat`. Old kernels do not
/// count it.
fn stolen(text: &str, cores: &[usize]) -> Vec<Duration> {
    let each = text.lines().skip(1).map_while(|line| {
        let mut words = line.strip_prefix("cpu")?.split_whitespace();
        let core: usize = words.next()?.parse().ok()?;
        // Steal time is the eighth number.
        let ticks = words.nth(7).and_then(|ticks| ticks.parse().ok()).unwrap_or(0);
        Some((core, TICK.saturating_mul(ticks)))
    });
    each.filter(|(core, _)| cores.is_empty() || cores.binary_search(core).is_ok()).map(|(_, time)| time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::tests::ms;

    const TEXT: &str = "cpu  3228524 153331 744461 1189836 18579 0 4731 30 0 0\n\
                        cpu0 1528630 108612 346802 677857 5862 0 647 7 0 0\n\
                        cpu1 1699894 44719 397658 511979 12716 0 4084 23 0 0\n\
                        intr 33699413 0 0 0 0 0 0 12 9\n";

    #[test]
    fn every_core_has_its_own_time() {
        assert_eq!(stolen(TEXT, &[]), [ms(70), ms(230)]);
        assert_eq!(stolen(TEXT, &[1]), [ms(230)]);
        assert_eq!(stolen(TEXT, &[5]), []);
        assert_eq!(stolen("cpu  1 2 3\ncpu0 1 2 3\n", &[]), [ms(0)], "a kernel that does not count it");
        assert_eq!(stolen("", &[]), []);
    }

    #[test]
    fn the_core_counts_from_which_most_was_stolen() {
        assert_eq!(most_between(&[], &[]), ms(0));
        assert_eq!(most_between(&[], &[ms(20), ms(0)]), ms(30));
        assert_eq!(most_between(&[ms(20), ms(40)], &[ms(30), ms(90)]), ms(60));
        assert_eq!(most_between(&[ms(20), ms(40)], &[ms(20), ms(40)]), ms(0));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_tells_of_each_of_its_cores() {
        let all = stolen(&counters(), &[]);
        assert!(!all.is_empty());
        assert_eq!(StealTime { cores: Vec::new(), before: all.clone(), is_any: true }.read().len(), all.len());
        assert_eq!(StealTime { cores: Vec::new(), before: all, is_any: false }.read(), []);
    }
}
