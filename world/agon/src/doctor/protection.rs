//! One thing that is kept, how well, and what would make it better.

use crate::{clean::clean, printer::Style};
use serde_json::{Value, json};

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

/// How well something is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// As well as Agon can.
    Active,
    /// Less than that.
    Partial,
    /// Not at all.
    Missing,
    /// It should be and is not: an attack got through.
    Broken,
}

impl State {
    /// As in the document.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Partial => "partial",
            Self::Missing => "missing",
            Self::Broken => "broken",
        }
    }

    pub fn style(self) -> Style {
        match self {
            Self::Active => Style::Good,
            Self::Partial => Style::Note,
            Self::Missing | Self::Broken => Style::Bad,
        }
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

    pub fn json(&self) -> Value {
        json!({ "name": self.name, "state": self.state.name(), "why": self.why, "remedy": self.remedy })
    }
}
