//! A match in the process of a champion: the text protocol on one side, three callbacks on the other.

use crate::call;
use agon_core::{Asked, Client, Contest, Entry, Game, Joint, Seat};
use agon_portals::{Order, Position, Turn, write_refused};
use rustix::fd::OwnedFd;
use std::{
    fs::File,
    io::{self, Read, Write},
};

/// The callbacks of a champion.
pub trait Champion {
    /// Calls `partie_init`, once during the greeting.
    fn init(&mut self);
    /// Calls `jouer_tour`, once in each turn of the champion.
    fn turn(&mut self);
    /// Calls `partie_fin`, once at the end.
    fn end(&mut self);
}

/// Takes stdin and stdout for the connection to the referee. Afterwards the stdin of the champion is empty, and what it
/// prints to stdout goes to stderr, which is its log.
///
/// # Errors
/// If the system cannot duplicate or replace the descriptors.
pub fn take_stdio() -> io::Result<(File, File)> {
    let input: OwnedFd = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let output: OwnedFd = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((input.into(), output.into()))
}

/// Plays one match with the referee at `input` and `output`. Returns when the match is over or the referee has ended.
///
/// # Errors
/// If the input cannot be read or does not follow the protocol.
pub fn serve(mut input: impl Read, mut output: impl Write, champion: &mut dyn Champion) -> Result<(), String> {
    let mut client: Box<dyn Client<Position>> = Position::client("champion");
    let (mut heard, mut used) = (Vec::new(), 0);
    let mut said = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    // After our last turn: the final position, in case the referee's last message does not arrive.
    let mut untold = None;
    loop {
        let (length, asked) = client.read(&heard[used..], &mut said);
        used += length;
        match asked {
            Asked::Noted if said.is_empty() => continue,
            // Only the line that ends the greeting gets an immediate answer.
            Asked::Noted => {
                let view = client.view();
                call::show(Turn::closed(view.position(), view.seat()));
                champion.init();
            }
            Asked::Decide => {
                let view = client.view();
                let (mut position, seat) = (view.position().clone(), view.seat());
                call::show(Turn::open(&position, seat));
                champion.turn();
                let Some(turn) = call::show(Turn::closed(&position, seat)) else {
                    return Err("there was no turn".into());
                };
                write_refused(turn.refused(), &mut said);
                client.write(turn.actions(), &mut said);
                play(&mut position, seat, turn.actions());
                call::show(Turn::closed(&position, seat));
                play(&mut position, Seat::new(1), &[]);
                untold = position.over().then(|| Turn::closed(&position, seat));
            }
            // The last message contains everything that happened since our last turn.
            Asked::Quit => {
                let view = client.view();
                call::show(Turn::closed(view.position(), view.seat()));
                champion.end();
                return Ok(());
            }
            Asked::Confused(why) => return Err(format!("what the referee says is not the protocol of Portals: {why}")),
            Asked::More => {
                heard.drain(..used);
                used = 0;
                match input.read(&mut chunk) {
                    Ok(0) => {
                        // The last message was longer than the pipe's buffer and is incomplete.
                        if let Some(turn) = untold {
                            call::show(turn);
                            champion.end();
                        }
                        return Ok(());
                    }
                    Ok(count) => heard.extend_from_slice(&chunk[..count]),
                    Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                    Err(why) => return Err(format!("cannot read the referee: {why}")),
                }
                continue;
            }
        }
        // The referee has closed our output and does not need us any more.
        if output.write_all(&said).and_then(|()| output.flush()).is_err() {
            return Ok(());
        }
        said.clear();
    }
}

/// Plays the turn of `seat`, if it is its turn.
fn play(position: &mut Position, seat: Seat, actions: &[Order]) {
    if position.awaiting().contains(seat) {
        let entry = Entry { seat, orders: actions, failure: None };
        position.resolve(Joint::new(&[entry]), &mut Default::default(), &mut ());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::FUNCTIONS;
    use agon_core::{Remaining, Setup, Terms, geometry::pt, judge};
    use agon_portals::Rules;

    /// Calls the API as a champion does.
    fn ask(name: &str) -> Vec<i32> {
        let function = FUNCTIONS.iter().position(|f| f.name == name).expect("there is such a function");
        let mut out = [0; 16];
        // SAFETY: there are no arguments, and `out` has room for 16.
        let count = unsafe { call::call(function as i32, std::ptr::null(), 0, out.as_mut_ptr(), 16) };
        out[..usize::try_from(count).expect("there is an answer")].to_vec()
    }

    /// Does nothing in its turns and notes what it sees in the end.
    #[derive(Default)]
    struct Witness(Vec<Vec<i32>>);

    impl Champion for Witness {
        fn init(&mut self) {}

        fn turn(&mut self) {}

        fn end(&mut self) {
            assert_eq!(ask("capturer"), [1], "nothing can be done any more");
            let questions = ["tour_actuel", "liste_liens", "hist_portails_captures", "hist_liens_crees"];
            self.0.extend(questions.map(ask));
        }
    }

    /// What each of two champions sees in `partie_fin` of a match of one round, and what the referee says to them. The
    /// first does nothing; the second captures two portals and links them.
    fn match_of_one_round() -> [(Vec<u8>, Vec<Vec<i32>>); 2] {
        let map = Position::parse_map(b"0 0 2 2\n..X\n...\n..X\n").expect("it is a map");
        let terms = Terms { rules: Rules::SPEC, seats: 2, limit: Some(1) };
        let mut position = Position::from_map(map, &terms).unwrap_or_else(|f| panic!("{}", f.flaw));
        let (up, down) = (pt(2, 0), pt(2, 2));
        let second = [Order::Capture, Order::Move(up), Order::Capture, Order::Link(down)];
        let seats = [Seat::new(0), Seat::new(1)];
        let mut dialogues = seats.map(|seat| position.dialogue(seat, &[]));
        let mut said = [Vec::new(), Vec::new()];
        for (i, seat) in seats.into_iter().enumerate() {
            dialogues[i].greet(position.view(seat), Remaining::default(), &mut said[i]);
        }
        let mut tmp = Default::default();
        for (i, orders) in [&[][..], &second].into_iter().enumerate() {
            dialogues[i].prompt(position.view(seats[i]), Remaining::default(), &mut said[i]);
            let (entry, refused) = judge(&position, seats[i], orders, None, &mut tmp);
            assert!(refused.is_none());
            position.resolve(Joint::new(&[entry]), &mut tmp, &mut ());
        }
        for (i, seat) in seats.into_iter().enumerate() {
            dialogues[i].farewell(position.view(seat), &mut said[i]);
        }
        said.map(|said| {
            let mut witness = Witness::default();
            serve(&said[..], Vec::new(), &mut witness).expect("it is the protocol");
            (said, witness.0)
        })
    }

    /// Tries what the rules refuse.
    struct Careless;

    impl Champion for Careless {
        fn init(&mut self) {
            assert_eq!(ask("capturer"), [1], "it is not its turn");
        }

        fn turn(&mut self) {
            for (action, code) in [("capturer", 0), ("capturer", 5), ("capturer", 5), ("neutraliser", 5)] {
                assert_eq!(ask(action), [code], "{action}");
            }
        }

        fn end(&mut self) {
            assert_eq!(ask("capturer"), [1], "nothing can be done any more");
        }
    }

    #[test]
    fn the_referee_is_told_what_was_refused() {
        let _alone = call::alone();
        let [_, (said, _)] = match_of_one_round();
        let mut answers = Vec::new();
        serve(&said[..], &mut answers, &mut Careless).expect("it is the protocol");
        let told = "ready\nrefused 5 2 1 capture\nrefused 5 1 1 neutralise\ncapture\nend\n";
        assert_eq!(String::from_utf8_lossy(&answers), told);
    }

    #[test]
    fn in_the_end_both_have_been_told_of_the_last_turn() {
        let _alone = call::alone();
        let [(_, first), (_, second)] = match_of_one_round();
        let link = vec![2, 0, 2, 2, 1];
        assert_eq!(first, [vec![2], link.clone(), vec![2, 0, 2, 2], link.clone()]);
        assert_eq!(second, first, "in the end it is its own turn");
    }

    #[test]
    fn an_end_that_is_cut_off_is_an_end_all_the_same() {
        let _alone = call::alone();
        let [(said, _), _] = match_of_one_round();
        let mut witness = Witness::default();
        serve(&said[..said.len() - 8], Vec::new(), &mut witness).expect("it is the protocol");
        assert_eq!(witness.0, [vec![2], vec![], vec![], vec![]]);
        // Before our last turn there is no end: the referee is gone.
        let turn = said.windows(3).position(|w| w == b"go\n").expect("there is a turn");
        let mut witness = Witness::default();
        serve(&said[..turn], Vec::new(), &mut witness).expect("it is the protocol");
        assert!(witness.0.is_empty());
    }
}
