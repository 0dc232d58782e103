//! A match in which recorded bytes replace the bots.

use super::{Outcome, Tally, verdict::Verdict};
use agon_core::{
    Asked, Client, Contest, Dialogue, Ending, Failure, Game, Joint, Remaining, Said, Seat, Setup, Terms, judge,
};
use agon_grid::{Map, Order, Position, Rules, Scratch, replay_text};

/// The two seats.
pub const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// The answer of a seat in one turn.
#[derive(Clone, Copy)]
pub enum Answer<'a> {
    /// These bytes. `last` says that the bot never writes again.
    Bytes { bytes: &'a [u8], last: bool },
    /// No answer in time.
    Late,
}

/// A match that is being played.
pub struct Table {
    /// The current position.
    pub game: Position,
    dialogues: Vec<Box<dyn Dialogue<Position>>>,
    clients: Vec<Box<dyn Client<Position>>>,
    inboxes: [Vec<u8>; 2],
    tmp: Scratch,
    /// The contest's replay text so far.
    pub replay: Vec<u8>,
    /// Why each player failed in the last turn, if it did.
    pub verdicts: [Option<Verdict>; 2],
    /// The orders of each player in the last turn.
    pub orders: [Vec<Order>; 2],
    /// The number of turns in which both players were asked.
    pub exchanges: u32,
}

impl Table {
    /// Starts a match on this map.
    pub fn start(map: Map, rules: Rules, limit: u32) -> Result<Self, String> {
        let terms = Terms { rules, seats: 2, limit: Some(limit) };
        let game = Position::from_map(map, &terms).map_err(|f| f.flaw.to_string())?;
        Ok(Self::at(game))
    }

    /// Starts a match at this position.
    pub fn at(game: Position) -> Self {
        let mut replay = Vec::new();
        replay_text::write_record(game.board(), [&[], &[]], &mut replay);
        Self {
            dialogues: SEATS.map(|s| game.dialogue(s, &[])).into(),
            clients: SEATS.map(|_| Position::client("recorded")).into(),
            inboxes: Default::default(),
            tmp: Scratch::default(),
            replay,
            verdicts: [None, None],
            orders: Default::default(),
            exchanges: 0,
            game,
        }
    }

    /// Returns the bytes that the referee sends to a seat. Counts a difference if the client does not read the same
    /// view from them.
    pub fn ask(&mut self, seat: Seat, tally: &mut Tally) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.dialogues[seat.index()].prompt(self.game.view(seat), Remaining::default(), &mut bytes);
        let client = &mut self.clients[seat.index()];
        let (used, asked) = client.read(&bytes, &mut Vec::new());
        if asked != Asked::Decide || used != bytes.len() || client.view() != self.game.view(seat) {
            tally.mismatch(|| format!("the client of player {seat} understands {asked:?}"));
        }
        bytes
    }

    /// Returns the bytes of a bot that gives these orders.
    pub fn write(&mut self, seat: Seat, orders: &[Order]) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.clients[seat.index()].write(orders, &mut bytes);
        bytes
    }

    /// Plays one turn.
    pub fn play(&mut self, answers: [Answer<'_>; 2]) {
        self.exchanges += 1;
        let heard = [0, 1].map(|i| self.hear(Seat::new(i), answers[i]));
        let mut entries = Vec::new();
        for (seat, (orders, broken)) in SEATS.into_iter().zip(&heard) {
            let failure = broken.as_ref().map(|verdict| match verdict {
                Verdict::Broken(failure) => *failure,
                _ => Failure::Nonsense,
            });
            let (entry, refused) = judge(&self.game, seat, orders, failure, &mut self.tmp);
            self.verdicts[seat.index()] = broken.clone().or(refused.map(|r| Verdict::Refused(r.why)));
            entries.push(entry);
        }
        let (turns, _) = self.game.turn();
        self.game.resolve(Joint::new(&entries), &mut self.tmp, &mut ());
        if self.game.turn().0 > turns {
            replay_text::write_record(self.game.board(), [&heard[0].0, &heard[1].0], &mut self.replay);
        }
        self.orders = heard.map(|(orders, _)| orders);
    }

    fn hear(&mut self, seat: Seat, answer: Answer<'_>) -> (Vec<Order>, Option<Verdict>) {
        let Answer::Bytes { bytes, last } = answer else {
            return (Vec::new(), Some(Verdict::Broken(Failure::Late)));
        };
        let inbox = &mut self.inboxes[seat.index()];
        inbox.extend_from_slice(bytes);
        let mut orders = Vec::new();
        for end in [false, true] {
            if end && !last {
                break;
            }
            let view = self.game.view(seat);
            let dialogue = &mut self.dialogues[seat.index()];
            let (used, said) = dialogue.hear(view, Remaining::default(), inbox, end, &mut orders, &mut Vec::new());
            inbox.drain(..used);
            match said {
                Said::Decision => return (orders, None),
                Said::Nonsense(nonsense) => return (orders, Some(Verdict::Garbage(nonsense))),
                Said::More | Said::Ready => {}
            }
        }
        (orders, Some(Verdict::Broken(Failure::Gone)))
    }

    /// Compares the end of the match with the recorded one.
    pub fn compare_end(&self, id: u64, outcome: &Outcome, tally: &mut Tally) {
        let (kind, winners) = self.end();
        if kind != outcome.r#type || winners != outcome.winners {
            let (theirs, their_winners) = (&outcome.r#type, &outcome.winners);
            tally.mismatch(|| format!("{id}: {kind} {winners:?}, recorded {theirs} {their_winners:?}"));
        }
        self.compare_faults(id, outcome, tally);
    }

    /// Returns the type of the end and the winners in the form in which the judge lists them.
    pub fn end(&self) -> (&'static str, Vec<u8>) {
        let standing = self.game.standing();
        let first = SEATS.into_iter().filter(|s| standing.places[s.index()] == 1);
        let winners = first.map(Seat::number).collect();
        match standing.ending {
            Ending::Forfeit => ("Disqualification", winners),
            Ending::Limit => ("TurnLimit", winners),
            // If no player is left, the specification calls the match a draw. The judge lists the players that are left
            // (G22).
            Ending::Elimination if standing.scores == [0, 0] => ("Elimination", Vec::new()),
            Ending::Elimination => ("Elimination", winners),
            Ending::Complete | Ending::Unfinished => ("still running", winners),
        }
    }

    fn compare_faults(&self, id: u64, outcome: &Outcome, tally: &mut Tally) {
        let standing = self.game.standing();
        for seat in SEATS {
            let out = standing.ending == Ending::Forfeit && standing.places[seat.index()] != 1;
            let verdict = self.verdicts[seat.index()].as_ref().filter(|_| out);
            let text = outcome.faults.get(&seat.number());
            let same = match (verdict, text) {
                (None, None) => true,
                (Some(verdict), Some(text)) => verdict.is_told_by(text, seat.number()),
                _ => false,
            };
            if !same {
                tally.mismatch(|| format!("{id}: player {seat}: {verdict:?}, recorded {text:?}"));
            }
        }
    }

    /// Compares the replay text that we write with the recorded one.
    pub fn compare_replay(&self, id: u64, recorded: &str, tally: &mut Tally) {
        if self.replay != recorded.as_bytes() {
            let ours = String::from_utf8_lossy(&self.replay);
            let line = ours.lines().zip(recorded.lines()).take_while(|(a, b)| a == b).count() + 1;
            tally.mismatch(|| format!("{id}: the replay text differs from line {line} on"));
        }
    }
}
