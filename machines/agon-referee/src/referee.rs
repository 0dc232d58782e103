//! The match machine of one game.

use crate::{
    AnyReferee, Do, Fault, FaultRecord, In, LastWords, MatchEvent, Question, SeatKind, Settings, TimeUsed, Times,
    change::Change,
    kept::KeptTurns,
    open::check_dialect,
    open::terms,
    seat_state::{Decider, Phase, SeatState},
    timekeeper::Timekeeper,
    wire::Wire,
};
use agon_core::{ClockPolicy, Contest, Flaw, Frame, Seat, Seats, Standing, Terms, TimePolicy, text::counted};
use agon_spec::{MatchSpec, RefusedCount, SpoiltRecord};
use core::time::Duration;
use std::collections::VecDeque;

/// The stage of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// The match has not begun.
    Waiting,
    /// The referee greets all seats at the same time.
    Greeting,
    /// The match is between two turns.
    Between,
    /// Built-in bots decide. The referee asks the processes after them, so that no process waits while a built-in bot
    /// thinks.
    Thinking,
    /// The referee waits for decisions.
    Asking,
    /// The match has ended.
    Over,
}

/// The match machine of one game. See [`AnyReferee`].
pub struct TypedReferee<C: Contest> {
    pub(crate) spec: MatchSpec,
    pub(crate) settings: Settings,
    pub(crate) terms: Terms<C::Rules>,
    pub(crate) position: C,
    pub(crate) scratch: C::Scratch,
    pub(crate) events: Vec<C::Event>,
    pub(crate) seats: Vec<SeatState<C>>,
    queue: VecDeque<Do>,
    pub(crate) stage: Stage,
    pub(crate) now: Duration,
    pub(crate) plies: u32,
    /// The seats to greet or ask later. The next one is the last in the list.
    pub(crate) queue_of_seats: Vec<usize>,
    pub(crate) history: Vec<C>,
    pub(crate) change: Option<Change>,
    /// The turns that are recorded only if a bot fails.
    pub(crate) kept: Option<KeptTurns<C>>,
}

impl<C: Contest> TypedReferee<C> {
    /// Creates a match that starts at `position`.
    pub(crate) fn new(spec: &MatchSpec, position: C, kinds: &[SeatKind], settings: Settings) -> Result<Self, Flaw> {
        let terms = terms::<C>(spec)?;
        if kinds.len() != terms.seats || position.seats() != terms.seats {
            return Err(Flaw::new(format!("{} for {}", counted(kinds.len(), "bot"), counted(terms.seats, "seat"))));
        }
        let mut seats = Vec::with_capacity(terms.seats);
        for (i, (kind, seat_spec)) in kinds.iter().zip(&spec.seats).enumerate() {
            let seat = Seat::new(i);
            check_dialect::<C>(seat_spec)?;
            let decider = match kind {
                SeatKind::Process => {
                    let dialogue = position.dialogue(seat, &seat_spec.dialect);
                    Decider::Process(Wire::new(dialogue, spec.limits.inbox as usize))
                }
                SeatKind::Builtin(name) => {
                    let bot = C::bot(name, spec.bot_seed(seat));
                    let bot = bot.ok_or_else(|| C::INFO.no_bot("", name))?;
                    Decider::Builtin(bot)
                }
                SeatKind::Human => Decider::Human,
            };
            let clock = match (seat_spec.clock, kind) {
                (Some(own), SeatKind::Process) => own,
                (None, SeatKind::Process) => spec.clock,
                // Built-in bots and people have no counters, so only wall time can limit them.
                (own, _) => ClockPolicy { policy: TimePolicy::Wall, ..own.unwrap_or(ClockPolicy::OFF) },
            };
            seats.push(SeatState::new(seat, *kind, decider, Timekeeper::new(clock)));
        }
        Ok(Self {
            spec: spec.clone(),
            settings,
            terms,
            position,
            scratch: C::Scratch::default(),
            events: Vec::new(),
            seats,
            queue: VecDeque::new(),
            stage: Stage::Waiting,
            now: Duration::ZERO,
            plies: 0,
            queue_of_seats: Vec::new(),
            history: Vec::new(),
            change: None,
            kept: None,
        })
    }

    /// Returns the current position.
    #[must_use]
    pub fn position(&self) -> &C {
        &self.position
    }

    pub(crate) fn put(&mut self, order: Do) {
        self.queue.push_back(order);
    }

    pub(crate) fn record(&mut self, event: MatchEvent) {
        self.queue.push_back(Do::Record(Box::new(event)));
    }

    /// Tells the runner to write the outbox of a seat.
    pub(crate) fn say(&mut self, i: usize, drain: Option<Duration>) {
        if self.seats[i].wire().is_some_and(Wire::has_unsent) {
            self.put(Do::Say { seat: Seat::new(i), drain });
        } else {
            // Nothing needs to be written, so the clock starts now.
            self.seats[i].clock.written(self.now);
        }
    }

    pub(crate) fn freeze(&mut self, i: usize) {
        if self.settings.freeze && self.seats[i].wire().is_some() {
            self.put(Do::Freeze { seat: Seat::new(i) });
        }
    }

    pub(crate) fn thaw(&mut self, i: usize) {
        if self.settings.freeze && self.seats[i].wire().is_some() {
            self.put(Do::Thaw { seat: Seat::new(i) });
        }
    }

    /// Ends the match without a result.
    fn abort(&mut self, fault: Option<FaultRecord>, spoilt: Option<SpoiltRecord>) {
        match self.stage {
            Stage::Over => return,
            Stage::Waiting => self.announce(),
            _ => {}
        }
        for i in 0..self.seats.len() {
            self.seats[i].clock.cancel();
            if self.seats[i].wire().is_some() {
                self.put(Do::Kill { seat: Seat::new(i) });
            }
        }
        self.record(MatchEvent::Aborted { fault, spoilt, plies: self.plies });
        self.put(Do::Over);
        self.stage = Stage::Over;
    }

    /// Ends the match by the rules.
    pub(crate) fn finish(&mut self) {
        for i in 0..self.seats.len() {
            let Some(wire) = self.seats[i].wire() else { continue };
            let (dialogue, out) = wire.speaking();
            dialogue.farewell(self.position.view(Seat::new(i)), out);
            self.thaw(i);
            self.say(i, None);
            self.put(Do::Dismiss { seat: Seat::new(i) });
        }
        let standing = self.position.standing();
        self.record(MatchEvent::Finished { standing, plies: self.plies });
        self.put(Do::Over);
        self.stage = Stage::Over;
    }

    /// Takes one step of the match if that needs no more input. Returns whether it took one. This is separate from
    /// `feed` so that the runner carries out all instructions so far before there are new ones.
    fn step(&mut self) -> bool {
        if self.apply_change() {
            return true;
        }
        match self.stage {
            Stage::Waiting | Stage::Over => false,
            Stage::Greeting => {
                if self.seats.iter().any(|state| state.phase == Phase::Greeting) {
                    return false;
                }
                match self.queue_of_seats.pop() {
                    Some(next) => self.greet(next),
                    None if self.spoil() => {}
                    None => self.stage = Stage::Between,
                }
                true
            }
            Stage::Between => {
                self.open_ply();
                true
            }
            Stage::Thinking => {
                let all = self.thinkers().all(|state| state.phase == Phase::Done);
                if all {
                    self.ask();
                }
                all
            }
            Stage::Asking => {
                if self.ask_next() {
                    return true;
                }
                let awaiting = self.position.awaiting();
                let all = awaiting.iter().all(|seat| self.seats[seat.index()].phase == Phase::Done);
                if all && !self.spoil() {
                    self.close_ply();
                }
                all
            }
        }
    }

    /// Ends the match without a result if the host kept a bot from a core for too long. All other seats have answered by now,
    /// so that every fault of the turn is on record.
    fn spoil(&mut self) -> bool {
        let spoilt = self.seats.iter().find_map(|state| state.spoilt);
        if spoilt.is_some() {
            self.abort(None, spoilt);
        }
        spoilt.is_some()
    }
}

impl<C: Contest> AnyReferee for TypedReferee<C> {
    fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    fn settings(&self) -> Settings {
        self.settings
    }

    fn kind(&self, seat: Seat) -> SeatKind {
        self.seats[seat.index()].kind
    }

    fn feed(&mut self, at: Duration, what: In<'_>) {
        self.now = self.now.max(at);
        let known = |seat: Seat| (seat.index() < self.seats.len()).then_some(seat.index());
        if self.stage == Stage::Over {
            // After the end only the write of a farewell still matters.
            if let In::Written { seat, bytes } = what
                && let Some(i) = known(seat)
                && let Some(wire) = self.seats[i].any_wire()
            {
                wire.written(bytes);
            }
            return;
        }
        match what {
            In::Begin if self.stage == Stage::Waiting => self.begin(),
            In::Begin => {}
            In::Tick => self.tick(at),
            In::Usage { seat, usage } => {
                if let Some(i) = known(seat) {
                    self.seats[i].clock.counted(at, usage);
                }
            }
            In::OffTurn { seat, cpu } => {
                if let Some(i) = known(seat) {
                    let off_turn = &mut self.seats[i].off_turn;
                    *off_turn = off_turn.saturating_add(cpu);
                }
            }
            In::Abort => self.abort(None, None),
            In::Undo { plies } => self.want(Change::Undo(plies)),
            In::Edit { map } => self.want(Change::Edit(map.to_vec())),
            In::NeverStarted { seat, reason } => {
                let fault = Fault::NeverStarted { reason: reason.to_string() };
                self.abort(Some(FaultRecord { seat, ply: 0, round: None, fault }), None);
            }
            In::Written { seat, bytes } => {
                if let Some(i) = known(seat) {
                    self.written(i, bytes);
                }
            }
            In::ClosedInput { seat } => {
                if let Some(i) = known(seat) {
                    self.close_input(i);
                }
            }
            In::Bytes { seat, bytes } => {
                if let Some(i) = known(seat) {
                    self.bytes(i, bytes);
                }
            }
            In::NearMemoryLimit { seat, peak_mib } => {
                if let Some(wire) = known(seat).and_then(|i| self.seats[i].wire()) {
                    wire.memory_mib = Some(peak_mib);
                }
            }
            In::OutOfMemory { seat } => {
                if let Some(i) = known(seat)
                    && let Some(wire) = self.seats[i].wire()
                {
                    let used_mib = wire.memory_mib;
                    let limit_mib = self.spec.memory_mib(seat).unwrap_or_default().into();
                    self.fail(i, Fault::OutOfMemory { limit_mib, used_mib });
                }
            }
            In::ClosedOutput { seat } | In::Exited { seat, .. } => {
                let Some(i) = known(seat) else { return };
                let Some(wire) = self.seats[i].wire() else { return };
                wire.ended = true;
                if let In::Exited { exit, stderr, .. } = what {
                    wire.exit = Some((exit.clone(), stderr.to_string()));
                    wire.input_closed = true;
                    self.lose_input(i);
                } else {
                    self.listen(i);
                }
            }
            In::Think { seat } => {
                if let Some(i) = known(seat) {
                    self.think(i);
                }
            }
            In::Thought { seat } => {
                if let Some(i) = known(seat) {
                    self.thought(i);
                }
            }
            In::Human { seat, orders } => {
                if let Some(i) = known(seat) {
                    self.human(i, orders);
                }
            }
        }
    }

    fn next(&mut self) -> Option<Do> {
        loop {
            if let Some(order) = self.queue.pop_front() {
                return Some(order);
            }
            if !self.step() {
                return None;
            }
        }
    }

    fn outbox(&self, seat: Seat) -> &[u8] {
        match self.seats.get(seat.index()).map(|state| &state.decider) {
            Some(Decider::Process(wire)) => wire.unsent(),
            _ => &[],
        }
    }

    fn deadline(&self) -> Option<Duration> {
        self.seats.iter().filter_map(|state| state.clock.deadline()).min()
    }

    fn question(&self, seat: Seat) -> Option<Question> {
        let state = self.seats.get(seat.index())?;
        let asked = state.kind == SeatKind::Process && matches!(state.phase, Phase::Greeting | Phase::Asked);
        if asked { state.clock.question() } else { None }
    }

    fn awaited(&self) -> Seats {
        let awaited = |state: &&SeatState<C>| !matches!(state.phase, Phase::Idle | Phase::Queued | Phase::Done);
        self.seats.iter().filter(awaited).map(|state| state.seat).collect()
    }

    fn plies(&self) -> u32 {
        self.plies
    }

    fn over(&self) -> bool {
        self.stage == Stage::Over
    }

    fn standing(&self) -> Standing {
        self.position.standing()
    }

    fn fingerprint(&self) -> u64 {
        self.position.fingerprint()
    }

    fn picture(&self) -> Frame {
        self.position.frame().spelled_out()
    }

    fn map(&self) -> String {
        C::print_map(&self.position.to_map())
    }

    fn fault(&self, seat: Seat) -> Option<&FaultRecord> {
        self.seats.get(seat.index())?.fault.as_ref()
    }

    fn last_words(&self, seat: Seat) -> Option<&LastWords> {
        self.seats.get(seat.index())?.last_words.as_ref()
    }

    fn times(&self, seat: Seat) -> &Times {
        &self.seats[seat.index()].times
    }

    fn time_used(&self, seat: Seat) -> TimeUsed {
        self.seats[seat.index()].used
    }

    fn refused(&self, seat: Seat) -> &RefusedCount {
        &self.seats[seat.index()].refusals
    }
}
