//! Each function for each role: who may, and what the audit has of it.

use super::*;
use crate::people::{
    accounts, audit,
    invites::{self, NewInvite},
    links, sessions, teams,
};
use agon_contest::Viewer;

/// Numbers that functions are called with.
#[derive(Clone, Copy)]
struct Numbers {
    /// The team of the member and the captain.
    own: i64,
    /// Another team, which is hidden.
    other: i64,
    /// Another member of the own team.
    friend: i64,
    /// A player without a team.
    alone: i64,
    invite: i64,
}

type Call = fn(&mut dyn Sql, &Ask, Numbers) -> Result<()>;

/// A function, who may call it (visitor, player, member, captain, auditor, organiser), and whether the audit has it when an organiser
/// does.
const TABLE: &[(&str, Call, &str, bool)] = &[
    ("sessions::list", |sql, ask, _| sessions::list(sql, ask).map(drop), "-+++++", false),
    (
        "sessions::make_token",
        |sql, ask, _| sessions::make_token(sql, ask, Scope::Read, "", None).map(drop),
        "-+++++",
        false,
    ),
    ("accounts::list", |sql, ask, _| accounts::list(sql, ask).map(drop), "----++", false),
    ("accounts::get", |sql, ask, n| accounts::get(sql, ask, n.alone).map(drop), "----++", false),
    ("accounts::disable", |sql, ask, n| accounts::disable(sql, ask, n.alone, "cheats"), "-----+", true),
    ("accounts::enable", |sql, ask, n| accounts::enable(sql, ask, n.alone), "-----+", true),
    (
        "accounts::set_standing",
        |sql, ask, n| accounts::set_standing(sql, ask, n.alone, Standing::Auditor),
        "-----+",
        true,
    ),
    ("links::for_password", |sql, ask, n| links::for_password(sql, ask, n.alone).map(drop), "-----+", true),
    (
        "invites::make",
        |sql, ask, _| {
            let new = NewInvite { standing: Standing::Player, team: None, uses: None, until_ms: None };
            invites::make(sql, ask, &new).map(drop)
        },
        "-----+",
        true,
    ),
    ("invites::list", |sql, ask, _| invites::list(sql, ask).map(drop), "----++", false),
    ("invites::revoke", |sql, ask, n| invites::revoke(sql, ask, n.invite), "-----+", true),
    ("teams::make", |sql, ask, _| teams::make(sql, ask, "New").map(drop), "-+----", false),
    ("teams::list", |sql, ask, _| teams::list(sql, &ask.viewer).map(drop), "++++++", false),
    ("teams::get, own", |sql, ask, n| teams::get(sql, &ask.viewer, n.own).map(drop), "++++++", false),
    ("teams::get, hidden", |sql, ask, n| teams::get(sql, &ask.viewer, n.other).map(drop), "----++", false),
    ("teams::members, own", |sql, ask, n| teams::members(sql, &ask.viewer, n.own).map(drop), "++++++", false),
    ("teams::members, hidden", |sql, ask, n| teams::members(sql, &ask.viewer, n.other).map(drop), "----++", false),
    ("teams::code, own", |sql, ask, n| teams::code(sql, ask, n.own).map(drop), "--++-+", false),
    ("teams::code, other", |sql, ask, n| teams::code(sql, ask, n.other).map(drop), "-----+", false),
    ("teams::renew_code, own", |sql, ask, n| teams::renew_code(sql, ask, n.own).map(drop), "---+-+", true),
    ("teams::renew_code, other", |sql, ask, n| teams::renew_code(sql, ask, n.other).map(drop), "-----+", true),
    ("teams::rename, own", |sql, ask, n| teams::rename(sql, ask, n.own, "New"), "---+-+", true),
    ("teams::rename, other", |sql, ask, n| teams::rename(sql, ask, n.other, "New"), "-----+", true),
    ("teams::hide", |sql, ask, n| teams::hide(sql, ask, n.own, true), "-----+", true),
    ("teams::leave", |sql, ask, _| teams::leave(sql, ask), "--++--", false),
    ("teams::send_away", |sql, ask, n| teams::send_away(sql, ask, n.own, n.friend), "---+-+", true),
    ("teams::make_captain", |sql, ask, n| teams::make_captain(sql, ask, n.own, n.friend), "---+-+", true),
    ("teams::put", |sql, ask, n| teams::put(sql, ask, n.own, n.alone), "-----+", true),
    ("audit::list", |sql, ask, _| audit::list(sql, ask, None, 10).map(drop), "----++", false),
];

/// Makes a contest with somebody in each role, in the order of [`Role::ALL`].
fn contest() -> (World, Vec<Ask>, Numbers) {
    let world = World::new();
    let lead = world.organiser();
    let auditor = world.ask(&world.session("auditor", Standing::Auditor));
    let [player, captain, member, friend, other, alone] =
        ["player", "captain", "member", "friend", "other", "alone"].map(|name| world.player(name));
    let numbers = world.run({
        let (lead, captain, other) = (lead.clone(), captain.clone(), other.clone());
        let [member, friend, alone] = [&member, &friend, &alone].map(account_of);
        move |sql| {
            let (own, hidden) = (teams::make(sql, &captain, "Own")?, teams::make(sql, &other, "Other")?);
            teams::put(sql, &lead, own, member)?;
            teams::put(sql, &lead, own, friend)?;
            teams::hide(sql, &lead, hidden, true)?;
            let new = NewInvite { standing: Standing::Player, team: None, uses: Some(3), until_ms: None };
            let invite = invites::make(sql, &lead, &new)?.id;
            Ok(Numbers { own, other: hidden, friend, alone, invite })
        }
    });
    let asks = vec![world.visitor(), player, world.again(&member), world.again(&captain), auditor, lead];
    assert_eq!(asks.iter().map(|ask| ask.viewer.role()).collect::<Vec<_>>(), Role::ALL);
    (world, asks, numbers)
}

/// Calls a function, takes back what it did, and returns whether it was allowed and how many entries the audit got.
fn call(world: &World, ask: &Ask, numbers: Numbers, function: Call) -> (Result<()>, i64) {
    let (ask, count) = (ask.clone(), "SELECT count(*) FROM contest_audit");
    let (sender, receiver) = std::sync::mpsc::channel();
    let undone = world.db.transact(move |sql| {
        let before = sql.int(count, &[])?;
        let result = function(sql, &ask, numbers);
        sender.send((result, sql.int(count, &[])? - before)).expect("somebody waits");
        Err::<(), _>(Refusal::Spent("transaction").into())
    });
    assert_eq!(undone, Err(Refusal::Spent("transaction").into()));
    receiver.recv().expect("it was called")
}

#[test]
fn each_function_is_for_the_roles_of_the_table() {
    let (world, asks, numbers) = contest();
    for (name, function, row, _) in TABLE {
        let mut found = String::new();
        for ask in &asks {
            let role = ask.viewer.role();
            found.push(match call(&world, ask, numbers, *function).0 {
                Ok(()) => '+',
                Err(Error::Refused(Refusal::LogIn)) => {
                    assert_eq!(role, Role::Visitor, "{name}: {role:?} has logged in");
                    '-'
                }
                Err(Error::Refused(Refusal::NotAllowed | Refusal::Unknown("team") | Refusal::Conflict(_))) => '-',
                Err(why) => panic!("{name} for {role:?}: {why}"),
            });
        }
        assert_eq!(found, *row, "{name} for {:?}", Role::ALL);
    }
}

#[test]
fn what_an_organiser_changes_is_in_the_audit() {
    let (world, asks, numbers) = contest();
    for (name, function, row, is_noted) in TABLE.iter().filter(|(_, _, row, _)| row.ends_with('+')) {
        let (result, entries) = call(&world, &asks[5], numbers, *function);
        assert_eq!((result, entries), (Ok(()), i64::from(*is_noted)), "{name} {row}");
    }
    // What a captain does is the affair of the team.
    let (name, function, ..) =
        TABLE.iter().find(|(name, ..)| *name == "teams::rename, own").expect("it is in the table");
    assert_eq!(call(&world, &asks[3], numbers, *function), (Ok(()), 0), "{name}");
}

#[test]
fn a_token_for_programs_changes_nothing_here() {
    let (world, asks, numbers) = contest();
    for scope in [Scope::Submit, Scope::Read] {
        for ask in &asks[1..] {
            let mut ask = ask.clone();
            if let Viewer(Some(asker)) = &mut ask.viewer {
                asker.scope = scope;
            }
            for (name, function, ..) in TABLE {
                let is_look = ["teams::list", "teams::get", "teams::members"].iter().any(|look| name.starts_with(look));
                let (result, _) = call(&world, &ask, numbers, *function);
                assert!(result.is_err() || is_look, "{name} with a token for {scope:?} of {:?}", ask.viewer.role());
            }
        }
    }
}

#[test]
fn nobody_harms_their_own_account() {
    let world = World::new();
    let lead = world.organiser();
    let own = account_of(&lead);
    let calls: [Call; 3] = [
        |sql, ask, n| accounts::disable(sql, ask, n.own, "tired"),
        |sql, ask, n| accounts::enable(sql, ask, n.own),
        |sql, ask, n| accounts::set_standing(sql, ask, n.own, Standing::Player),
    ];
    for function in calls {
        let numbers = Numbers { own, other: 0, friend: 0, alone: 0, invite: 0 };
        let (result, _) = call(&world, &lead, numbers, function);
        assert!(matches!(refusal(result), Refusal::Conflict(_)));
    }
}

#[test]
fn the_audit_says_who_did_what_and_no_secret() {
    let (world, asks, numbers) = contest();
    let lead = asks[5].clone();
    let (link, code, entries) = world.run(move |sql| {
        accounts::disable(sql, &lead, numbers.alone, " sends \"spam\" ")?;
        let link = links::for_password(sql, &lead, numbers.alone)?;
        let code = teams::renew_code(sql, &lead, numbers.own)?;
        Ok((link, code, audit::list(sql, &lead, None, 3)?))
    });
    let acts: Vec<&str> = entries.iter().map(|entry| entry.act.as_str()).collect();
    assert_eq!(acts, ["team.code", "account.link", "account.disable"], "the newest comes first");
    let disabled = &entries[2];
    assert_eq!(disabled.account, Some((account_of(&asks[5]), "lead".to_owned())));
    assert_eq!((disabled.at_ms, disabled.address.as_deref()), (NOW, Some("10.0.0.7")));
    let about = serde_json::json!({"account": numbers.alone, "name": "alone", "reason": "sends \"spam\""});
    assert_eq!(disabled.about, about);
    let text = format!("{entries:?}");
    assert!(!text.contains(&link.text()) && !text.contains(&code), "{text}");
    let (lead, before) = (asks[5].clone(), entries[2].id);
    let earlier = world.run(move |sql| audit::list(sql, &lead, Some(before), 100));
    assert_eq!(earlier.last().map(|entry| entry.id), Some(1));
    assert!(earlier.iter().all(|entry| entry.id < before));
}
