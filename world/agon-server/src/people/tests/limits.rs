//! How often somebody may ask.

use super::*;
use crate::people::{Who, allow};
use agon_contest::{Asker, Kind, KindLimits, Limits, Membership, Rate};
use proptest::prelude::*;

/// Somebody with an account and a team, at an address.
fn somebody(account: i64, team: Option<i64>, address: &str, now: i64) -> Ask {
    let team = team.map(|team| Membership { team, captain: false });
    let (name, standing, scope) = (format!("player-{account}"), Standing::Player, Scope::All);
    let asker = Asker { account, name, standing, team, session: 1, scope };
    Ask { viewer: Viewer(Some(asker)), address: address.parse().ok(), now }
}

#[test]
fn a_room_with_one_address_is_not_locked_out() {
    let (world, limits) = (World::new(), Limits::default());
    for account in 1..=300 {
        let ask = somebody(account, Some(account / 3), "10.0.0.7", NOW);
        for kind in [Kind::Submit, Kind::Change, Kind::Code] {
            allow(&world.db, &limits, kind, Who::asks(&ask), NOW).expect("others at the address are no reason to wait");
        }
        let name = format!("player-{account}");
        let visitor = Ask::visitor("10.0.0.7".parse().ok(), NOW);
        allow(&world.db, &limits, Kind::Register, Who::asks(&visitor), NOW).expect("a class makes its accounts");
        allow(&world.db, &limits, Kind::LogIn, Who::tries(&name, &visitor), NOW).expect("a class logs in");
    }
}

#[test]
fn a_team_has_one_limit_however_many_are_in_it() {
    let (world, limits) = (World::new(), Limits::default());
    let team = limits.of(Kind::Submit).team.expect("teams have one");
    let ask = |account: i64, team| {
        let ask = somebody(account, Some(team), "10.0.0.7", NOW);
        allow(&world.db, &limits, Kind::Submit, Who::asks(&ask), NOW)
    };
    for at in 0..i64::from(team.most) {
        ask(at % 4, 1).expect("there are not so many yet");
    }
    assert_eq!(refusal(ask(9, 1)), Refusal::TooOften { after_ms: team.within_ms }, "somebody new in the team");
    ask(9, 2).expect("the same person in another team");
}

#[test]
fn what_was_recorded_is_known_after_a_start() {
    let folder = std::env::temp_dir().join(format!("agon-limits-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("cup.agon");
    let _store = agon_store::Sqlite::open(&path).expect("a new store");
    let mut limits = Limits::default();
    let rate = Rate { most: 2, within_ms: HOUR };
    limits.set(Kind::LogIn, KindLimits { account: rate, ..limits.of(Kind::LogIn) });
    let attempt = |now| {
        let db = Database::sqlite(&path).expect("a store");
        allow(&db, &limits, Kind::LogIn, Who::tries("ana", &Ask::visitor(None, now)), now)
    };
    assert!(attempt(NOW).is_ok() && attempt(NOW + 1).is_ok());
    assert_eq!(refusal(attempt(NOW + 2)), Refusal::TooOften { after_ms: HOUR - 2 });
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn what_no_rate_looks_back_to_is_forgotten() {
    let (world, limits) = (World::new(), Limits::default());
    for day in 0..5 {
        for account in 0..4 {
            let ask = somebody(account, None, "10.0.0.7", NOW + day * 24 * HOUR);
            allow(&world.db, &limits, Kind::Change, Who::asks(&ask), ask.now).expect("there are few");
        }
    }
    assert_eq!(world.int("SELECT count(*) FROM contest_requests"), 4);
}

/// A request that was allowed.
struct Allowed {
    at: i64,
    kind: Kind,
    account: Option<String>,
    team: Option<i64>,
    address: Option<String>,
}

/// What the limits say, told in the simplest way.
#[derive(Default)]
struct Model(Vec<Allowed>);

impl Model {
    fn allows(&mut self, limits: &Limits, kind: Kind, ask: &Ask, tried: Option<&str>) -> bool {
        let account = match (tried, ask.viewer.account()) {
            (Some(name), _) => Some(format!("name {name}")),
            (None, Some(account)) => Some(format!("account {account}")),
            (None, None) => None,
        };
        let address = if account.is_none() || tried.is_some() { ask.network() } else { None };
        let team = ask.viewer.team().filter(|_| tried.is_none());
        let of = limits.of(kind);
        let count = |rate: Rate, same: &dyn Fn(&Allowed) -> bool| {
            let recent = self.0.iter().filter(|one| one.kind == kind && ask.now - one.at < rate.within_ms && same(one));
            recent.count() < rate.most as usize
        };
        let here = |one: &Allowed| tried.is_none() || one.address == address;
        let fits = (account.is_none() || count(of.account, &|one| one.account == account && here(one)))
            && of.name.filter(|_| tried.is_some()).is_none_or(|rate| count(rate, &|one| one.account == account))
            && (team.is_none() || of.team.is_none_or(|rate| count(rate, &|one| one.team == team)))
            && (address.is_none() || count(of.address, &|one| one.address == address));
        if fits {
            self.0.push(Allowed { at: ask.now, kind, account, team, address });
        }
        fits
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_database_allows_what_the_limits_say(
        most in (1_u32..4, 1_u32..6, 1_u32..4, 1_u32..4),
        steps in prop::collection::vec((0_i64..400, 0_usize..3, 0_i64..3, 0_i64..3, 0_usize..3), 1..60),
    ) {
        let world = World::new();
        let mut limits = Limits::default();
        let rate = |most| Rate { most, within_ms: 1000 };
        for kind in Kind::ALL {
            let (name, team) = (Some(rate(most.1)), Some(rate(most.2)));
            limits.set(kind, KindLimits { account: rate(most.0), name, team, address: rate(most.3) });
        }
        let (mut now, mut model) = (NOW, Model::default());
        for (step, kind, account, team, address) in steps {
            now += step;
            let kind = [Kind::Submit, Kind::Code, Kind::LogIn][kind];
            let address = ["10.0.0.1", "10.0.0.2", "2001:db8::1"][address];
            let (ask, tried) = match (kind, account) {
                (Kind::LogIn, account) => (Ask::visitor(address.parse().ok(), now), Some(format!("player-{account}"))),
                (_, 0) => (Ask::visitor(address.parse().ok(), now), None),
                (_, account) => (somebody(account, Some(team).filter(|team| *team > 0), address, now), None),
            };
            let who = tried.as_deref().map_or_else(|| Who::asks(&ask), |name| Who::tries(name, &ask));
            let wanted = model.allows(&limits, kind, &ask, tried.as_deref());
            match allow(&world.db, &limits, kind, who, now) {
                Ok(_) => prop_assert!(wanted),
                Err(Error::Refused(Refusal::TooOften { after_ms })) => {
                    prop_assert!(!wanted && (1..=1000).contains(&after_ms));
                }
                Err(why) => prop_assert!(false, "{}", why),
            }
        }
    }
}
