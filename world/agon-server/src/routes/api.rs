//! The documents under `/api`. The pages show the same ones.

use super::{Visit, document};
use crate::{
    Result,
    http::Openness,
    people::{accounts, audit, invites, sessions, teams},
};
use agon_contest::{Act, Registration, Role, Scope, Standing};
use agon_spec::{
    ContestAccountDocument, ContestAccountRow, ContestAct, ContestDocument, ContestInvite, ContestMember,
    ContestOrganiseDocument, ContestRegistration, ContestRole, ContestSession, ContestSessionKind, ContestStanding,
    ContestTeamDocument, ContestTeamName, ContestTeamRow, ContestTeamsDocument, ContestViewer, ServerOpenness,
};
use axum::response::Response;

/// How many acts of organisers are told.
const ACTS: u32 = 200;

/// Answers the contest.
pub fn contest(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::SeeContest)?;
    Ok(document(contest_document(visit)?))
}

/// Answers the account of who asks.
pub fn account(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::KeepAccount)?;
    Ok(document(account_document(visit)?))
}

/// Answers the teams.
pub fn teams(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::SeeContest)?;
    Ok(document(teams_document(visit)?))
}

/// Answers a team.
pub fn team(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::SeeContest)?;
    Ok(document(team_document(visit)?))
}

/// Answers what organisers and auditors see.
pub fn organise(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::SeeAll)?;
    Ok(document(organise_document(visit)?))
}

/// Returns the contest, as who asks sees it.
pub fn contest_document(visit: &Visit) -> Result<ContestDocument> {
    let file = visit.contest.as_ref().map(|contest| &contest.file);
    let ask = visit.ask.clone();
    let count = visit.read(move |sql| Ok(teams::list(sql, &ask.viewer)?.len()))?;
    Ok(ContestDocument {
        name: file.map(|file| file.name.clone()),
        game: file.map(|file| file.game.clone()),
        registration: match file.map_or(Registration::Invited, |file| file.registration) {
            Registration::Open => ContestRegistration::Open,
            Registration::Invited => ContestRegistration::Invited,
            Registration::Closed => ContestRegistration::Closed,
        },
        teams: count as u64,
        openness: match visit.site.access.openness() {
            Openness::Loopback => ServerOpenness::Loopback,
            Openness::BehindProxy => ServerOpenness::BehindProxy,
            Openness::InsecureLan => ServerOpenness::InsecureLan,
        },
        you: viewer(visit)?,
    })
}

fn viewer(visit: &Visit) -> Result<ContestViewer> {
    let viewer = &visit.ask.viewer;
    let ask = visit.ask.clone();
    let team = match viewer.team() {
        None => None,
        Some(number) => Some(visit.read(move |sql| teams::get(sql, &ask.viewer, number))?),
    };
    Ok(ContestViewer {
        name: viewer.0.as_ref().map(|asker| asker.name.clone()),
        role: match viewer.role() {
            Role::Visitor => ContestRole::Visitor,
            Role::Player => ContestRole::Player,
            Role::Member => ContestRole::Member,
            Role::Captain => ContestRole::Captain,
            Role::Auditor => ContestRole::Auditor,
            Role::Organiser => ContestRole::Organiser,
        },
        team: team.map(|team| ContestTeamName { number: team.id, name: team.name }),
    })
}

/// Returns the account of who asks.
pub fn account_document(visit: &Visit) -> Result<ContestAccountDocument> {
    let ask = visit.ask.clone();
    let listed = visit.read(move |sql| sessions::list(sql, &ask))?;
    let sessions = listed.into_iter().map(|session| ContestSession {
        number: session.id,
        kind: match session.scope {
            Scope::All => ContestSessionKind::Browser,
            Scope::Submit => ContestSessionKind::Submit,
            Scope::Read => ContestSessionKind::Read,
        },
        this: session.current,
        label: session.label,
        time_began_ms: session.created_ms,
        time_used_ms: session.used_ms,
        time_until_ms: session.until_ms,
    });
    Ok(ContestAccountDocument { you: viewer(visit)?, sessions: sessions.collect() })
}

/// Returns the teams that who asks may see.
pub fn teams_document(visit: &Visit) -> Result<ContestTeamsDocument> {
    let ask = visit.ask.clone();
    let listed = visit.read(move |sql| teams::list(sql, &ask.viewer))?;
    let row = |team: teams::Team| ContestTeamRow {
        team: ContestTeamName { number: team.id, name: team.name },
        members: u64::try_from(team.size).unwrap_or(0),
        hidden: team.hidden,
    };
    Ok(ContestTeamsDocument { teams: listed.into_iter().map(row).collect() })
}

/// Returns the team in the path. One that who asks may not see is none.
pub fn team_document(visit: &Visit) -> Result<ContestTeamDocument> {
    let (ask, number) = (visit.ask.clone(), visit.number(0, "team")?);
    let (team, members, code) = visit.read(move |sql| {
        let team = teams::get(sql, &ask.viewer, number)?;
        let members = teams::members(sql, &ask.viewer, number)?;
        Ok((team, members, teams::code(sql, &ask, number).ok()))
    })?;
    let members = members.into_iter().map(|member| ContestMember {
        account: member.account,
        name: member.name,
        captain: member.captain,
        time_since_ms: member.since_ms,
        time_until_ms: member.until_ms,
    });
    Ok(ContestTeamDocument {
        team: ContestTeamName { number: team.id, name: team.name },
        hidden: team.hidden,
        code,
        members: members.collect(),
    })
}

/// Returns what organisers and auditors see.
pub fn organise_document(visit: &Visit) -> Result<ContestOrganiseDocument> {
    let ask = visit.ask.clone();
    let (invites, accounts, acts) = visit.read(move |sql| {
        Ok((invites::list(sql, &ask)?, accounts::list(sql, &ask)?, audit::list(sql, &ask, None, ACTS)?))
    })?;
    let team = |team: Option<(i64, String)>| team.map(|(number, name)| ContestTeamName { number, name });
    let now = visit.ask.now;
    let invites = invites.into_iter().filter(|invite| invite.is_valid(now)).map(|invite| ContestInvite {
        number: invite.id,
        code: (!invite.code.is_empty()).then_some(invite.code),
        standing: standing(invite.standing),
        team: team(invite.team),
        used: invite.used,
        left: invite.uses,
        time_until_ms: invite.until_ms,
    });
    let accounts = accounts.into_iter().map(|account| ContestAccountRow {
        number: account.id,
        name: account.name,
        standing: standing(account.standing),
        team: team(account.team),
        time_made_ms: account.created_ms,
        disabled: account.disabled,
    });
    let acts = acts.into_iter().map(|entry| ContestAct {
        number: entry.id,
        time_at_ms: entry.at_ms,
        by: entry.account.map(|(_, name)| name),
        act: entry.act,
        about: entry.about,
    });
    Ok(ContestOrganiseDocument { invites: invites.collect(), accounts: accounts.collect(), acts: acts.collect() })
}

fn standing(standing: Standing) -> ContestStanding {
    match standing {
        Standing::Player => ContestStanding::Player,
        Standing::Auditor => ContestStanding::Auditor,
        Standing::Organiser => ContestStanding::Organiser,
    }
}
