//! What `agon bench` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was measured, and where.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BenchDocument {
    /// Which bench: `exchange`, `match`, `sandbox`, `timeouts`, `sim` or `all`.
    pub bench: String,
    /// The machine on which it ran. Figures mean nothing without it.
    pub machine: Machine,
    /// The figures, in the order in which the table shows them.
    pub rows: Vec<Figure>,
}

/// One figure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// What was measured. It begins with the name of the game.
    pub name: String,
    /// The median over the rounds, to four significant digits.
    pub value: f64,
    /// The unit of the value, as `us` or `matches/s`.
    pub unit: String,
    /// What the value cannot be less than, measured in the same run, in the same unit.
    pub floor: Option<f64>,
    /// How many times the floor the value is.
    pub ratio: Option<f64>,
    /// What the ratio should not exceed, or the value if there is no floor.
    pub goal: Option<f64>,
}

/// A machine, and the program that ran on it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// The model of the processor.
    pub cpu: String,
    /// How many cores the program may use.
    pub cores: usize,
    /// The name, the release and the architecture of the system.
    pub kernel: String,
    /// The load average of the last minute; `null` where the system does not tell.
    pub load: Option<f64>,
    /// The version of Agon.
    pub agon: String,
    /// The compiler that built it.
    pub rustc: String,
    /// The platform it was built for.
    pub target: String,
    /// Whether it was built with optimisation. Figures of other builds mean little.
    pub optimised: bool,
    /// The instruction sets, of those that Agon has code for, that all of the program may use.
    pub compiled_for: Vec<String>,
    /// The instruction sets, of those that Agon has code for, that this processor has.
    pub found: Vec<String>,
}
