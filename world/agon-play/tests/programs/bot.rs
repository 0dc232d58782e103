//! A built-in bot that speaks its wire protocol. The program is also the helper of the sandbox in which it runs.

use agon_core::Seed;
use agon_games::Attending;
use std::io::{Read, Write};

fn main() {
    agon_play::helper();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [game, bot, seed] = &words[..] else { panic!("GAME BOT SEED") };
    let game = agon_play::find_game(game).expect("a game");
    let mut bot = game.wire_bot(bot, Seed(seed.parse().expect("a number"))).expect("a built-in bot");
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let (mut chunk, mut answer) = (vec![0; 64 << 10], Vec::new());
    while let Ok(count @ 1..) = input.read(&mut chunk) {
        let attending = bot.hear(&chunk[..count], &mut answer).expect("the protocol of the game");
        if output.write_all(&answer).and_then(|()| output.flush()).is_err() || attending == Attending::No {
            return;
        }
        answer.clear();
    }
}
