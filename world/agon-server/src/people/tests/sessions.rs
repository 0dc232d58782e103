//! How long sessions last, and whose they are.

use super::*;
use crate::people::{sessions, visit};

const DAY: i64 = 24 * HOUR;

#[test]
fn a_session_that_is_idle_ends() {
    let world = World::new();
    let secret = world.session("ana", Standing::Player);
    let at = |now| visit(&world.db, Some(&secret), now).expect("it can be looked up").account().is_some();
    let mut now = NOW;
    for _ in 0..10 {
        now += sessions::IDLE_MS - 1;
        assert!(at(now), "it was used");
    }
    assert!(!at(now + sessions::IDLE_MS));
    // It was not forgotten before the clock went back; nothing but the time decides.
    assert!(at(now + 1));
}

#[test]
fn a_session_ends_though_it_is_used() {
    let world = World::new();
    let secret = world.session("ana", Standing::Player);
    for hour in 0..7 * 24 {
        assert!(visit(&world.db, Some(&secret), NOW + hour * HOUR).expect("it can be looked up").account().is_some());
    }
    assert!(world.is_visitor(&secret, NOW + sessions::LONGEST_MS));
    assert_eq!(sessions::LONGEST_MS, 7 * DAY);
}

#[test]
fn not_every_visit_is_written() {
    let world = World::new();
    let secret = world.session("ana", Standing::Player);
    let used = || world.int("SELECT used_ms FROM contest_sessions");
    let look = |now| visit(&world.db, Some(&secret), now).map(drop).expect("it can be looked up");
    look(NOW + MINUTE - 1);
    assert_eq!(used(), NOW);
    look(NOW + MINUTE);
    assert_eq!(used(), NOW + MINUTE);
    look(NOW);
    assert_eq!(used(), NOW + MINUTE, "a clock that is set back takes nothing away");
}

#[test]
fn a_secret_that_is_not_known_is_a_visitors() {
    let world = World::new();
    world.session("ana", Standing::Player);
    let other = Secret::new().expect("random numbers");
    assert!(world.is_visitor(&other, NOW));
    assert_eq!(visit(&world.db, None, NOW), Ok(Viewer::VISITOR));
    let stored = world.run(|sql| sql.rows("SELECT hash FROM contest_sessions", &[]));
    let secret = world.session("bea", Standing::Player);
    assert!(stored.iter().all(|row| row.bytes(0).is_ok_and(|hash| hash.len() == 32)));
    let kept = world.run(|sql| sql.rows("SELECT hash FROM contest_sessions ORDER BY id DESC", &[]));
    assert_eq!(kept[0].bytes(0), Ok(&secret.hash()[..]));
    let text = secret.text();
    assert!(!kept.iter().any(|row| format!("{row:?}").contains(&text)), "only hashes are stored");
}

#[test]
fn sessions_are_listed_and_revoked_by_their_owner() {
    let world = World::new();
    let (first, other) = (world.session("ana", Standing::Player), world.player("bea"));
    let ask = world.ask(&first);
    let second = world.ask(&first);
    let token = world.run(move |sql| sessions::make_token(sql, &second, Scope::Read, "score\u{1b}[2Jboard", None));
    let list = |ask: &Ask| {
        let ask = ask.clone();
        world.run(move |sql| sessions::list(sql, &ask))
    };
    let found = list(&ask);
    let shown: Vec<_> = found.iter().map(|one| (one.scope, one.label.as_str(), one.current, one.until_ms)).collect();
    let until = Some(NOW + sessions::LONGEST_MS);
    assert_eq!(shown, [(Scope::Read, "score[2Jboard", false, None), (Scope::All, "", true, until)]);
    let id = found[0].id;
    assert_eq!(world.refuse(move |sql| sessions::revoke(sql, &other, id)), Refusal::Unknown("session"));
    assert!(!world.is_visitor(&token, NOW + 1000 * DAY), "a token without an end has none");
    let owner = ask.clone();
    world.run(move |sql| sessions::revoke(sql, &owner, id));
    assert!(world.is_visitor(&token, NOW));
    let owner = ask.clone();
    world.run(move |sql| sessions::log_out(sql, &owner));
    assert!(world.is_visitor(&first, NOW));
}

#[test]
fn a_token_says_what_it_is_for_and_until_when() {
    let world = World::new();
    let ask = world.player("ana");
    let make = |scope, until| {
        let ask = ask.clone();
        world.db.transact(move |sql| sessions::make_token(sql, &ask, scope, "", until))
    };
    assert_eq!(wrong_field(make(Scope::All, None)), "scope");
    assert_eq!(wrong_field(make(Scope::Submit, Some(NOW))), "until");
    let token = make(Scope::Submit, Some(NOW + 3 * DAY)).expect("everybody may");
    let viewer = world.ask_at(&token, NOW + 3 * DAY - 1).viewer;
    assert_eq!(viewer.0.map(|asker| asker.scope), Some(Scope::Submit), "a token is never idle");
    assert!(world.is_visitor(&token, NOW + 3 * DAY));
}

#[test]
fn nobody_fills_the_table() {
    let world = World::new();
    let ask = world.player("ana");
    let account = account_of(&ask);
    let secrets = world.run(move |sql| (0..60).map(|n| begin(sql, account, "", NOW + n)).collect::<Result<Vec<_>>>());
    assert_eq!(world.int("SELECT count(*) FROM contest_sessions"), 50);
    assert!(world.is_visitor(&secrets[9], NOW) && !world.is_visitor(&secrets[10], NOW), "the oldest end");
    let ask = world.again(&ask);
    for _ in 0..20 {
        let ask = ask.clone();
        world.run(move |sql| sessions::make_token(sql, &ask, Scope::Read, "", None));
    }
    let refused = world.refuse(move |sql| sessions::make_token(sql, &ask, Scope::Read, "", None));
    assert!(matches!(refused, Refusal::Conflict(_)));
    // Those that are over are forgotten.
    let later = NOW + sessions::LONGEST_MS + 1;
    world.run(move |sql| begin(sql, account, "", later));
    assert_eq!(world.int("SELECT count(*) FROM contest_sessions WHERE scope = 'all'"), 1);
}
