//! Tests of clocks as tables: questions, writes, counters and looks, and the result. No test sleeps.

use super::*;
use crate::TreeUsage;
use proptest::prelude::*;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn keeper(policy: &str) -> Timekeeper {
    Timekeeper::new(policy.parse().unwrap())
}

#[test]
fn the_deadline_counts_from_the_end_of_the_write_and_nothing_said_later_moves_it() {
    let mut clock = keeper("move=100ms");
    clock.ask(ms(10), false);
    assert_eq!(clock.deadline(), Some(ms(110)), "a bot that does not read is bounded from the question on");
    clock.written(ms(30));
    assert_eq!(clock.deadline(), Some(ms(130)));
    clock.written(ms(90));
    assert_eq!(clock.deadline(), Some(ms(130)));
    assert_eq!(clock.stop(ms(75)), Spent { wall: ms(45), ..Spent::default() });
    assert_eq!(clock.deadline(), None);
}

#[test]
fn a_bot_that_leaves_its_prompt_in_the_way_thinks_in_its_own_time() {
    let mut clock = keeper("move=1s,bank=10s");
    clock.ask(ms(0), false);
    assert_eq!(clock.deadline(), Some(ms(1000)));
    clock.written(ms(990));
    assert_eq!(clock.deadline(), Some(ms(1100)), "not twice the limit");
    assert_eq!(clock.stop(ms(1090)).wall, ms(990));
    assert_eq!(clock.remaining(ms(1090)).bank, Some(ms(9010)), "the bank pays for it");
    clock.ask(ms(2000), false);
    assert_eq!(clock.stop(ms(2600)).wall, ms(500), "also if it has never read it");
}

#[test]
fn the_first_decision_has_its_allowance_and_the_greeting_does_not_use_it_up() {
    let mut clock = keeper("greeting=50ms,move=100ms,first=+2s");
    for (greeting, limit) in [(true, 50), (false, 2100), (false, 100)] {
        clock.ask(ms(0), greeting);
        assert_eq!(clock.limit(), Some(ms(limit)));
        clock.stop(ms(1));
    }
}

#[test]
fn a_clock_goes_on_with_what_another_one_has_left() {
    let policy: ClockPolicy = "move=100ms,first=+1s,bank=2s,increment=10ms".parse().unwrap();
    let mut clock = Timekeeper::new(policy);
    let whole = clock.budget();
    clock.ask(ms(0), false);
    clock.written(ms(0));
    assert_eq!(clock.budget(), whole, "nothing is charged before the answer");
    clock.stop(ms(500));
    let left = Budget { bank: Some(ms(1510)), first: false };
    assert_eq!(clock.budget(), left);
    for (budget, limit) in [(left, 100), (whole, 1100)] {
        let mut other = Timekeeper::with_budget(policy, budget);
        assert_eq!(other.ask(ms(900), false), Remaining { turn: Some(ms(limit)), bank: budget.bank });
    }
}

#[test]
fn a_bank_is_charged_for_what_was_used_and_gets_its_increment() {
    let mut clock = keeper("move=1s,bank=300ms,increment=20ms");
    assert_eq!(clock.ask(ms(0), false), Remaining { turn: Some(ms(1000)), bank: Some(ms(300)) });
    clock.written(ms(0));
    assert_eq!(clock.remaining(ms(40)).bank, Some(ms(260)));
    clock.stop(ms(100));
    clock.ask(ms(500), false);
    clock.written(ms(500));
    assert_eq!(clock.deadline(), Some(ms(720)), "what is left of the bank is less than the move limit");
    let spent = clock.stop(ms(800));
    assert_eq!((spent.wall, spent.lag), (ms(300), ms(80)), "the referee looked 80 ms late");
    assert_eq!(clock.remaining(ms(800)).bank, Some(ms(20)), "and does not charge the bot for that");
}

#[test]
fn a_bank_alone_runs_during_the_greeting_too() {
    let mut clock = keeper("bank=1s");
    clock.ask(ms(0), true);
    clock.written(ms(0));
    clock.stop(ms(300));
    assert_eq!(clock.remaining(ms(300)).bank, Some(ms(700)));
    let mut clock = keeper("bank=1s,greeting=1s");
    clock.ask(ms(0), true);
    clock.written(ms(0));
    clock.stop(ms(300));
    assert_eq!(clock.remaining(ms(300)).bank, Some(ms(1000)));
}

#[test]
fn soft_is_counted_and_still_accepted() {
    let mut clock = keeper("move=1s,soft=100ms");
    for (used, soft_late) in [(100, false), (101, true)] {
        clock.ask(ms(0), false);
        clock.written(ms(0));
        assert_eq!(clock.stop(ms(used)).soft_late, soft_late);
    }
}

/// Returns the usage of one thread: CPU time, waiting and lag in milliseconds.
fn usage(cpu: u64, waited: u64, lag: u64) -> Usage {
    let (cpu, waited) = (ms(cpu), ms(waited));
    let tree = TreeUsage { cpu, busy: cpu, waited, by_others: waited, cores: 2, ..TreeUsage::default() };
    Usage { tree: Some(tree), lag: ms(lag), ..Usage::default() }
}

fn waiting(usage: Usage) -> Usage {
    Usage { tree: usage.tree.map(|tree| TreeUsage { waiting: true, ..tree }), ..usage }
}

/// Adds time in which the system blocked the bot, in milliseconds, and whether it still does.
fn blocked(usage: Usage, blocked: u64, is_blocked: bool) -> Usage {
    Usage { tree: usage.tree.map(|tree| TreeUsage { blocked: ms(blocked), is_blocked, ..tree }), ..usage }
}

/// Returns a clock that started at 0 ms.
fn started(policy: &str) -> Timekeeper {
    let mut clock = keeper(policy);
    clock.ask(ms(0), false);
    clock.written(ms(0));
    clock
}

#[test]
fn time_that_the_host_took_moves_a_deadline_by_the_policy() {
    for (policy, counted, deadline) in [
        ("wall", usage(10, 90, 0), 100),
        ("fair", usage(10, 90, 0), 190),
        ("fair", usage(70, 30, 0), 130),
        ("fair", usage(70, 20, 10), 130),
        ("fair", usage(70, 30, 30), 130),  // no more than it did not compute
        ("fair", usage(10, 0, 0), 100),    // it slept
        ("fair", usage(100, 90, 90), 100), // it computed all the time
        ("fair", Usage { lag: ms(20), ..Usage::default() }, 120),
        ("cpu", usage(40, 0, 0), 130), // on two cores at once 60 ms take 30
        ("cpu", usage(99, 0, 0), 101),
        ("cpu", usage(100, 0, 0), 100),
        ("cpu", Usage { lag: ms(20), ..Usage::default() }, 100),
    ] {
        let mut clock = started(&format!("move=100ms,policy={policy}"));
        assert!(clock.is_up(ms(100)) && !clock.is_up(ms(99)));
        clock.counted(ms(100), counted);
        assert_eq!(clock.deadline(), Some(ms(deadline)), "{policy} {counted:?}");
        assert_eq!(clock.is_up(ms(100)), deadline == 100, "{policy} {counted:?}");
    }
}

#[test]
fn at_most_one_more_limit_is_given_back() {
    let mut clock = started("move=50ms");
    for at in [50, 60, 75, 99] {
        clock.counted(ms(at), waiting(usage(0, at, 0)));
    }
    assert_eq!(clock.deadline(), Some(ms(100)));
    clock.counted(ms(150), waiting(usage(0, 150, 0)));
    assert_eq!(clock.deadline(), Some(ms(100)), "also if it still waits");
    assert!(clock.is_up(ms(100)));
}

#[test]
fn a_bot_that_waits_for_a_core_when_the_time_is_up_is_looked_at_again() {
    let mut clock = started("move=50ms");
    clock.counted(ms(20), waiting(usage(10, 0, 0)));
    assert_eq!(clock.deadline(), Some(ms(50)), "the time is not up");
    clock.counted(ms(50), waiting(usage(10, 2, 0)));
    assert_eq!(clock.deadline(), Some(ms(55)));
    clock.counted(ms(56), waiting(usage(10, 2, 0)));
    assert_eq!(clock.deadline(), Some(ms(61)));
    clock.counted(ms(61), usage(10, 9, 0));
    assert!(clock.is_up(ms(61)), "it has got its core, and 9 ms is all that it had waited");
    let mut clock = started("move=50ms");
    clock.counted(ms(70), waiting(usage(50, 15, 0)));
    assert_eq!(clock.deadline(), Some(ms(65)), "it had computed for all of its limit");
}

#[test]
fn banks_and_soft_limits_are_charged_what_counts() {
    for (policy, used, soft_late) in [("wall", 80, true), ("fair", 50, false), ("cpu", 40, false)] {
        let mut clock = started(&format!("move=100ms,soft=50ms,bank=200ms,policy={policy}"));
        clock.counted(ms(80), usage(40, 25, 5));
        assert_eq!(clock.remaining(ms(80)).turn, Some(ms(100 - used)), "{policy}");
        let spent = clock.stop(ms(80));
        assert_eq!((spent.wall, spent.soft_late), (ms(80), soft_late), "{policy}");
        assert_eq!(spent.given, ms(if policy == "fair" { 30 } else { 0 }));
        assert_eq!(clock.remaining(ms(80)).bank, Some(ms(200 - used)), "{policy}");
    }
}

#[test]
fn cpu_time_is_limited_and_a_sleeper_cannot_hold_up_the_match() {
    let mut clock = started("move=100ms,policy=cpu");
    let mut at = 100;
    loop {
        clock.counted(ms(at), usage(1, 0, 0));
        if clock.is_up(ms(at)) {
            break;
        }
        at = clock.deadline().unwrap().as_millis() as u64;
    }
    assert_eq!(at, 2000, "ten times the limit and a second");
    let mut clock = started("move=100ms,policy=cpu");
    clock.counted(ms(60), usage(101, 0, 0));
    assert!(clock.is_overdrawn() && clock.is_up(ms(60)), "it used two cores at once");
    clock.cancel();
    assert!(!clock.is_overdrawn());
}

#[test]
fn while_the_system_blocks_a_bot_its_clock_stands_still() {
    let mut clock = started("move=50ms,bank=1s");
    for (at, counted, deadline) in [
        (20, blocked(usage(5, 0, 0), 10, true), 60),
        (60, blocked(usage(5, 2, 0), 45, true), 97),
        (100, blocked(usage(5, 2, 0), 85, true), 137),
        (150, blocked(usage(5, 2, 0), 92, true), 155), // somebody looked late, so the next look decides
        (152, blocked(usage(5, 2, 0), 94, false), 155),
    ] {
        clock.counted(ms(at), counted);
        assert_eq!(clock.deadline(), Some(ms(deadline)), "{at}");
    }
    let spent = clock.stop(ms(153));
    assert_eq!((spent.wall, spent.given, spent.record().blocked_us), (ms(153), ms(96), Some(94_000)));
    assert_eq!(clock.remaining(ms(153)).bank, Some(ms(950)), "no more than the limit is charged");
}

#[test]
fn the_clock_stands_still_for_thirty_seconds_at_most() {
    let mut clock = started("move=50ms");
    let (mut at, mut looks) = (50, 0);
    loop {
        clock.counted(ms(at), blocked(usage(0, 0, 0), at, true));
        if clock.is_up(ms(at)) {
            break;
        }
        at = clock.deadline().unwrap().as_millis() as u64;
        looks += 1;
    }
    assert_eq!((at, looks), (30_050, 600));
}

#[test]
fn blocked_time_is_nothing_else_and_does_not_spoil_a_match() {
    let seat = Seat::new(0);
    let mut clock = started("move=100ms");
    for (counted, blocked_us, given) in [
        (blocked(usage(60, 30, 5), 300, false), 205_000, 240), // no more than is left of 300 ms
        (blocked(usage(300, 0, 0), 300, false), 0, 0),
        (blocked(usage(0, 300, 0), 300, false), 0, 100),
    ] {
        clock.counted(ms(300), counted);
        let spent = clock.spent(ms(300));
        assert_eq!((spent.record().blocked_us.unwrap_or(0), spent.given), (blocked_us, ms(given)));
    }
    let mut clock = started("move=100ms");
    clock.counted(ms(300), blocked(usage(0, 0, 0), 290, false));
    assert_eq!(clock.taken_whole(ms(300), seat, 1), None, "it never was ready to run");
}

proptest! {
    /// Whatever the counters say, a deadline never moves back and never moves beyond twice the limit and the time for which
    /// the system blocked the bot. A bot never gets more time to compute than its limit.
    #[test]
    fn usage_moves_a_deadline_within_one_more_limit(
        limit in 1..1000u64,
        looks in prop::collection::vec((0..200u64, 0..200u64, 0..200u64, 0..200u64, 0..4u8), 1..40),
        blocks in 0..400u64,
        written in 0..50u64,
    ) {
        let mut clock = keeper(&format!("move={limit}ms"));
        clock.ask(ms(0), false);
        clock.written(ms(written));
        let mut deadline = clock.deadline().unwrap();
        prop_assert_eq!(deadline, ms(written + limit));
        let (mut at, mut all) = (written, [0; 3]);
        let mut held = 0;
        for (pause, cpu, waited, lag, state) in looks {
            at += pause;
            held += if state & 2 == 0 { blocks.min(pause) } else { 0 };
            for (sum, more) in all.iter_mut().zip([cpu, waited, lag]) {
                *sum += more;
            }
            let counted = blocked(usage(all[0], all[1], all[2]), held, false);
            clock.counted(ms(at), if state & 1 == 0 { waiting(counted) } else { counted });
            let moved = clock.deadline().unwrap();
            let most = ms(written + 2 * limit + held.min(30_000));
            prop_assert!(moved >= deadline && moved <= most, "{:?} {:?}", deadline, moved);
            prop_assert!(moved == deadline || all[0] < limit || moved <= ms(at), "it has computed for its limit");
            deadline = moved;
        }
        let spent = clock.stop(ms(at));
        prop_assert!(spent.given <= ms(limit + held) && spent.given <= spent.wall);
        let record = spent.record();
        prop_assert!(record.idle_us().is_some_and(|idle| idle <= record.wall_us));
    }

    /// Under `wall` the counters change nothing.
    #[test]
    fn the_wall_is_hard(limit in 1..1000u64, at in 0..2000u64, cpu in 0..2000u64, waited in 0..2000u64) {
        let policy = format!("move={limit}ms,bank=1500ms,policy=wall");
        let (mut counted, mut plain) = (started(&policy), started(&policy));
        counted.counted(ms(at), waiting(usage(cpu, waited, 3)));
        prop_assert_eq!(counted.deadline(), plain.deadline());
        prop_assert_eq!(counted.is_up(ms(at)), plain.is_up(ms(at)));
        prop_assert_eq!(counted.stop(ms(at)).given, Duration::ZERO);
        plain.stop(ms(at));
        prop_assert_eq!(counted.remaining(ms(at)), plain.remaining(ms(at)));
    }
}
