//! `agon bot GAME NAME` runs a built-in bot as a process that speaks the wire protocol.

use crate::{
    error::{Error, Result, reason},
    exit::Exit,
    game::seat_range,
    values,
};
use agon_core::{Seat, Seed};
use agon_games::Attending;
use clap::Args;
use std::io::{self, Read, Write};

/// Run a built-in bot as a process that speaks the wire protocol on stdin and stdout.
///
/// It decides as `@NAME` does in a match with the same seed and seat.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon bot planet-wars random
  agon match planet-wars 'agon bot planet-wars random --seed 7' @random --seed 7")]
pub struct Bot {
    /// The game.
    #[arg(value_parser = values::game(), hide_possible_values = true)]
    game: String,

    /// The name of the bot; `agon games GAME` lists them.
    #[arg(value_name = "NAME")]
    name: String,

    /// The seed of the match.
    #[arg(long, value_name = "SEED", default_value_t = 0, value_parser = values::seed, allow_negative_numbers = true)]
    seed: u64,

    /// The seat in the match, counted from 1.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=32))]
    seat: u8,
}

impl Bot {
    pub fn run(self) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        let name = self.name.strip_prefix('@').unwrap_or(&self.name);
        let name = agon_play::builtin(game, name, "").map_err(agon_play::Error::from)?;
        let seat = Seat::from_number(self.seat).ok_or_else(|| Error::user("a seat is between 1 and 32"))?;
        let most = *game.info().seats.end();
        if seat.index() >= most {
            return Err(Error::user(format!(
                "--seat {seat}: {} is played by {} bots",
                game.info().title,
                seat_range(game)
            )));
        }
        let Some(mut bot) = game.wire_bot(name, Seed(self.seed).for_bot(seat)) else {
            return Err(game.info().no_bot("", name).into());
        };
        let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
        let mut chunk = vec![0; 64 * 1024];
        let mut answer = Vec::new();
        loop {
            let count = match input.read(&mut chunk) {
                Ok(0) => return Ok(Exit::Done),
                Ok(count) => count,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                Err(why) => return Err(Error::user(format!("cannot read what the referee sends: {}", reason(&why)))),
            };
            let attending = bot.hear(&chunk[..count], &mut answer);
            // The reader has closed our output, so the match is over. This is not an error.
            if output.write_all(&answer).and_then(|()| output.flush()).is_err() {
                return Ok(Exit::Done);
            }
            answer.clear();
            match attending {
                Ok(Attending::Yes) => {}
                Ok(Attending::No) => return Ok(Exit::Done),
                Err(why) => {
                    let why = crate::clean::clean(&why);
                    return Err(Error::user(format!(
                        "the input does not follow the protocol of {}: {why}",
                        game.info().title
                    )));
                }
            }
        }
    }
}
