//! `agon console GAME --html`.

use crate::{
    clean::clean,
    console_page::html,
    error::{Error, Result},
    exit::Exit,
    overwriting,
    printer::Printer,
};
use agon_games::AnyGame;
use agon_play::{BotSpec, MatchPlan, NamedBot};
use std::path::Path;

/// Writes the page of a match that begins.
///
/// # Errors
/// A seat has a program, which a page cannot start, or the file cannot be written.
pub fn write(
    game: &dyn AnyGame,
    bots: &[NamedBot],
    plan: &MatchPlan,
    output: Option<&Path>,
    printer: &Printer,
) -> Result<Exit> {
    if let Some(program) = bots.iter().find(|bot| !matches!(bot.spec, BotSpec::Human | BotSpec::Builtin(_))) {
        let known: Vec<String> = game.info().bots.iter().map(|bot| format!("@{}", bot.name)).collect();
        let why = format!("a page cannot start `{}`: in it, people play against built-in bots", clean(&program.words));
        return Err(Error::user(why).hint(format!("the bots are {}, and `human`", known.join(", "))));
    }
    let page = html(&plan.spec(&[]));
    match output {
        None => printer.data(page)?,
        Some(path) => {
            overwriting::replace(path, &page).map_err(|e| Error::file("write", path, &e))?;
            printer.note(format!("the page is in {}", clean(&path.display().to_string())));
        }
    }
    Ok(Exit::Done)
}
