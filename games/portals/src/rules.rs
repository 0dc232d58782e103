//! The only point in which the rule sets differ.

use agon_core::{rule_set, rule_value};

rule_value! {
    /// What a shield costs, in action points.
    pub enum ShieldCost {
        /// Always 3, as the specification says ("Ajouter un bouclier": `COUT_BOUCLIER` points for one more shield).
        Flat = "flat",
        /// 3, and one more for each shield that is there already: 3, 4, 5, 6, 7, 8. The original did this, and the
        /// specification was corrected later (A1).
        Rising = "rising",
    }
}

rule_set! {
    /// A rule set: a value for the only point. The default is `spec`.
    pub struct Rules;
    sets {
        /// The rules in the words of the specification.
        SPEC = "spec",
        /// The rules of the original engine.
        ORIGINAL = "original",
    }
    points {
        shield: ShieldCost = "shield", [ShieldCost::Flat, ShieldCost::Rising],
            "what a shield costs: always 3 action points, or 3 and one more for each shield already there";
    }
}

impl ShieldCost {
    /// The number of action points for one more shield on a portal that has `present` of them.
    #[inline]
    #[must_use]
    pub const fn of(self, present: u8) -> i32 {
        match self {
            Self::Flat => crate::SHIELD_COST,
            Self::Rising => crate::SHIELD_COST + present as i32,
        }
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
