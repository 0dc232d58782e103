//! A match as one seat knew it, for a page that must not hold anything else.

use crate::{
    encoder::Encoder,
    engine::{Engine, Failed},
};
use agon_core::Seat;

/// The version of what is written here. `viewer/src/engine/known.ts` reads it.
const VERSION: u32 = 1;

impl Engine {
    /// Writes what `seat` knew: for each position the drawing through its eyes, what it was told of the turn before, and its own
    /// decision in that turn; and before them the match, what stays the same, and the numbers for charts.
    ///
    /// The map, the name of the map and the orders, refusals, faults and times of other seats are left out, and so are
    /// fingerprints, because a guess could be compared with them. If the seat does not know all scores, the result is left out,
    /// too. The names of all players are there.
    ///
    /// # Errors
    /// Fails if there is no such seat, or if the rules do not accept a turn.
    pub fn write_known(&mut self, seat: Seat, out: &mut Encoder) -> Result<(), Failed> {
        let seat = self.seat(seat.number().into())?;
        let plies = self.plies();
        while self.survey(Some(seat), plies.max(1))? {}
        out.number(VERSION).seat(Some(seat));
        let mut part = Encoder::default();
        let put = |part: &mut Encoder, out: &mut Encoder| {
            out.blob(part);
            part.clear();
        };
        self.seek(plies)?;
        self.write_known_match(seat, &mut part);
        put(&mut part, out);
        self.seek(0)?;
        part.scene(&self.frame(Some(seat)));
        put(&mut part, out);
        self.write_series(&mut part);
        put(&mut part, out);
        for ply in 0..=plies {
            self.seek(ply)?;
            self.write_frame(Some(seat), &mut part);
            put(&mut part, out);
            if ply > 0 {
                self.write_events(ply, Some(seat), &mut part)?;
            } else {
                part.events(&[]);
            }
            put(&mut part, out);
            self.write_own_decision(ply, seat, &mut part);
            put(&mut part, out);
        }
        Ok(())
    }
}
