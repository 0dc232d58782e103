//! The strengths of the bots of a tournament, from its matches.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `games` | which matches count, and which bots are the same |
//! | `strength` | the models that explain all matches at once |
//! | `blocks` | how much strengths scatter if blocks of matches are drawn anew |
//! | `course` | the models that change with each match or round |

mod blocks;
mod course;
mod games;
mod strength;

use agon_spec::{LotteryShare, RateDocument, RateResidual, RateSurvival, RatedAdvantage, RatedBot, TournamentDocument};
use agon_stats::{Duels, Errors, LOTTERY_BOTS};
use games::Games;
pub use games::RateFilter;

/// How strengths follow from results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RateModel {
    /// Bradley-Terry, for two seats.
    BradleyTerry,
    /// Plackett-Luce, for any number of seats.
    PlackettLuce,
    /// Elo, match by match.
    Elo,
    /// Glicko-2, round by round.
    Glicko2,
    /// The ratings of ladders, match by match.
    WengLin,
}

/// What is fitted for the first seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SeatAdvantage {
    /// Nothing.
    None,
    /// One number.
    #[default]
    Seat,
    /// One number for each map.
    Map,
}

/// How a tournament is rated.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RateOptions {
    /// The model. `None`: Bradley-Terry if all matches have two seats, otherwise Plackett-Luce.
    pub model: Option<RateModel>,
    /// How standard errors are made. [`Errors::Automatic`] is the adjusted sandwich where matches were drawn.
    pub errors: Errors,
    /// Whether standard errors are at least as large as strengths scatter if blocks of matches are drawn anew (a bootstrap). That
    /// is for matches on the same map that depend on each other. Only with Bradley-Terry.
    pub bootstrap: bool,
    /// What is fitted for the first seat, with Bradley-Terry.
    pub advantage: SeatAdvantage,
    /// Which matches count.
    pub filter: RateFilter,
}

/// Ratings that differ by less are the same: the search for strengths is not more exact.
const SAME: f64 = 1e-6;

/// What a model says about bots and what only some models say beside.
#[derive(Default)]
struct Rated {
    /// The rating of each bot.
    ratings: Vec<f64>,
    /// The ends of its interval.
    intervals: Option<Vec<(f64, f64)>>,
    /// The group of each bot, from 0. Empty: all are in one.
    groups: Vec<u32>,
    errors: &'static str,
    prior: Option<f64>,
    order_counts: bool,
    advantages: Vec<RatedAdvantage>,
    survival: Option<agon_stats::Fall>,
    survival_searched: bool,
    residuals: Vec<agon_stats::Residual>,
    superiority: Option<agon_stats::Fit>,
    spread: Option<blocks::Spread>,
}

impl RateModel {
    /// The names of all models, as the command line has them.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::BradleyTerry, "bt"),
        (Self::PlackettLuce, "pl"),
        (Self::Elo, "elo"),
        (Self::Glicko2, "glicko2"),
        (Self::WengLin, "weng-lin"),
    ];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(model, _)| *model == self).map_or("", |(_, name)| name)
    }
}

/// Rates the bots of a tournament.
///
/// # Errors
/// What is wrong, in words: a filter names a bot or a map that does not exist, no match is left, the model is for two seats
/// and the matches have more, or there are too many bots and maps for errors of this kind.
pub fn rate(document: &TournamentDocument, options: &RateOptions) -> Result<RateDocument, String> {
    let games = Games::of(document, &options.filter)?;
    let two_seats = games.games.iter().all(|game| game.places.len() == 2);
    let model = options.model.unwrap_or(if two_seats { RateModel::BradleyTerry } else { RateModel::PlackettLuce });
    let numbers = strength::numbers(&games, model, options);
    if numbers > strength::MOST_NUMBERS && !matches!(options.errors, Errors::Automatic | Errors::Diagonal) {
        let most = strength::MOST_NUMBERS;
        return Err(format!(
            "errors of this kind are for {most} bots and advantages, not for {numbers}; use `diagonal`"
        ));
    }
    if options.bootstrap && model != RateModel::BradleyTerry {
        return Err("the bootstrap is for matches of two and the model `bt`".to_owned());
    }
    if options.bootstrap && numbers > strength::SANDWICH_NUMBERS {
        let most = strength::SANDWICH_NUMBERS;
        return Err(format!("the bootstrap is for {most} bots and advantages, not for {numbers}; use `diagonal`"));
    }
    let rated = match model {
        RateModel::BradleyTerry if !two_seats => {
            return Err("Bradley-Terry rates matches of two; use the model `pl` for more".to_owned());
        }
        RateModel::BradleyTerry => strength::bradley_terry(&games, options)?,
        RateModel::PlackettLuce => strength::plackett_luce(&games, options),
        RateModel::Elo => Some(course::elo(&games)),
        RateModel::Glicko2 => Some(course::glicko(&games)),
        RateModel::WengLin => Some(course::weng_lin(&games)),
    };
    let rated = rated.ok_or("the strengths cannot be computed: the matches contradict the model too much")?;
    Ok(document_of(document, &games, model, rated))
}

fn document_of(document: &TournamentDocument, games: &Games, model: RateModel, rated: Rated) -> RateDocument {
    let mut order: Vec<usize> = (0..games.bots.len()).collect();
    order.sort_by(|a, b| rated.ratings[*b].total_cmp(&rated.ratings[*a]).then(a.cmp(b)));
    let group = |bot: usize| rated.groups.get(bot).copied().unwrap_or(0);
    // Groups are numbered by their best bot.
    let mut numbered: Vec<u32> = Vec::new();
    for bot in &order {
        if !numbered.contains(&group(*bot)) {
            numbered.push(group(*bot));
        }
    }
    let mut rows = Vec::with_capacity(order.len());
    for (number, group_of) in (1..).zip(&numbered) {
        let members: Vec<usize> = order.iter().copied().filter(|bot| group(*bot) == *group_of).collect();
        rows.extend(group_rows(&members, number, games, &rated));
    }
    let name = |bot: usize| games.bots[bot].name.clone();
    let duels = duels(games);
    let lottery = duels.maximal_lottery().filter(|_| games.bots.len() <= LOTTERY_BOTS);
    let shares = lottery.as_ref().map(|lottery| {
        let mut shares: Vec<LotteryShare> = (0..games.bots.len())
            .filter(|bot| lottery.probabilities[*bot] > 1e-9)
            .map(|bot| LotteryShare { bot: name(bot), probability: lottery.probabilities[bot] })
            .collect();
        shares.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        shares
    });
    let mut residuals: Vec<RateResidual> = rated
        .residuals
        .iter()
        .filter(|residual| residual.deviation > 0.0)
        .map(|residual| RateResidual {
            bot: name(residual.first as usize),
            opponent: name(residual.second as usize),
            matches: residual.games,
            surplus: residual.surplus,
            deviations: residual.surplus / residual.deviation,
        })
        .filter(|residual| residual.deviations.abs() >= 2.0)
        .collect();
    residuals.sort_by(|a, b| b.deviations.abs().total_cmp(&a.deviations.abs()));
    RateDocument {
        tournament: document.tournament.name.clone(),
        game: document.tournament.game.clone(),
        model: model.name().to_owned(),
        order_counts: rated.order_counts,
        matches: games.games.len() as u64,
        left_out: games.left_out,
        double_forfeits: games.double_forfeits,
        between_copies: games.between_copies,
        errors: rated.errors.to_owned(),
        prior: rated.prior,
        groups: numbered.len() as u32,
        bots: rows,
        advantages: rated.advantages,
        cycles: duels.cycles().into_iter().map(|cycle| cycle.into_iter().map(name).collect()).collect(),
        lottery_unique: lottery.map(|lottery| lottery.unique),
        lottery: shares,
        survival: rated.survival.map(|fall| RateSurvival {
            leader: name(fall.leader),
            rival: name(fall.rival),
            matches: fall.matches,
        }),
        survival_searched: rated.survival_searched,
        residuals,
    }
}

/// Returns the rows of bots that are compared with each other, given the best one first. Equal ratings share a place.
fn group_rows(members: &[usize], group: u32, games: &Games, rated: &Rated) -> Vec<RatedBot> {
    let mut rows: Vec<RatedBot> = Vec::with_capacity(members.len());
    for (index, bot) in members.iter().enumerate() {
        let own = &games.bots[*bot];
        let interval = rated.intervals.as_ref().map(|intervals| intervals[*bot]);
        let below = members.get(index + 1);
        let level = rows.last().filter(|above| above.rating - rated.ratings[*bot] < SAME);
        let place = level.map_or(index as u32 + 1, |above| above.place);
        rows.push(RatedBot {
            place,
            bot: own.name.clone(),
            copies: own.copies.clone(),
            rating: rated.ratings[*bot],
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            group,
            matches: own.matches,
            share: (own.compared > 0).then(|| own.points / own.compared as f64),
            superiority: below.and_then(|below| {
                let least = rated.spread.as_ref().map_or(0.0, |spread| spread.between(*bot, *below));
                rated.superiority.as_ref()?.superiority_within(*bot, *below, least)
            }),
        });
    }
    rows
}

/// Counts who was placed before whom.
fn duels(games: &Games) -> Duels {
    let mut duels = Duels::new(games.bots.len());
    for game in &games.games {
        for (one, place) in &game.places {
            for (other, _) in game.places.iter().filter(|(_, behind)| place < behind) {
                duels.add(*one as usize, *other as usize, 1.0);
            }
        }
    }
    duels
}
