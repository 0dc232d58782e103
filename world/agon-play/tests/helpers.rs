//! Programs that are not `agon` and play matches.

use agon_core::Seed;
use agon_play::{
    Cancel, Helper, IsolationChoice, MatchTerms, NamedBot, Outcome, PlayOptions, Preparer, SandboxOptions, level_works,
    play,
};
use agon_spec::Isolation;
use std::process::Command;

const BOT: &str = env!("CARGO_BIN_EXE_agon-play-bot");

/// Returns the levels of isolation that work here. Prints a message if there is none, because the test then tests
/// nothing.
fn levels() -> Vec<Isolation> {
    name_the_helper();
    let levels: Vec<_> =
        [Isolation::Full, Isolation::Restricted].into_iter().filter(|level| level_works(*level).is_ok()).collect();
    if levels.is_empty() {
        assert!(std::env::var_os("CI").is_none(), "no level of isolation works here");
        eprintln!("NOT TESTED: no level of isolation works here");
    }
    levels
}

/// Names another program as the helper: the `main` of a test binary belongs to the test harness.
fn name_the_helper() {
    let mut preparer = Preparer::new(helper(), SandboxOptions::default(), Cancel::new().expect("descriptors"));
    preparer.decide().expect("a level");
}

fn helper() -> Helper {
    Helper::Program(BOT.into())
}

#[test]
fn a_plain_test_binary_plays_a_process_in_a_sandbox() {
    let game = agon_play::find_game("grid").expect("a game");
    for level in levels() {
        let options = SandboxOptions { isolation: IsolationChoice::Exactly(level), ..SandboxOptions::default() };
        let mut preparer = Preparer::new(helper(), options, Cancel::new().expect("descriptors"));
        let bots = [format!("me={BOT} grid frontier 1"), "@random".to_owned()];
        let bots = bots.map(|words| NamedBot::parse(game, &words).expect("a bot"));
        let prepared: Vec<_> =
            bots.iter().map(|bot| preparer.prepare(game, bot, &mut |_| ()).expect("it can be started")).collect();
        assert_eq!(prepared[0].isolation(), Some(level));
        for seed in 1..=2 {
            let terms = MatchTerms { seed: Seed(seed), ..MatchTerms::default() };
            let spec = terms.plan(game, &bots).expect("a match").spec(&prepared);
            assert_eq!(spec.limits.isolation, Some(level));
            let result = play(game, &spec, &prepared, PlayOptions::default(), &mut |_| ()).expect("it is played");
            assert!(matches!(result.outcome, Outcome::Finished(_)), "{:?}", result.outcome);
            assert!(result.seats[0].fault.is_none(), "{:?}", result.seats[0].fault);
            assert!(result.seats[0].times.count() > 0, "it was asked");
        }
    }
}

#[test]
fn a_program_without_the_hook_is_never_started_anew() {
    let log = std::env::temp_dir().join(format!("agon-play-unhooked-{}", std::process::id()));
    let _ = std::fs::remove_file(&log);
    let run = Command::new(env!("CARGO_BIN_EXE_agon-play-unhooked")).arg(&log).output().expect("it starts");
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    let started = std::fs::read_to_string(&log).expect("it has left a line");
    std::fs::remove_file(&log).expect("it is ours");
    assert!(run.status.success(), "{said}");
    assert_eq!((said.as_str(), started.as_str()), ("no helper, and no lower level\n", "started\n"));
}
