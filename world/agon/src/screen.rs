//! The terminal as a screen with keys: a command draws on it and reads single keys, whatever stdin and stdout are.

use crate::{
    board::Room,
    error::{Error, Result, reason},
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr},
};
use std::{
    fs::File,
    io::{Read, Write},
    time::Duration,
};

/// A key that a command may have a use for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// A printable character or a blank.
    Char(char),
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    /// Ctrl-C, or Ctrl-D.
    Interrupt,
}

/// Sequences of terminals for keys without a character.
const SEQUENCES: &[(&[u8], Key)] = &[
    (b"\x1b[A", Key::Up),
    (b"\x1b[B", Key::Down),
    (b"\x1b[C", Key::Right),
    (b"\x1b[D", Key::Left),
    (b"\x1bOA", Key::Up),
    (b"\x1bOB", Key::Down),
    (b"\x1bOC", Key::Right),
    (b"\x1bOD", Key::Left),
    (b"\x1b[H", Key::Home),
    (b"\x1b[F", Key::End),
    (b"\x1bOH", Key::Home),
    (b"\x1bOF", Key::End),
    (b"\x1b[1~", Key::Home),
    (b"\x1b[4~", Key::End),
    (b"\x1b[7~", Key::Home),
    (b"\x1b[8~", Key::End),
    (b"\x1b[5~", Key::PageUp),
    (b"\x1b[6~", Key::PageDown),
];

/// Returns the keys in bytes of a terminal. Keys without a name here are left out.
pub fn keys(mut bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    while let Some(first) = bytes.first() {
        let known = SEQUENCES.iter().find(|(sequence, _)| bytes.starts_with(sequence));
        let used = match (first, known) {
            (_, Some((sequence, key))) => {
                keys.push(*key);
                sequence.len()
            }
            (0x1b, None) => {
                // An unknown sequence ends with a letter or a tilde.
                let parameters = bytes.iter().skip(2).take_while(|b| !(0x40..=0x7e).contains(*b)).count();
                if matches!(bytes.get(1), Some(b'[' | b'O')) { 3 + parameters } else { 1 }
            }
            (3 | 4, None) => {
                keys.push(Key::Interrupt);
                1
            }
            (c, None) => {
                if (b' '..=b'~').contains(c) {
                    keys.push(Key::Char(char::from(*c)));
                }
                1
            }
        };
        bytes = &bytes[used.min(bytes.len())..];
    }
    keys
}

/// The terminal. It is as before when this is dropped.
pub struct Screen {
    terminal: File,
    before: Termios,
}

impl Screen {
    /// Takes the terminal of this process.
    ///
    /// # Errors
    /// The process has no terminal.
    pub fn open() -> Result<Self> {
        let no_terminal = |why: std::io::Error| Error::user(format!("there is no terminal: {}", reason(&why)));
        let mut terminal = File::options().read(true).write(true).open("/dev/tty").map_err(no_terminal)?;
        let before = tcgetattr(&terminal).map_err(|why| no_terminal(why.into()))?;
        let mut single = before.clone();
        single.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN);
        single.special_codes[SpecialCodeIndex::VMIN] = 1;
        single.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&terminal, OptionalActions::Now, &single).map_err(|why| no_terminal(why.into()))?;
        // A second screen, so that the first one is as before afterwards; no cursor.
        let _ = terminal.write_all(b"\x1b[?1049h\x1b[?25l\x1b[2J");
        Ok(Self { terminal, before })
    }

    /// Returns the size of the screen.
    pub fn room(&self) -> Room {
        match tcgetwinsize(&self.terminal) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
                Room { columns: size.ws_col.into(), rows: size.ws_row.into() }
            }
            _ => Room { columns: 80, rows: 24 },
        }
    }

    /// Replaces what the screen shows. Lines that do not fit are left out.
    pub fn show(&mut self, text: &str) {
        let lines: Vec<&str> = text.lines().take(self.room().rows).collect();
        let picture = format!("\x1b[H{}\x1b[K\x1b[J", lines.join("\x1b[K\r\n"));
        let _ = self.terminal.write_all(picture.as_bytes());
    }

    /// Waits for keys, for at most `timeout`. Returns the interrupt key if the terminal is gone.
    pub fn wait(&mut self, timeout: Duration) -> Vec<Key> {
        let timeout = Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&self.terminal, PollFlags::IN)], Some(&timeout)) {
            Ok(0) | Err(Errno::INTR) => return Vec::new(),
            Ok(_) => {}
            Err(_) => return vec![Key::Interrupt],
        }
        let mut bytes = [0; 256];
        match self.terminal.read(&mut bytes) {
            Ok(0) => vec![Key::Interrupt],
            Ok(count) => keys(&bytes[..count]),
            Err(why) if why.kind() == std::io::ErrorKind::Interrupted => Vec::new(),
            Err(_) => vec![Key::Interrupt],
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.terminal.write_all(b"\x1b[?25h\x1b[?1049l");
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_recognised_in_any_mixture() {
        let pressed = keys(b" \x1b[C\x1bOD\x1b[H\x1b[4~q\x1b[5~\x1b[6~\x03");
        let expected = [
            Key::Char(' '),
            Key::Right,
            Key::Left,
            Key::Home,
            Key::End,
            Key::Char('q'),
            Key::PageUp,
            Key::PageDown,
            Key::Interrupt,
        ];
        assert_eq!(pressed, expected);
    }

    #[test]
    fn other_keys_are_left_out() {
        assert_eq!(keys(b"\x1b[1;5Cq\x1b[15~\x1bx\xc3\xa9\r"), [Key::Char('q'), Key::Char('x')]);
        for bytes in [&b"\x1b"[..], b"\x1b[", b"\x1b[1", b"\x1bO"] {
            assert_eq!(keys(bytes), []);
        }
    }
}
