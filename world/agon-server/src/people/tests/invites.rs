//! Codes with which people make accounts.

use super::*;
use crate::people::{
    accounts::register,
    invites::{self, Invite, NewInvite},
    teams,
};
use std::thread;

const PLAYER: NewInvite = NewInvite { standing: Standing::Player, team: None, uses: None, until_ms: None };

fn make(world: &World, lead: &Ask, new: NewInvite) -> Result<Invite> {
    let lead = lead.clone();
    world.db.transact(move |sql| invites::make(sql, &lead, &new))
}

fn enter(world: &World, now: i64, name: &str, code: &str) -> Result<Secret> {
    register(&world.db, &world.file, &Ask { now, ..world.visitor() }, name, PASSWORD, Some(code), "")
}

#[test]
fn an_invitation_is_used_so_often_and_until_its_end() {
    let world = World::new();
    let lead = world.organiser();
    let code =
        make(&world, &lead, NewInvite { uses: Some(2), until_ms: Some(NOW + HOUR), ..PLAYER }).expect("it is one").code;
    enter(&world, NOW, "ana", &code.to_lowercase().replace('-', " ")).expect("as people type it");
    assert_eq!(refusal(enter(&world, NOW + HOUR, "bea", &code)), Refusal::Spent("code"), "it is over");
    assert_eq!(refusal(enter(&world, NOW, "ANA", &code)), Refusal::Taken("name"));
    enter(&world, NOW, "bea", &code).expect("a name that is taken uses nothing up");
    assert_eq!(refusal(enter(&world, NOW, "eva", &code)), Refusal::Spent("code"));
    let found = world.run(move |sql| invites::list(sql, &lead));
    assert_eq!((found[0].uses, found[0].used, found[0].is_valid(NOW)), (Some(0), 2, false));
}

#[test]
fn an_invitation_without_a_number_is_for_everybody_until_it_is_revoked() {
    let world = World::new();
    let lead = world.organiser();
    let invite = make(&world, &lead, PLAYER).expect("it is one");
    for name in ["ana", "bea", "eva"] {
        enter(&world, NOW, name, &invite.code).expect("it is for everybody");
    }
    let by = lead.clone();
    world.run(move |sql| invites::revoke(sql, &by, invite.id));
    assert_eq!(refusal(enter(&world, NOW, "joe", &invite.code)), Refusal::Spent("code"));
    let found = world.run(move |sql| invites::list(sql, &lead));
    assert_eq!((found[0].uses, found[0].used, found[0].revoked, found[0].by.as_str()), (None, 3, true, "lead"));
}

#[test]
fn an_invitation_says_what_the_account_is() {
    let world = World::new();
    let (lead, captain) = (world.organiser(), world.player("captain"));
    let team = world.run(move |sql| teams::make(sql, &captain, "Own"));
    let auditor =
        make(&world, &lead, NewInvite { standing: Standing::Auditor, uses: Some(1), ..PLAYER }).expect("it is one");
    let secret = enter(&world, NOW, "ana", &auditor.code).expect("it is valid");
    assert_eq!(world.ask(&secret).viewer.role(), Role::Auditor);
    let member = make(&world, &lead, NewInvite { team: Some(team), ..PLAYER }).expect("it is one");
    assert_eq!(member.team, Some((team, "Own".to_owned())));
    let secret = enter(&world, NOW, "bea", &member.code).expect("it is valid");
    assert_eq!(world.ask(&secret).viewer.team(), Some(team));
}

#[test]
fn what_can_never_be_used_is_no_invitation() {
    let world = World::new();
    let lead = world.organiser();
    for (new, field) in [
        (NewInvite { uses: Some(0), ..PLAYER }, "uses"),
        (NewInvite { uses: Some(10_001), ..PLAYER }, "uses"),
        (NewInvite { standing: Standing::Organiser, ..PLAYER }, "uses"),
        (NewInvite { until_ms: Some(NOW), ..PLAYER }, "until"),
        (NewInvite { standing: Standing::Auditor, uses: Some(1), team: Some(1), ..PLAYER }, "team"),
    ] {
        assert_eq!(wrong_field(make(&world, &lead, new)), field);
    }
    assert_eq!(refusal(make(&world, &lead, NewInvite { team: Some(9), ..PLAYER })), Refusal::Unknown("team"));
    assert_eq!(world.refuse(move |sql| invites::revoke(sql, &lead, 9)), Refusal::Unknown("invitation"));
}

#[test]
fn the_code_of_a_team_is_an_invitation_while_there_is_room() {
    let mut world = World::new();
    world.file.team_size = 2;
    let captain = world.player("captain");
    let code = world.run(move |sql| {
        let team = teams::make(sql, &captain, "Own")?;
        let mut captain = captain;
        if let Some(asker) = &mut captain.viewer.0 {
            asker.team = Some(agon_contest::Membership { team, captain: true });
        }
        teams::code(sql, &captain, team)
    });
    let secret = enter(&world, NOW, "ana", &code).expect("there is room");
    assert_eq!(world.ask(&secret).viewer.role(), Role::Member);
    assert!(matches!(refusal(enter(&world, NOW, "bea", &code)), Refusal::Conflict(_)), "it is full");
    assert_eq!(world.int("SELECT count(*) FROM contest_accounts"), 2);
}

#[test]
fn the_last_use_is_for_one() {
    let world = World::new();
    let code = make(&world, &world.organiser(), NewInvite { uses: Some(1), ..PLAYER }).expect("it is one").code;
    let done: Vec<bool> = thread::scope(|scope| {
        let threads: Vec<_> = ["ana", "bea", "eva"]
            .map(|name| scope.spawn(|| enter(&world, NOW, name, &code).is_ok()))
            .into_iter()
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    assert_eq!(done.iter().filter(|done| **done).count(), 1);
    assert_eq!(world.int("SELECT uses FROM contest_invites"), 0);
}

#[test]
fn auditors_see_invitations_without_codes() {
    let world = World::new();
    make(&world, &world.organiser(), PLAYER).expect("it is one");
    let auditor = world.ask(&world.session("auditor", Standing::Auditor));
    let found = world.run(move |sql| invites::list(sql, &auditor));
    assert_eq!((found.len(), found[0].code.as_str()), (1, ""));
}
