use super::*;
use crate::{
    command::console::clock,
    printer::{Printer, When},
};
use agon_play::{Helper, SandboxOptions};
use clap::Parser;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    terms: Terms,
}

/// The pipe of a bot is read by another thread, so what it wrote in time may lie in the channel when its time is over.
#[test]
fn an_answer_in_time_is_heard_before_its_seat_is_judged() {
    let game = agon_games::find("planet-wars").expect("a game");
    let Arguments { terms } = Arguments::parse_from(["", "--seed", "1"]);
    let printer = Printer::new(true, When::Never);
    let cancel = Cancel::new().expect("descriptors");
    let mut preparer = Preparer::new(Helper::ThisProgram, SandboxOptions::none(), cancel.clone());
    let named = ["sleep 1000", "@random"].map(|words| parse_bot(game, words).expect(words));
    let bots = named.iter().map(|bot| prepare_bot(&mut preparer, game, bot, &printer).expect("it exists")).collect();
    let clock = clock::read(game, "off,move=1ms").expect("a clock").expect("it has a limit");
    let plan = terms.terms().plan(game, &named).expect("a match").with_clock(clock);
    let wait = Duration::from_secs(600);
    let mut session = Session::new(game, plan, bots, preparer, (&terms, &printer), cancel, wait).expect("a session");

    assert!(session.begin(1, "go"));
    let deadline = session.console.deadline().expect("the clock of the bot runs");
    let at = deadline.saturating_sub(Duration::from_micros(1));
    let report = Report { seat: Seat::new(0), run: 1, at, news: News::Output(b"go\n".to_vec()) };
    session.report.send(report).expect("the session hears");
    while session.recorder.now() <= deadline {
        std::hint::spin_loop();
    }
    session.tick();
    let (_, answer) = session.next_answer().expect("both seats have decided");
    assert_eq!(answer.turns[0].entries.iter().map(|entry| entry.failure).collect::<Vec<_>>(), [None, None]);
}
