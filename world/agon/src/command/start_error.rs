//! The error of bots that could not be started, with the way out.

use crate::{
    clean::{clean, shell_word},
    error::Error,
    exit::Exit,
};
use agon_core::Seat;
use agon_games::AnyGame;
use agon_play::{BotSpec, NamedBot, PreparedBot, RETRY_HINT, shortage_hint, usual_start};
use agon_run::{ProgramError, StartError, StartFault};
use std::path::Path;

/// Returns the error that names every bot that could not be started.
pub fn never_started(game: &dyn AnyGame, bots: &[PreparedBot], seats: &[(Seat, StartError)]) -> Error {
    let failed: Vec<_> = seats.iter().map(|(seat, why)| (&bots[seat.index()], why)).collect();
    start_error(game, &failed)
}

/// Returns the error that names bots that could not be started. `failed` is not empty.
pub fn start_error(game: &dyn AnyGame, failed: &[(&PreparedBot, &StartError)]) -> Error {
    let messages: Vec<String> = failed
        .iter()
        .map(|(bot, why)| {
            let NamedBot { name, words, .. } = bot.bot();
            format!("bot `{}` (`{}`) could not be started: {}", clean(name), clean(words), clean(&why.to_string()))
        })
        .collect();
    // Where the host starts nothing there is no match, and the bots are not to blame.
    let of_host = failed.iter().all(|(_, why)| why.fault() == StartFault::Host);
    let exit = if of_host { Exit::Sandbox } else { Exit::NotStarted };
    let error = Error::user(messages.join("\nerror: ")).exit(exit);
    if of_host {
        let shortage = failed.iter().find_map(|(_, why)| why.shortage());
        return error.hint(shortage.map_or(RETRY_HINT, shortage_hint));
    }
    if let Some(hint) = failed.iter().find_map(|(_, why)| why.program().and_then(ProgramError::hint)) {
        return error.hint(format!("there is no result; {}", clean(&hint)));
    }
    let specs = || failed.iter().map(|(bot, _)| bot.spec());
    let not_in_path = |why: &StartError| matches!(why, StartError::Program(ProgramError::NotInPath(_)));
    let mut absent = failed.iter().filter(|(_, why)| not_in_path(why)).map(|(bot, _)| *bot);
    if let Some(command) = absent.find_map(started_as_people_do) {
        return error.hint(format!("there is no result; did you mean `{command}`?"));
    }
    // A common slip is the name of a built-in bot without `@`.
    match specs().find_map(|spec| spec.forgotten_sign(game)) {
        Some(name) => error.hint(format!("write `@{name}` for the built-in bot")),
        None if failed.first().is_some_and(|(_, why)| why.is_not_executable()) => {
            error.hint("`chmod +x` makes it executable, or name its interpreter: 'python3 bot.py'")
        }
        None if specs().any(BotSpec::needs_shell) => error.hint(
            "Agon starts a BOT without a shell: write `sh -c '…'` to use one; `--bot-dir DIR` \
             lets it read a folder",
        ),
        None if failed.iter().any(|(_, why)| why.is_not_found()) && specs().any(has_arguments) => {
            error.hint("there is no result; the paths of a BOT begin in the folder in which you type the command")
        }
        None => match failed.iter().find_map(|(_, why)| unreadable(why)) {
            Some(hint) => error.hint(hint),
            None => error.hint("there is no result; a BOT is a command line, or `@name` for a built-in bot"),
        },
    }
}

/// Returns the command that starts a file which lies in this folder, but in no folder in which programs are looked for.
fn started_as_people_do(bot: &PreparedBot) -> Option<String> {
    let BotSpec::Command(words) = bot.spec() else { return None };
    let file = Path::new(words.first()?);
    let interpreter = usual_start(&file.to_string_lossy()).filter(|_| file.is_file())?;
    Some(format!("{interpreter} {}", clean(&bot.bot().words)))
}

fn has_arguments(spec: &BotSpec) -> bool {
    matches!(spec, BotSpec::Command(words) if words.len() > 1)
}

/// Returns how to let a bot read a file that exists.
fn unreadable(why: &StartError) -> Option<String> {
    let file = why.unreadable()?;
    Some(match why {
        StartError::Program(ProgramError::Unreadable(_)) => {
            format!("there is no result; `chmod a+r {}` lets every user read it", shell_word(file))
        }
        StartError::Program(ProgramError::ClosedFolder(_)) => {
            "there is no result; move the bot to a folder that every user may enter, or use `chmod a+x` on the folders \
             around it"
                .to_owned()
        }
        _ => format!("there is no result; `--read {}` lets bots read it", shell_word(file)),
    })
}
