//! Creates a match machine from the description of a match.

use crate::{SeatKind, Settings, TypedReferee};
use agon_core::{Contest, Flaw, Remaining, Seat, Terms, rules};
use agon_spec::{MatchSpec, SeatSpec};
use core::ops::RangeInclusive;

/// Creates the machine of the match that `spec` describes. `kinds` has one element for each seat.
///
/// # Errors
/// Fails if `spec` is about another game, if its rule set, an option of a dialogue or a built-in bot is unknown, if the
/// number of seats does not fit, or if the map cannot be read or played.
pub fn open<C: Contest>(spec: &MatchSpec, kinds: &[SeatKind], settings: Settings) -> Result<TypedReferee<C>, Flaw> {
    TypedReferee::new(spec, starting_position(spec)?, kinds, settings)
}

/// Creates the machine of the match that `spec` describes, but starts at `position`. Its turns count from 1 again.
///
/// # Errors
/// Fails as [`open`] does, and if `position` has another number of seats.
pub fn open_from<C: Contest>(
    spec: &MatchSpec,
    position: C,
    kinds: &[SeatKind],
    settings: Settings,
) -> Result<TypedReferee<C>, Flaw> {
    TypedReferee::new(spec, position, kinds, settings)
}

/// Returns the greeting and the first prompt that a fresh dialogue writes to a bot in `seat` at this position. The
/// bytes are empty if the match has no such seat.
pub fn first_words<C: Contest>(spec: &MatchSpec, position: &C, seat: Seat) -> Vec<u8> {
    let mut words = Vec::new();
    let Some(seat_spec) = spec.seats.get(seat.index()) else { return words };
    let mut dialogue = position.dialogue(seat, &seat_spec.dialect);
    let clock = seat_spec.clock.unwrap_or(spec.clock);
    let greeting = Remaining { turn: clock.greeting, bank: clock.bank };
    let _ = dialogue.greet(position.view(seat), greeting, &mut words);
    let turn = Remaining { turn: clock.hard, bank: clock.bank };
    dialogue.prompt(position.view(seat), turn, &mut words);
    words
}

/// Returns the position in which the match of `spec` starts.
///
/// # Errors
/// Fails as [`open`] does, except that it does not look at the bots and their dialogues.
pub fn starting_position<C: Contest>(spec: &MatchSpec) -> Result<C, Flaw> {
    check_game(spec, C::NAME)?;
    if spec.state.is_empty() {
        return position(spec.map.as_bytes(), &spec.rules, spec.seats.len(), spec.limit);
    }
    C::from_state(C::parse_map(spec.map.as_bytes())?, &terms::<C>(spec)?, &spec.state)
}

/// Returns the position in which a match on this map starts, with this rule set, number of seats and limit of rounds or
/// turns.
///
/// # Errors
/// Fails if the rule set is unknown, if the number of seats does not fit, or if the map cannot be read or played.
pub fn position<C: Contest>(map: &[u8], rules: &str, seats: usize, limit: Option<u32>) -> Result<C, Flaw> {
    let terms = terms_of::<C>(rules, seats, limit)?;
    let map = C::parse_map(map)?;
    C::from_map(map, &terms).map_err(|flawed| flawed.flaw)
}

/// Returns the rule set, the number of seats and the limit of a match.
pub(crate) fn terms<C: Contest>(spec: &MatchSpec) -> Result<Terms<C::Rules>, Flaw> {
    terms_of::<C>(&spec.rules, spec.seats.len(), spec.limit)
}

fn terms_of<C: Contest>(rules: &str, seats: usize, limit: Option<u32>) -> Result<Terms<C::Rules>, Flaw> {
    check_seats(C::INFO.title, C::INFO.seats.clone(), seats)?;
    Ok(Terms { rules: rules::parse(rules)?, seats, limit })
}

fn check_game(spec: &MatchSpec, name: &str) -> Result<(), Flaw> {
    if spec.game == name {
        return Ok(());
    }
    Err(Flaw::new(format!("the match is one of `{}`, not of `{name}`", spec.game)))
}

fn check_seats(title: &str, allowed: RangeInclusive<usize>, seats: usize) -> Result<(), Flaw> {
    if allowed.contains(&seats) {
        return Ok(());
    }
    let (least, most) = allowed.into_inner();
    let hint =
        if least == most { format!("it needs {least} bots") } else { format!("it needs {least} to {most} bots") };
    Err(Flaw::new(format!("{title} cannot be played by {seats}")).hint(hint))
}

/// Checks the options of a seat's dialogue against what the game has.
pub(crate) fn check_dialect<C: Contest>(seat: &SeatSpec) -> Result<(), Flaw> {
    for (name, value) in &seat.dialect {
        let Some(option) = C::INFO.dialect.iter().find(|option| option.name == name) else {
            let known: Vec<_> = C::INFO.dialect.iter().map(|option| option.name).collect();
            let hint = if known.is_empty() {
                format!("{} has no such options", C::INFO.title)
            } else {
                format!("the options are: {}", known.join(", "))
            };
            return Err(Flaw::new(format!("unknown option `{name}` of a seat's dialogue")).hint(hint));
        };
        if !option.values.contains(&value.as_str()) {
            return Err(Flaw::new(format!("option `{name}` cannot be `{value}`"))
                .hint(format!("its values are: {}", option.values.join(", "))));
        }
    }
    Ok(())
}
