//! The pipes of bots: what is written, what is read, what it means when one closes.

use crate::{
    Chunk, Host, Stream,
    seat::{Closing, Pipes, read},
    turns::Turns,
};
use agon_core::Seat;
use agon_referee::{Exit, In};
use rustix::io::{self, Errno};
use std::time::Duration;

/// How long a process whose pipe has closed may take to end, before that pipe alone is its fault.
const ENDING: Duration = Duration::from_millis(50);
/// A read from stderr of at least this many bytes is a flood, which is read once in [`MUTED`].
const FLOOD: usize = 16 << 10;
const MUTED: Duration = Duration::from_millis(1);
/// The first pause between two looks whether a bot has read its last message, and the longest.
pub(crate) const DRAIN_PAUSES: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));
/// Reads of one stream in a row where all that has arrived matters: as much as any inbox holds, and no bot can keep us
/// longer.
pub(crate) const READS: usize = 32;

impl Turns<'_, '_> {
    /// Writes what is said to a bot, as far as its pipe takes it.
    pub(crate) fn write(&mut self, pipe: &Pipes) {
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let Some(stdin) = pipe.stdin.as_ref().filter(|_| bot.open.stdin) else { return };
        loop {
            let told = self.machine.outbox(pipe.seat);
            if told.is_empty() {
                self.changed |= bot.pending;
                bot.pending = false;
                self.asked(pipe);
                return;
            }
            match io::write(stdin, told) {
                Ok(bytes) => {
                    self.wrote = true;
                    // The clock of the prompt starts now, not before the write: a reading each exchange.
                    self.now = self.start.elapsed();
                    if let Some(transcript) = &mut self.transcript {
                        let (ply, at) = (self.machine.plies() + 1, self.now);
                        transcript(Chunk { ply, seat: pipe.seat, stream: Stream::In, at, bytes: &told[..bytes] });
                    }
                    self.machine.feed(self.now, In::Written { seat: pipe.seat, bytes });
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    self.changed |= !bot.pending;
                    bot.pending = true;
                    return;
                }
                Err(_) => {
                    // Most often the process is ending: then how it ended is the better reason.
                    bot.closing.get_or_insert((Closing::Input, self.now + ENDING));
                    bot.open.stdin = false;
                    bot.pending = false;
                    self.changed = true;
                    return;
                }
            }
        }
    }

    /// Writes a prompt as soon as the bot has read what it was sent before.
    pub(crate) fn drain(&mut self, pipe: &Pipes) {
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let Some(drain) = &mut bot.drain else { return };
        if self.now >= drain.until || pipe.is_drained() {
            bot.drain = None;
            self.write(pipe);
        } else {
            let (_, longest) = DRAIN_PAUSES;
            drain.look = (self.now + drain.pause).min(drain.until);
            drain.pause = (drain.pause * 2).min(longest);
        }
    }

    /// Reads what a bot has said, at most so many bufferfuls; `true` if that was anything, if only the end of its
    /// output.
    pub(crate) fn read_output(&mut self, pipe: &Pipes, most: usize) -> bool {
        for round in 0..most {
            let Some(bot) = &mut self.bots[pipe.seat.index()] else { return false };
            let Some(stdout) = pipe.stdout.as_ref().filter(|_| bot.open.stdout) else { return round > 0 };
            let Some(bytes) = read(stdout, &mut self.buffer) else { return round > 0 };
            self.now = self.start.elapsed();
            if bytes == 0 {
                bot.open.stdout = false;
                bot.closing = Some((Closing::Output, self.now + ENDING));
                self.changed = true;
                return true;
            }
            self.count_late(pipe);
            let heard = &self.buffer[..bytes];
            if let Some(transcript) = &mut self.transcript {
                let (ply, at) = (self.machine.plies() + 1, self.now);
                transcript(Chunk { ply, seat: pipe.seat, stream: Stream::Out, at, bytes: heard });
            }
            self.machine.feed(self.now, In::Bytes { seat: pipe.seat, bytes: heard });
            if bytes < self.buffer.len() {
                break;
            }
        }
        true
    }

    /// Reads what a bot has written to its stderr: always, or it would block.
    pub(crate) fn read_errors(&mut self, pipe: &Pipes) {
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let Some(stderr) = pipe.stderr.as_ref().filter(|_| bot.open.stderr) else { return };
        let Some(bytes) = read(stderr, &mut self.buffer) else { return };
        self.now = self.start.elapsed();
        if bytes == 0 {
            bot.open.stderr = false;
            self.changed = true;
            return;
        }
        if bytes >= FLOOD {
            bot.muted = Some(self.now + MUTED);
            self.changed = true;
        }
        bot.stderr.add(&self.buffer[..bytes]);
        if let Some(transcript) = &mut self.transcript {
            let (ply, at) = (self.machine.plies() + 1, self.now);
            transcript(Chunk { ply, seat: pipe.seat, stream: Stream::Err, at, bytes: &self.buffer[..bytes] });
        }
    }

    /// What is left in the pipe of a stderr, within reason.
    pub(crate) fn last_errors(&mut self, pipe: &Pipes) {
        for _ in 0..READS {
            let before = self.bots[pipe.seat.index()].as_ref().map(|bot| bot.stderr.total());
            self.read_errors(pipe);
            if self.bots[pipe.seat.index()].as_ref().map(|bot| bot.stderr.total()) == before {
                return;
            }
        }
    }

    /// The process of a bot has ended. All that it had said is heard first.
    pub(crate) fn ended(&mut self, pipe: &Pipes) {
        self.last_errors(pipe);
        self.read_output(pipe, READS);
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let Some(exit) = bot.look().cloned() else { return };
        // Its children may hold the pipes open: what they say is nobody's answer.
        bot.open.stdout = false;
        bot.open.stdin = false;
        bot.pending = false;
        bot.drain = None;
        bot.closing = None;
        self.changed = true;
        if bot.ran_out_of_memory() {
            self.machine.feed(self.now, In::OutOfMemory { seat: pipe.seat });
            return;
        }
        let exit = match (exit, bot.host) {
            (Exit::Code(code), Some(Host { stopped: (first, last), .. })) if (first..=last).contains(&code) => {
                Exit::Stopped(bot.stderr.last_lines(1).trim().to_owned())
            }
            (exit, _) => exit,
        };
        let stderr = bot.stderr.last_lines(12);
        self.machine.feed(self.now, In::Exited { seat: pipe.seat, exit: &exit, stderr: &stderr });
    }

    /// A pipe has closed and its process had time to end.
    pub(crate) fn closed(&mut self, pipe: &Pipes, closing: Closing) {
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        if bot.look().is_some() {
            return self.ended(pipe);
        }
        bot.closing = None;
        if closing == Closing::Input {
            self.read_output(pipe, READS);
        }
        let seat: Seat = pipe.seat;
        let what = if closing == Closing::Input { In::ClosedInput { seat } } else { In::ClosedOutput { seat } };
        self.machine.feed(self.now, what);
    }

    /// A bot has failed.
    pub(crate) fn kill(&mut self, pipe: &Pipes) {
        self.last_errors(pipe);
        // What it is told about its failure may still help its author's log; it need not read it.
        self.write(pipe);
        if let Some(bot) = &mut self.bots[pipe.seat.index()] {
            bot.kill();
            self.changed = true;
        }
    }
}
