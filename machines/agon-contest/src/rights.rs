//! Who may do what. Nothing else decides it.

use crate::{Scope, Standing, Viewer};

/// Something that a person may be allowed to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Look at what is public: the contest, its teams.
    SeeContest,
    /// Look at a team that is hidden.
    SeeHiddenTeam(i64),
    /// Make an account or log in.
    Enter,
    /// Look after the own account: its password, sessions and tokens.
    KeepAccount,
    /// Make a team, or join one.
    HaveTeam,
    /// Leave the own team.
    LeaveTeam(i64),
    /// Look at what a team's own people see: its code, its versions with their logs.
    SeeInsideTeam(i64),
    /// Rename a team, give out another code, send a member away, say who speaks for it.
    LeadTeam(i64),
    /// Submit a version for a team, choose one, take one back.
    Submit(i64),
    /// Look at what only those who lead see: accounts, invitations, hints at copies, the audit.
    SeeAll,
    /// Change the contest, invitations, accounts and any team.
    Lead,
}

/// Returns whether a person may do something. This alone decides: pages, documents and commands ask it.
#[must_use]
pub fn may(viewer: &Viewer, act: &Act) -> bool {
    let Some(asker) = &viewer.0 else { return matches!(act, Act::SeeContest | Act::Enter) };
    let organises = asker.standing == Standing::Organiser;
    let sees_all = organises || asker.standing == Standing::Auditor;
    let in_team = |team: i64| asker.team.is_some_and(|own| own.team == team);
    let leads_team = |team: i64| asker.team.is_some_and(|own| own.team == team && own.captain);
    let by_role = match *act {
        Act::SeeContest | Act::KeepAccount => true,
        // Whoever is in already has to log out first.
        Act::Enter => false,
        Act::SeeHiddenTeam(team) | Act::SeeInsideTeam(team) => sees_all || in_team(team),
        Act::HaveTeam => asker.standing == Standing::Player && asker.team.is_none(),
        Act::LeaveTeam(team) => in_team(team),
        Act::LeadTeam(team) => organises || leads_team(team),
        Act::Submit(team) => asker.standing == Standing::Player && in_team(team),
        Act::SeeAll => sees_all,
        Act::Lead => organises,
    };
    by_role
        && match asker.scope {
            Scope::All => true,
            Scope::Submit => is_look(act) || matches!(act, Act::Submit(_)),
            Scope::Read => is_look(act),
        }
}

/// Returns whether an act only looks at something that a token for programs may show. What those who lead see is for browsers: a
/// token lies in files and on other machines.
const fn is_look(act: &Act) -> bool {
    matches!(act, Act::SeeContest | Act::SeeHiddenTeam(_) | Act::SeeInsideTeam(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Asker, Membership, Role};

    const OWN: i64 = 7;
    const OTHER: i64 = 8;

    fn viewer(role: Role, scope: Scope) -> Viewer {
        let standing = match role {
            Role::Visitor => return Viewer::VISITOR,
            Role::Organiser => Standing::Organiser,
            Role::Auditor => Standing::Auditor,
            Role::Player | Role::Member | Role::Captain => Standing::Player,
        };
        let team = match role {
            Role::Member => Some(Membership { team: OWN, captain: false }),
            Role::Captain => Some(Membership { team: OWN, captain: true }),
            _ => None,
        };
        Viewer(Some(Asker { account: 1, name: "ana".to_owned(), standing, team, session: 1, scope }))
    }

    /// Visitor, player, member, captain, auditor, organiser: `+` may, `-` may not.
    const TABLE: [(Act, &str); 16] = [
        (Act::SeeContest, "++++++"),
        (Act::Enter, "+-----"),
        (Act::SeeHiddenTeam(OWN), "--++++"),
        (Act::SeeHiddenTeam(OTHER), "----++"),
        (Act::KeepAccount, "-+++++"),
        (Act::HaveTeam, "-+----"),
        (Act::LeaveTeam(OWN), "--++--"),
        (Act::LeaveTeam(OTHER), "------"),
        (Act::SeeInsideTeam(OWN), "--++++"),
        (Act::SeeInsideTeam(OTHER), "----++"),
        (Act::LeadTeam(OWN), "---+-+"),
        (Act::LeadTeam(OTHER), "-----+"),
        (Act::Submit(OWN), "--++--"),
        (Act::Submit(OTHER), "------"),
        (Act::SeeAll, "----++"),
        (Act::Lead, "-----+"),
    ];

    #[test]
    fn each_role_may_what_the_table_says() {
        for (act, row) in TABLE {
            let found: String = Role::ALL
                .into_iter()
                .map(|role| if may(&viewer(role, Scope::All), &act) { '+' } else { '-' })
                .collect();
            assert_eq!(found, row, "{act:?} for {:?}", Role::ALL);
        }
    }

    #[test]
    fn a_role_is_what_its_viewer_has() {
        for role in Role::ALL {
            assert_eq!(viewer(role, Scope::All).role(), role);
        }
    }

    #[test]
    fn a_token_may_less_than_a_browser_and_never_more() {
        let allowed = [Act::SeeContest, Act::SeeHiddenTeam(OWN), Act::SeeInsideTeam(OWN), Act::Submit(OWN)];
        for role in Role::ALL.into_iter().filter(|role| *role != Role::Visitor) {
            for (act, _) in TABLE {
                let of = |scope| may(&viewer(role, scope), &act);
                assert!(of(Scope::All) || !of(Scope::Submit), "{role:?} {act:?}");
                assert!(of(Scope::Submit) || !of(Scope::Read), "{role:?} {act:?}");
            }
        }
        for (scope, count) in [(Scope::Submit, 4), (Scope::Read, 3)] {
            let found: Vec<Act> =
                TABLE.into_iter().map(|(act, _)| act).filter(|act| may(&viewer(Role::Member, scope), act)).collect();
            assert_eq!(found, allowed[..count]);
        }
        let organiser = viewer(Role::Organiser, Scope::Submit);
        assert!(!may(&organiser, &Act::Lead) && !may(&organiser, &Act::SeeAll));
    }

    #[test]
    fn whoever_leads_and_is_in_a_team_does_not_submit() {
        let mut viewer = viewer(Role::Organiser, Scope::All);
        if let Some(asker) = &mut viewer.0 {
            asker.team = Some(Membership { team: OWN, captain: true });
        }
        assert!(!may(&viewer, &Act::Submit(OWN)));
        assert!(may(&viewer, &Act::LeaveTeam(OWN)));
    }
}
