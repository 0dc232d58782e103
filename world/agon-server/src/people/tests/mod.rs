//! A contest with somebody in each role.

mod accounts;
mod invites;
mod limits;
mod links;
mod rights;
mod sessions;
mod teams;
mod tour;

use super::{Ask, Secret, accounts::insert, sessions::begin};
use crate::{
    Error, Refusal, Result,
    database::{Database, Sql},
};
use agon_contest::{AccountName, ContestFile, Role, Scope, Standing, Viewer};

/// When everything begins.
const NOW: i64 = 1_800_000_000_000;
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const PASSWORD: &str = "correct horse";

/// A contest.
struct World {
    db: Database,
    file: ContestFile,
}

impl World {
    fn new() -> Self {
        let file = ContestFile::new("Cup", "grid").expect("it is a name");
        Self { db: Database::memory().expect("there is memory"), file }
    }

    /// Makes an account without a password. Returns its number.
    fn account(&self, name: &str, standing: Standing) -> i64 {
        let name = AccountName::parse(name).expect("it is a name");
        self.run(move |sql| insert(sql, &name, None, standing, NOW))
    }

    /// Makes an account, and returns its session.
    fn session(&self, name: &str, standing: Standing) -> Secret {
        let account = self.account(name, standing);
        self.run(move |sql| begin(sql, account, "", NOW))
    }

    /// Makes a player, and returns what they ask.
    fn player(&self, name: &str) -> Ask {
        self.ask(&self.session(name, Standing::Player))
    }

    fn organiser(&self) -> Ask {
        self.ask(&self.session("lead", Standing::Organiser))
    }

    /// Returns what the owner of a session asks now.
    fn ask(&self, secret: &Secret) -> Ask {
        self.ask_at(secret, NOW)
    }

    fn ask_at(&self, secret: &Secret, now: i64) -> Ask {
        let secret = secret.clone();
        let viewer = self.run(move |sql| super::viewer(sql, Some(&secret), now));
        Ask { viewer, address: "10.0.0.7".parse().ok(), now }
    }

    /// Returns what somebody asks who asked before: they may be in another team by now.
    fn again(&self, ask: &Ask) -> Ask {
        let (account, mut ask) = (ask.asker().expect("an account").account, ask.clone());
        let secret = self.run(move |sql| begin(sql, account, "", NOW));
        ask.viewer = self.ask(&secret).viewer;
        ask
    }

    fn visitor(&self) -> Ask {
        Ask::visitor("10.0.0.8".parse().ok(), NOW)
    }

    fn run<T: Send + 'static>(&self, job: impl FnOnce(&mut dyn Sql) -> Result<T> + Send + 'static) -> T {
        self.db.transact(job).expect("it is allowed")
    }

    /// Makes a transaction that must be refused.
    fn refuse<T: Send + 'static>(&self, job: impl FnOnce(&mut dyn Sql) -> Result<T> + Send + 'static) -> Refusal {
        refusal(self.db.transact(job))
    }

    fn int(&self, sql: &'static str) -> i64 {
        self.db.read(move |open| open.int(sql, &[])).expect("it can be read")
    }

    fn is_visitor(&self, secret: &Secret, now: i64) -> bool {
        self.ask_at(secret, now).viewer == Viewer::VISITOR
    }
}

/// Returns why something was refused.
fn refusal<T>(result: Result<T>) -> Refusal {
    match result {
        Err(Error::Refused(why)) => why,
        Err(why) => panic!("{why}"),
        Ok(_) => panic!("it was allowed"),
    }
}

/// Returns the field that was refused.
fn wrong_field<T>(result: Result<T>) -> &'static str {
    match refusal(result) {
        Refusal::Invalid { field, .. } => field,
        why => panic!("{why}"),
    }
}

fn account_of(ask: &Ask) -> i64 {
    ask.asker().expect("an account").account
}

#[test]
fn the_world_has_what_it_says() {
    let world = World::new();
    assert_eq!(world.visitor().viewer.role(), Role::Visitor);
    assert_eq!(world.player("ana").viewer.role(), Role::Player);
    assert_eq!(world.organiser().viewer.role(), Role::Organiser);
    assert_eq!(world.player("bea").asker().map(|asker| asker.scope), Ok(Scope::All));
}
