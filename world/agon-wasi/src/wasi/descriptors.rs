//! The functions for stdin, stdout and stderr.

use crate::{
    fuel_meter::{CALL, SYSTEM_CALL},
    guest::{Call, Errno, Fail},
    streams::Streams,
};
use std::io::ErrorKind;

/// The descriptors of stdin, stdout and stderr.
const STDIN: usize = 0;
const STDOUT: usize = 1;
const STDERR: usize = 2;

/// The maximum number of bytes that one call writes. The call returns the number, and the bot writes the rest with the
/// next call.
const PIECE: u32 = 64 << 10;

/// The rights of a descriptor, as defined by WASI preview 1.
const MAY_READ: u64 = 1 << 1;
const MAY_WRITE: u64 = 1 << 6;
const MAY_POLL: u64 = 1 << 27;

impl<S: Streams> Call<'_, S> {
    /// Returns the stream of an open descriptor.
    pub(super) fn stream(&mut self, fd: i32) -> Result<usize, Errno> {
        let stream = usize::try_from(fd).map_err(|_| Errno::BADF)?;
        if self.guest().open.get(stream) == Some(&true) { Ok(stream) } else { Err(Errno::BADF) }
    }

    /// Returns the first part of the memory in a list that is not empty.
    fn first_vector(&mut self, list: u32, count: u32) -> Result<Option<(u32, u32)>, Fail> {
        for i in 0..count {
            self.charge(1)?;
            let (at, size) = self.vector(list, i)?;
            if size > 0 {
                return Ok(Some((at, size)));
            }
        }
        Ok(None)
    }

    /// Reads one line, or less if there is not enough room. Reads nothing at the end of the input.
    pub(super) fn fd_read(&mut self, fd: i32, list: u32, count: u32, size_at: u32) -> Result<(), Fail> {
        if self.stream(fd)? != STDIN {
            return Err(Errno::BADF.into());
        }
        // Check the memory before taking bytes from the input that the bot could not receive.
        self.write_u32(size_at, 0)?;
        let Some((at, room)) = self.first_vector(list, count)? else { return Ok(()) };
        self.part(at, room)?;
        if self.guest().input.is_dry() {
            self.refill()?;
        }
        self.charge(SYSTEM_CALL - CALL)?;
        let (part, guest) = self.part(at, room)?;
        let streams = &mut guest.streams;
        let line = guest.input.next(part.len(), |into| streams.read(into)).map_err(|_| Errno::IO)?;
        part[..line.len()].copy_from_slice(line);
        let size = line.len();
        self.charge(size as u64)?;
        Ok(self.write_u32(size_at, size as u32)?)
    }

    pub(super) fn fd_write(&mut self, fd: i32, list: u32, count: u32, size_at: u32) -> Result<(), Fail> {
        let stream = self.stream(fd)?;
        if stream == STDIN {
            return Err(Errno::BADF.into());
        }
        self.write_u32(size_at, 0)?;
        self.charge(SYSTEM_CALL - CALL)?;
        let mut saying = std::mem::take(&mut self.guest().saying);
        saying.clear();
        for i in 0..count {
            let (at, size) = self.vector(list, i)?;
            let size = size.min(PIECE - saying.len() as u32);
            self.charge(1 + u64::from(size))?;
            saying.extend_from_slice(self.part(at, size)?.0);
            if saying.len() == PIECE as usize {
                break;
            }
        }
        let guest = self.guest();
        let written = match stream {
            STDOUT => {
                if !saying.is_empty() {
                    guest.fuel_meter.speak();
                }
                guest.streams.write_stdout(&saying)
            }
            _ => {
                guest.within_line = saying.last().map_or(guest.within_line, |last| *last != b'\n');
                guest.streams.write_stderr(&saying)
            }
        };
        let size = saying.len() as u32;
        guest.saying = saying;
        match written {
            Ok(()) => Ok(self.write_u32(size_at, size)?),
            Err(why) if why.kind() == ErrorKind::BrokenPipe => Err(Errno::PIPE.into()),
            Err(_) => Err(Errno::IO.into()),
        }
    }

    pub(super) fn fd_close(&mut self, fd: i32) -> Result<(), Fail> {
        let stream = self.stream(fd)?;
        let guest = self.guest();
        guest.open[stream] = false;
        if stream == STDOUT {
            guest.streams.close_stdout();
        }
        Ok(())
    }

    /// Writes the kind of the descriptor (unknown, as for a pipe), its flags (none) and its rights.
    pub(super) fn fd_fdstat_get(&mut self, fd: i32, at: u32) -> Result<(), Fail> {
        let rights = match self.stream(fd)? {
            STDIN => MAY_READ,
            STDOUT | STDERR => MAY_WRITE,
            _ => 0,
        };
        let mut stat = [0; 24];
        stat[8..16].copy_from_slice(&(rights | MAY_POLL).to_le_bytes());
        Ok(self.write(at, &stat)?)
    }

    /// Accepts only empty flags. Reads always wait, and writes always append.
    pub(super) fn fd_fdstat_set_flags(&mut self, fd: i32, flags: i32) -> Result<(), Fail> {
        self.stream(fd)?;
        if flags == 0 { Ok(()) } else { Err(Errno::NOTSUP.into()) }
    }

    /// Writes a description of the file in which all fields are 0.
    pub(super) fn fd_filestat_get(&mut self, fd: i32, at: u32) -> Result<(), Fail> {
        self.stream(fd)?;
        Ok(self.write(at, &[0; 64])?)
    }
}
