//! Bots that fail are withdrawn, in the same order whatever happens on the way.

use super::{HEAD, bots, exported, open, play, results};
use agon_store::{Ending, EventKind, FileVersion, Memory, Records, Registry, StoredEvent, StoredMatch};
use agon_tournament::{RunEnd, Tournament, TournamentEvent};

#[test]
fn a_bot_that_fails_comes_last_and_is_withdrawn() {
    let file = |more: &str| format!("{HEAD}rounds = 4\n{more}\n{}", bots(&["sh -c 'exit 3'", "@random", "@greedy"]));
    let mut patient = open(Memory::new(), &file("")).expect("it is new");
    let (_, told) = play(&mut patient, 1, usize::MAX);
    let order: Vec<bool> = told
        .iter()
        .filter_map(|event| match event {
            TournamentEvent::Start { bots, .. } => Some(bots.contains(&0)),
            _ => None,
        })
        .collect();
    let healthy_last = order.iter().rposition(|failing| !failing).expect("there are some");
    let later = order[healthy_last..].iter().filter(|failing| **failing).count();
    assert!(later > 4, "after five faults in a row its matches come last: {order:?}");
    let totals = patient.store().bots().expect("it can be read")[0].totals;
    assert_eq!((totals.played, totals.faults), (16, 16));
    let crashed = |stored: &StoredMatch| {
        let seats = &stored.result.as_ref().expect("it is over").seats;
        let at = stored.planned.bots.iter().position(|bot| *bot == 0);
        at.is_none_or(|at| {
            seats[at].fault.as_ref().is_some_and(|fault| fault.kind == "crashed") && seats[at].place == 2
        })
    };
    assert!(results(patient.store()).iter().all(crashed), "it has lost every match");

    let mut strict = open(Memory::new(), &file("withdraw-after = 3")).expect("it is new");
    let (end, told) = play(&mut strict, 1, usize::MAX);
    assert_eq!(end, RunEnd::Complete);
    let withdrawn = told.iter().filter(|event| matches!(event, TournamentEvent::Withdrawn { bot: 0, .. })).count();
    assert_eq!(withdrawn, 1);
    let played = results(strict.store()).into_iter().filter_map(|stored| stored.result);
    assert_eq!(played.filter(|result| result.ending == Ending::Finished).count(), 3 + 8);
    let row = strict.standings().rows.into_iter().last().expect("there are three");
    assert!(row.entrant.0 == 0 && row.withdrawn, "{row:?}");
    let before = strict.standings();
    let again = open(strict.into_store(), &file("withdraw-after = 3")).expect("it continues");
    assert!(again.is_complete());
    assert_eq!(again.standings(), before, "the withdrawal is stored");
}

#[test]
fn withdrawals_do_not_depend_on_the_order_in_which_matches_end() {
    // It fails in the first seat only, so that its faults in a row depend on their order.
    let flaky =
        "sh -c 'read l; [ \\\"$l\\\" = \\\"Y 1\\\" ] && exit 3; while read l; do [ \\\"$l\\\" = . ] && echo .; done'";
    let bots = bots(&["@random", flaky, "@greedy", "sh -c 'exit 3'", flaky]);
    for keys in ["withdrawn = \"lose\"", "kind = \"swiss\"\nrounds = 4", "kind = \"ladder\"\nrounds = 30\nwindow = 6"] {
        let text = format!("{HEAD}{keys}\nwithdraw-after = 2\n{bots}");
        let mut whole = open(Memory::new(), &text).expect("it is new");
        play(&mut whole, 1, usize::MAX);
        let out = whole.standings().rows.iter().filter(|row| row.withdrawn).count();
        assert!(out >= 2, "{text}: {out}");
        for at_once in [1, 3] {
            let mut part = open(Memory::new(), &text).expect("it is new");
            let mut runs = 1;
            while play(&mut part, at_once, 5 + at_once).0 == RunEnd::Interrupted {
                part = open(part.into_store(), &text).expect("it continues");
                runs += 1;
            }
            assert!(runs > 1, "{keys}");
            assert_eq!(part.standings(), whole.standings(), "{keys}, {at_once} at once");
            assert_eq!(exported(part.store()), exported(whole.store()), "{keys}, {at_once} at once");
        }
    }
}

#[test]
fn another_number_of_faults_counts_from_now_on() {
    let file = |line: &str| format!("{HEAD}rounds = 4\n{line}\n{}", bots(&["@random", "sh -c 'exit 3'", "@greedy"]));
    let mut patient = open(Memory::new(), &file("")).expect("it is new");
    play(&mut patient, 1, 10);
    let faults = |tournament: &Tournament<Memory>| tournament.store().bots().expect("it can be read")[1].totals.faults;
    let before = faults(&patient);
    assert!(before > 2, "{before}");
    let mut strict = open(patient.into_store(), &file("withdraw-after = 2")).expect("the past stays true");
    assert_eq!(faults(&strict), before, "what was played counts");
    play(&mut strict, 1, usize::MAX);
    assert_eq!(faults(&strict), before + 1, "the next fault is one too many");
    let again = open(strict.into_store(), &file("withdraw-after = 2")).expect("it continues");
    assert!(again.is_complete() && faults(&again) == before + 1);
}

#[test]
fn a_withdrawal_that_was_stored_in_part_is_completed() {
    let text = format!("{HEAD}rounds = 2\n{}", bots(&["@random", "@frontier", "@greedy"]));
    let why = "it cannot start";
    let noted = StoredEvent { kind: EventKind::Withdrawn, at_ms: 1, id: None, bot: Some(1), text: why.to_owned() };
    // A run that is killed when it has marked the bot, and one that has noted it, too. Neither has an amendment.
    for event in [None, Some(noted)] {
        let mut whole = open(Memory::new(), &text).expect("it is new");
        play(&mut whole, 1, 4);
        let store = whole.into_store();
        store.withdraw(1, Some(why)).wait().expect("it can be written");
        event.into_iter().for_each(|event| store.record(event).wait().expect("it can be written"));
        let mut continued = open(store, &text).expect("it continues");
        let (end, told) = play(&mut continued, 1, usize::MAX);
        assert_eq!(end, RunEnd::Complete);
        let withdrawn = |event: &&TournamentEvent| matches!(event, TournamentEvent::Withdrawn { bot: 1, .. });
        assert_eq!(told.iter().filter(withdrawn).count(), 1, "{told:?}");
        let began = |event: &TournamentEvent| matches!(event, TournamentEvent::Start { bots, .. } if bots.contains(&1));
        assert!(!told.iter().any(began), "it plays no more: {told:?}");
        let table = continued.standings();
        assert!(table.rows.iter().any(|row| row.entrant.0 == 1 && row.withdrawn), "{table:?}");
        let again = open(continued.into_store(), &text).expect("it continues");
        assert_eq!(again.standings(), table, "the withdrawal is in the schedule");
        let events = again.store().events(99).expect("it can be read");
        let of_withdrawal = |event: &&StoredEvent| event.kind == EventKind::Withdrawn;
        let noted: Vec<_> = events.iter().filter(of_withdrawal).map(|event| (event.bot, event.text.as_str())).collect();
        assert_eq!(noted, [(Some(1), why)]);
    }
}

#[test]
fn an_interrupted_change_of_the_number_of_faults_counts_from_now_on_too() {
    let file = |line: &str| format!("{HEAD}rounds = 4\n{line}\n{}", bots(&["@random", "sh -c 'exit 3'", "@greedy"]));
    let faults = |tournament: &Tournament<Memory>| tournament.store().bots().expect("it can be read")[1].totals.faults;
    // A run that is killed when it has stored its file, and nothing else.
    let killed = |tournament: Tournament<Memory>, line: &str| {
        let store = tournament.into_store();
        let version = FileVersion { text: file(line), agon: String::new(), at_ms: 1 };
        store.add_file(version).wait().expect("it can be written");
        store
    };
    let mut patient = open(Memory::new(), &file("")).expect("it is new");
    play(&mut patient, 1, 10);
    let before = faults(&patient);
    assert!(before > 2, "{before}");
    let strict = open(killed(patient, "withdraw-after = 2"), &file("withdraw-after = 2")).expect("it continues");
    assert!(strict.standings().rows.iter().all(|row| !row.withdrawn), "what was played counts");
    let mut stricter = open(killed(strict, "withdraw-after = 1"), &file("withdraw-after = 1")).expect("it continues");
    assert!(stricter.standings().rows.iter().all(|row| !row.withdrawn), "what was played counts");
    play(&mut stricter, 1, usize::MAX);
    assert_eq!(faults(&stricter), before + 1, "the next fault is one too many");
}
