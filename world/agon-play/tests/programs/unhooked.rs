//! A program that plays matches and does not begin with `agon_play::helper()`. Agon must never start it as a helper.
//! The program adds a line to a file each time it starts.

use agon_play::{Cancel, Error, Helper, IsolationChoice, MatchTerms, NamedBot, PlayOptions, Preparer, SandboxError};
use agon_play::{SandboxOptions, play};
use agon_spec::Isolation;
use std::{fs::OpenOptions, io::Write};

fn main() {
    let log = std::env::args().nth(1).expect("a file");
    let mut log = OpenOptions::new().append(true).create(true).open(log).expect("it can be written to");
    writeln!(log, "started").expect("it can be written to");

    let game = agon_play::find_game("grid").expect("a game");
    let command = NamedBot::parse(game, "cat").expect("a command");
    for isolation in [IsolationChoice::Auto, IsolationChoice::Exactly(Isolation::Restricted)] {
        let options = SandboxOptions { isolation, ..SandboxOptions::default() };
        let mut preparer = Preparer::new(Helper::ThisProgram, options, Cancel::new().expect("descriptors"));
        let refused = preparer.prepare(game, &command, &mut |_| ()).expect_err("there is no helper");
        assert!(matches!(refused, Error::Sandbox(SandboxError::NoHelper)), "{refused}");
        assert!(preparer.warning().is_none(), "nothing was decided");
    }

    let bots = ["@random", "@random"].map(|words| NamedBot::parse(game, words).expect("a built-in bot"));
    let mut preparer =
        Preparer::new(Helper::ThisProgram, SandboxOptions::default(), Cancel::new().expect("descriptors"));
    let prepared: Vec<_> =
        bots.iter().map(|bot| preparer.prepare(game, bot, &mut |_| ()).expect("they need no helper")).collect();
    let plan = MatchTerms::default().plan(game, &bots).expect("a match");
    let result = play(game, &plan.spec(&prepared), &prepared, PlayOptions::default(), &mut |_| ()).expect("a result");
    assert_eq!(result.seats.len(), 2);
    println!("no helper, and no lower level");
}
