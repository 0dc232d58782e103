//! The documents of `agon serve`, and those that its pages have under `/api`. Times are in milliseconds since 1970.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The first line that `agon serve` prints.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ServeDocument {
    /// The address of the contest.
    pub url: String,
    /// The address under which the first organiser chooses a name and a password, once and within 24 hours. `null` if there is an
    /// organiser.
    pub link: Option<String>,
}

/// Who can reach a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ServerOpenness {
    /// Programs of its own machine.
    Loopback,
    /// A proxy, which encrypts what goes between it and browsers.
    BehindProxy,
    /// Everybody in the network, who can also read what goes through it.
    InsecureLan,
}

/// How people become participants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContestRegistration {
    /// Anybody can make an account.
    Open,
    /// An account needs an invite code.
    Invited,
    /// Nobody can make an account any more.
    Closed,
}

/// What somebody is in a contest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContestRole {
    /// Somebody who is not logged in.
    Visitor,
    /// Somebody with an account that is in no team.
    Player,
    /// A member of a team.
    Member,
    /// The member who speaks for a team.
    Captain,
    /// Somebody who may see everything and change nothing.
    Auditor,
    /// Somebody who organises the contest.
    Organiser,
}

/// A contest, as somebody sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestDocument {
    /// The name. `null` if the contest is not made yet.
    pub name: Option<String>,
    /// The game. `null` if the contest is not made yet.
    pub game: Option<String>,
    /// How people become participants.
    pub registration: ContestRegistration,
    /// How many teams there are.
    pub teams: u64,
    /// Who can reach the server.
    pub openness: ServerOpenness,
    /// Who has asked.
    pub you: ContestViewer,
}

/// Who asks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestViewer {
    /// The name of the account. `null` without one.
    pub name: Option<String>,
    /// What the account is in the contest.
    pub role: ContestRole,
    /// Its team. `null` without one.
    pub team: Option<ContestTeamName>,
}

/// The name of a team, and its number, which never changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestTeamName {
    /// The number.
    pub number: i64,
    /// The name.
    pub name: String,
}

/// The account of who asks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestAccountDocument {
    /// The account.
    pub you: ContestViewer,
    /// Where it is logged in, and its tokens.
    pub sessions: Vec<ContestSession>,
}

/// A session of an account. Its secret is never told.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestSession {
    /// Its number.
    pub number: i64,
    /// Whether it is that of a browser or of a program.
    pub kind: ContestSessionKind,
    /// What its owner calls it, or what the browser says about itself.
    pub label: String,
    /// Whether it is the one that has asked.
    pub this: bool,
    /// When it began.
    pub time_began_ms: i64,
    /// When it was used last.
    pub time_used_ms: i64,
    /// When it ends if it is used until then. `null` if it has no end.
    pub time_until_ms: Option<i64>,
}

/// Whose session it is, and what it may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContestSessionKind {
    /// A browser, with everything that the account may.
    Browser,
    /// A program that may send bots and read.
    Submit,
    /// A program that may read.
    Read,
}

/// The teams of a contest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestTeamsDocument {
    /// The teams that the asker may see, in the order of their numbers.
    pub teams: Vec<ContestTeamRow>,
}

/// A row of the list of teams.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestTeamRow {
    /// The team.
    #[serde(flatten)]
    pub team: ContestTeamName,
    /// How many members it has now.
    pub members: u64,
    /// Whether only organisers and its members see it.
    pub hidden: bool,
}

/// A team.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestTeamDocument {
    /// The team.
    #[serde(flatten)]
    pub team: ContestTeamName,
    /// Whether only organisers and its members see it.
    pub hidden: bool,
    /// The code with which others can join it. `null` unless the asker may give it out.
    pub code: Option<String>,
    /// Its members over time, in the order in which they came.
    pub members: Vec<ContestMember>,
}

/// A member of a team over a time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestMember {
    /// The number of the account.
    pub account: i64,
    /// Its name.
    pub name: String,
    /// Whether it speaks for the team.
    pub captain: bool,
    /// When it came.
    pub time_since_ms: i64,
    /// When it left. `null` if it is still there.
    pub time_until_ms: Option<i64>,
}

/// What organisers and auditors see of a contest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestOrganiseDocument {
    /// The invite codes.
    pub invites: Vec<ContestInvite>,
    /// The accounts, in the order in which they came.
    pub accounts: Vec<ContestAccountRow>,
    /// The latest acts of organisers, the last one first.
    pub acts: Vec<ContestAct>,
}

/// An invite code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestInvite {
    /// Its number.
    pub number: i64,
    /// The code. `null` for who may not give it out.
    pub code: Option<String>,
    /// What an account becomes with it.
    pub standing: ContestStanding,
    /// The team of which it makes members. `null` if it makes none.
    pub team: Option<ContestTeamName>,
    /// How often it was used.
    pub used: i64,
    /// How often it can still be used. `null` if there is no limit.
    pub left: Option<i64>,
    /// Until when it is valid. `null` if there is no end.
    pub time_until_ms: Option<i64>,
}

/// What an account is, apart from its team.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContestStanding {
    /// It takes part.
    Player,
    /// It sees everything and changes nothing.
    Auditor,
    /// It organises the contest.
    Organiser,
}

/// An account, as organisers see it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestAccountRow {
    /// Its number.
    pub number: i64,
    /// Its name.
    pub name: String,
    /// What it is.
    pub standing: ContestStanding,
    /// Its team. `null` without one.
    pub team: Option<ContestTeamName>,
    /// When it was made.
    pub time_made_ms: i64,
    /// Why it is disabled. `null` if it is not.
    pub disabled: Option<String>,
}

/// An act of an organiser.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestAct {
    /// Its number.
    pub number: i64,
    /// When it was done.
    pub time_at_ms: i64,
    /// The name of the account that did it. `null` for whoever used the first link.
    pub by: Option<String>,
    /// What was done, as in `account.disable`.
    pub act: String,
    /// What it was about.
    pub about: serde_json::Value,
}

/// Why a request under `/api` is refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContestErrorDocument {
    /// The reason.
    pub error: String,
    /// After how many seconds the same request may succeed. `null` if time does not change it.
    pub retry_after_s: Option<u64>,
}
