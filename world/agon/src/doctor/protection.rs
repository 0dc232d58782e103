//! One thing that is kept, how well, and what would make it better.

use crate::{clean::clean, printer::Style};
pub use agon_spec::ProtectionState as State;

/// One thing that is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Protection {
    /// As in the document, as `network`.
    pub name: &'static str,
    /// How well it is kept.
    pub state: State,
    /// How that is known, or what is missing.
    pub why: String,
    /// The one command, or the one change, that would make it better.
    pub remedy: Option<String>,
}

/// How a state is painted.
pub fn style(state: State) -> Style {
    match state {
        State::Active => Style::Good,
        State::Partial => Style::Note,
        State::Missing | State::Broken => Style::Bad,
    }
}

impl Protection {
    pub fn new(name: &'static str, state: State, why: impl AsRef<str>) -> Self {
        Self { name, state, why: clean(why.as_ref()), remedy: None }
    }

    /// With what would make it better.
    pub fn remedy(mut self, remedy: Option<impl Into<String>>) -> Self {
        self.remedy = remedy.map(Into::into);
        self
    }

    pub fn document(&self) -> agon_spec::Protection {
        agon_spec::Protection {
            name: self.name.to_owned(),
            state: self.state,
            why: self.why.clone(),
            remedy: self.remedy.clone(),
        }
    }
}
