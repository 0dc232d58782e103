//! The values of single keys.

use crate::{preset::PRESETS, text::Entry};
use agon_core::Flaw;
use agon_games::AnyGame;
use agon_play::{IsolationChoice, MapSource, MemoryLimit, parse_clock};
use agon_spec::Isolation;
use agon_tourney::{Seeding, Withdrawn};
use std::path::{Path, PathBuf};

/// The most characters in the name of a bot or a tournament.
const NAME: usize = 80;

pub(crate) const WITHDRAWN: [(&str, Withdrawn); 3] =
    [("share", Withdrawn::ByShare), ("void", Withdrawn::Void), ("lose", Withdrawn::Lose)];

pub(super) fn missing(key: &str, example: &str) -> Flaw {
    Flaw::new(format!("the key `{key}` is missing")).hint(format!("add `{example}`")).at(1, 1)
}

pub(super) fn name(entry: Entry<'_, '_>, example: &str) -> Result<String, Flaw> {
    let name = entry.string(example)?;
    if name.trim().is_empty() || name.trim() != name {
        return Err(entry.flaw("a name must not be empty, or begin or end with a space"));
    }
    if name.chars().any(char::is_control) {
        return Err(entry.flaw("a name must not contain control characters"));
    }
    if name.chars().count() > NAME {
        return Err(entry.flaw(format!("a name has at most {NAME} characters")));
    }
    Ok(name.to_owned())
}

pub(super) fn seats(entry: Entry<'_, '_>, game: &dyn AnyGame) -> Result<u32, Flaw> {
    let range = &game.info().seats;
    let (least, most) = ((*range.start()).max(2), (*range.end()).max(2));
    let number = |seats: usize| u32::try_from(seats).unwrap_or(u32::MAX);
    entry.number(number(least)..=number(most))
}

pub(super) fn preset(entry: Entry<'_, '_>, game: &dyn AnyGame) -> Result<&'static str, Flaw> {
    let preset = entry.word(&PRESETS.each_ref().map(|preset| (preset.name, preset)))?;
    if preset.game != game.name() {
        let what = format!("{} was a contest in `{}`, not in `{}`", preset.contest, preset.game, game.name());
        return Err(entry.flaw(what).hint(format!("write `game = \"{}\"`, or take the line away", preset.game)));
    }
    Ok(preset.name)
}

/// Reads the order of the bots, or the result that has it.
pub(super) fn seeding(entry: Entry<'_, '_>) -> Result<(Seeding, Option<PathBuf>), Flaw> {
    let path = Path::new(entry.string("list")?);
    if path.extension().is_some_and(|end| end == "agon" || end == "json") {
        return Ok((Seeding::List, Some(path.to_owned())));
    }
    let drawn = entry.word(&[("list", false), ("drawn", true)]).map_err(|flaw| {
        let hint = flaw.hint.clone().unwrap_or_default();
        flaw.hint(format!("{hint}; or the earlier result, as `cup.agon` or an export `cup.json`"))
    })?;
    Ok((if drawn { Seeding::Drawn } else { Seeding::List }, None))
}

pub(super) fn maps(entry: Entry<'_, '_>) -> Result<Vec<String>, Flaw> {
    const EXAMPLE: &str = "gen";
    let list = entry.strings(EXAMPLE)?;
    if list.is_empty() {
        return Err(entry.flaw("the list is empty").hint(format!("write `maps = [\"{EXAMPLE}\"]`")));
    }
    let check = |entry: Entry<'_, '_>| {
        let text = entry.string(EXAMPLE)?;
        match text.parse() {
            Ok(MapSource::File(_)) => glob::Pattern::new(text).map(drop).map_err(|why| entry.flaw(why.msg))?,
            Ok(MapSource::Generated { .. }) => {}
            Err(why) => return Err(entry.flaw(why)),
        }
        Ok(text.to_owned())
    };
    list.into_iter().map(check).collect()
}

pub(super) fn sandbox(entry: Entry<'_, '_>) -> Result<IsolationChoice, Flaw> {
    let mut known = vec![("auto", IsolationChoice::Auto)];
    known.extend(Isolation::ALL.map(|level| (level.name(), IsolationChoice::Exactly(level))));
    entry.word(&known)
}

pub(super) fn memory(entry: Entry<'_, '_>) -> Result<MemoryLimit, Flaw> {
    match entry.value.get_ref().as_str() {
        Some("usual") => Ok(MemoryLimit::Usual),
        Some(text) => text.parse().map_err(|hint: String| entry.flaw("this is no amount of memory").hint(hint)),
        None => entry.number(1..=u32::MAX).map(MemoryLimit::Mib),
    }
}

/// Reads a clock that changes the game's, or the one that `before` make of it.
pub(super) fn clock_text(entry: Entry<'_, '_>, game: &dyn AnyGame, before: &[&str]) -> Result<String, Flaw> {
    let text = entry.string("move=1s")?;
    let mut clock = game.info().clock;
    for text in before.iter().filter(|text| !text.is_empty()).chain([&text]) {
        clock = parse_clock(game, clock, text).map_err(|flaw| entry.wrong(flaw))?;
    }
    Ok(text.to_owned())
}
