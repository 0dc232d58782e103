//! From the description of a match to a machine.

use crate::{SeatKind, Settings, TypedReferee};
use agon_core::{Contest, Flaw, Remaining, Seat, Terms, rules};
use agon_spec::{MatchSpec, SeatSpec};

/// The match that `spec` describes, ready to begin, with one kind a seat.
///
/// # Errors
/// What is wrong with the description: another game, an unknown rule set, too few or too many seats, a map that cannot
/// be read or played, an unknown option of a dialogue, an unknown built-in bot.
pub fn open<C: Contest>(spec: &MatchSpec, kinds: &[SeatKind], settings: Settings) -> Result<TypedReferee<C>, Flaw> {
    TypedReferee::new(spec, starting_position(spec)?, kinds, settings)
}

/// The match that `spec` describes, but from `position` on: its turns are counted from 1 again.
///
/// # Errors
/// As [`open`]; also a position of another number of seats.
pub fn open_from<C: Contest>(
    spec: &MatchSpec,
    position: C,
    kinds: &[SeatKind],
    settings: Settings,
) -> Result<TypedReferee<C>, Flaw> {
    TypedReferee::new(spec, position, kinds, settings)
}

/// What a bot that sits down in `seat` at this position would be told: greeting and prompt, by a fresh dialogue. Nothing
/// if there is no such seat.
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

/// The position in which the match that `spec` describes begins.
///
/// # Errors
/// As [`open`], but for the bots.
pub fn starting_position<C: Contest>(spec: &MatchSpec) -> Result<C, Flaw> {
    if spec.game != C::NAME {
        return Err(Flaw::new(format!("a match of `{}` was opened as one of `{}`", spec.game, C::NAME)));
    }
    position(spec.map.as_bytes(), &spec.rules, spec.seats.len(), spec.limit)
}

/// The position in which a match on this map begins, by this rule set, for so many seats and rounds or turns.
///
/// # Errors
/// An unknown rule set, too few or too many seats, a map that cannot be read or played.
pub fn position<C: Contest>(map: &[u8], rules: &str, seats: usize, limit: Option<u32>) -> Result<C, Flaw> {
    let terms = terms_of::<C>(rules, seats, limit)?;
    let map = C::parse_map(map)?;
    C::from_map(map, &terms).map_err(|flawed| flawed.flaw)
}

/// The rule set, the number of seats and the limit of a match.
pub(crate) fn terms<C: Contest>(spec: &MatchSpec) -> Result<Terms<C::Rules>, Flaw> {
    terms_of::<C>(&spec.rules, spec.seats.len(), spec.limit)
}

fn terms_of<C: Contest>(rules: &str, seats: usize, limit: Option<u32>) -> Result<Terms<C::Rules>, Flaw> {
    if !C::INFO.seats.contains(&seats) {
        let (least, most) = (C::INFO.seats.start(), C::INFO.seats.end());
        let hint = if least == most { format!("it takes {least}") } else { format!("it takes {least} to {most}") };
        return Err(Flaw::new(format!("{} cannot be played by {seats}", C::INFO.title)).hint(hint));
    }
    Ok(Terms { rules: rules::parse(rules)?, seats, limit })
}

/// Checks the options of a seat's dialogue against what the game has.
pub(crate) fn check_dialect<C: Contest>(seat: &SeatSpec) -> Result<(), Flaw> {
    for (name, value) in &seat.dialect {
        let Some(option) = C::INFO.dialect.iter().find(|option| option.name == name) else {
            let known: Vec<_> = C::INFO.dialect.iter().map(|option| option.name).collect();
            let hint = if known.is_empty() { "the game has none".into() } else { known.join(", ") };
            return Err(Flaw::new(format!("unknown option `{name}` of a seat's dialogue")).hint(hint));
        };
        if !option.values.contains(&value.as_str()) {
            return Err(Flaw::new(format!("option `{name}` cannot be `{value}`"))
                .hint(format!("its values are: {}", option.values.join(", "))));
        }
    }
    Ok(())
}
