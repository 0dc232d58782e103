//! A whole contest on each back end: every function once, so that no statement is in the words of one database alone.

use super::*;
use crate::people::{
    accounts::{self, change_password, log_in, register},
    audit,
    invites::{self, NewInvite},
    links, sessions, teams, visit,
};

fn tour(db: Database) {
    let world = World { db, file: ContestFile::new("Cup", "grid").expect("it is a name") };
    let (db, file) = (&world.db, &world.file);
    let link = world.run(|sql| links::first(sql, NOW)).expect("nobody leads");
    let lead = links::redeem_first(db, &file.limits, &world.visitor(), &link, "lead", PASSWORD).expect("it is valid");
    let lead = world.ask(&lead);
    let invite = world.run({
        let lead = lead.clone();
        let new = NewInvite { standing: Standing::Player, team: None, uses: Some(5), until_ms: Some(NOW + HOUR) };
        move |sql| invites::make(sql, &lead, &new)
    });
    let enter =
        |name: &str| register(db, file, &world.visitor(), name, PASSWORD, Some(&invite.code), "").expect("valid");
    let [ana, bea] = ["ana", "bea"].map(|name| world.ask(&enter(name)));
    let (by, ana_account, bea_account) = (ana.clone(), account_of(&ana), account_of(&bea));
    let team = world.run(move |sql| teams::make(sql, &by, "Los Gatos ñ"));
    let captain = world.again(&ana);
    let by = captain.clone();
    let code = world.run(move |sql| teams::code(sql, &by, team));
    assert_eq!(teams::join(db, file, &bea, &code), Ok(team));
    world.run(move |sql| {
        teams::renew_code(sql, &captain, team)?;
        teams::rename(sql, &captain, team, "Los Perros")?;
        teams::make_captain(sql, &captain, team, bea_account)
    });
    let bea = world.again(&bea);
    assert_eq!(bea.viewer.role(), Role::Captain);
    let (by, ana_now) = (bea.clone(), world.again(&ana));
    let (list, members) = world.run(move |sql| {
        teams::send_away(sql, &by, team, ana_account)?;
        teams::leave(sql, &by)?;
        assert!(sessions::list(sql, &ana_now)?.len() >= 2);
        Ok((teams::list(sql, &Viewer::VISITOR)?, teams::members(sql, &Viewer::VISITOR, team)?))
    });
    assert_eq!((list.len(), list[0].size, members.len()), (1, 0, 0));
    let by = lead.clone();
    let (accounts, invites, entries, link) = world.run(move |sql| {
        teams::put(sql, &by, team, ana_account)?;
        teams::hide(sql, &by, team, true)?;
        accounts::disable(sql, &by, bea_account, "copied")?;
        accounts::enable(sql, &by, bea_account)?;
        accounts::set_standing(sql, &by, bea_account, Standing::Auditor)?;
        invites::revoke(sql, &by, invite.id)?;
        let link = links::for_password(sql, &by, ana_account)?;
        assert_eq!(accounts::get(sql, &by, ana_account)?.team.map(|(team, _)| team), Some(team));
        let (accounts, invites) = (accounts::list(sql, &by)?, invites::list(sql, &by)?);
        Ok((accounts, invites, audit::list(sql, &by, None, 100)?, link))
    });
    assert_eq!(accounts.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["ana", "bea", "lead"]);
    assert_eq!((invites[0].uses, invites[0].used, invites[0].revoked), (Some(3), 2, true));
    assert_eq!(entries.len(), 9);
    let secret = links::redeem_password(db, &file.limits, &world.visitor(), &link, "battery staple").expect("valid");
    let ana = world.ask(&secret);
    let changed = change_password(db, &file.limits, &ana, "battery staple", PASSWORD, "").expect("it is right");
    let ana = world.ask(&changed);
    let token = world.run(move |sql| sessions::make_token(sql, &ana, Scope::Submit, "ci", None));
    assert_eq!(visit(db, Some(&token), NOW + HOUR).map(|viewer| viewer.team()), Ok(Some(team)));
    let again = log_in(db, &file.limits, &world.visitor(), "ana", PASSWORD, "").expect("it is right");
    let ask = world.ask(&again);
    world.run(move |sql| {
        for session in sessions::list(sql, &ask)?.iter().filter(|session| !session.current) {
            sessions::revoke(sql, &ask, session.id)?;
        }
        sessions::log_out(sql, &ask)
    });
    assert!(world.is_visitor(&again, NOW) && world.is_visitor(&token, NOW));
    assert_eq!(refusal(log_in(db, &file.limits, &world.visitor(), "nul\0", "", "")), Refusal::WrongPassword);
}

#[test]
fn in_memory() {
    tour(Database::memory().expect("there is memory"));
}

#[test]
fn in_a_file() {
    let folder = std::env::temp_dir().join(format!("agon-people-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("cup.agon");
    let store = agon_store::Sqlite::open(&path).expect("a new store");
    tour(Database::sqlite(&path).expect("a store"));
    store.close().expect("it is whole");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[cfg(feature = "postgres")]
#[test]
fn on_a_server() {
    let Some(address) = crate::database::new_postgres_store() else { return };
    tour(Database::postgres(&address).expect("nobody else serves it"));
}
