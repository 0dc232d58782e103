//! A match as a champion's process lives it: the text protocol on one side, three callbacks on the other.

use crate::mirror;
use agon_core::{Asked, Client, Contest, Entry, Game, Joint, Seat};
use agon_portals::{Action, Portals, Position, Turn};
use rustix::fd::OwnedFd;
use std::{
    fs::File,
    io::{self, Read, Write},
};

/// The callbacks of a champion.
pub trait Champion {
    /// `partie_init`: once, within the greeting.
    fn init(&mut self);
    /// `jouer_tour`: once a turn.
    fn turn(&mut self);
    /// `partie_fin`: once, at the end.
    fn end(&mut self);
}

/// Takes stdin and stdout for the referee, so that the champion has neither: it reads nothing, and what it prints goes
/// to its log, which is stderr.
///
/// # Errors
/// The system's.
pub fn take_stdio() -> io::Result<(File, File)> {
    let input: OwnedFd = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let output: OwnedFd = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((input.into(), output.into()))
}

/// Plays one match with the referee behind `input` and `output`. Returns when the match is over or the referee is gone.
///
/// # Errors
/// What came is not the protocol, or the system's reason why it cannot be read.
pub fn serve(mut input: impl Read, mut output: impl Write, champion: &mut dyn Champion) -> Result<(), String> {
    let mut client: Box<dyn Client<Portals>> = Portals::client("champion");
    let (mut heard, mut used) = (Vec::new(), 0);
    let mut said = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    let mut last = None;
    loop {
        let (length, asked) = client.read(&heard[used..], &mut said);
        used += length;
        match asked {
            Asked::Noted if said.is_empty() => continue,
            // The only line of the referee that is answered at once is the one that ends the greeting.
            Asked::Noted => {
                let view = client.view();
                mirror::show(Turn::closed(view.position(), view.seat()));
                champion.init();
            }
            Asked::Decide => {
                let view = client.view();
                let (before, seat) = (view.position().clone(), view.seat());
                mirror::show(Turn::open(&before, seat));
                champion.turn();
                let Some(turn) = mirror::show(Turn::closed(&before, seat)) else {
                    return Err("there was no turn".into());
                };
                client.write(turn.actions(), &mut said);
                let (after, seat) = last.insert((before, seat));
                play(after, *seat, turn.actions());
                mirror::show(Turn::closed(after, *seat));
            }
            Asked::Quit => {
                if let Some((mut position, seat)) = last {
                    // Whoever plays last has not been told of: its last turn is taken as empty.
                    let mut final_turn = position.clone();
                    play(&mut final_turn, Seat::new(1), &[]);
                    if final_turn.over() {
                        position = final_turn;
                    }
                    mirror::show(Turn::closed(&position, seat));
                }
                champion.end();
                return Ok(());
            }
            Asked::Confused(why) => return Err(format!("what the referee says is not the protocol of Portals: {why}")),
            Asked::More => {
                heard.drain(..used);
                used = 0;
                match input.read(&mut chunk) {
                    Ok(0) => return Ok(()),
                    Ok(count) => heard.extend_from_slice(&chunk[..count]),
                    Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                    Err(why) => return Err(format!("cannot read the referee: {why}")),
                }
                continue;
            }
        }
        // A referee that closed our output wants no more of us.
        if output.write_all(&said).and_then(|()| output.flush()).is_err() {
            return Ok(());
        }
        said.clear();
    }
}

/// Plays the turn of `seat`, if it is its turn.
fn play(position: &mut Position, seat: Seat, actions: &[Action]) {
    if position.awaiting().contains(seat) {
        let entry = Entry { seat, orders: actions, failure: None };
        position.resolve(Joint::new(&[entry]), &mut Default::default(), &mut ());
    }
}
