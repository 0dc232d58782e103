//! The kinds of tournaments, and everything that each of them decides.
//!
//! A kind is a variant of [`Kind`], which says what a tournament's file says, and a type with [`KindRules`] beside the
//! code that draws its matches. No other code asks which kind a tournament has: whatever a new kind must decide is a
//! method of the trait. The module `hill` proves it with a kind that only tests know.

#[cfg(test)]
mod hill;

use crate::{
    Spec, TieBreak,
    draw::Draw,
    elimination::{DoubleRules, SingleRules},
    groups::GroupRules,
    ladder::LadderRules,
    round_robin::{GauntletRules, RoundRobinRules},
    swiss::SwissRules,
};
use agon_core::Flaw;
use serde::{Deserialize, Serialize};

/// How matches are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// Every set of bots meets, as many bots as there are seats.
    RoundRobin,
    /// The first bots of the list meet all others, but not one another.
    Gauntlet {
        /// How many bots at the head of the list meet the others.
        challengers: u32,
    },
    /// In each round, bots with about equal points meet who have not met before.
    Swiss,
    /// Whoever loses an encounter is out. Only in games for two.
    SingleElimination {
        /// After how many games the leader of an encounter advances. If both have equal points, up to as many more
        /// follow, one by one, until one leads. If nobody leads then, the better seed advances.
        best_of: u32,
        /// Whether the losers of the semi-finals play for place 3.
        third_place: bool,
    },
    /// Whoever loses two encounters is out. Only in games for two.
    DoubleElimination {
        /// As in `SingleElimination`.
        best_of: u32,
    },
    /// A round robin in each group, and then a single elimination among the best of all groups. Only in games for two.
    Groups {
        /// The number of groups. Bots go to them along the seeding, and back: the best of 4 groups are the bots 1 to 4,
        /// and bot 5 is in the group of bot 4.
        groups: u32,
        /// How many bots of each group advance.
        advance: u32,
        /// As in `SingleElimination`.
        best_of: u32,
        /// As in `SingleElimination`.
        third_place: bool,
    },
    /// In each round, the bots meet whose match tells most about the ranking. The table is by ratings.
    Ladder {
        /// The share of rounds that are drawn uniformly from all sets of bots, in percent, from 1 to 100. Without them,
        /// the drawn matches alone could mislead the ratings.
        uniform_percent: u32,
        /// How many rounds may run at once: a round is drawn from the results of all rounds but so many before it.
        window: u32,
    },
    /// A kind that only tests know: it proves what a new one needs.
    #[cfg(test)]
    Hill {
        /// Whether whoever leads goes on if a game is drawn.
        keeps: bool,
    },
}

/// A key in a tournament's file that only some kinds have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KindKey {
    /// The key, for example `best-of`.
    pub name: &'static str,
    /// Its value.
    pub value: KeyValue,
    /// The largest number that makes sense, whatever else the file has. The smallest is 1.
    pub most: u32,
    /// What it means, as a comment of the file. Empty if its name says it.
    pub meaning: &'static str,
}

/// The value of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyValue {
    /// A whole number from 1.
    Number(u32),
    /// `true` or `false`.
    Flag(bool),
}

impl KindKey {
    pub(crate) const fn number(name: &'static str, value: u32, meaning: &'static str) -> Self {
        Self { name, value: KeyValue::Number(value), most: u32::MAX, meaning }
    }

    pub(crate) const fn flag(name: &'static str, value: bool, meaning: &'static str) -> Self {
        Self { name, value: KeyValue::Flag(value), most: u32::MAX, meaning }
    }
}

/// What a kind of tournament decides.
pub(crate) trait KindRules {
    /// Returns the name of the kind in a tournament's file.
    fn name(&self) -> &'static str;

    /// Returns its own keys in a tournament's file, in their order there.
    fn keys(&self) -> Vec<KindKey> {
        Vec::new()
    }

    /// Returns the kind with another value of one of its keys. `None` if it has no such key with such a value.
    fn with(&self, _key: &str, _value: KeyValue) -> Option<Kind> {
        None
    }

    /// Checks what this kind asks of a tournament beside what every tournament must have.
    ///
    /// # Errors
    /// Returns what is wrong, and as the hint what to write instead.
    fn check(&self, spec: &Spec) -> Result<(), Flaw>;

    /// Returns the least and the largest number of matches. `None` if they exceed 128 bits. The tournament has passed
    /// [`KindRules::check`].
    fn matches(&self, spec: &Spec) -> Option<[u128; 2]>;

    /// Begins to draw the matches of a tournament that has passed every check.
    fn begin(&self, spec: &Spec) -> Box<dyn Draw>;

    /// Returns what separates bots with equal points, in the order in which it is asked.
    fn tie_breaks(&self) -> &'static [TieBreak];

    /// Returns whether bots meet in encounters of as many games as one of them needs to advance. Then they take turns in
    /// beginning, whatever the seatings are; every game is on the next map; and what was drawn would be wrong with more
    /// bots or rounds.
    fn has_encounters(&self) -> bool;

    /// Returns whether it is known before the first match who meets whom.
    fn has_fixed_opponents(&self) -> bool;

    /// Returns whether the table is by ratings.
    fn is_rated(&self) -> bool {
        false
    }

    /// Returns after how many blocks a draw knows the result of one. `None` if a draw knows every result before it, or
    /// needs none.
    fn window(&self) -> Option<u32> {
        None
    }

    /// Returns a number of draws among which every bot is at least once. `None` if nothing is promised.
    fn longest_wait(&self, _spec: &Spec) -> Option<u64> {
        None
    }
}

impl Kind {
    /// Every kind, with the defaults of its keys.
    pub const ALL: [Self; 7] = [
        Self::RoundRobin,
        Self::Gauntlet { challengers: 1 },
        Self::Swiss,
        Self::SingleElimination { best_of: 1, third_place: false },
        Self::DoubleElimination { best_of: 1 },
        Self::Groups { groups: 2, advance: 2, best_of: 1, third_place: false },
        Self::LADDER,
    ];

    /// A ladder with a fifth of uniform draws, and up to 64 rounds at once.
    pub const LADDER: Self = Self::Ladder { uniform_percent: 20, window: 64 };

    /// Returns what the kind decides.
    pub(crate) fn rules(self) -> Box<dyn KindRules> {
        match self {
            Self::RoundRobin => Box::new(RoundRobinRules),
            Self::Gauntlet { challengers } => Box::new(GauntletRules { challengers }),
            Self::Swiss => Box::new(SwissRules),
            Self::SingleElimination { best_of, third_place } => Box::new(SingleRules { best_of, third_place }),
            Self::DoubleElimination { best_of } => Box::new(DoubleRules { best_of }),
            Self::Groups { groups, advance, best_of, third_place } => {
                Box::new(GroupRules { groups, advance, best_of, third_place })
            }
            Self::Ladder { uniform_percent, window } => Box::new(LadderRules { uniform_percent, window }),
            #[cfg(test)]
            Self::Hill { keeps } => Box::new(hill::HillRules { keeps }),
        }
    }

    /// Returns the name of the kind in a tournament's file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.rules().name()
    }

    /// Returns its own keys in a tournament's file with their values, in their order there.
    #[must_use]
    pub fn keys(self) -> Vec<KindKey> {
        self.rules().keys()
    }

    /// Returns the kind with another value of one of its keys. `None` if it has no such key with such a value.
    #[must_use]
    pub fn with(self, key: &str, value: KeyValue) -> Option<Self> {
        self.rules().with(key, value)
    }

    /// Returns whether it is known before the first match who meets whom.
    #[must_use]
    pub fn has_fixed_opponents(self) -> bool {
        self.rules().has_fixed_opponents()
    }

    /// Returns whether the table is by ratings.
    #[must_use]
    pub fn is_rated(self) -> bool {
        self.rules().is_rated()
    }
}
