use super::*;
use crate::{
    command::console::clock,
    printer::{Printer, When},
};
use agon_core::Failure;
use agon_play::{Helper, SandboxOptions};
use clap::Parser;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    terms: Terms,
}

/// Calls `test` with a session in which a program has been asked that has 1 ms, and with its deadline.
fn with_a_deadline(test: impl FnOnce(Session<'_>, Duration)) {
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
    test(session, deadline);
}

fn pass(session: &Session<'_>, deadline: Duration) {
    while session.recorder.now() <= deadline {
        std::hint::spin_loop();
    }
}

fn report(at: Duration, news: News) -> Report {
    Report { seat: Seat::new(0), run: 1, at, news }
}

fn failures(session: &mut Session<'_>) -> Vec<Option<Failure>> {
    let (_, answer) = session.next_answer().expect("both seats have decided");
    answer.turns[0].entries.iter().map(|entry| entry.failure).collect()
}

/// The pipe of a bot is read by another thread, so what it wrote in time may lie in the channel when its time is over.
#[test]
fn an_answer_in_time_is_heard_before_its_seat_is_judged() {
    with_a_deadline(|mut session, deadline| {
        let at = deadline.saturating_sub(Duration::from_micros(1));
        session.report.send(report(at, News::Output(b"go\n".to_vec()))).expect("the session hears");
        pass(&session, deadline);
        session.tick();
        assert_eq!(failures(&mut session), [None, None]);
    });
}

/// That thread may have read the answer, and not have sent it yet.
#[test]
fn nobody_is_judged_before_all_is_reported_that_was_read_in_time() {
    with_a_deadline(|mut session, deadline| {
        let reading = session.recorder.read_at(deadline.saturating_sub(Duration::from_micros(1)));
        pass(&session, deadline);
        session.tick();
        assert!(session.next_answer().is_none(), "what was read may be the answer");
        session.report.send(report(reading.at, News::Output(b"go\n".to_vec()))).expect("the session hears");
        drop(reading);
        session.tick();
        assert_eq!(failures(&mut session), [None, None]);
    });
}

/// A bot that writes without end to stderr leaves no moment in which nothing is reported.
#[test]
fn a_flood_of_stderr_does_not_stop_the_clocks() {
    with_a_deadline(|mut session, deadline| {
        pass(&session, deadline);
        let flood = News::Stderr { bytes: b"flood\n".to_vec(), lost: 0, is_last: false };
        session.hear(report(session.recorder.now(), flood));
        assert_eq!(failures(&mut session), [Some(Failure::Late), None]);
    });
}
