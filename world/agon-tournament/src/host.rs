//! The machine that plays, as stores name it.

use agon_spec::{Isolation, WorkerMachine};
use rustix::system::uname;
use serde_json::json;
use std::{fs, thread};

/// The machine that plays.
pub(crate) struct Host {
    /// The name of the host.
    pub(crate) name: String,
    /// What may differ between two machines, as a JSON object: the version of Agon, the kernel, the processor, the cores, what
    /// programs are compiled for, and how bots are isolated.
    pub(crate) facts: String,
}

impl Host {
    /// Describes this machine, on which bots are isolated in this way.
    pub(crate) fn this(isolation: Option<Isolation>) -> Self {
        let uname = uname();
        let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let machine = WorkerMachine {
            agon: env!("CARGO_PKG_VERSION").to_owned(),
            kernel: format!("{} {}", text(uname.sysname()), text(uname.release())),
            cpu: this_processor(),
            cores: u32::try_from(cores).unwrap_or(u32::MAX),
            target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        };
        let mut facts = json!(machine);
        facts["isolation"] = json!(isolation);
        Self { name: text(uname.nodename()), facts: facts.to_string() }
    }
}

/// Returns the model of the processor of this machine. `unknown` if nothing names it.
#[must_use]
pub fn this_processor() -> String {
    cpu_model(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
}

/// Returns the model of the processor in the text of `/proc/cpuinfo`. `unknown` if the text does not name it.
#[must_use]
pub fn cpu_model(cpuinfo: &str) -> String {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"));
    let model = line.and_then(|line| line.split_once(':')).map(|(_, model)| model.trim());
    model.filter(|model| !model.is_empty()).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_says_what_may_differ() {
        let Host { name, facts } = Host::this(Some(Isolation::Full));
        let facts: serde_json::Value = serde_json::from_str(&facts).expect("it is JSON");
        assert!(!name.is_empty() && facts["cores"].as_u64() > Some(0), "{name}: {facts}");
        assert!(["agon", "kernel", "cpu", "target", "isolation"].iter().all(|key| facts[key].is_string()), "{facts}");
        assert_eq!(cpu_model("processor\t: 0\nmodel name\t: AMD EPYC\nmodel name\t: other\n"), "AMD EPYC");
        assert_eq!(cpu_model(""), "unknown");
    }
}
