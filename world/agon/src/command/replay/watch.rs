//! `agon replay show FILE --watch`: a recorded match on the terminal, played and stepped through with keys.

use super::{
    rounds::Rounds,
    show::{not_reached, turn_text},
};
use crate::{
    board::{self, Room},
    clean::cut,
    error::{Error, Result},
    interrupt::{self, Interrupt},
    report::seat_names,
    screen::{Key, Screen},
};
use agon_games::AnyGame;
use agon_referee::{Board, PlyRecord};
use agon_replay::Replay;
use std::time::{Duration, Instant};

/// How long each turn stays on the screen while the match plays.
const PACE: Duration = Duration::from_millis(250);
/// How many turns the keys for larger steps skip.
const LEAP: u32 = 10;
/// How often the screen looks at its size and at the interrupt flag.
const LOOK: Duration = Duration::from_millis(100);
const HELP: &str = "space plays and stops   left/right 1 turn   up/down 10 turns   home/end   q quits";

/// The turn that is shown, and whether the next ones follow by themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Playback {
    /// The number of turns so far. 0 is the start.
    turn: u32,
    last: u32,
    plays: bool,
}

impl Playback {
    /// Does what a key asks for. Returns `false` if it ends the show.
    fn press(&mut self, key: Key) -> bool {
        let Self { turn, last, .. } = *self;
        match key {
            Key::Char('q' | 'Q') => return false,
            Key::Char(' ') => {
                // At the end there is nothing left to play, so it begins again.
                self.turn = if !self.plays && turn == last { 0 } else { turn };
                self.plays = !self.plays;
                return true;
            }
            Key::Right => self.turn = (turn + 1).min(last),
            Key::Left => self.turn = turn.saturating_sub(1),
            Key::Down | Key::PageDown => self.turn = turn.saturating_add(LEAP).min(last),
            Key::Up | Key::PageUp => self.turn = turn.saturating_sub(LEAP),
            Key::Home => self.turn = 0,
            Key::End => self.turn = last,
            Key::Char(_) | Key::Interrupt => return true,
        }
        self.plays = false;
        true
    }

    /// Goes on by one turn, or stops at the end.
    fn tick(&mut self) {
        self.turn = (self.turn + 1).min(self.last);
        self.plays = self.turn < self.last;
    }
}

/// Shows the replay until the user ends it. It begins with turn `from`.
///
/// # Errors
/// There is no terminal, the match of the replay cannot be opened or does not reproduce, or the user interrupts the show.
pub fn watch(game: &dyn AnyGame, replay: &Replay, from: u32, colour: bool) -> Result<()> {
    let play = replay.line_of_play();
    let mut rerun = game.rerun(&play.spec)?;
    let rounds = Rounds::of(game, replay);
    let last = play.plies();
    if from > last {
        return Err(Error::user(format!("there is no turn {from}: the match has {last}")));
    }
    let interrupt = Interrupt::new()?;
    interrupt.arm();
    let mut screen = Screen::open().map_err(|error| error.hint("without a terminal, `--ply N` draws one turn"))?;
    let mut playback = Playback { turn: from, last, plays: false };
    let (mut shown, mut since) = (None, Instant::now());
    loop {
        let room = screen.room();
        if shown != Some((playback, room)) {
            // The turns before a difference can be watched.
            rerun.seek(playback.turn, &play.turns).map_err(|why| not_reached(&why))?;
            let record = play.turn(playback.turn);
            screen.show(&picture(replay, rerun.board(), record, &rounds, playback, room, colour));
            shown = Some((playback, room));
            since = Instant::now();
        }
        if interrupt.cancel().is_cancelled() {
            return Err(interrupt::error());
        }
        let pause = if playback.plays { PACE.saturating_sub(since.elapsed()).min(LOOK) } else { LOOK };
        for key in screen.wait(pause) {
            if key == Key::Interrupt {
                return Err(interrupt::error());
            }
            if !playback.press(key) {
                return Ok(());
            }
        }
        if playback.plays && since.elapsed() >= PACE {
            playback.tick();
        }
    }
}

/// Returns the lines of the screen: where the match is, what was decided, the board, and the keys.
fn picture(
    replay: &Replay,
    position: &Board,
    record: Option<&PlyRecord>,
    rounds: &Rounds,
    playback: Playback,
    room: Room,
    colour: bool,
) -> String {
    let columns = room.columns.saturating_sub(1).max(1);
    let state = if playback.plays { "plays" } else { "stopped" };
    let mut lines = vec![format!("{}  turn {} of {}  {state}", replay.header.spec.game, playback.turn, playback.last)];
    let decided = record.map_or_else(String::new, |record| turn_text(replay, record, rounds, columns));
    // With many seats the captions below the board say more than single orders.
    let most = (room.rows / 6).max(1);
    lines.extend(decided.lines().take(most).map(str::to_owned));
    let mut out: String = lines.iter().map(|line| cut(line, columns) + "\n").collect();
    let names = seat_names(&replay.header.spec);
    let rows = room.rows.saturating_sub(lines.len() + 2);
    out.push_str(&board::render_within(&position.picture(), &names, Room { columns, rows }, colour));
    out.push_str(&cut(HELP, columns));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(mut playback: Playback, keys: &[Key]) -> Playback {
        for key in keys {
            assert!(playback.press(*key), "{key:?} does not end the show");
        }
        playback
    }

    #[test]
    fn keys_step_through_the_turns() {
        let start = Playback { turn: 0, last: 25, plays: false };
        for (keys, turn) in [
            (&[Key::Right, Key::Right][..], 2),
            (&[Key::Left], 0),
            (&[Key::End, Key::Right], 25),
            (&[Key::End, Key::Left, Key::Home], 0),
            (&[Key::Down, Key::PageDown, Key::Up], 10),
            (&[Key::PageDown, Key::Down, Key::Down, Key::Char('x')], 25),
        ] {
            assert_eq!(after(start, keys), Playback { turn, ..start }, "{keys:?}");
        }
        let mut playback = start;
        assert!(!playback.press(Key::Char('q')), "q ends it");
    }

    #[test]
    fn it_plays_to_the_end_and_from_the_start_again() {
        let mut playback = after(Playback { turn: 1, last: 3, plays: false }, &[Key::Char(' ')]);
        assert!(playback.plays);
        playback.tick();
        assert_eq!((playback.turn, playback.plays), (2, true));
        playback.tick();
        assert_eq!((playback.turn, playback.plays), (3, false));
        playback = after(playback, &[Key::Char(' ')]);
        assert_eq!((playback.turn, playback.plays), (0, true));
        assert!(!after(playback, &[Key::Right]).plays, "a step stops it");
        assert!(!after(playback, &[Key::Char(' ')]).plays);
    }
}
