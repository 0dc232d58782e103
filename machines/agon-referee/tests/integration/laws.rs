//! Tests the laws of the machine with the toy game, and that a turn allocates nothing.

use agon_core::{Seat, Seed, laws::CountingAllocator};
use agon_referee::{
    AnyReferee, ApplyError, Branch, Decision, Do, EntryRecord, In, JsonList, Mark, Mismatch, PlyRecord, Recording,
    RefusedOrder, Rerun, SeatKind, Settings, first_words, laws, open, open_from,
};
use agon_spec::{MatchSpec, SeatSpec};
use agon_toy::Position as Toy;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn spec(rules: &str, heap: u32) -> MatchSpec {
    let seats = ["a", "b"].map(SeatSpec::of_words);
    let map = format!("heap {heap}\nmost 3\n");
    MatchSpec { seed: Seed(3), clock: "move=1s".parse().unwrap(), ..MatchSpec::new("toy", rules, map, seats) }
}

#[test]
fn the_laws_hold() {
    for rules in ["spec", "together", "spec,last=loses,unlawful=pass"] {
        laws::all::<Toy>(&spec(rules, 60));
    }
}

#[test]
fn an_exchange_allocates_nothing() {
    let spec = spec("spec", 1000);
    let settings = Settings { recording: Recording::Result, ..Settings::default() };
    let mut machine = open::<Toy>(&spec, &[SeatKind::Process; 2], settings).unwrap();
    let mut told = Vec::with_capacity(64);
    let at = Duration::ZERO;
    machine.feed(at, In::Begin);
    let mut before = 0;
    for ply in 0..900 {
        while let Some(order) = machine.next() {
            if let Do::Say { seat, .. } = order {
                told.clear();
                told.extend_from_slice(machine.outbox(seat));
                machine.feed(at, In::Written { seat, bytes: told.len() });
            }
        }
        if ply < 2 {
            machine.feed(at, In::Bytes { seat: Seat::new(ply), bytes: b"ok\n" });
            continue;
        }
        if ply == 20 {
            before = CountingAllocator::count();
        }
        machine.feed(at, In::Bytes { seat: Seat::new(ply % 2), bytes: b"take 1\n" });
    }
    assert_eq!(CountingAllocator::count() - before, 0, "880 exchanges");
    while machine.next().is_some() {}
    assert_eq!(machine.plies(), 898);
}

fn entry(seat: usize, take: u32) -> EntryRecord {
    EntryRecord { orders: [take].into_iter().collect(), ..EntryRecord::new(Seat::new(seat)) }
}

/// Returns a record of these entries with the fingerprint to which they lead.
fn record(spec: &MatchSpec, before: &[PlyRecord], entries: Vec<EntryRecord>) -> PlyRecord {
    let mut record = PlyRecord { ply: before.len() as u32 + 1, entries, ..PlyRecord::default() };
    let mut rerun = Rerun::new::<Toy>(spec).unwrap();
    for ply in before {
        rerun.step(ply).unwrap();
    }
    if let Err(Mismatch::Fingerprint { played, .. }) = rerun.step(&record) {
        record.fingerprint = played;
    }
    record
}

#[test]
fn a_record_that_lies_is_found_out() {
    let spec = spec("spec", 5);
    let first = record(&spec, &[], vec![entry(0, 1)]);
    let second = record(&spec, std::slice::from_ref(&first), vec![entry(1, 3)]);
    let last = record(&spec, &[first.clone(), second.clone()], vec![entry(0, 1)]);
    let step_after = |plies: &[&PlyRecord], lie: &PlyRecord| {
        let mut rerun = Rerun::new::<Toy>(&spec).unwrap();
        for ply in plies {
            rerun.step(ply).unwrap();
        }
        rerun.step(lie).unwrap_err()
    };

    let other_order = PlyRecord { entries: vec![entry(0, 2)], ..first.clone() };
    assert!(matches!(step_after(&[], &other_order), Mismatch::Fingerprint { ply: 1, .. }));
    let hidden = PlyRecord { entries: vec![entry(0, 4)], ..first.clone() };
    assert!(matches!(step_after(&[], &hidden), Mismatch::Judgement { ply: 1, recorded: None, .. }));
    let mut accused = first.clone();
    accused.entries[0].failure = Some(agon_core::Failure::Unlawful(0));
    assert!(matches!(step_after(&[], &accused), Mismatch::Judgement { judged: None, .. }));
    assert!(matches!(step_after(&[&first], &first), Mismatch::WrongPly { expected: 2, recorded: 1 }));
    let stranger = PlyRecord { entries: vec![entry(0, 3)], ..second.clone() };
    assert!(matches!(step_after(&[&first], &stranger), Mismatch::WrongSeats { ply: 2, .. }));
    let mut unknown = first.clone();
    unknown.entries[0].orders = ["all"].into_iter().collect();
    assert!(matches!(step_after(&[], &unknown), Mismatch::UnknownOrder { ply: 1, .. }));
    let after = PlyRecord { ply: 4, ..last.clone() };
    assert_eq!(step_after(&[&first, &second, &last], &after), Mismatch::AfterTheEnd { ply: 4 });
}

#[test]
fn a_rerun_shows_what_a_bot_is_asked_and_plays_on_from_there() {
    let spec = spec("spec", 5);
    let first = record(&spec, &[], vec![entry(0, 1)]);
    let mut rerun = Rerun::new::<Toy>(&spec).unwrap();
    let position = |rerun: &Rerun| rerun.board().position::<Toy>().unwrap().clone();
    let told = |rerun: &Rerun, seat| first_words(&spec, &position(rerun), Seat::new(seat));
    assert_eq!(told(&rerun, 0), b"toy wins\nheap 5 3\n");
    rerun.step(&first).unwrap();
    assert_eq!(told(&rerun, 1), b"toy wins\nheap 4 3\n");
    assert_eq!(told(&rerun, 9), b"");
    let machine = open_from(&spec, position(&rerun), &[SeatKind::Process; 2], Settings::default()).unwrap();
    assert_eq!((machine.map().as_str(), Mark(machine.fingerprint())), ("heap 4\nmost 3\n", first.fingerprint));
}

/// A match so long that snapshots are dropped.
#[test]
fn a_long_match_is_sought_and_taken_back() {
    let spec = spec("spec", 2000);
    let mut position = Branch::new::<Toy>(&spec).unwrap();
    let mut turns = Vec::new();
    while !position.board().over() {
        let ply = position.board().plies() + 1;
        let seat = position.board().awaiting().iter().next().unwrap();
        let orders: JsonList = [1 + ply % 2].into_iter().collect();
        position.apply(&[Decision { seat, orders: orders.clone(), failure: None }]).unwrap();
        let entries = vec![EntryRecord { orders, ..EntryRecord::new(seat) }];
        turns.push(PlyRecord { ply, entries, fingerprint: position.board().fingerprint(), ..PlyRecord::default() });
    }
    let turns: Vec<_> = turns.iter().collect();
    let last = turns.len() as u32;
    assert!(last > 1200, "{last}");
    let mut rerun = Rerun::new::<Toy>(&spec).unwrap();
    let start = rerun.board().fingerprint();
    for ply in [last, 3, 1000, 999, 17, 16, 15, last - 1, 512, 1, 0, last] {
        let expected = if ply == 0 { start } else { turns[ply as usize - 1].fingerprint };
        assert_eq!(rerun.seek(ply, &turns), Ok(expected), "turn {ply}");
    }

    // Another line of play from turn 700 on. The snapshots of the first line must not be used for it.
    rerun.seek(700, &turns).unwrap();
    let mut position = Branch::at(rerun.board().clone());
    let mut other: Vec<PlyRecord> = turns[..700].iter().map(|record| (*record).clone()).collect();
    while !position.board().over() {
        let ply = position.board().plies() + 1;
        let seat = position.board().awaiting().iter().next().unwrap();
        let orders: JsonList = [1].into_iter().collect();
        position.apply(&[Decision { seat, orders: orders.clone(), failure: None }]).unwrap();
        let entries = vec![EntryRecord { orders, ..EntryRecord::new(seat) }];
        other.push(PlyRecord { ply, entries, fingerprint: position.board().fingerprint(), ..PlyRecord::default() });
    }
    let other: Vec<_> = other.iter().collect();
    for ply in [other.len() as u32, 1100, 720, 704, 600] {
        assert_eq!(rerun.seek(ply, &other), Ok(other[ply as usize - 1].fingerprint), "turn {ply}");
    }

    while position.board().plies() > 700 {
        assert!(position.undo());
    }
    assert_eq!(position.board().fingerprint(), turns[699].fingerprint);
    assert!(!position.undo(), "the position was opened there");
}

#[test]
fn a_turn_that_cannot_be_played_by_hand_changes_nothing() {
    let spec = spec("spec", 5);
    let mut position = Branch::new::<Toy>(&spec).unwrap();
    let before = position.board().fingerprint();
    let decision = |seat, orders: JsonList| Decision { seat: Seat::new(seat), orders, failure: None };
    let wrong_seat = position.apply(&[decision(1, [1].into_iter().collect())]).unwrap_err();
    assert!(matches!(wrong_seat, ApplyError::WrongSeats { .. }), "{wrong_seat}");
    let unknown = position.apply(&[decision(0, ["all"].into_iter().collect())]).unwrap_err();
    assert!(matches!(unknown, ApplyError::UnknownOrder { .. }), "{unknown}");
    let refused = position.board().check(Seat::new(0), &[4].into_iter().collect()).unwrap_err();
    assert!(matches!(refused, ApplyError::Unlawful(RefusedOrder { index: 0, .. })), "{refused}");
    assert_eq!((position.board().fingerprint(), position.board().plies()), (before, 0));
    assert_eq!(
        position.board().legal(Seat::new(0)).unwrap().read::<u32>().map(Result::unwrap).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert!(position.board().legal(Seat::new(1)).unwrap().is_empty(), "it is not awaited");
    let turn = position.apply(&[decision(0, [4].into_iter().collect())]).unwrap();
    assert_eq!(turn.refused.len(), 1, "the rules judge it as in a match");
    assert!(position.board().over());
    assert_eq!(position.apply(&[decision(1, [1].into_iter().collect())]), Err(ApplyError::Over));
}

#[test]
fn a_match_that_cannot_be_opened_says_why() {
    let flaw = |change: &dyn Fn(&mut MatchSpec), kinds: &[SeatKind]| {
        let mut spec = spec("spec", 5);
        change(&mut spec);
        open::<Toy>(&spec, kinds, Settings::default()).err().unwrap().what
    };
    let two = [SeatKind::Process; 2];
    assert!(flaw(&|s| s.game = "grid".into(), &two).contains("`grid`"));
    assert!(flaw(&|s| s.rules = "strict".into(), &two).contains("strict"));
    assert!(flaw(&|s| s.map = "heap x".into(), &two).contains("heap"));
    assert!(flaw(&|s| s.seats.truncate(1), &two[..1]).contains("cannot be played by 1"));
    assert!(flaw(&|_| {}, &two[..1]).contains("1 bot for 2 seats"));
    assert!(flaw(&|_| {}, &[SeatKind::Process, SeatKind::Builtin("deep")]).contains("`deep`"));
    assert!(flaw(&|s| s.seats[0].dialect = vec![("loud".into(), "yes".into())], &two).contains("`loud`"));
    assert!(flaw(&|s| s.seats[1].dialect = vec![("confirm".into(), "maybe".into())], &two).contains("`maybe`"));
}
