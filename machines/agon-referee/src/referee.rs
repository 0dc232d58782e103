//! The match machine of one game.

use crate::{
    Do, Fault, FaultRecord, In, Machine, Mark, MatchEvent, SeatKind, Settings, Times,
    open::check_dialect,
    open::terms,
    place::{Party, Phase, Place},
    timekeeper::Timekeeper,
    wire::{Heard, Wire},
};
use agon_core::{ClockPolicy, Contest, Flaw, Frame, MatchSpec, Said, Seat, Seats, Standing, Terms};
use core::{mem, time::Duration};
use std::collections::VecDeque;

/// How far a match is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// Not begun.
    Waiting,
    /// All seats are greeted, side by side.
    Greeting,
    /// Between two turns.
    Between,
    /// Built-in bots decide; the processes are asked after them, so that nobody waits for an answer meanwhile.
    Thinking,
    /// Decisions are awaited.
    Asking,
    /// Ended.
    Over,
}

/// A wish to play on from elsewhere, until the processes that are thinking have answered.
pub(crate) enum Change {
    Undo(usize),
    Edit(Vec<u8>),
}

/// The match machine of one game: see [`Machine`].
pub struct Referee<C: Contest> {
    pub(crate) spec: MatchSpec,
    pub(crate) settings: Settings,
    terms: Terms<C::Reading>,
    pub(crate) position: C,
    pub(crate) scratch: C::Scratch,
    pub(crate) events: Vec<C::Event>,
    pub(crate) places: Vec<Place<C>>,
    queue: VecDeque<Do>,
    pub(crate) stage: Stage,
    pub(crate) now: Duration,
    pub(crate) plies: u32,
    pub(crate) history: Vec<C>,
    change: Option<Change>,
}

impl<C: Contest> Referee<C> {
    /// A match that begins with `position`.
    pub(crate) fn new(spec: &MatchSpec, position: C, kinds: &[SeatKind], settings: Settings) -> Result<Self, Flaw> {
        let terms = terms::<C>(spec)?;
        if kinds.len() != terms.seats || position.seats() != terms.seats {
            return Err(Flaw::new(format!("{} bots for {} seats", kinds.len(), terms.seats)));
        }
        let mut places = Vec::with_capacity(terms.seats);
        for (i, (kind, seat_spec)) in kinds.iter().zip(&spec.seats).enumerate() {
            let seat = Seat::new(i);
            check_dialect::<C>(seat_spec)?;
            let party = match kind {
                SeatKind::Process => {
                    let dialogue = position.dialogue(seat, &seat_spec.dialect);
                    Party::Process(Wire::new(dialogue, spec.limits.inbox as usize))
                }
                SeatKind::Builtin(name) => {
                    let bot = C::bot(name, spec.seed.for_bot(seat)).ok_or_else(|| {
                        let known: Vec<_> = C::BOTS.iter().map(|bot| bot.name).collect();
                        Flaw::new(format!("{} has no built-in bot `{name}`", C::TITLE)).hint(known.join(", "))
                    })?;
                    Party::Builtin(bot)
                }
                SeatKind::Human => Party::Human,
            };
            let clock = match (seat_spec.clock, kind) {
                (Some(own), _) => own,
                (None, SeatKind::Process) => spec.clock,
                (None, _) => ClockPolicy::OFF,
            };
            places.push(Place::new(seat, *kind, party, Timekeeper::new(clock)));
        }
        Ok(Self {
            spec: spec.clone(),
            settings,
            terms,
            position,
            scratch: C::Scratch::default(),
            events: Vec::new(),
            places,
            queue: VecDeque::new(),
            stage: Stage::Waiting,
            now: Duration::ZERO,
            plies: 0,
            history: Vec::new(),
            change: None,
        })
    }

    /// The position now.
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

    /// Has what was said to a seat written.
    pub(crate) fn say(&mut self, i: usize, drain: Option<Duration>) {
        if self.places[i].wire().is_some_and(Wire::has_unsent) {
            self.put(Do::Say { seat: Seat::new(i), drain });
        }
    }

    fn begin(&mut self) {
        self.stage = Stage::Greeting;
        let fingerprint = Mark(self.position.fingerprint());
        self.record(MatchEvent::Started { spec: Box::new(self.spec.clone()), fingerprint });
        for i in 0..self.places.len() {
            let place = &mut self.places[i];
            let clock = place.clock.ask(self.now, true);
            let view = self.position.view(place.seat);
            let Some(wire) = place.wire() else {
                place.clock.cancel();
                continue;
            };
            let (dialogue, out) = wire.speaking();
            let said = dialogue.greet(view, clock, out);
            match said {
                Said::More => place.phase = Phase::Greeting,
                Said::Nonsense(nonsense) => {
                    let fault = Fault::Nonsense { line: nonsense.line, why: nonsense.why };
                    self.fail(i, fault);
                }
                Said::Ready | Said::Decision => {
                    wire.told = wire.has_unsent();
                    self.greeted(i);
                }
            }
            self.say(i, None);
            self.listen(i);
        }
    }

    fn greeted(&mut self, i: usize) {
        let place = &mut self.places[i];
        let spent = place.clock.stop(self.now);
        place.orders.clear();
        place.phase = Phase::Idle;
        let seat = place.seat;
        self.record(MatchEvent::Greeted { seat, wall_us: spent.wall.as_micros() as u64 });
        self.freeze(i);
    }

    pub(crate) fn freeze(&mut self, i: usize) {
        if self.settings.freeze && self.places[i].wire().is_some() {
            self.put(Do::Freeze { seat: Seat::new(i) });
        }
    }

    pub(crate) fn thaw(&mut self, i: usize) {
        if self.settings.freeze && self.places[i].wire().is_some() {
            self.put(Do::Thaw { seat: Seat::new(i) });
        }
    }

    /// A bot has failed: it is heard no more.
    pub(crate) fn fail(&mut self, i: usize, fault: Fault) {
        let ply = if matches!(self.stage, Stage::Waiting | Stage::Greeting) { 0 } else { self.plies + 1 };
        let (now, place) = (self.now, &mut self.places[i]);
        if place.fault.is_some() {
            return;
        }
        let record = FaultRecord { seat: place.seat, ply, fault };
        place.fault = Some(record.clone());
        match place.phase {
            Phase::Asked | Phase::Decided => {
                place.spent = place.clock.stop(now);
                place.failure = place.earlier_failure();
                place.phase = Phase::Done;
            }
            Phase::Greeting | Phase::Idle => {
                place.clock.cancel();
                place.orders.clear();
                place.phase = Phase::Idle;
            }
            Phase::Done => {}
        }
        let is_process = matches!(place.kind, SeatKind::Process);
        self.record(MatchEvent::Fault(record));
        if is_process {
            self.put(Do::Kill { seat: Seat::new(i) });
        }
    }

    /// Lets the dialogue of a seat read what has arrived, if something is awaited of it.
    pub(crate) fn listen(&mut self, i: usize) {
        let (now, place) = (self.now, &mut self.places[i]);
        let phase = place.phase;
        if !matches!(phase, Phase::Greeting | Phase::Asked) {
            return;
        }
        let view = self.position.view(place.seat);
        let clock = place.clock.remaining(now);
        let Party::Process(wire) = &mut place.party else { return };
        let before = wire.unsent().len();
        let heard =
            if wire.unused() == 0 && !wire.ended { Heard::More } else { wire.hear(view, clock, &mut place.orders) };
        let answered = wire.has_unsent() && wire.unsent().len() > before;
        match (heard, phase) {
            (Heard::Bad(fault), _) => self.fail(i, fault),
            (Heard::Ready | Heard::Decision, Phase::Greeting) => {
                wire.told = answered;
                self.greeted(i);
            }
            (Heard::Decision, _) => {
                wire.told = false;
                self.hold(i);
            }
            (Heard::More | Heard::Ready, _) => {
                if let Some(fault) = wire.broken() {
                    self.fail(i, fault);
                } else if place.clock.deadline().is_some_and(|deadline| deadline < now) {
                    // What had arrived when the time was up was read, and it was not a decision.
                    let fault = place.lateness();
                    self.fail(i, fault);
                }
            }
        }
        if answered {
            self.say(i, None);
        }
    }

    /// A whole decision was heard now.
    fn hold(&mut self, i: usize) {
        let place = &mut self.places[i];
        place.phase = Phase::Decided;
        place.heard_at = self.now;
        self.settle(i);
    }

    /// A decision stands once the pipe has taken everything that the bot was told before it: else a bot that answers
    /// ahead and never reads could make the referee keep ever more for it.
    fn settle(&mut self, i: usize) {
        let place = &mut self.places[i];
        if place.phase != Phase::Decided || place.wire().is_some_and(Wire::has_unsent) {
            return;
        }
        place.spent = place.clock.stop(place.heard_at);
        place.times.add(place.spent.wall, place.spent.soft_late);
        place.phase = Phase::Done;
        self.freeze(i);
    }

    fn written(&mut self, i: usize, bytes: usize) {
        let place = &mut self.places[i];
        place.clock.written(self.now);
        if let Some(wire) = place.wire() {
            wire.written(bytes);
            self.settle(i);
        }
    }

    fn deaf(&mut self, i: usize) {
        if let Some(wire) = self.places[i].wire() {
            wire.deaf = true;
            wire.has_unsent();
            self.settle(i);
            self.listen(i);
        }
    }

    fn tick(&mut self) {
        for i in 0..self.places.len() {
            let place = &mut self.places[i];
            if place.clock.deadline().is_some_and(|deadline| deadline <= self.now) {
                let fault = place.lateness();
                self.fail(i, fault);
            }
        }
    }

    fn bytes(&mut self, i: usize, bytes: &[u8]) {
        let Some(wire) = self.places[i].wire() else { return };
        let kept = wire.keep(bytes);
        self.listen(i);
        if let (Err(flood), Some(_)) = (kept, self.places[i].wire()) {
            self.fail(i, flood);
        }
    }

    /// Broken off without a result.
    fn abort(&mut self, fault: Option<FaultRecord>) {
        if self.stage == Stage::Over {
            return;
        }
        for i in 0..self.places.len() {
            self.places[i].clock.cancel();
            if self.places[i].wire().is_some() {
                self.put(Do::Kill { seat: Seat::new(i) });
            }
        }
        self.record(MatchEvent::Aborted { fault, plies: self.plies });
        self.put(Do::Over);
        self.stage = Stage::Over;
    }

    /// The match has ended by the rules.
    pub(crate) fn finish(&mut self) {
        for i in 0..self.places.len() {
            let Some(wire) = self.places[i].wire() else { continue };
            let (dialogue, out) = wire.speaking();
            dialogue.farewell(out);
            self.thaw(i);
            self.say(i, None);
            self.put(Do::Dismiss { seat: Seat::new(i) });
        }
        let standing = self.position.standing();
        self.record(MatchEvent::Finished { standing, plies: self.plies });
        self.put(Do::Over);
        self.stage = Stage::Over;
    }

    /// Asks for a change of the position; a change that waits already is replaced.
    fn want(&mut self, change: Change) {
        match self.stage {
            Stage::Over => self.put(Do::Refused { seat: None, why: "the match is over".into() }),
            _ if matches!(change, Change::Undo(_)) && !self.settings.undo => {
                self.put(Do::Refused { seat: None, why: "this match keeps no positions to go back to".into() });
            }
            _ => self.change = Some(change),
        }
    }

    /// Plays on from elsewhere if somebody asked for it and no process is about to answer a question that would then
    /// be taken for the answer to another one. `true` if something has changed.
    pub(crate) fn apply_change(&mut self) -> bool {
        let answering = |place: &Place<C>| {
            matches!(place.party, Party::Process(_)) && matches!(place.phase, Phase::Asked | Phase::Decided)
        };
        if !matches!(self.stage, Stage::Between | Stage::Asking) || self.places.iter().any(answering) {
            return false;
        }
        let Some(change) = self.change.take() else { return false };
        let event = match change {
            Change::Undo(plies) => {
                let keep = self.history.len().saturating_sub(plies);
                if let Some(position) = self.history.drain(keep..).next() {
                    self.position = position;
                    self.plies = keep as u32;
                }
                MatchEvent::Rewound { ply: self.plies, fingerprint: Mark(self.position.fingerprint()) }
            }
            Change::Edit(map) => {
                let edited = C::parse_map(&map)
                    .and_then(|drawing| C::from_drawing(drawing, &self.terms).map_err(|flawed| flawed.flaw));
                match edited {
                    Ok(position) => self.position = position,
                    Err(flaw) => {
                        self.put(Do::Refused { seat: None, why: flaw.to_string() });
                        return true;
                    }
                }
                self.plies = 0;
                self.history.clear();
                MatchEvent::Edited { map: self.map(), fingerprint: Mark(self.position.fingerprint()) }
            }
        };
        for place in &mut self.places {
            place.clock.cancel();
            place.clear();
            if let Party::Process(wire) = &mut place.party {
                wire.dialogue.reposition();
            }
        }
        self.stage = Stage::Between;
        self.record(event);
        true
    }

    /// One step of the match, if one can be taken without hearing more. Kept apart from `feed` so that everything said
    /// so far is on its way before more is said.
    fn step(&mut self) -> bool {
        if self.apply_change() {
            return true;
        }
        match self.stage {
            Stage::Waiting | Stage::Over => false,
            Stage::Greeting => {
                let all = self.places.iter().all(|place| place.phase != Phase::Greeting);
                if all {
                    self.stage = Stage::Between;
                }
                all
            }
            Stage::Between => {
                self.open_ply();
                true
            }
            Stage::Thinking => {
                let all = self.thinkers().all(|place| place.phase == Phase::Done);
                if all {
                    self.ask();
                }
                all
            }
            Stage::Asking => {
                let awaiting = self.position.awaiting();
                let all = awaiting.iter().all(|seat| self.places[seat.index()].phase == Phase::Done);
                if all {
                    self.close_ply();
                }
                all
            }
        }
    }
}

impl<C: Contest> Machine for Referee<C> {
    fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    fn kind(&self, seat: Seat) -> SeatKind {
        self.places[seat.index()].kind
    }

    fn feed(&mut self, at: Duration, what: In<'_>) {
        self.now = self.now.max(at);
        let known = |seat: Seat| (seat.index() < self.places.len()).then_some(seat.index());
        if self.stage == Stage::Over {
            // Only what is left of a farewell still matters.
            if let In::Written { seat, bytes } = what
                && let Some(i) = known(seat)
                && let Some(wire) = self.places[i].wire()
            {
                wire.written(bytes);
            }
            return;
        }
        match what {
            In::Begin if self.stage == Stage::Waiting => self.begin(),
            In::Begin => {}
            In::Tick => self.tick(),
            In::Abort => self.abort(None),
            In::Undo { plies } => self.want(Change::Undo(plies)),
            In::Edit { map } => self.want(Change::Edit(map.to_vec())),
            In::NeverStarted { seat, reason } => {
                let fault = Fault::NeverStarted { reason: reason.to_string() };
                self.abort(Some(FaultRecord { seat, ply: 0, fault }));
            }
            In::Written { seat, bytes } => {
                if let Some(i) = known(seat) {
                    self.written(i, bytes);
                }
            }
            In::Deaf { seat } => {
                if let Some(i) = known(seat) {
                    self.deaf(i);
                }
            }
            In::Bytes { seat, bytes } => {
                if let Some(i) = known(seat) {
                    self.bytes(i, bytes);
                }
            }
            In::End { seat } | In::Exited { seat, .. } => {
                let Some(i) = known(seat) else { return };
                let Some(wire) = self.places[i].wire() else { return };
                wire.ended = true;
                if let In::Exited { exit, stderr, .. } = what {
                    wire.exit = Some((exit.clone(), stderr.to_string()));
                    wire.deaf = true;
                    wire.has_unsent();
                    self.settle(i);
                }
                self.listen(i);
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
        match self.places.get(seat.index()).map(|place| &place.party) {
            Some(Party::Process(wire)) => wire.unsent(),
            _ => &[],
        }
    }

    fn deadline(&self) -> Option<Duration> {
        self.places.iter().filter_map(|place| place.clock.deadline()).min()
    }

    fn awaited(&self) -> Seats {
        let awaited = |place: &&Place<C>| !matches!(place.phase, Phase::Idle | Phase::Done);
        self.places.iter().filter(awaited).map(|place| place.seat).collect()
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

    fn frame(&self) -> Frame {
        self.position.frame()
    }

    fn map(&self) -> String {
        C::print_map(&self.position.draw())
    }

    fn fault(&self, seat: Seat) -> Option<&FaultRecord> {
        self.places.get(seat.index())?.fault.as_ref()
    }

    fn times(&self, seat: Seat) -> &Times {
        &self.places[seat.index()].times
    }
}

impl<C: Contest> Referee<C> {
    /// The places whose built-in bots decide in this turn.
    fn thinkers(&self) -> impl Iterator<Item = &Place<C>> {
        let awaiting = self.position.awaiting();
        self.places.iter().filter(move |p| matches!(p.party, Party::Builtin(_)) && awaiting.contains(p.seat))
    }

    /// Lets a built-in bot decide.
    fn think(&mut self, i: usize) {
        let place = &mut self.places[i];
        if let (Party::Builtin(bot), Phase::Asked) = (&mut place.party, place.phase) {
            place.clock.written(self.now);
            bot.decide(self.position.view(place.seat), &mut place.orders);
            place.phase = Phase::Decided;
        }
    }

    fn thought(&mut self, i: usize) {
        let place = &self.places[i];
        if matches!(place.party, Party::Builtin(_)) && place.phase == Phase::Decided {
            self.hold(i);
        }
    }

    /// Takes a person's decision, or says why not.
    fn human(&mut self, i: usize, text: &str) {
        let place = &mut self.places[i];
        if !matches!(place.party, Party::Human) || place.phase != Phase::Asked {
            let why = "it is not your turn".to_string();
            return self.put(Do::Refused { seat: Some(Seat::new(i)), why });
        }
        let seat = place.seat;
        let mut orders = mem::take(&mut place.orders);
        orders.clear();
        let refusal = match serde_json::from_str::<Vec<C::Order>>(text) {
            Err(e) => Some(format!("these are no orders: {e}")),
            Ok(read) => {
                orders.extend(read);
                self.position.check(seat, &orders, &mut self.scratch).err().map(|(_, why)| why.to_string())
            }
        };
        let place = &mut self.places[i];
        place.orders = orders;
        match refusal {
            Some(why) => {
                place.orders.clear();
                self.put(Do::Refused { seat: Some(seat), why });
            }
            None => self.hold(i),
        }
    }
}
