//! Registration, log-in, passwords.

use super::*;
use crate::people::{
    Who,
    accounts::{self, change_password, log_in, register},
    allow,
    password::{COMPUTED, in_turn},
    sessions,
};
use agon_contest::{Kind, Registration};
use std::thread;

/// A contest in which everybody may register, with the account of `ana`.
fn open() -> (World, Secret) {
    let mut world = World::new();
    world.file.registration = Registration::Open;
    let secret = register(&world.db, &world.file, &world.visitor(), "Ana", PASSWORD, None, "Firefox");
    (world, secret.expect("everybody may"))
}

fn enter(world: &World, now: i64, name: &str, password: &str) -> Result<Secret> {
    log_in(&world.db, &world.file.limits, &Ask { now, ..world.visitor() }, name, password, "")
}

#[test]
fn whoever_registers_is_logged_in() {
    let (world, secret) = open();
    let ask = world.ask(&secret);
    let asker = ask.asker().expect("an account");
    assert_eq!((asker.name.as_str(), asker.standing, asker.team), ("Ana", Standing::Player, None));
    let try_name =
        |name: &str, password: &str| register(&world.db, &world.file, &world.visitor(), name, password, None, "");
    assert_eq!(refusal(try_name("aNA", PASSWORD)), Refusal::Taken("name"));
    assert_eq!(wrong_field(try_name("bea\u{202e}", PASSWORD)), "name");
    assert_eq!(wrong_field(try_name("bea", "short")), "password");
    assert_eq!(wrong_field(try_name("maria-jose", "Maria-Jose")), "password");
    let again = register(&world.db, &world.file, &ask, "bea", PASSWORD, None, "");
    assert_eq!(refusal(again), Refusal::NotAllowed, "whoever is in already logs out first");
    assert_eq!(world.int("SELECT count(*) FROM contest_accounts"), 1);
}

#[test]
fn registration_is_as_the_file_says() {
    let mut world = World::new();
    let visitor = world.visitor();
    for code in [None, Some(""), Some("  ")] {
        assert_eq!(wrong_field(register(&world.db, &world.file, &visitor, "ana", PASSWORD, code, "")), "code");
    }
    let wrong = register(&world.db, &world.file, &visitor, "ana", PASSWORD, Some("7K3M-Q0ZT-9XWA"), "");
    assert_eq!(refusal(wrong), Refusal::Spent("code"));
    world.file.registration = Registration::Closed;
    let closed = register(&world.db, &world.file, &visitor, "ana", PASSWORD, Some("7K3M-Q0ZT-9XWA"), "");
    assert!(matches!(refusal(closed), Refusal::Conflict(_)));
}

#[test]
fn a_log_in_begins_a_new_session_and_ends_the_old_one() {
    let (world, first) = open();
    let second = enter(&world, NOW, "ANA", PASSWORD).expect("the password is right");
    assert_ne!(second, first);
    assert!(!world.is_visitor(&first, NOW), "another browser stays logged in");
    let third = log_in(&world.db, &world.file.limits, &world.ask(&second), "ana", PASSWORD, "").expect("it is right");
    assert!(world.is_visitor(&second, NOW) && !world.is_visitor(&third, NOW));
}

#[test]
fn a_wrong_name_is_answered_like_a_wrong_password() {
    let (world, _) = open();
    // One without a password: its owner has not used the link yet.
    world.account("bea", Standing::Player);
    for (name, password) in
        [("ana", "wrong horse"), ("nobody", PASSWORD), ("bea", PASSWORD), ("a'; --\0", ""), ("", "")]
    {
        let before = COMPUTED.get();
        assert_eq!(refusal(enter(&world, NOW, name, password)), Refusal::WrongPassword, "{name}");
        assert_eq!(COMPUTED.get() - before, 1, "{name} takes as long as any other");
    }
}

#[test]
fn names_are_tried_only_so_often() {
    let (world, _) = open();
    let limit = world.file.limits.of(Kind::LogIn).account;
    for name in ["ana", "nobody"] {
        for at in 0..i64::from(limit.most) {
            assert_eq!(refusal(enter(&world, NOW + at, name, "wrong horse")), Refusal::WrongPassword, "{name} {at}");
        }
        let before = COMPUTED.get();
        let last = NOW + i64::from(limit.most);
        let after_ms = NOW + limit.within_ms - last;
        // Capitals are no way around it, nor is the right password.
        for (name, password) in [(name.to_owned(), PASSWORD), (name.to_uppercase(), "wrong horse")] {
            assert_eq!(refusal(enter(&world, last, &name, password)), Refusal::TooOften { after_ms }, "{name}");
        }
        assert_eq!(COMPUTED.get(), before, "what is refused costs nothing");
    }
    let in_time = NOW + limit.within_ms;
    enter(&world, in_time, "ana", PASSWORD).expect("whoever comes when told is let in");
}

#[test]
fn nobody_locks_others_out() {
    let (world, secret) = open();
    let limits = world.file.limits.of(Kind::LogIn);
    let (name, limits) = (limits.name.expect("names have a rate"), limits.account);
    let from = |address: &str, password: &str| {
        let ask = Ask::visitor(address.parse().ok(), NOW);
        log_in(&world.db, &world.file.limits, &ask, "ana", password, "")
    };
    for _ in 0..limits.most {
        assert_eq!(refusal(from("10.0.0.66", "wrong horse")), Refusal::WrongPassword);
    }
    assert_eq!(refusal(from("10.0.0.66", PASSWORD)), Refusal::TooOften { after_ms: limits.within_ms });
    from("10.0.0.9", PASSWORD).expect("what others do elsewhere does not count");
    // Many machines together may not guess for ever.
    let ask = |at: u32| Ask::visitor(format!("10.1.{}.{}", at / 200, at % 200).parse().ok(), NOW);
    for at in limits.most..name.most {
        let who = Who::tries("ana", &ask(at));
        allow(&world.db, &world.file.limits, Kind::LogIn, who, NOW).expect("there are not so many yet");
    }
    assert_eq!(refusal(from("10.0.0.9", PASSWORD)), Refusal::TooOften { after_ms: name.within_ms });
    // Whoever is logged in already does not depend on it.
    let change = change_password(&world.db, &world.file.limits, &world.ask(&secret), PASSWORD, "battery staple", "");
    change.expect("the account is known");
}

#[test]
fn whoever_finds_an_open_browser_guesses_no_more_often() {
    let (world, secret) = open();
    let (ask, limit) = (world.ask(&secret), world.file.limits.of(Kind::LogIn).account);
    let change = |old: &str| change_password(&world.db, &world.file.limits, &ask, old, "battery staple", "");
    for _ in 0..limit.most {
        assert_eq!(refusal(change("wrong horse")), Refusal::WrongPassword);
    }
    assert_eq!(refusal(change(PASSWORD)), Refusal::TooOften { after_ms: limit.within_ms });
}

#[test]
fn whoever_knows_the_password_is_not_counted() {
    let (world, _) = open();
    for _ in 0..2 * world.file.limits.of(Kind::LogIn).account.most {
        enter(&world, NOW, "ana", PASSWORD).expect("it is right");
    }
    assert_eq!(world.int("SELECT count(*) FROM contest_requests WHERE kind = 'log-in'"), 0);
}

#[test]
fn a_new_password_ends_everything_else() {
    let (world, other) = open();
    let secret = enter(&world, NOW, "ana", PASSWORD).expect("it is right");
    let ask = world.ask(&secret);
    let token = world.run({
        let ask = ask.clone();
        move |sql| sessions::make_token(sql, &ask, Scope::Submit, "ci", None)
    });
    let change = |old: &str, new: &str| change_password(&world.db, &world.file.limits, &ask, old, new, "Firefox");
    assert_eq!(refusal(change("wrong horse", "battery staple")), Refusal::WrongPassword);
    assert_eq!(wrong_field(change(PASSWORD, "short")), "password");
    assert!(!world.is_visitor(&other, NOW));
    let new = change(PASSWORD, "battery staple").expect("the old one is right");
    for ended in [&other, &secret, &token] {
        assert!(world.is_visitor(ended, NOW));
    }
    assert!(!world.is_visitor(&new, NOW));
    assert_eq!(refusal(enter(&world, NOW, "ana", PASSWORD)), Refusal::WrongPassword);
    enter(&world, NOW, "ana", "battery staple").expect("it is the new one");
}

#[test]
fn a_change_of_the_password_does_not_undo_a_recovery() {
    let (world, secret) = open();
    let ask = world.ask(&secret);
    let account = account_of(&ask);
    let asked = "SELECT count(*) FROM contest_requests WHERE kind = 'log-in'";
    let changed = thread::scope(|scope| {
        // No password is compared before the recovery is done.
        let change = in_turn(|| {
            in_turn(|| {
                let limits = &world.file.limits;
                let change = scope.spawn(|| change_password(&world.db, limits, &ask, PASSWORD, "battery staple", ""));
                while world.int(asked) == 0 {
                    thread::yield_now();
                }
                // Meanwhile it reads the password that it compares.
                for _ in 0..2000 {
                    world.int(asked);
                    thread::yield_now();
                }
                world.run(move |sql| accounts::set_password(sql, account, "$argon2id$recovered"));
                change
            })
        });
        change.join().expect("it ends")
    });
    // It has read the password before the recovery, or after it: then what is kept here is none.
    assert!(changed.is_err());
    let kept = "SELECT count(*) FROM contest_accounts WHERE password = '$argon2id$recovered'";
    assert_eq!(world.int(kept), 1, "the recovery stays");
}

#[test]
fn a_disabled_account_is_told_why_by_its_password_alone() {
    let (world, secret) = open();
    let (lead, ana) = (world.organiser(), account_of(&world.ask(&secret)));
    let disable = |reason: &'static str| {
        let lead = lead.clone();
        world.db.transact(move |sql| accounts::disable(sql, &lead, ana, reason))
    };
    for wrong in ["", " ", "two\nlines", &*"x".repeat(201).leak()] {
        assert_eq!(wrong_field(disable(wrong)), "reason");
    }
    disable("copied").expect("an organiser may");
    assert!(world.is_visitor(&secret, NOW), "its sessions end");
    assert_eq!(refusal(enter(&world, NOW, "ana", PASSWORD)), Refusal::Disabled("copied".to_owned()));
    assert_eq!(refusal(enter(&world, NOW, "ana", "wrong horse")), Refusal::WrongPassword);
    let seen = world.run({
        let lead = lead.clone();
        move |sql| accounts::get(sql, &lead, ana)
    });
    assert_eq!((seen.disabled.as_deref(), seen.seen_ms), (Some("copied"), None));
    world.run(move |sql| accounts::enable(sql, &lead, ana));
    enter(&world, NOW, "ana", PASSWORD).expect("it is enabled");
}

#[test]
fn another_standing_needs_another_log_in() {
    let (world, secret) = open();
    let (lead, ana) = (world.organiser(), account_of(&world.ask(&secret)));
    world.run(move |sql| accounts::set_standing(sql, &lead, ana, Standing::Auditor));
    assert!(world.is_visitor(&secret, NOW));
    let again = enter(&world, NOW, "ana", PASSWORD).expect("it is right");
    assert_eq!(world.ask(&again).viewer.role(), Role::Auditor);
}
