//! `agon replay ask FILE --ply N --seat S BOT`.

use super::{
    place,
    show::{failure_word, not_reached},
};
use crate::{
    clean::{clean, clean_lines, cut, escape_bytes, one_char_a_byte},
    command::Format,
    error::{Error, Result},
    exit::Exit,
    interrupt,
    printer::{Printer, Style},
    report::print_micros,
    sandbox_options::SandboxOptions,
    talk::{self, Talk},
    terms::prepare,
    values,
};
use agon_core::{Failure, Seat, clock::print_duration};
use agon_games::{AnyGame, AnyInterview, Reply};
use agon_play::{BotSpec, Cancel, Helper, NamedBot, Preparer, load_replay};
use agon_referee::{EntryRecord, JsonList, PlyRecord, SeekError};
use agon_replay::LineOfPlay;
use agon_run::{CancelFlag, Launch};
use agon_sandbox::Confinement;
use agon_spec::{AskDocument, ExchangePiece, PresentAnswer, RecordedAnswer};
use agon_spec::{Limits, MatchSpec};
use clap::Args;
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// The maximum number of bytes that a bot may write without a decision.
const MOST: usize = 1 << 20;

/// Take a bot through a recorded match and ask what it would do now.
///
/// The bot is sent the match as it was recorded, whatever it answers. At turn N, Agon shows the bot's prompt byte for
/// byte, and its answer beside the recorded one.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay ask game.jsonl --ply 40 --seat 1 'python3 bot.py'
  agon replay ask game.jsonl --ply 40 --seat 2 @random --format json")]
pub struct Ask {
    /// The replay.
    file: PathBuf,
    /// The turn in which to ask the bot, counted from 1.
    #[arg(long, visible_alias = "turn", value_name = "N")]
    #[arg(value_parser = place::ply().range(1..), allow_negative_numbers = true)]
    ply: u32,
    /// The seat, counted from 1.
    #[arg(long, value_name = "S", value_parser = place::seat(), allow_negative_numbers = true)]
    seat: u8,
    /// The bot, as in `agon match`.
    #[arg(value_name = "BOT")]
    bot: String,
    /// How long to wait for each answer.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::time)]
    wait: Duration,
    #[command(flatten)]
    sandbox: SandboxOptions,
    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Results")]
    format: Format,
}

/// A prompt and the bot's answer.
struct Answer {
    prompt: Vec<u8>,
    /// What each side wrote after the prompt.
    exchange: Vec<(Side, Vec<u8>)>,
    orders: JsonList,
    refusal: Option<String>,
    wall: Duration,
    /// The first earlier turn in which the bot's decision differs from the recorded one.
    strayed: Option<u32>,
}

/// The side that writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Bot,
    /// What the referee writes between parts of one decision, in protocols that have this.
    Referee,
}

/// Returns whether the bot did not decide in the recorded match.
fn broke_down(entry: &EntryRecord) -> bool {
    entry.failure.is_some_and(Failure::is_breakdown)
}

impl Answer {
    fn is_as_recorded(&self, entry: &EntryRecord) -> bool {
        self.orders == entry.orders && !broke_down(entry)
    }

    /// Adds bytes to the exchange. Consecutive bytes from one side form one piece.
    fn add(&mut self, side: Side, bytes: &[u8]) {
        match self.exchange.last_mut() {
            _ if bytes.is_empty() => {}
            Some((last, piece)) if *last == side => piece.extend(bytes),
            _ => self.exchange.push((side, bytes.to_vec())),
        }
    }

    /// Returns everything that the bot wrote.
    fn said(&self) -> Vec<u8> {
        self.exchange.iter().filter(|(side, _)| *side == Side::Bot).flat_map(|(_, piece)| piece.clone()).collect()
    }
}

impl Ask {
    /// Starts a bot that is a process, in the sandbox of a match.
    fn start(
        &self,
        game: &dyn AnyGame,
        bot: &NamedBot,
        spec: &MatchSpec,
        seat: Seat,
        printer: &Printer,
        cancel: &Cancel,
    ) -> Result<Talk> {
        let mut preparer = Preparer::new(Helper::ThisProgram, self.sandbox.options(), cancel.clone());
        let bot = prepare(&mut preparer, game, bot, printer)?;
        if let Some(warning) = preparer.warning() {
            printer.warning(clean(warning));
        }
        let memory_mib = spec.memory_mib(seat).or(Some(Confinement::MEMORY_MIB));
        let limits = Limits { memory_mib, ..spec.limits };
        let Launch::Program(program) = bot.launch(&limits, spec.seed, seat) else {
            return Err(Error::user("a built-in bot is no process").exit(Exit::Internal));
        };
        Talk::start(&program).map_err(|why| {
            let exit = if why.fault() == agon_play::StartFault::Host { Exit::Sandbox } else { Exit::NotStarted };
            Error::user(format!("the bot could not be started: {}", clean(&why.to_string()))).exit(exit)
        })
    }

    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let (replay, game) = load_replay(&self.file)?;
        let play = replay.line_of_play();
        let spec = &play.spec;
        let seat = place::seat_of(self.seat, spec.seats.len())?;
        let entry = self.recorded(&play, seat)?;
        let interview = game.interview(spec, seat)?;
        let bot = NamedBot::parse(game, &self.bot).map_err(agon_play::Error::from)?;
        let cancel = interrupt::armed()?;
        let talk = match &bot.spec {
            BotSpec::Builtin(name) => {
                let bot = game.wire_bot(name, spec.bot_seed(seat));
                Talk::builtin(bot.ok_or_else(|| Error::user(format!("there is no built-in bot `{name}`")))?)
            }
            _ => self.start(game, &bot, spec, seat, printer, &cancel)?,
        };
        let mut asking =
            Asking { interview, talk, wait: self.wait, unheard: Vec::new(), cancel: cancel.flag().clone() };
        let answer = asking.lead(&play, seat, self.ply)?;
        match self.format {
            Format::Text => printer.data(self.text(entry, &answer, printer.colour))?,
            Format::Json => printer.document(self.document(entry, &answer))?,
        }
        Ok(Exit::Done)
    }

    fn document(&self, entry: &EntryRecord, answer: &Answer) -> AskDocument {
        let piece = |(side, piece): &(Side, Vec<u8>)| ExchangePiece {
            stream: if *side == Side::Bot { "out" } else { "in" }.to_owned(),
            bytes: one_char_a_byte(piece),
        };
        AskDocument {
            replay: self.file.display().to_string(),
            ply: self.ply,
            seat: self.seat,
            prompt: one_char_a_byte(&answer.prompt),
            then: RecordedAnswer { orders: entry.orders.clone(), failure: entry.failure, wall_us: entry.wall_us },
            now: PresentAnswer {
                said: one_char_a_byte(&answer.said()),
                exchange: answer.exchange.iter().map(piece).collect(),
                orders: answer.orders.clone(),
                refusal: answer.refusal.as_deref().map(clean),
                wall_us: answer.wall.as_micros() as u64,
            },
            same: answer.is_as_recorded(entry),
            strayed: answer.strayed,
        }
    }

    /// Returns the recorded decision of the seat in that turn.
    fn recorded<'a>(&self, play: &LineOfPlay<&'a PlyRecord>, seat: Seat) -> Result<&'a EntryRecord> {
        let no_turn = || not_reached(&SeekError::NoTurn { ply: self.ply, turns: play.plies() });
        let record = *play.turns.get(self.ply as usize - 1).ok_or_else(no_turn)?;
        record.entries.iter().find(|e| e.seat == seat).ok_or_else(|| {
            let asked: Vec<String> = record.entries.iter().map(|e| e.seat.to_string()).collect();
            Error::user(format!("seat {seat} was not asked in turn {}", self.ply))
                .hint(format!("it was the turn of seat {}", asked.join(", ")))
        })
    }

    fn text(&self, entry: &EntryRecord, answer: &Answer, colour: bool) -> String {
        let mut out = format!("{}\n", Style::Strong.paint("prompt, byte for byte:", colour));
        for line in answer.prompt.split_inclusive(|b| *b == b'\n') {
            out.push_str(&format!("  | {}\n", escape_bytes(line)));
        }
        out.push_str(&format!("\n{}\n", Style::Strong.paint("answer now, byte for byte:", colour)));
        for (side, piece) in &answer.exchange {
            let mark = if *side == Side::Bot { '|' } else { '>' };
            for line in piece.split_inclusive(|b| *b == b'\n') {
                out.push_str(&format!("  {mark} {}\n", cut(&escape_bytes(line), 200)));
            }
        }
        if answer.exchange.iter().any(|(side, _)| *side == Side::Referee) {
            out.push_str("  (`>` marks what the referee sent in between)\n");
        }
        let orders = |orders: &JsonList| {
            let shown: Vec<String> = orders.texts().map(clean).collect();
            if shown.is_empty() { "no order".to_owned() } else { shown.join(" ") }
        };
        let then = entry.failure.map_or_else(String::new, |failure| format!(", failed: {}", failure_word(failure)));
        let now = answer.refusal.as_ref().map_or_else(String::new, |r| format!(", refused: {}", clean(r)));
        out.push_str(&format!("\nthen  {}{then} ({})\n", orders(&entry.orders), print_micros(entry.wall_us)));
        let micros = answer.wall.as_micros() as u64;
        out.push_str(&format!("now   {}{now} ({})\n", orders(&answer.orders), print_micros(micros)));
        out.push_str(if answer.is_as_recorded(entry) {
            "\nthe same decision\n"
        } else if broke_down(entry) {
            "\nanother decision: it decided nothing then\n"
        } else {
            "\nanother decision\n"
        });
        if let Some(ply) = answer.strayed {
            out.push_str(&format!("it decided otherwise before, first in turn {ply}\n"));
        }
        out
    }
}

/// A bot that is taken through a match.
struct Asking {
    interview: Box<dyn AnyInterview>,
    talk: Talk,
    wait: Duration,
    /// The bot's output after its last decision.
    unheard: Vec<u8>,
    /// The flag that Ctrl-C sets.
    cancel: CancelFlag,
}

impl Asking {
    fn lead(&mut self, play: &LineOfPlay<&PlyRecord>, seat: Seat, ply: u32) -> Result<Answer> {
        let mut told = Vec::new();
        let awaited = self.interview.greet(&mut told);
        let mut strayed = None;
        self.tell(&told, 0)?;
        if awaited {
            self.answer(told, 0)?;
        }
        for record in &play.turns {
            if self.interview.is_awaited() {
                let mut prompt = Vec::new();
                self.interview.prompt(&mut prompt);
                self.tell(&prompt, record.ply)?;
                let answer = self.answer(prompt, record.ply)?;
                if record.ply == ply {
                    return Ok(Answer { strayed, ..answer });
                }
                let mine = record.entries.iter().find(|entry| entry.seat == seat);
                if mine.is_some_and(|entry| entry.orders != answer.orders) {
                    strayed.get_or_insert(record.ply);
                }
            }
            let mut verdict = Vec::new();
            self.interview
                .step(record, &mut verdict)
                .map_err(|mismatch| Error::user(clean(&mismatch.to_string())).exit(Exit::Differs))?;
            self.tell(&verdict, record.ply)?;
        }
        Err(Error::user(format!("by the rules, the seat does not decide in turn {ply}")).exit(Exit::Differs))
    }

    fn tell(&mut self, bytes: &[u8], ply: u32) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.talk
            .tell(bytes)
            .map_err(|why| Error::user(format!("turn {ply}: the bot did not understand its input: {}", clean(&why))))
    }

    /// Waits for a whole decision, or for the answer to the greeting.
    fn answer(&mut self, prompt: Vec<u8>, ply: u32) -> Result<Answer> {
        // A bot that answers immediately never reaches the wait below, which also looks at the flag.
        if self.cancel.is_cancelled() {
            return Err(interrupt::error());
        }
        let asked = Instant::now();
        let until = asked + self.wait;
        let (exchange, orders) = (Vec::new(), JsonList::default());
        let mut answer = Answer { prompt, exchange, orders, refusal: None, wall: Duration::ZERO, strayed: None };
        let mut ended = false;
        loop {
            let mut reply = Vec::new();
            let (used, heard) = self.interview.hear(&self.unheard, ended, &mut reply);
            let used: Vec<u8> = self.unheard.drain(..used).collect();
            answer.add(Side::Bot, &used);
            answer.add(Side::Referee, &reply);
            self.tell(&reply, ply)?;
            match heard {
                Reply::Ready => {}
                Reply::Decision { orders, refusal } => (answer.orders, answer.refusal) = (orders, refusal),
                Reply::Nonsense { line, why } => {
                    return Err(self.failed(ply, &format!("nonsense: `{}`: {}", clean(&line), clean(&why))));
                }
                Reply::More if !used.is_empty() => continue,
                Reply::More if ended => return Err(self.failed(ply, "its output ended before it had answered")),
                Reply::More if self.unheard.len() > MOST => {
                    return Err(self.failed(ply, &format!("more than {MOST} bytes without a decision")));
                }
                Reply::More => {
                    match self.talk.hear(until, &self.cancel) {
                        talk::Received::Bytes(bytes) => self.unheard.extend(bytes),
                        talk::Received::End => ended = true,
                        talk::Received::Cancelled => return Err(interrupt::error()),
                        talk::Received::Nothing => {
                            let why = format!("no complete answer within {}", print_duration(self.wait));
                            return Err(self.failed(ply, &why).hint("--wait gives it more time"));
                        }
                    }
                    continue;
                }
            }
            return Ok(Answer { wall: asked.elapsed(), ..answer });
        }
    }

    /// Returns the error for a failed bot, with the end of its stderr.
    fn failed(&self, ply: u32, why: &str) -> Error {
        let place = if ply == 0 { "in the greeting".to_owned() } else { format!("in turn {ply}") };
        let stderr = clean_lines(&self.talk.stderr());
        let lines: Vec<&str> = stderr.lines().collect();
        let last: String = lines[lines.len().saturating_sub(12)..].iter().map(|line| format!("\n  | {line}")).collect();
        let words = if last.is_empty() { String::new() } else { format!("\n  its stderr:{last}") };
        Error::user(format!("the bot failed {place}: {why}{words}"))
    }
}
