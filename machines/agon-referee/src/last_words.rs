//! The end of the conversation with a bot that has failed.

/// What a bot was told and what it said before it failed. Both may hold any bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LastWords {
    /// The last line that the bot's pipe has taken and that is not empty, at most [`LastWords::TOLD`] bytes from its start.
    pub told: Vec<u8>,
    /// What had arrived of the answer of which the bot owed the rest, with everything behind the byte at which it failed. If
    /// it had said nothing of that answer, this is its last complete answer, as far as it is still kept. At most
    /// [`LastWords::HEARD`] bytes.
    pub heard: Vec<u8>,
    /// Whether `heard` is a part of the answer that the bot owed.
    pub is_answer: bool,
    /// Whether `heard` is a part of that answer and nothing that arrived is missing, neither before it nor behind it.
    pub is_whole: bool,
}

impl LastWords {
    /// The maximum length of [`LastWords::told`].
    pub const TOLD: usize = 1024;
    /// The maximum length of [`LastWords::heard`].
    pub const HEARD: usize = 64 << 10;
}
