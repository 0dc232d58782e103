//! Compares the instant bot of the toy game as a WASM module with the native one.

use super::{
    Effort, Row,
    bot::TAKE,
    duel::{Duel, interrupted},
    exchange::difference,
    matches::first_prompt,
    millis,
    rounds::Rounds,
};
use agon_cli::{
    error::{Error, Result, reason},
    exit::Exit,
};
use agon_core::{Seat, Seed};
use agon_play::{BotSpec, Cancel, Helper, NamedBot, Preparer, SandboxOptions};
use agon_run::{Launch, Options, Program};
use agon_spec::Limits;
use std::path::PathBuf;

/// The number of turns of the short match and of the long one.
const TURNS: [u32; 2] = [2_000, 22_000];
const QUICK: [u32; 2] = [500, 5_000];

/// The module in a file. The file is deleted after it has been compiled.
struct Module(PathBuf);

impl Module {
    fn write() -> Result<Self> {
        let bytes = wat::parse_str(include_str!("instant.wat"))
            .map_err(|why| Error::user(format!("the instant bot cannot be compiled to WASM: {why}")))?;
        let path = std::env::temp_dir().join(format!("agon-bench-{}.wasm", std::process::id()));
        let module = Self(path);
        std::fs::write(&module.0, bytes)
            .map_err(|why| Error::user(format!("cannot write `{}`: {}", module.0.display(), reason(&why))))?;
        Ok(module)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Returns the program that plays the module. It runs outside a sandbox, like the native bot.
fn program() -> Result<Program> {
    let module = Module::write()?;
    let limits = Limits { memory_mib: Some(64), ..Limits::default() };
    let cancel = Cancel::new().map_err(agon_play::Error::Run)?;
    let mut preparer = Preparer::new(Helper::ThisProgram, SandboxOptions::none(), cancel);
    let bot = NamedBot {
        name: "instant".into(),
        words: String::new(),
        spec: BotSpec::Wasm(module.0.clone()),
        is_named: true,
    };
    // The program that plays a module does not depend on the game.
    let game = agon_games::all()[0];
    match preparer.prepare(game, &bot, &mut |_| ())?.launch(&limits, Seed(1), Seat::new(0)) {
        Launch::Program(program) => Ok(program),
        _ => Err(Error::user("a module is played by a program").exit(Exit::Internal)),
    }
}

/// Measures an exchange, and one with native bots.
pub fn exchange(effort: &Effort) -> Result<Row> {
    let _pinned = effort.pin()?;
    let program = program()?;
    let [short, long] = effort.choose(QUICK, TURNS);
    let native = [Duel::toy(short)?, Duel::toy(long)?];
    let modules = native.clone().map(|duel| duel.played_by(&program));
    let (mut ours, mut theirs, mut ratios) = (Rounds::default(), Rounds::default(), Rounds::default());
    for round in 0..effort.choose(5, 15) {
        if effort.cancel.is_cancelled() {
            return Err(interrupted());
        }
        let measure = |duels: &[Duel; 2]| {
            difference(|i| duels[i].play_through(effort.cancel.flag(), Options::default()).map(|_| ()))
                .map(|cost| cost.each(long - short)[1])
        };
        let [module, bare] = if round % 2 == 0 {
            let module = measure(&modules)?;
            [module, measure(&native)?]
        } else {
            let bare = measure(&native)?;
            [measure(&modules)?, bare]
        };
        ours.add(module);
        theirs.add(bare);
        if bare > 0.0 {
            ratios.add(module / bare);
        }
    }
    Ok(Row {
        floor: Some(theirs.median()),
        ratio: Some(ratios.median()),
        scatter: ratios.scatter(),
        remark: Some(format!("compared with native bots; {}-byte answers", TAKE.len())),
        ..Row::new("toy-16-wasm", ours.median(), "us of CPU per exchange")
    })
}

/// Measures the time from the start of a host to the first prompt of its bot, and the same for a native bot.
pub fn start(effort: &Effort) -> Result<Row> {
    let _pinned = effort.pin()?;
    let native = Duel::toy(2)?.against_builtin();
    let module = Duel::toy(2)?.played_by(&program()?).against_builtin();
    let (mut ours, mut theirs, mut ratios) = (Rounds::default(), Rounds::default(), Rounds::default());
    for _ in 0..effort.choose(20, 200) {
        let [module, native] =
            [&module, &native].map(|duel| first_prompt(effort, duel, |bytes| bytes.starts_with(b"heap")));
        let (module, native) = (module?, native?);
        ours.add(millis(module));
        theirs.add(millis(native));
        ratios.add(module.as_secs_f64() / native.as_secs_f64());
    }
    Ok(Row {
        floor: Some(theirs.median()),
        ratio: Some(ratios.median()),
        scatter: ours.scatter(),
        remark: Some("start of a host to the first prompt, compared with a native bot; already compiled".to_owned()),
        ..Row::new("toy-start-wasm", ours.median(), "ms")
    })
}
