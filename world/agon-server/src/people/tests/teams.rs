//! Who is in which team.

use super::*;
use crate::people::teams::{self, Member, Team};
use proptest::prelude::*;

fn members(world: &World, viewer: &Viewer, team: i64) -> Vec<Member> {
    let viewer = viewer.clone();
    world.run(move |sql| teams::members(sql, &viewer, team))
}

fn make(world: &World, ask: &Ask, name: &str) -> Result<i64> {
    let (ask, name) = (ask.clone(), name.to_owned());
    world.db.transact(move |sql| teams::make(sql, &ask, &name))
}

fn code(world: &World, ask: &Ask, team: i64) -> String {
    let ask = world.again(ask);
    world.run(move |sql| teams::code(sql, &ask, team))
}

#[test]
fn whoever_makes_a_team_speaks_for_it() {
    let world = World::new();
    let ana = world.player("ana");
    let team = make(&world, &ana, "Los Gatos").expect("a player may");
    let alone = ana.viewer.clone();
    let ana = world.again(&ana);
    assert_eq!(ana.viewer.role(), Role::Captain);
    assert_eq!(refusal(make(&world, &ana, "Another")), Refusal::NotAllowed, "one team at a time");
    let before = Ask { viewer: alone, ..ana.clone() };
    assert!(matches!(refusal(make(&world, &before, "Another")), Refusal::Conflict(_)), "from a second window");
    let bea = world.player("bea");
    assert_eq!(refusal(make(&world, &bea, "LOS GATOS")), Refusal::Taken("name"));
    assert_eq!(wrong_field(make(&world, &bea, "Los  Gatos")), "team");
    let shown = world.run(|sql| teams::list(sql, &Viewer::VISITOR));
    assert_eq!(shown, [Team { id: team, name: "Los Gatos".to_owned(), hidden: false, created_ms: NOW, size: 1 }]);
}

#[test]
fn a_code_lets_people_join_until_the_team_is_full() {
    let mut world = World::new();
    world.file.team_size = 2;
    let [ana, bea, eva] = ["ana", "bea", "eva"].map(|name| world.player(name));
    let team = make(&world, &ana, "Own").expect("a player may");
    let code = code(&world, &ana, team);
    let join = |ask: &Ask, code: &str| teams::join(&world.db, &world.file, ask, code);
    assert_eq!(refusal(join(&bea, "7K3M-Q0ZT-9XWA")), Refusal::Spent("code"));
    assert_eq!(refusal(join(&bea, "what?")), Refusal::Spent("code"));
    assert_eq!(join(&bea, &code.to_lowercase()), Ok(team));
    assert!(matches!(refusal(join(&eva, &code)), Refusal::Conflict(_)), "it is full");
    // With what was asked before: the database decides again.
    assert!(matches!(refusal(join(&bea, &code)), Refusal::Conflict(_)), "she is in it");
    assert_eq!(refusal(join(&world.visitor(), &code)), Refusal::LogIn);
    let names: Vec<_> =
        members(&world, &Viewer::VISITOR, team).into_iter().map(|one| (one.name, one.captain)).collect();
    assert_eq!(names, [("ana".to_owned(), true), ("bea".to_owned(), false)]);
}

#[test]
fn tries_of_codes_are_counted_for_each_account() {
    let world = World::new();
    let [ana, bea] = ["ana", "bea"].map(|name| world.player(name));
    let team = make(&world, &bea, "Own").expect("a player may");
    let code = code(&world, &bea, team);
    let limit = world.file.limits.of(agon_contest::Kind::Code).account;
    for _ in 0..limit.most {
        assert_eq!(refusal(teams::join(&world.db, &world.file, &ana, "7K3M-Q0ZT-9XWA")), Refusal::Spent("code"));
    }
    let refused = teams::join(&world.db, &world.file, &ana, &code);
    assert_eq!(refusal(refused), Refusal::TooOften { after_ms: limit.within_ms });
    // Somebody else at the same address does not wait.
    let eva = world.player("eva");
    assert_eq!(teams::join(&world.db, &world.file, &eva, &code), Ok(team));
}

#[test]
fn another_code_makes_the_old_one_void() {
    let world = World::new();
    let [ana, bea] = ["ana", "bea"].map(|name| world.player(name));
    let team = make(&world, &ana, "Own").expect("a player may");
    let (old, captain) = (code(&world, &ana, team), world.again(&ana));
    let new = world.run(move |sql| teams::renew_code(sql, &captain, team));
    assert_ne!(old, new);
    assert_eq!(refusal(teams::join(&world.db, &world.file, &bea, &old)), Refusal::Spent("code"));
    assert_eq!(teams::join(&world.db, &world.file, &bea, &new), Ok(team));
}

#[test]
fn whoever_is_sent_away_does_not_come_back_with_the_code() {
    let world = World::new();
    let [ana, bea] = ["ana", "bea"].map(|name| world.player(name));
    let team = make(&world, &ana, "Own").expect("a player may");
    let known = code(&world, &ana, team);
    teams::join(&world.db, &world.file, &bea, &known).expect("there is room");
    let (captain, sent) = (world.again(&ana), account_of(&bea));
    world.run(move |sql| teams::send_away(sql, &captain, team, sent));
    assert_eq!(refusal(teams::join(&world.db, &world.file, &bea, &known)), Refusal::Spent("code"));
    assert_eq!(teams::join(&world.db, &world.file, &bea, &code(&world, &ana, team)), Ok(team));
}

#[test]
fn a_team_always_has_a_captain_while_somebody_is_in_it() {
    let world = World::new();
    let [ana, bea, eva] = ["ana", "bea", "eva"].map(|name| world.player(name));
    let team = make(&world, &ana, "Own").expect("a player may");
    let code = code(&world, &ana, team);
    for (ask, later) in [(&bea, 1), (&eva, 2)] {
        let ask = Ask { now: NOW + later, ..ask.clone() };
        teams::join(&world.db, &world.file, &ask, &code).expect("there is room");
    }
    let leave = |ask: &Ask| {
        let ask = Ask { now: NOW + HOUR, ..world.again(ask) };
        world.run(move |sql| teams::leave(sql, &ask));
    };
    leave(&ana);
    assert_eq!(world.again(&bea).viewer.role(), Role::Captain, "she is in it for the longest time");
    let (captain, other) = (world.again(&bea), account_of(&eva));
    world.run(move |sql| teams::make_captain(sql, &captain, team, other));
    assert_eq!([&bea, &eva].map(|ask| world.again(ask).viewer.role()), [Role::Member, Role::Captain]);
    let (captain, gone) = (world.again(&eva), account_of(&ana));
    let (sent, made) = (captain.clone(), captain);
    assert_eq!(world.refuse(move |sql| teams::send_away(sql, &sent, team, gone)), Refusal::Unknown("member"));
    assert_eq!(world.refuse(move |sql| teams::make_captain(sql, &made, team, gone)), Refusal::Unknown("member"));
    leave(&eva);
    leave(&bea);
    assert_eq!(members(&world, &Viewer::VISITOR, team), []);
    teams::join(&world.db, &world.file, &ana, &code).expect("an empty team has room");
    let ana = world.again(&ana);
    assert_eq!(ana.viewer.role(), Role::Captain);
    let all = members(&world, &ana.viewer, team);
    let shown: Vec<_> = all.iter().map(|one| (one.name.as_str(), one.since_ms - NOW, one.until_ms)).collect();
    let left = Some(NOW + HOUR);
    assert_eq!(
        shown,
        [("ana", 0, None), ("ana", 0, left), ("bea", 1, left), ("eva", 2, left)],
        "its own people see who was"
    );
}

#[test]
fn a_hidden_team_is_as_if_there_were_none() {
    let world = World::new();
    let (lead, ana, bea) = (world.organiser(), world.player("ana"), world.player("bea"));
    let team = make(&world, &ana, "Own").expect("a player may");
    let by = lead.clone();
    world.run(move |sql| teams::hide(sql, &by, team, true));
    let list = |viewer: &Viewer| {
        let viewer = viewer.clone();
        world.run(move |sql| teams::list(sql, &viewer)).len()
    };
    assert_eq!([&Viewer::VISITOR, &bea.viewer, &lead.viewer, &world.again(&ana).viewer].map(list), [0, 0, 1, 1]);
    let viewer = bea.viewer.clone();
    let hidden = world.refuse(move |sql| teams::get(sql, &viewer, team));
    let viewer = bea.viewer.clone();
    assert_eq!(hidden, world.refuse(move |sql| teams::get(sql, &viewer, 99)), "nobody can tell them apart");
    assert_eq!(refusal(make(&world, &bea, "own")), Refusal::Taken("name"), "its name is taken all the same");
}

#[test]
fn a_team_is_renamed() {
    let world = World::new();
    let [ana, bea] = ["ana", "bea"].map(|name| world.player(name));
    let (team, _) = (make(&world, &ana, "Own"), make(&world, &bea, "Other"));
    let (team, captain) = (team.expect("a player may"), world.again(&ana));
    let rename = |name: &'static str| {
        let captain = captain.clone();
        world.db.transact(move |sql| teams::rename(sql, &captain, team, name))
    };
    assert_eq!(refusal(rename("OTHER")), Refusal::Taken("name"));
    assert_eq!(wrong_field(rename("")), "team");
    assert_eq!(rename("OWN"), Ok(()), "its own name in capitals is free");
    assert_eq!(world.run(move |sql| teams::get(sql, &Viewer::VISITOR, team)).name, "OWN");
}

#[test]
fn an_organiser_puts_players_where_they_belong() {
    let mut world = World::new();
    world.file.team_size = 1;
    let (lead, ana, bea) = (world.organiser(), world.player("ana"), world.player("bea"));
    let team = make(&world, &ana, "Own").expect("a player may");
    let other = make(&world, &bea, "Other").expect("a player may");
    let put = |account: i64| {
        let lead = lead.clone();
        world.db.transact(move |sql| teams::put(sql, &lead, team, account))
    };
    assert_eq!(put(account_of(&bea)), Ok(()), "however large it is");
    assert_eq!((world.again(&bea).viewer.team(), world.again(&bea).viewer.role()), (Some(team), Role::Member));
    assert_eq!(members(&world, &Viewer::VISITOR, other), []);
    assert!(matches!(refusal(put(account_of(&lead))), Refusal::Conflict(_)), "only players are in teams");
    assert_eq!(refusal(put(99)), Refusal::Unknown("account"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever people do: nobody is in two teams, and each team with somebody in it has one captain and no more people than it may.
    #[test]
    fn teams_stay_in_order(steps in prop::collection::vec((0_usize..5, 0_usize..5, 0_usize..5, 0_usize..3), 1..40)) {
        let mut world = World::new();
        world.file.team_size = 3;
        let asks: Vec<Ask> = ["ana", "bea", "eva", "joe", "kim"].map(|name| world.player(name)).into();
        let mut teams = Vec::new();
        let lead = world.organiser();
        for (step, who, whom, team) in steps {
            let (ask, whom) = (world.again(&asks[who]), account_of(&asks[whom]));
            let team: i64 = teams.get(team).copied().unwrap_or(0);
            let done = match step {
                0 => make(&world, &ask, &format!("Team {}", teams.len())).map(|team| teams.push(team)),
                1 => {
                    let lead = lead.clone();
                    let code = world.db.transact(move |sql| teams::code(sql, &lead, team));
                    code.and_then(|code| teams::join(&world.db, &world.file, &ask, &code)).map(drop)
                }
                2 => world.db.transact(move |sql| teams::leave(sql, &ask)),
                3 => world.db.transact(move |sql| teams::send_away(sql, &ask, team, whom)),
                _ => world.db.transact(move |sql| teams::make_captain(sql, &ask, team, whom)),
            };
            prop_assert!(!matches!(done, Err(Error::Database(_))), "{:?}", done);
            let in_two = "SELECT count(*) FROM (SELECT account FROM contest_members WHERE until_ms IS NULL
                          GROUP BY account HAVING count(*) > 1) AS doubled";
            prop_assert_eq!(world.int(in_two), 0);
            let disordered = "SELECT count(*) FROM (SELECT team FROM contest_members WHERE until_ms IS NULL
                              GROUP BY team HAVING sum(captain) <> 1 OR count(*) > 3) AS disordered";
            prop_assert_eq!(world.int(disordered), 0);
            prop_assert_eq!(world.int("SELECT count(*) FROM contest_members WHERE captain = 1 AND until_ms IS NOT NULL"), 0);
        }
    }
}
