//! One-time links.

use super::*;
use crate::people::{
    accounts::{self, log_in},
    links::{self, Purpose, first, look, redeem_first, redeem_password},
    sessions,
};
use std::thread;

fn first_link(world: &World, now: i64) -> Option<Secret> {
    world.run(move |sql| first(sql, now))
}

fn redeem(world: &World, link: &Secret, name: &str) -> Result<Secret> {
    redeem_first(&world.db, &world.file.limits, &world.visitor(), link, name, PASSWORD)
}

#[test]
fn the_first_link_makes_one_organiser() {
    let world = World::new();
    let link = first_link(&world, NOW).expect("nobody leads");
    for _ in 0..2 {
        let link = link.clone();
        assert_eq!(world.run(move |sql| look(sql, &link, NOW)), Purpose::First, "to look uses nothing up");
    }
    let secret = redeem(&world, &link, "lead").expect("it is valid");
    assert_eq!(world.ask(&secret).viewer.role(), Role::Organiser);
    assert_eq!(refusal(redeem(&world, &link, "second")), Refusal::Spent("link"));
    assert_eq!(first_link(&world, NOW), None, "somebody leads");
    let stored = world.run(|sql| sql.rows("SELECT account, act FROM contest_audit", &[]));
    assert_eq!(stored.len(), 1);
    assert_eq!((stored[0].optional_int(0), stored[0].text(1)), (Ok(None), Ok("account.first")));
}

#[test]
fn each_start_gives_another_first_link() {
    let world = World::new();
    let old = first_link(&world, NOW).expect("nobody leads");
    let new = first_link(&world, NOW + 1).expect("nobody leads");
    assert_eq!(refusal(redeem(&world, &old, "lead")), Refusal::Spent("link"));
    assert_eq!(world.int("SELECT count(*) FROM contest_links"), 1);
    assert_eq!(wrong_field(redeem(&world, &new, "a")), "name");
    redeem(&world, &new, "lead").expect("a wrong name does not use it up");
}

#[test]
fn a_link_is_valid_for_a_day() {
    let world = World::new();
    let link = first_link(&world, NOW).expect("nobody leads");
    let at = |now| {
        let link = link.clone();
        world.db.read(move |sql| look(sql, &link, now))
    };
    assert_eq!(at(NOW + links::VALID_MS - 1), Ok(Purpose::First));
    assert_eq!(refusal(at(NOW + links::VALID_MS)), Refusal::Spent("link"));
    assert_eq!(links::VALID_MS, 24 * HOUR);
}

#[test]
fn an_organiser_without_a_password_does_not_lead_yet() {
    let world = World::new();
    world.account("lead", Standing::Organiser);
    assert!(first_link(&world, NOW).is_some());
}

#[test]
fn a_contest_always_has_an_organiser_who_can_log_in() {
    let world = World::new();
    let asks = ["one", "two"].map(|name| world.ask(&world.session(name, Standing::Organiser)));
    for ask in &asks {
        let account = account_of(ask);
        world.run(move |sql| accounts::set_password(sql, account, "$argon2id$"));
    }
    let disable = |by: &Ask, other: &Ask| {
        let (by, other) = (by.clone(), account_of(other));
        world.db.transact(move |sql| accounts::disable(sql, &by, other, "copied"))
    };
    assert_eq!(disable(&asks[0], &asks[1]), Ok(()));
    // Both asked at the same time.
    assert!(matches!(refusal(disable(&asks[1], &asks[0])), Refusal::Conflict(_)));
    assert_eq!(first_link(&world, NOW), None, "one of them leads");
    world.run(|sql| sql.run("UPDATE contest_accounts SET disabled = 'copied'", &[]).map(drop));
    assert!(first_link(&world, NOW).is_some(), "nobody can log in");
}

#[test]
fn two_who_use_the_first_link_at_once_make_one_organiser() {
    let world = World::new();
    let link = first_link(&world, NOW).expect("nobody leads");
    let done: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = ["one", "two", "three"]
            .map(|name| scope.spawn(|| redeem(&world, &link, name).is_ok()))
            .into_iter()
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    assert_eq!(done.iter().filter(|done| **done).count(), 1);
    assert_eq!(world.int("SELECT count(*) FROM contest_accounts"), 1);
}

#[test]
fn guesses_are_counted() {
    let world = World::new();
    let limit = world.file.limits.of(agon_contest::Kind::Code).address;
    let guess = Secret::new().expect("random numbers");
    for _ in 0..limit.most {
        let tried = redeem_password(&world.db, &world.file.limits, &world.visitor(), &guess, PASSWORD);
        assert_eq!(refusal(tried), Refusal::Spent("link"));
    }
    let tried = redeem_password(&world.db, &world.file.limits, &world.visitor(), &guess, PASSWORD);
    assert_eq!(refusal(tried), Refusal::TooOften { after_ms: limit.within_ms });
}

#[test]
fn a_lost_password_is_replaced_once() {
    let world = World::new();
    let (lead, ana) = (world.organiser(), world.session("ana", Standing::Player));
    let account = account_of(&world.ask(&ana));
    let make = || {
        let lead = lead.clone();
        world.run(move |sql| links::for_password(sql, &lead, account))
    };
    let (old, link) = (make(), make());
    let use_link = |link: &Secret, password: &str| {
        redeem_password(&world.db, &world.file.limits, &world.visitor(), link, password)
    };
    assert_eq!(refusal(use_link(&old, PASSWORD)), Refusal::Spent("link"), "another one was made");
    assert_eq!(wrong_field(use_link(&link, "short")), "password");
    assert!(!world.is_visitor(&ana, NOW), "nothing changes until it is used");
    let secret = use_link(&link, PASSWORD).expect("it is valid");
    assert!(world.is_visitor(&ana, NOW) && !world.is_visitor(&secret, NOW));
    assert_eq!(refusal(use_link(&link, PASSWORD)), Refusal::Spent("link"));
    log_in(&world.db, &world.file.limits, &world.visitor(), "ana", PASSWORD, "").expect("it is the password");
    let first = redeem(&world, &make(), "second");
    assert_eq!(refusal(first), Refusal::Spent("link"), "a link for a password makes no organiser");
}

#[test]
fn a_new_password_makes_links_void_and_no_disabled_account_gets_one() {
    let world = World::new();
    let (lead, account) = (world.organiser(), world.account("ana", Standing::Player));
    let make = || {
        let lead = lead.clone();
        world.run(move |sql| links::for_password(sql, &lead, account))
    };
    let link = make();
    world.run(move |sql| accounts::set_password(sql, account, "$argon2id$"));
    let limits = &world.file.limits;
    assert_eq!(refusal(redeem_password(&world.db, limits, &world.visitor(), &link, PASSWORD)), Refusal::Spent("link"));
    let link = make();
    let asks = lead.clone();
    world.run(move |sql| accounts::disable(sql, &asks, account, "copied"));
    let used = redeem_password(&world.db, limits, &world.visitor(), &link, PASSWORD);
    assert_eq!(refusal(used), Refusal::Disabled("copied".to_owned()));
    let secret = world.run(move |sql| sessions::viewer(sql, Some(&link), NOW));
    assert_eq!(secret, Viewer::VISITOR, "a link is no session");
}
