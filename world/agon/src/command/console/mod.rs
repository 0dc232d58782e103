//! `agon console GAME [BOT…]`.

mod clock;
mod dialogue;
mod files;
mod input;
mod page;
mod preparation;
mod process;
mod recorder;
mod replay;
mod served;
mod session;
mod text;
mod words;

use super::Format;
use crate::{
    error::{Error, Result},
    exit::Exit,
    interrupt::Interrupt,
    printer::Printer,
    sandbox_options::SandboxOptions,
    terms::Terms,
    values,
};
use agon_games::AnyGame;
use agon_play::{MapSource, MemoryLimit, NamedBot, SeatOption, unique_names};
use clap::Args;
use input::Input;
use replay::Recorded;
use served::Served;
use session::{Session, parse_bot, prepare_bot};
use std::{path::PathBuf, time::Duration};

/// Play by hand, edit the board, take turns back, and ask bots anything.
///
/// Each BOT takes one seat, in order, and is written as in `agon match`, or `human`. Seats without a BOT are people's.
/// The board is in the browser, on this machine alone, until Ctrl-C. With `--terminal`, commands come from stdin, one a line:
/// from a prompt with history and completion, or from a file. `docs/console.md` has all of them. With `--replay` the
/// session begins with a recorded match.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon console triangles human 'python3 bot.py'
  agon console triangles human @greedy --terminal
  agon console grid 'python3 bot.py' human --terminal --map test.map
  printf 'go 5\\nshow\\n' | agon console planet-wars ./a ./b --terminal
  agon console triangles human ./bot --terminal --format json < commands
  agon console triangles human @greedy --time bank=5min,increment=3s
  agon console --replay game.jsonl --ply 40 --terminal
  agon console portals human @builder --html -o portals.html")]
pub struct ConsoleCommand {
    /// The game; `agon games` lists them. With --replay it is that of the replay.
    #[arg(value_parser = values::game(), hide_possible_values = true, required_unless_present = "replay")]
    game: Option<String>,

    /// `human`, `@builtin` or a command, optionally with a name: `me='python3 bot.py'`.
    #[arg(value_name = "BOT")]
    bots: Vec<String>,

    /// Take commands from the terminal or from stdin, and serve no page.
    #[arg(long)]
    terminal: bool,

    /// The port of the page. The default is any free one.
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true, conflicts_with_all = ["terminal", "html"])]
    port: u16,

    /// Do not open the browser.
    #[arg(long, conflicts_with_all = ["terminal", "html"])]
    no_open: bool,

    /// Write a page in which people play against built-in bots. It opens from disk and needs no server.
    #[arg(long, conflicts_with = "terminal")]
    html: bool,

    /// Write the page to this file instead of stdout.
    #[arg(short, long, value_name = "FILE", requires = "html")]
    output: Option<PathBuf>,

    /// Begin with the turns of this replay, with its map, rules, seed and limits. Its branches are kept.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["map", "rules", "seed", "rounds"])]
    replay: Option<PathBuf>,

    /// Stand after this turn of the replay; 0 is its start. `redo` leads on.
    #[arg(long, visible_alias = "turn", value_name = "N", requires = "replay")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..), allow_negative_numbers = true)]
    ply: Option<u32>,

    /// FILE, or `gen[:KIND][:SEED]` for a generated map.
    #[arg(long, value_name = "MAP", default_value = "gen", value_parser = values::map)]
    map: MapSource,

    /// The rule set, with changes to single points: `original` or `spec,POINT=VALUE`. `agon games GAME` lists them.
    #[arg(long, value_name = "RULES", default_value = "", hide_default_value = true)]
    rules: String,

    /// The source of everything random.
    #[arg(long, value_name = "SEED", value_parser = values::seed, allow_negative_numbers = true)]
    seed: Option<u64>,

    /// The length of the match in rounds or turns, as the game counts.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true)]
    rounds: Option<u32>,

    /// How much memory all processes of a bot may use together: MiB, an amount such as `2GiB`, or `off`.
    #[arg(long, value_name = "MIB", value_parser = memory, allow_negative_numbers = true, conflicts_with = "html")]
    memory: Option<MemoryLimit>,

    /// Gives every seat a clock, for people and built-in bots, too: in the words of `agon match --time`, by wall time. Without
    /// it there are no clocks.
    #[arg(long, value_name = "CLOCK", conflicts_with = "html")]
    time: Option<String>,

    /// How long a command waits for bots. They think on after that.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::time, conflicts_with = "html")]
    wait: Duration,

    /// End when no page has been open for this time. Before the first one nothing ends.
    #[arg(long, value_name = "TIME", value_parser = values::time, hide = true, conflicts_with_all = ["terminal", "html"])]
    absence: Option<Duration>,

    /// End, as with Ctrl-C, at the end of stdin: when the program has ended that started this one.
    #[arg(long, hide = true, conflicts_with_all = ["terminal", "html"])]
    until_stdin_ends: bool,

    /// Write every byte in both directions and stderr to this file, as `agon match --transcript` does.
    #[arg(long, value_name = "FILE", conflicts_with = "html")]
    transcript: Option<PathBuf>,

    /// Go on after a command that was refused.
    #[arg(long, requires = "terminal")]
    keep_going: bool,

    /// How to print the answers, or the address of the page: for people, or as JSON, one object a line.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, conflicts_with = "html")]
    format: Format,

    #[command(flatten)]
    sandbox: SandboxOptions,
}

fn memory(text: &str) -> std::result::Result<MemoryLimit, String> {
    text.parse()
}

impl ConsoleCommand {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let recorded = self.recorded(printer)?;
        let (game, named) = match &recorded {
            Some(recorded) => (recorded.game, recorded.bots(&self.bots)?),
            None => self.players()?,
        };
        let interrupt = Interrupt::new()?;
        if self.until_stdin_ends {
            interrupt.at_the_end_of_stdin()?;
        }
        let terms = Terms {
            maps: vec![self.map.clone()],
            rules: self.rules.clone(),
            seed: self.seed,
            rounds: self.rounds,
            time: Some("off".to_owned()),
            memory: self.memory,
            fuel: agon_spec::Fuel::default(),
            seats: Vec::<SeatOption>::new(),
            sandbox: self.sandbox.clone(),
        };
        let plan = match &recorded {
            Some(recorded) => recorded.plan(&named, self.memory.unwrap_or_default())?,
            None => terms.terms().plan(game, &named)?,
        };
        let clock = self.time.as_deref().map(|words| clock::read(game, words)).transpose()?.flatten();
        let plan = if let Some(clock) = clock { plan.with_clock(clock) } else { plan };
        if self.html {
            if self.seed.is_some_and(|seed| seed > crate::console_page::MOST_SEED) {
                let hint = format!("the largest seed of a page is {}", crate::console_page::MOST_SEED);
                return Err(Error::user("a page has no seeds that large").hint(hint));
            }
            return page::write(game, &named, &plan, self.output.as_deref(), printer);
        }
        let mut preparer = terms.preparer(&interrupt)?;
        let prepare = |bot| prepare_bot(&mut preparer, game, bot, printer);
        let bots = named.iter().map(prepare).collect::<Result<Vec<_>>>()?;
        if let Some(warning) = preparer.warning() {
            printer.warning(crate::clean::clean(warning));
        }
        let cancel = interrupt.cancel().clone();
        let mut session = Session::new(game, plan, bots, preparer, (&terms, printer), cancel, self.wait)?;
        session.check_starts()?;
        if let Some(recorded) = recorded {
            session = session.resume(recorded)?;
        }
        if let Some(path) = &self.transcript {
            session.write_transcript(path)?;
        }
        printer.note(session.origin());
        let exit = if self.terminal {
            self.converse(&mut session, &interrupt)
        } else {
            let Self { port, format, absence, .. } = self;
            let served = Served { port, opens: !self.no_open, format, absence };
            served.run(&mut session, &interrupt, printer)
        };
        // Where nobody reads on, as with `| head`, the session has ended as it was meant to.
        if exit.as_ref().is_err_and(|why| why.exit != Exit::Done) {
            session.rescue();
        }
        let ended = session.end();
        if let (Err(_), Err(why)) = (&exit, &ended) {
            printer.error(why);
        }
        exit.and_then(|exit| ended.map(|()| exit))
    }

    /// Returns the replay with which the session begins.
    fn recorded(&self, printer: &Printer) -> Result<Option<Recorded>> {
        let Some(path) = &self.replay else { return Ok(None) };
        if self.html {
            return Err(Error::user("the page begins with a map, not with a replay")
                .hint("`--terminal` begins with a replay; `agon replay html` writes a page that shows one"));
        }
        Recorded::read(path, self.game.as_deref(), self.ply, printer).map(Some)
    }

    /// Returns the game, and who sits where.
    fn players(&self) -> Result<(&'static dyn AnyGame, Vec<NamedBot>)> {
        let game = crate::game::find(self.game.as_deref().unwrap_or_default())?;
        let seats = game.info().default_seats.max(self.bots.len());
        let words = self.bots.iter().map(String::as_str).chain(std::iter::repeat("human")).take(seats);
        let mut named = words.map(|words| parse_bot(game, words)).collect::<Result<Vec<_>>>()?;
        unique_names(&mut named);
        Ok((game, named))
    }

    /// Takes commands until the end of the input.
    fn converse(&self, session: &mut Session<'_>, interrupt: &Interrupt) -> Result<Exit> {
        let mut input = Input::open()?;
        let cancel = interrupt.cancel();
        // Who types commands may have forgotten to save. A file of commands has what it needs.
        let keeps = input.is_prompt();
        while let Some(line) = input.next(cancel, || session.vocabulary())? {
            if let Some(answer) = session.command(&line) {
                let ok = session.show(&line, answer, self.format)?;
                if !ok && !input.is_prompt() && !self.keep_going {
                    session.command("quit");
                    return Ok(session.exit_of_refusal());
                }
            }
            if cancel.is_cancelled() || session.has_quit {
                break;
            }
        }
        if cancel.is_cancelled() {
            return Err(crate::interrupt::error());
        }
        if keeps {
            session.rescue();
        }
        if !session.has_quit {
            session.command("quit");
        }
        Ok(Exit::Done)
    }
}
