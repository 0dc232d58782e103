//! The models that change with each match or round. The order of play changes their numbers, so they show a course.

use super::{Rated, games::Games};
use agon_stats::{Glicko2, GlickoRating, Rating, WengLin, score_of_elo};

/// How many points of Elo a match moves at most.
const ELO_STEP: f64 = 32.0;

/// The interval of a normal distribution that has 95 %, in deviations.
const NORMAL: f64 = 1.959_963_984_540_054;

/// Elo, match by match from 1500. A match of more than two counts as matches of all pairs, each with its share.
pub(super) fn elo(games: &Games) -> Rated {
    let mut ratings = vec![1_500.0; games.bots.len()];
    for game in &games.games {
        let share = ELO_STEP / (game.places.len() - 1) as f64;
        let before = ratings.clone();
        for (one, other, points) in pairs(&game.places) {
            let change = share * (points - score_of_elo(before[one] - before[other]));
            ratings[one] += change;
            ratings[other] -= change;
        }
    }
    Rated { ratings, errors: "own", order_counts: true, ..Rated::default() }
}

/// Glicko-2, one period a round.
pub(super) fn glicko(games: &Games) -> Rated {
    let mut ratings = vec![GlickoRating::default(); games.bots.len()];
    for round in games.games.chunk_by(|a, b| a.round == b.round) {
        let played: Vec<(usize, usize, f64)> = round.iter().flat_map(|game| pairs(&game.places)).collect();
        ratings = Glicko2::default().rate(&ratings, &played);
    }
    let interval =
        |rating: &GlickoRating| (rating.rating - NORMAL * rating.deviation, rating.rating + NORMAL * rating.deviation);
    Rated {
        intervals: Some(ratings.iter().map(interval).collect()),
        ratings: ratings.into_iter().map(|rating| rating.rating).collect(),
        errors: "own",
        order_counts: true,
        ..Rated::default()
    }
}

/// The ratings of ladders, for bots that do not change.
pub(super) fn weng_lin(games: &Games) -> Rated {
    let system = WengLin { tau: 0.0, ..WengLin::default() };
    let mut ratings = vec![Rating::default(); games.bots.len()];
    for game in &games.games {
        let seats: Vec<(Rating, u32)> =
            game.places.iter().map(|(bot, place)| (ratings[*bot as usize], *place)).collect();
        for ((bot, _), rating) in game.places.iter().zip(system.rate_bots(&seats)) {
            ratings[*bot as usize] = rating;
        }
    }
    let interval = |rating: &Rating| (rating.mean - NORMAL * rating.deviation, rating.mean + NORMAL * rating.deviation);
    Rated {
        intervals: Some(ratings.iter().map(interval).collect()),
        ratings: ratings.into_iter().map(|rating| rating.mean).collect(),
        errors: "own",
        order_counts: true,
        ..Rated::default()
    }
}

/// Returns all pairs of a match with the points of the first one.
fn pairs(places: &[(u32, u32)]) -> Vec<(usize, usize, f64)> {
    let mut pairs = Vec::new();
    for (index, (one, place)) in places.iter().enumerate() {
        for (other, behind) in &places[index + 1..] {
            let points = match place.cmp(behind) {
                std::cmp::Ordering::Less => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 0.0,
            };
            pairs.push((*one as usize, *other as usize, points));
        }
    }
    pairs
}
