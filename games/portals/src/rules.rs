//! The one point in which the rule sets differ.

use agon_core::{RulePoint, RuleSet};

/// A rule set of Portals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// What a shield costs (`shield=flat|rising`).
    pub shield: ShieldCost,
}

/// What a shield costs, in action points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShieldCost {
    /// Always 3, as the specification says ("Ajouter un bouclier": `COUT_BOUCLIER` points for one more shield).
    Flat,
    /// 3 and one more for each shield that is there already: 3, 4, 5, 6, 7, 8. What the original did; the
    /// specification was corrected later (A1).
    Rising,
}

impl Rules {
    /// The words of the specification.
    pub const SPEC: Self = Self { shield: ShieldCost::Flat };
    /// What the original engine did.
    pub const ORIGINAL: Self = Self { shield: ShieldCost::Rising };
}

impl ShieldCost {
    /// Action points for one more shield on a portal that has `present` of them.
    #[inline]
    #[must_use]
    pub const fn of(self, present: u8) -> i32 {
        match self {
            Self::Flat => crate::SHIELD_COST,
            Self::Rising => crate::SHIELD_COST + present as i32,
        }
    }
}

impl RuleSet for Rules {
    const SETS: &'static [&'static str] = &["spec", "original"];

    const POINTS: &'static [RulePoint] = &[RulePoint {
        name: "shield",
        about: "what a shield costs: always 3 action points, or 3 and one more for each shield already there",
        values: &["flat", "rising"],
    }];

    fn named(set: &str) -> Option<Self> {
        match set {
            "spec" => Some(Self::SPEC),
            "original" => Some(Self::ORIGINAL),
            _ => None,
        }
    }

    fn get(&self, _point: &str) -> &'static str {
        match self.shield {
            ShieldCost::Flat => "flat",
            ShieldCost::Rising => "rising",
        }
    }

    fn set(&mut self, _point: &str, value: &str) {
        self.shield = if value == "rising" { ShieldCost::Rising } else { ShieldCost::Flat };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::rules::{parse, print};

    #[test]
    fn sets_and_points_are_written_and_read() {
        assert_eq!(parse::<Rules>("").unwrap(), Rules::SPEC);
        assert_eq!(parse::<Rules>("original").unwrap(), Rules::ORIGINAL);
        assert_eq!(parse::<Rules>("spec,shield=rising").unwrap(), Rules::ORIGINAL);
        assert_eq!(print(&Rules::ORIGINAL), "original");
        assert!(parse::<Rules>("spec,shield=free").is_err());
    }

    #[test]
    fn six_shields_cost_18_flat_and_33_rising() {
        let total = |cost: ShieldCost| (0..6).map(|n| cost.of(n)).sum::<i32>();
        assert_eq!(total(ShieldCost::Flat), 18);
        assert_eq!(total(ShieldCost::Rising), 33);
    }
}
