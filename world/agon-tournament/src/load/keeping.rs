//! The schedule that is kept in the store, and when it is not used.

use super::{
    orders::{open, outcome, play},
    *,
};
use agon_store::{Memory, Records, Registry, Snapshot};

const NAME: &str = "schedule";

fn text(keys: &str) -> String {
    let bots: String = (0..6).map(|bot| format!("[[bot]]\nname = \"bot {bot}\"\nrun = \"@random\"\n")).collect();
    format!("game = \"grid\"\nlimit = 30\nseed = 5\n{keys}\n{bots}")
}

/// Plays so many matches, and stores the schedule after them.
fn begun(keys: &str, most: usize) -> Tournament<Memory> {
    let mut begun = open(Memory::new(), &text(keys));
    begun.kept_from = 1;
    play(&mut begun, 2, most, |_| 0);
    begun.keep_schedule().expect("it can be kept");
    begun
}

/// Plays a tournament to its end, and compares it with one that was never interrupted. Returns whether it began with what was
/// kept.
fn is_used(store: Memory, keys: &str) -> bool {
    let mut whole = open(Memory::new(), &text(keys));
    play(&mut whole, 1, usize::MAX, |_| 0);
    let (part, is_used) = played_on(store, keys);
    assert_eq!(outcome(&part), outcome(&whole), "{keys}");
    is_used
}

/// Plays a tournament to its end. Returns whether it began with what was kept.
fn played_on(store: Memory, keys: &str) -> (Tournament<Memory>, bool) {
    let mut part = open(store, &text(keys));
    let is_used = part.kept > 0;
    play(&mut part, 1, usize::MAX, |_| 0);
    assert!(part.is_complete());
    assert_eq!(part.over, part.progress().expect("it can be read").over());
    (part, is_used)
}

#[test]
fn a_tournament_goes_on_from_what_was_kept() {
    for keys in ["rounds = 2", "kind = \"gauntlet\"\nrounds = 4", "kind = \"ladder\"\nrounds = 30\nwindow = 6"] {
        assert!(is_used(begun(keys, 12).into_store(), keys), "{keys}");
        // More matches came after it.
        let mut later = begun(keys, 6);
        later.kept_from = u64::MAX;
        play(&mut later, 3, 9, |running| running - 1);
        assert!(is_used(later.into_store(), keys), "{keys}");
    }
    assert!(!is_used(begun("kind = \"swiss\"\nrounds = 5", 7).into_store(), "kind = \"swiss\"\nrounds = 5"));
}

#[test]
fn what_does_not_fit_is_not_used() {
    let keys = "rounds = 2";
    let spoil = |change: &dyn Fn(Snapshot) -> Snapshot| {
        let store = begun(keys, 12).into_store();
        let kept = store.snapshot(NAME).expect("it can be read").expect("it was kept");
        store.keep(NAME, change(kept)).wait().expect("it can be written");
        is_used(store, keys)
    };
    assert!(spoil(&|kept| kept));
    for length in [0, 1, 20, 90, 200] {
        assert!(!spoil(&|kept| Snapshot { text: kept.text[..length].to_owned(), ..kept }), "{length} bytes of it");
    }
    assert!(!spoil(&|kept| Snapshot { text: kept.text.replacen('1', "2", 1), ..kept }), "another form");
    assert!(!spoil(&|kept| Snapshot { after: kept.after - 1, ..kept }), "a match comes twice");
    assert!(!spoil(&|kept| Snapshot { after: 0, ..kept }), "each match comes twice");
    let other = begun("rounds = 3", 12).into_store().snapshot(NAME).expect("it can be read").expect("it was kept");
    assert!(!spoil(&|_| other.clone()), "another tournament");
}

#[test]
fn decisions_since_then_count() {
    let keys = "rounds = 2";
    let decide = |decide: &dyn Fn(&mut Tournament<Memory>)| {
        let decided = |store: Memory| {
            let mut tournament = open(store, &text(keys));
            decide(&mut tournament);
            played_on(tournament.into_store(), keys)
        };
        let with = begun(keys, 12).into_store();
        let without = begun(keys, 12).into_store();
        without.keep(NAME, Snapshot { after: 0, text: String::new() }).wait().expect("it can be written");
        let ((with, is_used), (without, is_none_used)) = (decided(with), decided(without));
        assert_eq!(outcome(&with), outcome(&without));
        assert!(!is_none_used);
        is_used
    };
    assert!(!decide(&|tournament| drop(tournament.void(3, "the map was wrong").expect("it can be"))));
    assert!(!decide(&|tournament| tournament.rerun(3, "the host was busy").expect("it can be")));
    assert!(!decide(&|tournament| drop(tournament.withdraw(2, "it left").expect("it can be"))));
    // It was not over, so that this is one more match behind the number.
    assert!(decide(&|tournament| drop(tournament.void(15, "nobody came").expect("it can be"))));
}
