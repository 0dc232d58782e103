//! Tournaments whose results are made up.

use agon_play::{Cancel, Helper};
use agon_store::{MatchQueue, Memory, RecordedResult, RecordedSeat, Records, Registry, Report};
use agon_tournament::{Field, Tournament, TournamentFile, planned_match};
use agon_tourney::{Entrant, MatchId, Outcome, Pairing, Schedule, SeatResult};

/// A tournament whose results are made up.
pub struct Made {
    pub store: Memory,
    schedule: Schedule,
}

/// Returns as many bots for the file of a tournament.
pub fn bots(count: usize) -> String {
    (0..count).map(|number| format!("[[bot]]\nname = \"bot {number}\"\nrun = \"@random\"\n")).collect()
}

/// Returns a result in which one bot is the first, or all are.
pub fn won_by(pairing: &Pairing, winner: Option<Entrant>) -> RecordedResult {
    let place = |bot: &Entrant| if winner.is_none_or(|winner| winner == *bot) { 1 } else { 2 };
    let seat = |bot: &Entrant| RecordedSeat { version: 1, place: place(bot), decisions: 1, ..RecordedSeat::default() };
    RecordedResult { reason: "limit".to_owned(), seats: pairing.seats.iter().map(seat).collect(), ..Default::default() }
}

impl Made {
    /// Begins a tournament.
    pub fn new(text: &str) -> Self {
        let tournament = open(Memory::new(), text);
        let schedule = Schedule::new(tournament.spec().clone()).expect("it can be played");
        Self { store: tournament.into_store(), schedule }
    }

    /// Makes the store like one that began before forfeits of all bots were losses, which has no note of that.
    pub fn without_note_of_forfeits(self) -> Self {
        let old = Memory::new();
        for file in self.store.files().expect("files") {
            old.add_file(file).wait().expect("it is stored");
        }
        for map in self.store.maps().expect("maps") {
            old.add_map(map).wait().expect("it is stored");
        }
        for bot in self.store.bots().expect("bots") {
            old.add_bot(&bot.name).wait().expect("it is stored");
        }
        Self { store: old, ..self }
    }

    /// Plays every match.
    pub fn play(self, result: impl FnMut(&Pairing) -> RecordedResult) -> Self {
        self.play_some(usize::MAX, result)
    }

    /// Plays some matches.
    pub fn play_some(mut self, count: usize, mut result: impl FnMut(&Pairing) -> RecordedResult) -> Self {
        for _ in 0..count {
            let Some(pairing) = self.schedule.next(1).pop() else { break };
            let result = result(&pairing);
            let seat = |seat: &RecordedSeat| SeatResult {
                fault: seat.fault.is_some(),
                ..SeatResult::new(u8::try_from(seat.place).expect("a place"), seat.score)
            };
            let outcome = match result.seats.is_empty() {
                true => Outcome::NoResult,
                false => Outcome::Finished(result.seats.iter().map(seat).collect()),
            };
            self.schedule.record(pairing.id, outcome).expect("it fits");
            self.store.enqueue(vec![planned_match(&pairing)]).wait().expect("it is new");
            self.store.complete(Report::unclaimed(pairing.id.0, result, Vec::new())).wait().expect("it is there");
        }
        self
    }

    /// Withdraws a bot.
    pub fn withdraw(&mut self, bot: u32, why: &str) {
        let amendment = self.schedule.withdraw(Entrant(bot)).expect("it takes part");
        self.store.amend(&serde_json::to_string(&amendment).expect("JSON")).wait().expect("it is stored");
        self.store.withdraw(bot, Some(why)).wait().expect("it is stored");
    }

    /// Withdraws a bot after one of its matches, also if later ones were played meanwhile. Returns those.
    pub fn withdraw_after(&mut self, bot: u32, last: MatchId) -> Vec<MatchId> {
        let (amendment, undone) = self.schedule.withdraw_after(Entrant(bot), last).expect("it takes part");
        let amendment = amendment.expect("it was not withdrawn");
        self.store.amend(&serde_json::to_string(&amendment).expect("JSON")).wait().expect("it is stored");
        self.store.withdraw(bot, Some("it failed once")).wait().expect("it is stored");
        for id in &undone {
            self.store.void(id.0, "withdrawn", 0).wait().expect("it was played");
        }
        undone
    }

    /// Opens the tournament to continue it.
    pub fn tournament(self, text: &str) -> Tournament<Memory> {
        open(self.store, text)
    }
}

fn open(store: Memory, text: &str) -> Tournament<Memory> {
    let file = TournamentFile::parse(text).expect("a file");
    let cancel = Cancel::new().expect("a flag");
    let field = Field::prepare(&file, &Helper::ThisProgram, &cancel, &mut |_| ()).expect("built-in bots");
    Tournament::open(store, text, file, field).expect("it continues")
}
