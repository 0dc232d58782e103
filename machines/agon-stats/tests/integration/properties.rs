//! What must hold for all ratings.

use agon_stats::{Model, Rating, WengLin};
use proptest::prelude::*;

fn rating() -> impl Strategy<Value = Rating> {
    (-50.0..100.0, 0.1..20.0).prop_map(|(mean, deviation)| Rating { mean, deviation })
}

proptest! {
    #[test]
    fn winners_gain_and_losers_lose(one in rating(), other in rating(), plackett in any::<bool>()) {
        let model = if plackett { Model::PlackettLuce } else { Model::BradleyTerryFull };
        let system = WengLin { model, tau: 0.0, ..WengLin::default() };
        let rated = system.rate_bots(&[(one, 1), (other, 2)]);
        prop_assert!(rated[0].mean >= one.mean && rated[1].mean <= other.mean);
        prop_assert!(rated[0].deviation <= one.deviation && rated[1].deviation <= other.deviation);
        prop_assert!(rated.iter().all(|rating| rating.deviation > 0.0 && rating.mean.is_finite()));
    }

    #[test]
    fn the_order_of_bots_does_not_matter(bots in prop::collection::vec((rating(), 1_u32..4), 2..6)) {
        let rated = WengLin::default().rate_bots(&bots);
        let mut reversed = bots.clone();
        reversed.reverse();
        for (a, b) in rated.iter().zip(WengLin::default().rate_bots(&reversed).iter().rev()) {
            prop_assert!((a.mean - b.mean).abs() < 1e-9 && (a.deviation - b.deviation).abs() < 1e-9);
        }
    }

    #[test]
    fn a_match_reduces_no_more_than_the_variance(one in rating(), other in rating()) {
        let reduction = WengLin::default().expected_reduction(one, other);
        prop_assert!((0.0..one.deviation.powi(2)).contains(&reduction));
    }
}
