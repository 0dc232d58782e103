//! What differs between two specifications, and whether the past stays true.

use crate::Spec;

/// A difference between the specification of a tournament that has begun and a new one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The key in a tournament's file, for example `rounds`.
    pub key: &'static str,
    /// What changes, for example `8 rounds become 10 rounds`, or why it cannot change.
    pub what: String,
    /// Whether every match that was drawn would have been drawn by the new specification as well.
    /// [`Schedule::extend`](crate::Schedule::extend) accepts such a change.
    pub keeps_the_past: bool,
}

impl Spec {
    /// Returns what differs in `new`, in the order of the keys. More bots behind the others and more rounds keep the
    /// past of most kinds; nothing else does.
    #[must_use]
    pub fn differences(&self, new: &Self) -> Vec<Difference> {
        let mut found = Vec::new();
        let takes_more = !self.kind.rules().has_encounters();
        let mut differ = |key, what: String, keeps_the_past| found.push(Difference { key, what, keeps_the_past });
        if self.kind != new.kind {
            let what = match (self.kind.name(), new.kind.name()) {
                (old, new) if old == new => format!("the settings of the {old} change"),
                (old, new) => format!("the {old} becomes a {new}"),
            };
            differ("kind", what, false);
        }
        if self.entrants != new.entrants {
            let numbers = format!("{} bots become {} bots", self.entrants, new.entrants);
            if new.entrants < self.entrants {
                differ("bot", format!("{numbers}: withdraw a bot instead of removing it"), false);
            } else {
                differ("bot", numbers, takes_more);
            }
        }
        if self.seats != new.seats {
            differ("maps", format!("matches of {} seats become matches of {} seats", self.seats, new.seats), false);
        }
        if self.rounds != new.rounds {
            let numbers = format!("{} rounds become {} rounds", self.rounds, new.rounds);
            differ("rounds", numbers, new.rounds > self.rounds && takes_more);
        }
        if self.seatings != new.seatings {
            let what = format!("seatings `{}` become `{}`", self.seatings.name(), new.seatings.name());
            differ("seatings", what, false);
        }
        if self.maps != new.maps {
            differ("maps", format!("{} maps become {} maps", self.maps, new.maps), false);
        }
        if self.seed != new.seed {
            differ("seed", format!("the seed {} becomes {}", self.seed, new.seed), false);
        }
        if self.points != new.points {
            differ("points", format!("the points `{}` become `{}`", self.points, new.points), false);
        }
        if self.seeding != new.seeding || self.ratings != new.ratings {
            differ("seeding", "the seeding changes".into(), false);
        }
        if self.withdrawn != new.withdrawn {
            differ("withdrawn", "what becomes of withdrawn bots changes".into(), false);
        }
        found
    }
}
