//! Lower bounds: a bare ping-pong over pipes, and the bare start of a process.

use super::bot::Behaviour;
use rustix::io::{read, write};
use std::{
    io,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

/// A parent that writes a message, blocks until the answer arrives, and does nothing else: it has no clock, calls no
/// `poll`, and does not look at the bytes. It has two children, which are the same as the bots of the match that it is
/// compared with, and asks them alternately.
#[derive(Clone, Debug)]
pub struct PingPong {
    pub behaviour: Behaviour,
    /// The first message to each child, and the length of its answer in bytes.
    pub greeting: Option<(&'static [u8], usize)>,
    pub prompt: Vec<u8>,
    /// The length of an answer in bytes.
    pub answer: usize,
}

/// A child and the pipes to it. It is killed when this is dropped.
#[derive(Debug)]
pub struct Partner {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl PingPong {
    /// Starts the children, makes `exchanges` exchanges in total, and ends the children.
    ///
    /// # Errors
    /// A system call fails.
    pub fn run(&self, exchanges: u32) -> io::Result<()> {
        let partners = [Partner::start(bare(self.behaviour)?)?, Partner::start(bare(self.behaviour)?)?];
        let mut buffer = vec![0; 64 << 10];
        if let Some((greeting, answer)) = self.greeting {
            for partner in &partners {
                partner.ask(greeting, answer, &mut buffer)?;
            }
        }
        for i in 0..exchanges {
            partners[i as usize % 2].ask(&self.prompt, self.answer, &mut buffer)?;
        }
        Ok(())
    }
}

impl Partner {
    /// Starts a child with pipes as its stdin and stdout.
    ///
    /// # Errors
    /// A system call fails.
    pub fn start(mut command: Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a child without pipes"));
        };
        Ok(Self { child, input, output })
    }

    /// Writes a prompt and reads until the answer has so many bytes.
    ///
    /// # Errors
    /// A system call fails, or the child ends.
    #[inline]
    pub fn ask(&self, mut prompt: &[u8], answer: usize, buffer: &mut [u8]) -> io::Result<()> {
        while !prompt.is_empty() {
            let written = write(&self.input, prompt)?;
            prompt = &prompt[written..];
        }
        let mut heard = 0;
        while heard < answer {
            match read(&self.output, &mut *buffer)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => heard += count,
            }
        }
        Ok(())
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        // Both fail only if the child has ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the time to start a bot that ends immediately and to wait for its end.
///
/// # Errors
/// A system call fails.
pub fn start_and_wait() -> io::Result<Duration> {
    let start = Instant::now();
    bare(Behaviour::EndsAtOnce)?.spawn()?.wait()?;
    Ok(start.elapsed())
}

/// Returns the command that starts an instant bot.
///
/// # Errors
/// This program cannot find its own path.
pub fn bare(behaviour: Behaviour) -> io::Result<Command> {
    let [program, words @ ..] = behaviour.command()?;
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}
