//! Why a person does not get what they asked for.

/// Why a person does not get what they asked for. Pages have their own words for each, in every language; these here are for
/// programs and logs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// Nobody is logged in, but somebody must be.
    #[error("log in first")]
    LogIn,
    /// The role of the person does not allow it.
    #[error("this is not allowed here")]
    NotAllowed,
    /// There is no such thing, or none that the person may know of.
    #[error("there is no such {0}")]
    Unknown(&'static str),
    /// The name is taken.
    #[error("this {0} is taken")]
    Taken(&'static str),
    /// A field of a request is wrong.
    #[error("{field}: {why}")]
    Invalid {
        /// The field, as the request calls it.
        field: &'static str,
        /// What is wrong with it, as a lower-case fragment.
        why: String,
    },
    /// The name or the password is wrong. It is not said which.
    #[error("the name or the password is wrong")]
    WrongPassword,
    /// The account was disabled by an organiser.
    #[error("this account is disabled: {0}")]
    Disabled(String),
    /// A link or a code has been used, has ended, or never was.
    #[error("this {0} is not valid, or not any more")]
    Spent(&'static str),
    /// There were too many requests of this kind.
    #[error("too many requests of this kind: come again in {} s", after_ms.div_euclid(1000) + 1)]
    TooOften {
        /// The time until the same request may be made, in milliseconds.
        after_ms: i64,
    },
    /// What was sent is too large.
    #[error("this is larger than {most} bytes")]
    TooLarge {
        /// The greatest size, in bytes.
        most: u64,
    },
    /// It does not fit the state of the contest.
    #[error("{0}")]
    Conflict(Conflict),
}

/// What does not fit the state of the contest.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Conflict {
    /// Whoever wants to enter a team is in one.
    #[error("you are in a team already")]
    InTeam,
    /// Whoever leaves a team is in none.
    #[error("you are in no team")]
    InNoTeam,
    /// Whoever leads is in no team.
    #[error("only players are in teams")]
    OnlyPlayers,
    /// The team has this many people at most.
    #[error("this team is full: it has {0} people at most")]
    TeamFull(u32),
    /// Without this one nobody could lead.
    #[error("this is the last organiser who can log in")]
    LastOrganiser,
    /// It is done to others only.
    #[error("this is your own account; another organiser can do it")]
    OwnAccount,
    /// Registration has ended.
    #[error("nobody can register any more")]
    RegistrationOver,
    /// The account has this many tokens.
    #[error("there are {0} tokens already; revoke one first")]
    TooManyTokens(i64),
    /// The version was not accepted.
    #[error("only a version that was accepted can play")]
    OnlyAccepted,
    /// The version is neither held nor refused.
    #[error("only a version that is held or was refused can be run again")]
    OnlyHeld,
    /// This many versions of the team wait.
    #[error("{0} versions of the team wait for their checks: come again later")]
    TooManyWait(i64),
    /// Something that is told in words of its own.
    #[error("{0}")]
    Other(String),
}
