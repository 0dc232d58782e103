//! The document of `cargo xtask bench`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The figures of a bench, and the machine on which it ran.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BenchDocument {
    /// The name of the bench: `exchange`, `match`, `sandbox`, `timeouts`, `fairness`, `sim` or `all`.
    pub bench: String,
    /// The machine on which the bench ran. The figures mean nothing without it.
    pub machine: Machine,
    /// The figures, in the order of the table.
    pub rows: Vec<Figure>,
}

/// One measured figure, with its goal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// What was measured. The text begins with the name of the game.
    pub name: String,
    /// The median over the rounds, to four significant digits.
    pub value: f64,
    /// The unit of the value, for example `us` or `matches/s`.
    pub unit: String,
    /// The least value that this machine allows, measured in the same run and in the same unit. `null` if the figure
    /// has no floor.
    pub floor: Option<f64>,
    /// The value divided by the floor. `null` if the figure has no floor.
    pub ratio: Option<f64>,
    /// The goal, which the ratio should not exceed. If the figure has no floor, the value should not exceed it. `null`
    /// if the figure has no goal.
    pub goal: Option<f64>,
}

/// A machine, and the program that ran on it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// The model of the processor.
    pub cpu: String,
    /// The number of cores that the program may use.
    pub cores: usize,
    /// The name, the release and the architecture of the operating system.
    pub kernel: String,
    /// The load average of the last minute. `null` if the system does not report it.
    pub load: Option<f64>,
    /// The version of Agon.
    pub agon: String,
    /// The compiler that built Agon.
    pub rustc: String,
    /// The platform for which Agon was built.
    pub target: String,
    /// Whether Agon was built with optimisation. The figures of other builds mean little.
    pub optimised: bool,
    /// The instruction sets that the compiler could use everywhere in the program. Only those for which Agon has
    /// special code are listed.
    pub compiled_for: Vec<String>,
    /// The instruction sets of this processor. Only those for which Agon has special code are listed.
    pub found: Vec<String>,
}
