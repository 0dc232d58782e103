//! Describes the machine of a measurement. Figures mean nothing without it.

use agon_tournament::cpu_model;
use std::fs;

/// The machine, the compiler, and the load of the machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    cpu: String,
    cores: usize,
    kernel: String,
    /// The load average of the last minute. `None` if the system does not report it.
    pub load: Option<f64>,
}

/// The instruction sets for which any game has code.
const FEATURES: &[&str] = &["sse4.2", "popcnt", "bmi2", "avx2", "avx512f", "avx512vpopcntdq"];

impl Machine {
    /// Describes this machine at this moment.
    pub fn look() -> Self {
        let uname = rustix::system::uname();
        let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
        Self {
            cpu: cpu_model(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            kernel: format!("{} {} {}", text(uname.sysname()), text(uname.release()), text(uname.machine())),
            load: load(&fs::read_to_string("/proc/loadavg").unwrap_or_default()),
        }
    }

    /// Returns the description as part of a document.
    pub fn document(&self) -> agon_spec::Machine {
        let owned = |features: Vec<&str>| features.into_iter().map(str::to_owned).collect();
        agon_spec::Machine {
            cpu: self.cpu.clone(),
            cores: self.cores,
            kernel: self.kernel.clone(),
            load: self.load,
            agon: env!("CARGO_PKG_VERSION").to_owned(),
            rustc: env!("AGON_RUSTC").to_owned(),
            target: env!("AGON_TARGET").to_owned(),
            optimised: !cfg!(debug_assertions),
            compiled_for: owned(features(true)),
            found: owned(features(false)),
        }
    }

    /// Returns the description as lines for people.
    pub fn text(&self) -> String {
        let load = self.load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.2}"));
        format!(
            "cpu       {} ({} cores usable)\nkernel    {}\nload      {load}\nbuild     agon {}, {}, {}{}\nfeatures  \
             compiled for {}; found {}\n",
            self.cpu,
            self.cores,
            self.kernel,
            env!("CARGO_PKG_VERSION"),
            env!("AGON_RUSTC"),
            env!("AGON_TARGET"),
            if cfg!(debug_assertions) { ", NOT OPTIMISED" } else { "" },
            or_none(&features(true)),
            or_none(&features(false)),
        )
    }

    /// Whether other programs use so much of the machine that figures become unreliable.
    pub fn is_busy(&self) -> bool {
        self.load.is_some_and(|load| load > self.cores as f64 / 2.0)
    }
}

fn or_none(list: &[&str]) -> String {
    if list.is_empty() { "none of those that matter".to_owned() } else { list.join(" ") }
}

/// Returns the [`FEATURES`] that the whole program is compiled for if `compiled` is true. Otherwise returns those that
/// this processor has, which code chosen at run time may use.
fn features(compiled: bool) -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let known = [
        (cfg!(target_feature = "sse4.2"), is_x86_feature_detected!("sse4.2")),
        (cfg!(target_feature = "popcnt"), is_x86_feature_detected!("popcnt")),
        (cfg!(target_feature = "bmi2"), is_x86_feature_detected!("bmi2")),
        (cfg!(target_feature = "avx2"), is_x86_feature_detected!("avx2")),
        (cfg!(target_feature = "avx512f"), is_x86_feature_detected!("avx512f")),
        (cfg!(target_feature = "avx512vpopcntdq"), is_x86_feature_detected!("avx512vpopcntdq")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let known: [(bool, bool); 0] = [];
    let with = FEATURES.iter().zip(known).filter(|(_, (always, here))| if compiled { *always } else { *here });
    with.map(|(name, _)| *name).collect()
}

fn load(loadavg: &str) -> Option<f64> {
    loadavg.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_system_are_read() {
        assert_eq!(load("9.74 10.02 8.11 3/412 9911\n"), Some(9.74));
        assert_eq!(load(""), None);
    }

    #[test]
    fn more_than_half_of_the_cores_in_use_is_busy() {
        let machine = |load| Machine { cpu: String::new(), cores: 4, kernel: String::new(), load };
        assert!(machine(Some(2.5)).is_busy());
        assert!(!machine(Some(1.9)).is_busy());
        assert!(!machine(None).is_busy());
    }
}
