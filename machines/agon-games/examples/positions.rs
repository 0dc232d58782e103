//! A minimal program that looks at positions. It reads a replay from stdin, plays it again and prints every
//! fingerprint.
//!
//! The program contains no bot, dialogue or generator. A test of `xtask` looks at its symbols to make sure of that.

use agon_games::positions;
use agon_replay::Replay;
use std::process::ExitCode;

fn main() -> ExitCode {
    match show() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a program reads its input; the crate does not")]
fn show() -> Result<(), String> {
    let replay = Replay::read(std::io::stdin().lock()).map_err(|why| why.to_string())?;
    let spec = &replay.header.spec;
    let game = positions::find(&spec.game)
        .ok_or_else(|| format!("this version of Agon does not have the game `{}`", spec.game))?;
    let mut rerun = game.rerun(spec).map_err(|flaw| flaw.to_string())?;
    println!("start {}", rerun.board().fingerprint());
    for record in replay.plies() {
        let mut events = 0;
        rerun
            .step_through(record, &mut |step| events += step.events().len())
            .map_err(|mismatch| mismatch.to_string())?;
        println!("turn {} {} {} events", record.ply, rerun.board().fingerprint(), events);
    }
    let position = rerun.board();
    println!("{} {:?}", position.picture().title, position.awaiting().iter().next().map(|seat| position.legal(seat)));
    Ok(())
}
