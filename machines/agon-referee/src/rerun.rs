//! Plays recorded turns again, through the same [`judge`] and the same [`resolve`](agon_core::Game::resolve).

use crate::{AnyReferee, Mark, PlyRecord, SeatKind, Settings, TypedReferee, starting_position};
use agon_core::{Contest, Entry, Failure, Flaw, Frame, Joint, Remaining, Seat, Seats, Standing, judge};
use agon_spec::MatchSpec;
use core::fmt;

/// A match that is being played again from its record.
pub struct TypedRerun<C: Contest> {
    spec: MatchSpec,
    position: C,
    scratch: C::Scratch,
    plies: u32,
}

/// A recorded match of any game, played again.
pub trait AnyRerun: Send {
    /// Plays the next recorded turn; its fingerprint is that of the record.
    ///
    /// # Errors
    /// Where the record and the rules disagree. The position is then that after the turn, or unchanged if the turn
    /// could not be played at all.
    fn step(&mut self, record: &PlyRecord) -> Result<Mark, Mismatch>;

    /// How many turns were played.
    fn plies(&self) -> u32;

    /// Whether the rules say that the match has ended.
    fn over(&self) -> bool;

    /// Who decides next.
    fn awaiting(&self) -> Seats;

    /// The number of the position.
    fn fingerprint(&self) -> Mark;

    /// How the match stands.
    fn standing(&self) -> Standing;

    /// What a viewer draws of the position.
    fn frame(&self) -> Frame;

    /// The position as a map file, as far as the format can say it.
    fn map(&self) -> String;

    /// What a bot that sits down now in `seat` would be told: greeting and prompt, by a fresh dialogue.
    fn prompt(&self, seat: Seat) -> Vec<u8>;

    /// A match that begins with this position, with one kind a seat.
    ///
    /// # Errors
    /// As [`open`](crate::open()), for the bots.
    fn machine(&self, kinds: &[SeatKind], settings: Settings) -> Result<Box<dyn AnyReferee>, Flaw>;
}

/// Where a record and the rules disagree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The record's turn is not the next one.
    WrongPly {
        /// The next one.
        expected: u32,
        /// The record's.
        recorded: u32,
    },
    /// A turn is recorded after the end of the match.
    AfterTheEnd {
        /// The record's.
        ply: u32,
    },
    /// Others decided than the rules await.
    WrongSeats {
        /// In which turn.
        ply: u32,
        /// Who should have.
        awaited: Seats,
        /// Who did.
        recorded: Seats,
    },
    /// An order that the game does not know.
    UnknownOrder {
        /// In which turn.
        ply: u32,
        /// Whose.
        seat: Seat,
        /// Why it cannot be read.
        why: String,
    },
    /// The rules judge the orders differently.
    Judgement {
        /// In which turn.
        ply: u32,
        /// Whose.
        seat: Seat,
        /// As recorded.
        recorded: Option<Failure>,
        /// As judged now.
        judged: Option<Failure>,
    },
    /// The turn leads to another position.
    Fingerprint {
        /// Which turn.
        ply: u32,
        /// As recorded.
        recorded: Mark,
        /// As played now.
        played: Mark,
    },
}

impl Mismatch {
    /// The turn in which the record and the rules disagree.
    #[must_use]
    pub fn ply(&self) -> u32 {
        match self {
            Self::WrongPly { expected, .. } => *expected,
            Self::AfterTheEnd { ply }
            | Self::WrongSeats { ply, .. }
            | Self::UnknownOrder { ply, .. }
            | Self::Judgement { ply, .. }
            | Self::Fingerprint { ply, .. } => *ply,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongPly { expected, recorded } => {
                write!(f, "turn {expected} is missing: the record goes on with turn {recorded}")
            }
            Self::AfterTheEnd { ply } => write!(f, "turn {ply} is recorded after the end of the match"),
            Self::WrongSeats { ply, awaited, recorded } => {
                write!(f, "turn {ply}: seats {recorded:?} decided, by the rules it was up to seats {awaited:?}")
            }
            Self::UnknownOrder { ply, seat, why } => {
                write!(f, "turn {ply}: an order of seat {seat} cannot be read: {why}")
            }
            Self::Judgement { ply, seat, recorded, judged } => {
                let (recorded, judged) = (in_words(*recorded), in_words(*judged));
                write!(f, "turn {ply}: the decision of seat {seat} is recorded as {recorded} and judged as {judged}")
            }
            Self::Fingerprint { ply, recorded, played } => {
                write!(f, "turn {ply}: the record leads to {recorded}, the rules lead to {played}")
            }
        }
    }
}

impl std::error::Error for Mismatch {}

fn in_words(failure: Option<Failure>) -> String {
    match failure {
        None => "lawful".into(),
        Some(Failure::Late) => "late".into(),
        Some(Failure::Gone) => "gone".into(),
        Some(Failure::Nonsense) => "nonsense".into(),
        Some(Failure::Unlawful(index)) => format!("unlawful from order {} on", u64::from(index) + 1),
    }
}

impl<C: Contest> TypedRerun<C> {
    /// A match at its beginning.
    ///
    /// # Errors
    /// As [`starting_position`].
    pub fn new(spec: &MatchSpec) -> Result<Self, Flaw> {
        Ok(Self::from_position(spec, starting_position(spec)?))
    }

    /// A match that goes on from `position`, as after an edit.
    #[must_use]
    pub fn from_position(spec: &MatchSpec, position: C) -> Self {
        Self { spec: spec.clone(), position, scratch: C::Scratch::default(), plies: 0 }
    }

    /// The position now.
    #[must_use]
    pub fn position(&self) -> &C {
        &self.position
    }

    /// Everything that decides the match beside the answers.
    #[must_use]
    pub fn spec(&self) -> &MatchSpec {
        &self.spec
    }
}

impl<C: Contest> AnyRerun for TypedRerun<C> {
    fn step(&mut self, record: &PlyRecord) -> Result<Mark, Mismatch> {
        let ply = self.plies + 1;
        if record.ply != ply {
            return Err(Mismatch::WrongPly { expected: ply, recorded: record.ply });
        }
        if self.position.over() {
            return Err(Mismatch::AfterTheEnd { ply });
        }
        let awaited = self.position.awaiting();
        let recorded: Seats = record.entries.iter().map(|entry| entry.seat).collect();
        if awaited != recorded || record.entries.windows(2).any(|pair| pair[0].seat >= pair[1].seat) {
            return Err(Mismatch::WrongSeats { ply, awaited, recorded });
        }

        let mut heard: Vec<Vec<C::Order>> = Vec::with_capacity(record.entries.len());
        for entry in &record.entries {
            let orders: Result<_, _> = entry.orders.read().collect();
            heard.push(orders.map_err(|e| Mismatch::UnknownOrder { ply, seat: entry.seat, why: e.to_string() })?);
        }

        let mut entries: Vec<Entry<'_, C::Order>> = Vec::with_capacity(heard.len());
        for (entry, orders) in record.entries.iter().zip(&heard) {
            // An unlawful order is found again by the rules: only a breakdown is taken from the record.
            let breakdown = entry.failure.filter(|failure| failure.is_breakdown());
            let (judged, _) = judge(&self.position, entry.seat, orders, breakdown, &mut self.scratch);
            if judged.failure != entry.failure {
                let (seat, recorded, judged) = (entry.seat, entry.failure, judged.failure);
                return Err(Mismatch::Judgement { ply, seat, recorded, judged });
            }
            entries.push(judged);
        }
        self.position.resolve(Joint::new(&entries), &mut self.scratch, &mut ());
        self.plies = ply;
        let played = self.fingerprint();
        if played == record.fingerprint {
            Ok(played)
        } else {
            Err(Mismatch::Fingerprint { ply, recorded: record.fingerprint, played })
        }
    }

    fn plies(&self) -> u32 {
        self.plies
    }

    fn over(&self) -> bool {
        self.position.over()
    }

    fn awaiting(&self) -> Seats {
        self.position.awaiting()
    }

    fn fingerprint(&self) -> Mark {
        Mark(self.position.fingerprint())
    }

    fn standing(&self) -> Standing {
        self.position.standing()
    }

    fn frame(&self) -> Frame {
        self.position.frame()
    }

    fn map(&self) -> String {
        C::print_map(&self.position.to_map())
    }

    fn prompt(&self, seat: Seat) -> Vec<u8> {
        let mut told = Vec::new();
        let Some(spec) = self.spec.seats.get(seat.index()) else { return told };
        let mut dialogue = self.position.dialogue(seat, &spec.dialect);
        let clock = spec.clock.unwrap_or(self.spec.clock);
        let greeting = Remaining { turn: clock.greeting, bank: clock.bank };
        let _ = dialogue.greet(self.position.view(seat), greeting, &mut told);
        let turn = Remaining { turn: clock.hard, bank: clock.bank };
        dialogue.prompt(self.position.view(seat), turn, &mut told);
        told
    }

    fn machine(&self, kinds: &[SeatKind], settings: Settings) -> Result<Box<dyn AnyReferee>, Flaw> {
        Ok(Box::new(TypedReferee::new(&self.spec, self.position.clone(), kinds, settings)?))
    }
}
