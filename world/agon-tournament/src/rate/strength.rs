//! The models that explain all matches at once.

use super::{
    RateModel, RateOptions, Rated, SAME, SeatAdvantage,
    blocks::Spread,
    games::{Game, Games},
};
use agon_spec::RatedAdvantage;
use agon_stats::{Advantage, BradleyTerry, ELO_PER_STRENGTH, Encounter, Errors, Fit, PlackettLuce, Prior, survival};

/// Beyond this many matches nobody asks which of them decide.
const SURVIVAL_MATCHES: usize = 200_000;

/// Returns `None` if the search for the strengths fails.
///
/// # Errors
/// In words: a bootstrap is asked for, and there are too few matches.
pub(super) fn bradley_terry(games: &Games, options: &RateOptions) -> Result<Option<Rated>, String> {
    let by_map = options.advantage == SeatAdvantage::Map;
    let advantage = match options.advantage {
        SeatAdvantage::None => Advantage::None,
        SeatAdvantage::Seat => Advantage::Numbered(1),
        SeatAdvantage::Map => Advantage::Numbered(games.maps.len() as u32),
    };
    let encounters: Vec<Encounter> = games
        .games
        .iter()
        .filter_map(|game| {
            let [(first, place), (second, other)] = game.places[..] else { return None };
            let (wins, draws, losses) = match place.cmp(&other) {
                std::cmp::Ordering::Less => (1.0, 0.0, 0.0),
                std::cmp::Ordering::Equal => (0.0, 1.0, 0.0),
                std::cmp::Ordering::Greater => (0.0, 0.0, 1.0),
            };
            let advantage = if by_map { game.map } else { 0 };
            Some(Encounter { first, second, advantage, wins, draws, losses })
        })
        .collect();
    let mut league = BradleyTerry::new(games.bots.len(), advantage, encounters.iter().copied());
    let Some(mut fit) = league.fit(Prior::WhereNeeded, errors(games, RateModel::BradleyTerry, options)) else {
        return Ok(None);
    };
    let spread = if options.bootstrap { Some(Spread::of(games, advantage, &encounters)?) } else { None };
    if let Some(spread) = &spread {
        // Matches that depend on each other only widen what is known from independent ones.
        for (bot, error) in fit.errors_in_group.iter_mut().enumerate() {
            *error = error.max(spread.of_bot(bot));
        }
        for (number, error) in fit.advantage_errors.iter_mut().enumerate() {
            *error = error.max(spread.of_advantage(number));
        }
    }
    let mut rated = of_fit(&fit, games);
    if spread.is_some() {
        rated.errors = "bootstrap";
    }
    rated.spread = spread;
    rated.advantages = fit
        .advantages
        .iter()
        .zip(&fit.advantage_errors)
        .enumerate()
        .map(|(number, (value, error))| RatedAdvantage {
            map: by_map.then(|| games.maps[number].clone()),
            value: value * ELO_PER_STRENGTH,
            error: error * ELO_PER_STRENGTH,
        })
        .collect();
    rated.survival_searched = encounters.len() <= SURVIVAL_MATCHES;
    // Where groups are not compared, each has a first place; and a shared one needs no match to fall.
    rated.survival_searched &= fit.group_count == 1 && !is_shared(&fit.strengths);
    rated.survival = rated.survival_searched.then(|| survival(games.bots.len(), advantage, &encounters)).flatten();
    rated.residuals = league.residuals().collect();
    rated.superiority = Some(fit);
    Ok(Some(rated))
}

/// Returns whether several bots are first.
fn is_shared(strengths: &[f64]) -> bool {
    let best = strengths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    strengths.iter().filter(|strength| (best - **strength) * ELO_PER_STRENGTH < SAME).count() > 1
}

/// Returns `None` if the search for the strengths fails.
pub(super) fn plackett_luce(games: &Games, options: &RateOptions) -> Option<Rated> {
    let mut league = PlackettLuce::new(games.bots.len(), games.games.iter().map(|game| game.places.as_slice()));
    let fit = league.fit(Prior::WhereNeeded, errors(games, RateModel::PlackettLuce, options))?;
    Some(Rated { superiority: Some(fit.clone()), ..of_fit(&fit, games) })
}

/// The most numbers for which a sandwich is made without being asked for.
pub(super) const SANDWICH_NUMBERS: usize = 500;

/// The most numbers whose covariances fit into the memory: 200 MB a matrix.
pub(super) const MOST_NUMBERS: usize = 5_000;

/// Returns how many numbers a model has to find: strengths and advantages.
pub(super) fn numbers(games: &Games, model: RateModel, options: &RateOptions) -> usize {
    let advantages = match (model, options.advantage) {
        (RateModel::BradleyTerry, SeatAdvantage::Seat) => 1,
        (RateModel::BradleyTerry, SeatAdvantage::Map) => games.maps.len(),
        _ => 0,
    };
    games.bots.len() + advantages
}

/// Chooses the errors. Draws scatter less than the models expect, so where some were seen, what was seen counts.
fn errors(games: &Games, model: RateModel, options: &RateOptions) -> Errors {
    let level = |game: &Game| {
        game.places.iter().enumerate().any(|(at, (_, place))| game.places[..at].iter().any(|(_, other)| other == place))
    };
    let few = numbers(games, model, options) <= SANDWICH_NUMBERS;
    match options.errors {
        Errors::Automatic if few && games.games.iter().any(level) => Errors::AdjustedSandwich,
        chosen => chosen,
    }
}

fn of_fit(fit: &Fit, games: &Games) -> Rated {
    let elo = |strength: f64| strength * ELO_PER_STRENGTH;
    let interval = |bot: usize| {
        let (low, high) = fit.interval(bot, 0.95).unwrap_or((fit.strengths[bot], fit.strengths[bot]));
        (elo(low), elo(high))
    };
    Rated {
        ratings: fit.strengths.iter().copied().map(elo).collect(),
        intervals: Some((0..games.bots.len()).map(interval).collect()),
        groups: fit.groups.clone(),
        errors: fit.kind.name(),
        prior: fit.prior,
        ..Rated::default()
    }
}
