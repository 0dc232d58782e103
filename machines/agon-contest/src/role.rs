//! Who asks.

/// What an account is, apart from its team.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Standing {
    /// Takes part in the contest.
    Player,
    /// Sees everything, and changes nothing.
    Auditor,
    /// Leads the contest.
    Organiser,
}

impl Standing {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Player, Self::Auditor, Self::Organiser];

    /// Returns its word in tables and documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Auditor => "auditor",
            Self::Organiser => "organiser",
        }
    }

    /// Reads such a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.word() == word)
    }
}

/// What a session may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Everything that its account may do: a session of a browser.
    All,
    /// To submit bots and look at them: a token for programs.
    Submit,
    /// To look: a token for programs.
    Read,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::All, Self::Submit, Self::Read];

    /// Returns its word in tables and documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Submit => "submit",
            Self::Read => "read",
        }
    }

    /// Reads such a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.word() == word)
    }
}

/// The team of whoever asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Membership {
    /// The number of the team.
    pub team: i64,
    /// Whether they speak for the team.
    pub captain: bool,
}

/// The account of whoever asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asker {
    /// The number of the account.
    pub account: i64,
    /// Its name.
    pub name: String,
    /// What it is, apart from its team.
    pub standing: Standing,
    /// Its team now.
    pub team: Option<Membership>,
    /// The number of the session.
    pub session: i64,
    /// What the session may be used for.
    pub scope: Scope,
}

/// Who asks: a visitor, or somebody with an account.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Viewer(pub Option<Asker>);

impl Viewer {
    /// Whoever has no account, or has not logged in.
    pub const VISITOR: Self = Self(None);

    /// Returns the role, for pages and tables of tests.
    #[must_use]
    pub fn role(&self) -> Role {
        match &self.0 {
            None => Role::Visitor,
            Some(asker) => match (asker.standing, asker.team) {
                (Standing::Organiser, _) => Role::Organiser,
                (Standing::Auditor, _) => Role::Auditor,
                (Standing::Player, Some(Membership { captain: true, .. })) => Role::Captain,
                (Standing::Player, Some(_)) => Role::Member,
                (Standing::Player, None) => Role::Player,
            },
        }
    }

    /// Returns the number of the account, unless a visitor asks.
    #[must_use]
    pub fn account(&self) -> Option<i64> {
        self.0.as_ref().map(|asker| asker.account)
    }

    /// Returns the number of the team, if the account is in one.
    #[must_use]
    pub fn team(&self) -> Option<i64> {
        self.membership().map(|membership| membership.team)
    }

    pub(crate) fn membership(&self) -> Option<Membership> {
        self.0.as_ref().and_then(|asker| asker.team)
    }
}

/// What somebody is in the contest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// Has not logged in.
    Visitor,
    /// Has an account, but no team.
    Player,
    /// Is in a team.
    Member,
    /// Speaks for a team.
    Captain,
    /// Sees everything, and changes nothing.
    Auditor,
    /// Leads the contest.
    Organiser,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Visitor, Self::Player, Self::Member, Self::Captain, Self::Auditor, Self::Organiser];
}
