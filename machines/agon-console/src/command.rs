//! What a line of a console says.

use crate::{argument::Arguments, edit::Edit};
use agon_core::{Flaw, Seat};
use std::time::Duration;

/// A command as people are told of it.
pub struct Word {
    /// The first word of its line.
    pub name: &'static str,
    /// What its line looks like. Capitals stand for something else.
    pub form: &'static str,
    /// What it does, as a lower-case fragment.
    pub about: &'static str,
}

const fn word(name: &'static str, form: &'static str, about: &'static str) -> Word {
    Word { name, form, about }
}

/// All commands, in the order of the documentation.
pub const WORDS: &[Word] = &[
    word("play", "play SEAT ORDERS", "gives the decision of a seat"),
    word("go", "go [N] [--wait TIME]", "lets bots play N turns, until a person decides"),
    word("ask", "ask SEAT [--wait TIME]", "asks a bot for its decision, and plays nothing"),
    word("raw", "raw SEAT TEXT [--wait TIME]", "sends a line to a program as it is"),
    word("bot", "bot SEAT BOT|human", "gives a seat to a bot or to a person"),
    word("restart", "restart SEAT", "starts a program anew"),
    word("kill", "kill SEAT", "kills a program"),
    word("anyway", "anyway SEAT", "lets a program play on that is out of step"),
    word("stop", "stop", "stops waiting for bots"),
    word("clock", "clock start|stop", "lets clocks run, or stand until somebody plays"),
    word("undo", "undo [N|person]", "takes turns and edits back"),
    word("redo", "redo [N|person]", "plays them again"),
    word("branch", "branch [ID]", "lists the branches, or goes to the end of one"),
    word(
        "edit",
        "edit set LINE TEXT | insert LINE TEXT | delete LINE | at LINE COLUMN TEXT | map TEXT | put ITEM VALUE | drop ITEM | state JSON",
        "changes the position",
    ),
    word("load", "load MAP", "begins on another map"),
    word("save", "save map|replay FILE", "writes the position, or the session"),
    word("show", "show [map|state|replay]", "shows the board, or what else is named"),
    word("status", "status", "shows the turn, the branch and the seats"),
    word("help", "help", "shows this list"),
    word("quit", "quit", "ends the session"),
    word("exit", "exit", "ends the session, too"),
];

/// A command of a person. Seats may not exist; the console checks that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Gives the decision of a seat: a JSON list of orders, or a single order.
    Play(Seat, String),
    /// Lets the bots play turns until a person has to decide.
    Go {
        /// The number of turns.
        turns: u32,
        /// How long to wait for the bots. `None` is the usual time of the console.
        wait: Option<Duration>,
    },
    /// Asks a bot for its decision without playing it.
    Ask {
        /// The seat of the bot.
        seat: Seat,
        /// How long to wait for the answer. `None` is the usual time of the console.
        wait: Option<Duration>,
    },
    /// Sends a line to a program as it is.
    Raw {
        /// The seat of the program.
        seat: Seat,
        /// The line, without its end.
        text: String,
        /// How long to wait for the answer. `None` is as long as the console waits otherwise.
        wait: Option<Duration>,
    },
    /// Gives a seat to another bot, or to a person.
    Bot(Seat, String),
    /// Starts the program of a seat anew.
    Restart(Seat),
    /// Kills the program of a seat.
    Kill(Seat),
    /// Lets a program play on that is out of step.
    Anyway(Seat),
    /// Stops waiting for bots. Those that think go on thinking.
    Stop,
    /// Lets clocks run, or stand until somebody plays.
    Clock {
        /// Whether they run.
        run: bool,
    },
    /// Takes turns and edits back.
    Undo(Distance),
    /// Plays turns and edits again that were taken back.
    Redo(Distance),
    /// Goes to the end of a branch, or lists all of them.
    Branch(Option<u32>),
    /// Changes the position.
    Edit(Edit),
    /// Continues from a map.
    Load(String),
    /// Writes the position as a map file.
    SaveMap(String),
    /// Writes the session as a replay.
    SaveReplay(String),
    /// Shows the board.
    Show,
    /// Shows the position as a map.
    ShowMap,
    /// Shows the session as a replay.
    ShowReplay,
    /// Shows what the position has beyond its map.
    ShowState,
    /// Shows the state of the session.
    Status,
    /// Lists the commands.
    Help,
    /// Ends the session.
    Quit,
}

/// How far to go back or on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    /// So many turns and edits.
    Steps(u32),
    /// To the next position in which a person has to decide.
    Person,
}

impl Command {
    /// Returns whether the command may wait for bots or for the world itself, so that one that waits now is ended first.
    pub(crate) fn replaces_waiting(&self) -> bool {
        let waits_for_bots = matches!(self, Self::Play(..) | Self::Go { .. } | Self::Ask { .. } | Self::Raw { .. });
        waits_for_bots || matches!(self, Self::Bot(..) | Self::Load(_) | Self::SaveMap(_) | Self::SaveReplay(_))
    }

    /// Reads a line.
    ///
    /// # Errors
    /// Says what is wrong and where. The place is in the line, so its line is always 1.
    pub fn parse(line: &str) -> Result<Self, Flaw> {
        let mut arguments = Arguments::new(line);
        let word = arguments.need("a command")?;
        let command = Self::parse_rest(word.text, &mut arguments);
        let Some(Word { form, .. }) = WORDS.iter().find(|known| known.name == word.text) else {
            let known: Vec<_> = WORDS.iter().map(|known| known.name).collect();
            return Err(word
                .flaw(format!("unknown command `{}`", word.text))
                .hint(format!("the commands are: {}", known.join(", "))));
        };
        let read = command.and_then(|command| arguments.end().map(|()| command));
        read.map_err(|flaw| if flaw.hint.is_none() { flaw.hint(format!("its form is `{form}`")) } else { flaw })
    }

    fn parse_rest(word: &str, arguments: &mut Arguments<'_>) -> Result<Self, Flaw> {
        Ok(match word {
            "play" => Self::Play(arguments.seat()?, arguments.text("the decision")?.text.to_owned()),
            "go" => {
                let wait = arguments.wait()?;
                Self::Go { turns: arguments.count()?, wait }
            }
            "ask" => {
                let wait = arguments.wait()?;
                Self::Ask { seat: arguments.seat()?, wait }
            }
            "raw" => {
                let wait = arguments.wait()?;
                let seat = arguments.seat()?;
                Self::Raw { seat, text: arguments.text("the line for the bot")?.text.to_owned(), wait }
            }
            "bot" => Self::Bot(arguments.seat()?, arguments.text("a bot, or `human`")?.text.to_owned()),
            "restart" => Self::Restart(arguments.seat()?),
            "kill" => Self::Kill(arguments.seat()?),
            "anyway" => Self::Anyway(arguments.seat()?),
            "stop" => Self::Stop,
            "clock" => {
                let what = arguments.need("`start` or `stop`")?;
                match what.text {
                    "start" => Self::Clock { run: true },
                    "stop" => Self::Clock { run: false },
                    other => return Err(what.flaw(format!("a clock cannot `{other}`"))),
                }
            }
            "undo" => Self::Undo(distance(arguments)?),
            "redo" => Self::Redo(distance(arguments)?),
            "branch" => Self::Branch(arguments.next().map(|word| word.number("the number of a branch")).transpose()?),
            "edit" => Self::Edit(Edit::parse(arguments)?),
            "load" => Self::Load(arguments.text("a map")?.text.to_owned()),
            "save" => {
                let what = arguments.need("`map` or `replay`")?;
                let save = match what.text {
                    "map" => Self::SaveMap,
                    "replay" => Self::SaveReplay,
                    other => return Err(what.flaw(format!("`{other}` cannot be saved"))),
                };
                save(arguments.text("the name of a file")?.text.to_owned())
            }
            "show" => match arguments.next() {
                None => Self::Show,
                Some(word) if word.text == "map" => Self::ShowMap,
                Some(word) if word.text == "replay" => Self::ShowReplay,
                Some(word) if word.text == "state" => Self::ShowState,
                Some(word) => return Err(word.flaw(format!("`{}` cannot be shown", word.text))),
            },
            "status" => Self::Status,
            "help" => Self::Help,
            "quit" | "exit" => Self::Quit,
            // The caller finds out that the word is unknown.
            _ => Self::Status,
        })
    }
}

fn distance(arguments: &mut Arguments<'_>) -> Result<Distance, Flaw> {
    if arguments.take("person") { Ok(Distance::Person) } else { arguments.count().map(Distance::Steps) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let one = Seat::new(0);
        let ten = Some(Duration::from_secs(10));
        for (line, command) in [
            ("play 1 [[1,2]]", Command::Play(one, "[[1,2]]".into())),
            ("  play\t1  {\"a\": 1} ", Command::Play(one, "{\"a\": 1}".into())),
            ("go", Command::Go { turns: 1, wait: None }),
            ("go 12 --wait 10s", Command::Go { turns: 12, wait: ten }),
            ("go --wait 10s", Command::Go { turns: 1, wait: ten }),
            ("ask 1", Command::Ask { seat: one, wait: None }),
            ("ask 1 --wait 10s", Command::Ask { seat: one, wait: ten }),
            ("raw 1 name", Command::Raw { seat: one, text: "name".into(), wait: None }),
            ("raw 1 play 1 2 --wait 10s", Command::Raw { seat: one, text: "play 1 2".into(), wait: ten }),
            ("bot 1 me=python3 'my bot.py'", Command::Bot(one, "me=python3 'my bot.py'".into())),
            ("clock start", Command::Clock { run: true }),
            ("clock stop", Command::Clock { run: false }),
            ("undo 3", Command::Undo(Distance::Steps(3))),
            ("undo", Command::Undo(Distance::Steps(1))),
            ("redo person", Command::Redo(Distance::Person)),
            ("branch", Command::Branch(None)),
            ("branch 2", Command::Branch(Some(2))),
            ("save map a b.map", Command::SaveMap("a b.map".into())),
            ("save replay s.jsonl", Command::SaveReplay("s.jsonl".into())),
            ("show map", Command::ShowMap),
            ("show replay", Command::ShowReplay),
            ("help", Command::Help),
            ("quit", Command::Quit),
            ("exit", Command::Quit),
        ] {
            assert_eq!(Command::parse(line).as_ref(), Ok(&command), "{line}");
        }
    }

    #[test]
    fn a_flaw_stands_at_its_word() {
        for (line, column, what) in [
            ("jump 1", 1, "unknown command `jump`"),
            ("play", 5, "the number of a seat is missing"),
            ("play 0 []", 6, "`0` is not the number of a seat"),
            ("play 1", 7, "the decision is missing"),
            ("go x", 4, "`x` is not a number of turns"),
            ("clock", 6, "`start` or `stop` is missing"),
            ("clock run", 7, "a clock cannot `run`"),
            ("undo 0", 6, "0 turns are no turns"),
            ("status é now", 8, "`é` is too much"),
            ("save game f", 6, "`game` cannot be saved"),
            ("go 2 --wait soon", 13, "`soon` is not a time"),
        ] {
            let flaw = Command::parse(line).expect_err(line);
            assert_eq!(flaw.place.map(|place| (place.line, place.column)), Some((1, column)), "{line}: {flaw}");
            assert!(flaw.what.starts_with(what) || line.contains("soon"), "{line}: {}", flaw.what);
            assert!(flaw.hint.is_some(), "{line}");
        }
    }
}
