//! Measures the console: a raw command beside the same bytes over a bare pipe, and undo and redo over many turns.

use super::{
    Effort, Goal, Row,
    boards::spec,
    bot::{ANSWER, Behaviour},
    duel::interrupted,
    floor::{Partner, bare},
    micros, millis,
    rounds::Rounds,
};
use crate::AGON;
use agon_cli::{
    error::{Error, Result, reason},
    exit::Exit,
};
use agon_console::{Binding, Console, Effect};
use agon_core::{Seed, text::counted};
use agon_games::AnyGame;
use agon_referee::SeatKind;
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

/// What a raw command may cost more than its bytes over a bare pipe, in microseconds.
const MORE: f64 = 2000.0;
/// How long an undo or a redo may take, in milliseconds.
const FAR: f64 = 100.0;
/// How many turns are played, and nearly all of them taken back.
const TURNS: u32 = 1000;
/// After how many turns, from the first on, an undo ends.
const ENDS: u32 = 8;
/// The raw command.
const NAME: &[u8] = b"name\n";
/// The commands of a round.
const BATCH: u32 = 100;

/// Measures raw commands, then undo and redo of each game, on one core.
pub fn run(effort: &Effort) -> Result<Vec<Row>> {
    let _pinned = effort.pin()?;
    let mut rows = raw(effort)?;
    for game in agon_games::all() {
        rows.extend(far(effort, *game)?);
    }
    Ok(rows)
}

/// Measures a raw command at `agon console --terminal --format json`, from the write of its line to the read of its answer.
fn raw(effort: &Effort) -> Result<Vec<Row>> {
    let failed = |why: std::io::Error| Error::user(format!("the bare ping-pong failed: {}", reason(&why)));
    let mut prompt = Prompt::start()?;
    let partner = bare(Behaviour::Triangles).and_then(Partner::start).map_err(failed)?;
    let mut buffer = [0; 256];
    let mut bare_ask = || partner.ask(NAME, ANSWER.len(), &mut buffer).map_err(failed);
    // The first command starts the bot and greets it.
    prompt.name()?;
    bare_ask()?;
    let (mut ours, mut least, mut more, mut ratios) =
        (Rounds::default(), Rounds::default(), Rounds::default(), Rounds::default());
    for round in 0..effort.choose(10, 50) {
        if effort.cancel.is_cancelled() {
            return Err(interrupted());
        }
        let mut batch = [Rounds::default(), Rounds::default()];
        for i in 0..BATCH {
            // The order alternates, so that a machine that becomes busier favours neither side.
            let sides = if (round + i) % 2 == 0 { [0, 1] } else { [1, 0] };
            for side in sides {
                let start = Instant::now();
                if side == 0 {
                    prompt.name()?
                } else {
                    bare_ask()?
                }
                batch[side].add(micros(start.elapsed()));
            }
        }
        let [console, pipe] = batch.map(|times| times.median());
        ours.add(console);
        least.add(pipe);
        more.add(console - pipe);
        ratios.add(console / pipe);
    }
    let remark = format!("`name` and an answer of {} bytes", ANSWER.len());
    Ok(vec![
        Row {
            floor: Some(least.median()),
            ratio: Some(ratios.median()),
            scatter: ratios.scatter(),
            remark: Some(remark),
            ..Row::new("triangles-raw", ours.median(), "us per raw command")
        },
        Row {
            goal: Goal::Value(MORE),
            scatter: more.scatter(),
            remark: Some("more than a bare pipe".to_owned()),
            ..Row::new("triangles-raw-more", more.median(), "us per raw command")
        },
    ])
}

/// `agon console` as a process, with an instant bot in seat 2. It is killed when this is dropped.
struct Prompt {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Prompt {
    fn start() -> Result<Self> {
        let failed = |why: std::io::Error| Error::user(format!("cannot start the console: {}", reason(&why)));
        let words = Behaviour::Triangles.command().map_err(failed)?.map(|word| word.to_string_lossy().into_owned());
        let bot = shlex::try_join(words.iter().map(String::as_str))
            .map_err(|why| Error::user(format!("cannot write the path of this program as a word: {why}")))?;
        let mut child = std::env::current_exe()
            .map(Command::new)
            .map_err(failed)?
            .args([AGON, "console", "triangles", "human", &bot, "--seed", "1", "--sandbox", "none"])
            .args(["--terminal", "--format", "json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::user("the console has no pipes").exit(Exit::Internal));
        };
        Ok(Self { child, input, output: BufReader::new(output), line: String::new() })
    }

    /// Sends the raw command and reads its answer.
    fn name(&mut self) -> Result<()> {
        let failed = |why: std::io::Error| Error::user(format!("the console has ended: {}", reason(&why)));
        self.line.clear();
        self.input.write_all(b"raw 2 name\n").map_err(failed)?;
        self.output.read_line(&mut self.line).map_err(failed)?;
        if self.line.contains("\"complete\":true") {
            return Ok(());
        }
        Err(Error::user(format!("the console did not get an answer: {}", agon_cli::clean::clean(self.line.trim_end()))))
    }
}

impl Drop for Prompt {
    fn drop(&mut self) {
        // Both fail only if it has ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Measures an undo over nearly all turns of a session of random bots, and the redo.
fn far(effort: &Effort, game: &'static dyn AnyGame) -> Result<Vec<Row>> {
    let (mut console, matches) = played(game)?;
    let mut times = [Rounds::default(), Rounds::default()];
    for _ in 0..effort.choose(3, 15) {
        let mut batch = [Rounds::default(), Rounds::default()];
        // A position may be kept as it is, or be played again from an earlier one.
        for left in 0..ENDS {
            if effort.cancel.is_cancelled() {
                return Err(interrupted());
            }
            for (times, command) in batch.iter_mut().zip([format!("undo {}", TURNS - left), format!("redo {TURNS}")]) {
                let start = Instant::now();
                say(&mut console, &command)?;
                times.add(millis(start.elapsed()));
            }
        }
        for (times, batch) in times.iter_mut().zip(batch) {
            times.add(batch.median());
        }
    }
    let row = |(times, command): (Rounds, &str)| Row {
        goal: Goal::Value(FAR),
        scatter: times.scatter(),
        remark: Some(format!("in {}", counted(matches, "match"))),
        ..Row::new(format!("{}-{command}", game.name()), times.median(), "ms")
    };
    Ok(times.into_iter().zip(["undo", "redo"]).map(row).collect())
}

/// Returns a session with [`TURNS`] turns of random bots, and its number of matches. After the end of one, the next begins on
/// another map, which is an edit.
fn played(game: &'static dyn AnyGame) -> Result<(Console, u32)> {
    let info = game.info();
    let (kind, bot) = (info.map_kinds[0].name, info.bots[0].name);
    let map = |seed| game.generate(kind, Seed(seed), info.default_seats);
    let binding = Binding { name: bot.to_owned(), words: format!("@{bot}"), kind: SeatKind::Builtin(bot) };
    let spec = spec(game, map(0)?, info.default_seats, info.limit.map(|_| TURNS));
    let mut console = Console::new(game, spec, vec![binding; info.default_seats], None)?;
    let (mut turns, mut matches) = (0, 0);
    loop {
        turns += say(&mut console, &format!("go {}", TURNS - turns))?;
        matches += 1;
        if turns >= TURNS {
            return Ok((console, matches));
        }
        let next = serde_json::to_string(&map(matches.into())?)
            .map_err(|why| Error::user(format!("cannot write a map as JSON: {why}")).exit(Exit::Internal))?;
        say(&mut console, &format!("edit map {next}"))?;
    }
}

/// Gives a command to a console with built-in bots alone. Returns the number of turns of the position.
fn say(console: &mut Console, line: &str) -> Result<u32> {
    let mut answer = None;
    console.command(Duration::ZERO, 0, line);
    while let Some(effect) = console.next() {
        match effect {
            Effect::Think { seat } => console.think(seat, || Duration::ZERO),
            Effect::Answer { document, .. } => answer = Some(document),
            _ => {}
        }
    }
    match answer {
        Some(document) if document.ok => Ok(document.ply),
        _ => Err(Error::user(format!("the console refused `{line}`")).exit(Exit::Internal)),
    }
}
