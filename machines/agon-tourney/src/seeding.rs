//! The order of the bots before the first match.

use crate::{Entrant, Spec};
use serde::{Deserialize, Serialize};

/// Who is the best bot before the first match.
///
/// Eliminations, groups and Swiss rounds pair by this order. Round robins and gauntlets play in it: everything is as if
/// the list of bots had this order, but the challengers of a gauntlet are always the first bots of the list. A ladder
/// asks it where two matches tell equally much.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seeding {
    /// The first bot of the list.
    #[default]
    List,
    /// A bot that the tournament's seed draws.
    Drawn,
    /// The first of these bots, for example of [`Standings::order`](crate::Standings::order) of an earlier tournament.
    Given(Vec<Entrant>),
}

/// Returns all bots, the best of the seeding first.
pub(crate) fn seeded(spec: &Spec) -> Vec<Entrant> {
    let mut order: Vec<Entrant> = match &spec.seeding {
        Seeding::Given(order) => order.clone(),
        Seeding::List | Seeding::Drawn => Vec::new(),
    };
    let known = order.len();
    // Bots that came later are behind the others.
    order.extend((0..spec.entrants).map(Entrant).filter(|entrant| entrant.index() >= known));
    if spec.seeding == Seeding::Drawn {
        // Each bot draws its own number, so that later bots change the order of nobody else.
        order.sort_by_key(|entrant| spec.seed_for("seeding", u64::from(entrant.0)).0);
    }
    order
}
