//! A protection, its state, and how to improve it.

use crate::{clean::clean, printer::Style};
pub use agon_spec::ProtectionState as State;

/// A protection of the host or of a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Protection {
    /// The name in the document, for example `network`.
    pub name: &'static str,
    /// How well the protection works.
    pub state: State,
    /// How this is known, or what is missing.
    pub why: String,
    /// The one command or the one change that would improve the protection.
    pub remedy: Option<String>,
}

/// Returns the style of a state in the table.
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

    /// Adds how to improve the protection.
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
