//! The pipes of bots: writing, reading, and what it means if a bot closes one.

use crate::{
    Chunk, Host, Stream,
    evidence::Evidence,
    excerpt::excerpt,
    pipes::{Pipes, read},
    play::InputState,
    seat::Closing,
    turns::Turns,
};
use agon_core::Seat;
use agon_referee::{Exit, In};
use rustix::io::{self, Errno};
use std::time::Duration;

/// How long a process may take to end after it has closed a pipe. If it still runs then, the closed pipe is its fault.
const ENDING: Duration = Duration::from_millis(50);
/// How many of the last lines on stderr are looked at when a process has ended.
const LOOKED_AT: usize = 60;
/// A read of at least this many bytes from stderr is a flood. After it, that stderr is not read for [`MUTED`].
const FLOOD: usize = 16 << 10;
const MUTED: Duration = Duration::from_millis(1);
/// The first and the longest pause between two checks whether a bot has read its last message.
pub(crate) const DRAIN_PAUSES: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));
/// The most reads in a row from one stream when everything that has arrived must be read. They cover the largest
/// inbox, and a bot that keeps writing cannot hold up the match.
pub(crate) const READS: usize = 32;

impl Turns<'_, '_> {
    /// Writes the outbox of a bot to its stdin, as far as the pipe has room.
    pub(crate) fn write(&mut self, pipe: &Pipes) {
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let Some(stdin) = pipe.stdin.as_ref().filter(|_| bot.streams.open.stdin) else { return };
        loop {
            let told = self.machine.outbox(pipe.seat);
            if told.is_empty() {
                self.polling.changed |= bot.streams.pending;
                bot.streams.pending = false;
                self.asked(pipe);
                return;
            }
            match io::write(stdin, told) {
                Ok(bytes) => {
                    self.polling.wrote = true;
                    // The clock of the prompt starts after the write, so that each exchange reads the clock here.
                    self.clock.read();
                    if let Some(transcript) = &mut self.sinks.transcript {
                        let (ply, at) = (self.machine.plies() + 1, self.clock.now);
                        transcript(Chunk { ply, seat: pipe.seat, stream: Stream::In, at, bytes: &told[..bytes] });
                    }
                    self.machine.feed(self.clock.now, In::Written { seat: pipe.seat, bytes });
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    self.polling.changed |= !bot.streams.pending;
                    bot.streams.pending = true;
                    return;
                }
                Err(_) => {
                    // In most cases the process is ending, and its exit explains the fault better.
                    bot.streams.closing.get_or_insert((Closing::Input, self.clock.now + ENDING));
                    bot.streams.open.stdin = false;
                    bot.streams.pending = false;
                    self.polling.changed = true;
                    return;
                }
            }
        }
    }

    /// Writes a prompt as soon as the bot has read everything before it, and otherwise sets the time of the next
    /// check.
    pub(crate) fn drain(&mut self, pipe: &Pipes) {
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let Some(drain) = &mut bot.streams.drain else { return };
        if self.clock.now >= drain.until || pipe.is_drained() {
            bot.streams.drain = None;
            self.write(pipe);
        } else {
            let (_, longest) = DRAIN_PAUSES;
            drain.look = (self.clock.now + drain.pause).min(drain.until);
            drain.pause = (drain.pause * 2).min(longest);
        }
    }

    /// Reads what a bot has written to its stdout, with at most `most` reads. Returns `true` if it read anything or
    /// met the end of the output.
    pub(crate) fn read_output(&mut self, pipe: &Pipes, most: usize) -> bool {
        for round in 0..most {
            let Some(bot) = &mut self.bots[pipe.seat.index()] else { return false };
            let Some(stdout) = pipe.stdout.as_ref().filter(|_| bot.streams.open.stdout) else { return round > 0 };
            let Some(bytes) = read(stdout, &mut self.buffer) else { return round > 0 };
            self.clock.read();
            if bytes == 0 {
                bot.streams.open.stdout = false;
                bot.streams.closing = Some((Closing::Output, self.clock.now + ENDING));
                self.polling.changed = true;
                return true;
            }
            self.count_late(pipe);
            let heard = &self.buffer[..bytes];
            if let Some(transcript) = &mut self.sinks.transcript {
                let (ply, at) = (self.machine.plies() + 1, self.clock.now);
                transcript(Chunk { ply, seat: pipe.seat, stream: Stream::Out, at, bytes: heard });
            }
            self.machine.feed(self.clock.now, In::Bytes { seat: pipe.seat, bytes: heard });
            if bytes < self.buffer.len() {
                break;
            }
        }
        true
    }

    /// Reads what a bot has written to its stderr. This happens during the whole match, because a full pipe would
    /// block the bot.
    pub(crate) fn read_errors(&mut self, pipe: &Pipes) {
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let Some(stderr) = pipe.stderr.as_ref().filter(|_| bot.streams.open.stderr) else { return };
        let Some(bytes) = read(stderr, &mut self.buffer) else { return };
        self.clock.read();
        if bytes == 0 {
            bot.streams.open.stderr = false;
            self.polling.changed = true;
            return;
        }
        if bytes >= FLOOD {
            bot.streams.muted = Some(self.clock.now + MUTED);
            self.polling.changed = true;
        }
        bot.streams.stderr.add(&self.buffer[..bytes]);
        if let Some(transcript) = &mut self.sinks.transcript {
            let (ply, at) = (self.machine.plies() + 1, self.clock.now);
            transcript(Chunk { ply, seat: pipe.seat, stream: Stream::Err, at, bytes: &self.buffer[..bytes] });
        }
    }

    /// Reads what is left in the pipe of a bot's stderr, with at most [`READS`] reads.
    pub(crate) fn last_errors(&mut self, pipe: &Pipes) {
        for _ in 0..READS {
            let before = self.bots[pipe.seat.index()].as_ref().map(|bot| bot.streams.stderr.total());
            self.read_errors(pipe);
            if self.bots[pipe.seat.index()].as_ref().map(|bot| bot.streams.stderr.total()) == before {
                return;
            }
        }
    }

    /// Reports that the process of a bot has ended. First reads everything that it has written.
    pub(crate) fn ended(&mut self, pipe: &Pipes) {
        self.last_errors(pipe);
        self.read_output(pipe, READS);
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        let Some(exit) = bot.look().cloned() else { return };
        // Its children may hold the pipes open, but what they write is not the bot's answer.
        bot.streams.end_dialogue();
        self.polling.changed = true;
        if bot.ran_out_of_memory() {
            self.machine.feed(self.clock.now, In::OutOfMemory { seat: pipe.seat });
            return;
        }
        let exit = match (exit, bot.host) {
            (Exit::Code(code), Some(Host { stopped: (first, last), .. })) if (first..=last).contains(&code) => {
                Exit::Stopped(bot.streams.stderr.last_lines(1).trim().to_owned())
            }
            (exit, _) => exit,
        };
        let stderr = excerpt(&bot.streams.stderr.last_lines(LOOKED_AT));
        let seat = pipe.seat;
        if let Some(why) = bot.excess() {
            self.machine.feed(self.clock.now, In::Exited { seat, exit: &Exit::Stopped(why), stderr: &stderr });
            return;
        }
        match bot.died_for_lack_of_memory(&exit, &stderr) {
            (Evidence::None, _) => {}
            (Evidence::Perhaps, peak_mib) => self.machine.feed(self.clock.now, In::NearMemoryLimit { seat, peak_mib }),
            (Evidence::Certain, peak_mib) => {
                self.machine.feed(self.clock.now, In::NearMemoryLimit { seat, peak_mib });
                self.machine.feed(self.clock.now, In::OutOfMemory { seat });
                return;
            }
        }
        self.machine.feed(self.clock.now, In::Exited { seat: pipe.seat, exit: &exit, stderr: &stderr });
    }

    /// Reports that a bot has closed a pipe, or that its process has ended if it has by now.
    pub(crate) fn closed(&mut self, pipe: &Pipes, closing: Closing) {
        let Some(bot) = &mut self.bots[pipe.seat.index()] else { return };
        if bot.look().is_some() {
            return self.ended(pipe);
        }
        bot.streams.closing = None;
        if bot.ran_out_of_memory() {
            self.machine.feed(self.clock.now, In::OutOfMemory { seat: pipe.seat });
            return;
        }
        self.read_output(pipe, READS);
        let seat: Seat = pipe.seat;
        let what = match closing {
            Closing::Input => In::ClosedInput { seat },
            Closing::Output => In::ClosedOutput { seat },
        };
        self.machine.feed(self.clock.now, what);
    }

    /// Kills a bot that has failed.
    pub(crate) fn kill(&mut self, pipe: &Pipes) {
        self.last_errors(pipe);
        // The message about its failure may help its author, whose bot can log it. The bot need not read it.
        self.write(pipe);
        if let Some(bot) = &mut self.bots[pipe.seat.index()] {
            bot.end.input = match pipe.is_drained() {
                false => InputState::Unread,
                true if bot.is_waiting() => InputState::Waiting,
                true => InputState::Read,
            };
            bot.kill();
            self.polling.changed = true;
        }
    }
}
