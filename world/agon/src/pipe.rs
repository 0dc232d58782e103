//! The pipes of a process. Each has a thread of its own, so that none can block another, and the thread ends with its pipe.

use std::{
    io::{self, ErrorKind, Read, Write},
    sync::mpsc::{Sender, channel},
    thread,
};

/// The most bytes that are read at once.
const PIECE: usize = 16 << 10;

/// Starts a thread that writes what it is sent to a pipe. It ends when the sender is dropped, which closes the pipe, or when
/// nobody reads.
///
/// # Errors
/// The system starts no thread.
pub fn feed(pipe: Option<impl Write + Send + 'static>) -> io::Result<Sender<Vec<u8>>> {
    let (tell, told) = channel::<Vec<u8>>();
    thread::Builder::new().spawn(move || {
        let Some(mut pipe) = pipe else { return };
        for bytes in told {
            if pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_err() {
                return;
            }
        }
    })?;
    Ok(tell)
}

/// Reads a pipe to its end, or until `take` returns `false`.
pub fn pump(pipe: Option<impl Read>, mut take: impl FnMut(&[u8]) -> bool) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = vec![0; PIECE];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) if take(&buffer[..count]) => {}
            Ok(_) => return,
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says one byte at a time, with interruptions.
    struct Stammer(Vec<u8>, bool);

    impl Read for Stammer {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(ErrorKind::Interrupted.into());
            }
            match self.0.pop() {
                None => Ok(0),
                Some(byte) => {
                    buffer[0] = byte;
                    Ok(1)
                }
            }
        }
    }

    #[test]
    fn a_pipe_is_read_to_its_end_or_until_it_is_enough() {
        let mut all = Vec::new();
        pump(Some(Stammer(b"cba".to_vec(), false)), |bytes| {
            all.extend_from_slice(bytes);
            true
        });
        assert_eq!(all, b"abc");
        let mut count = 0;
        pump(Some(Stammer(b"cba".to_vec(), false)), |_| {
            count += 1;
            count < 2
        });
        assert_eq!(count, 2);
    }

    #[test]
    fn bytes_are_written_in_order_and_the_pipe_is_closed_with_the_sender() {
        let (mut end, pipe) = io::pipe().expect("a pipe");
        let tell = feed(Some(pipe)).expect("a thread");
        for word in ["a", "b", "c"] {
            tell.send(word.into()).expect("the thread waits");
        }
        drop(tell);
        let mut all = String::new();
        end.read_to_string(&mut all).expect("text");
        assert_eq!(all, "abc");
    }
}
