//! The memory to which the arguments of random calls point.

use crate::Facts;
use agon_core::Rng;
use std::{
    io,
    os::unix::ffi::OsStrExt,
    ptr::{self, NonNull},
};

const PAGE: usize = 4096;
/// The pages with random content. What calls read as structures lies here.
const PAGES: usize = 32;
/// The pages behind them with paths, socket addresses, times and lists of buffers.
const PREPARED: usize = 4;
/// The pages in front of and behind all of these that nobody uses. A call that is given too large a length hits these.
const AROUND: usize = 4096;
/// The number of words that are written anew at a time.
const REFILLED: usize = 2048;

/// Memory that calls may read, write and unmap. Nothing else in the process lies in it or near it. It is never given back,
/// because the calls may have put something else in its place.
#[derive(Debug)]
pub(super) struct Memory {
    start: NonNull<u8>,
    /// The content of the prepared pages.
    prepared: Vec<u8>,
    /// The addresses of what is prepared.
    times: Vec<i64>,
    buffers: Vec<i64>,
    sockets: Vec<i64>,
    paths: Vec<i64>,
}

// SAFETY: the memory belongs to the process; whoever uses it expects any content.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory for an attack on these victims, with these paths.
    pub(super) fn new(facts: &Facts, paths: &[Vec<u8>]) -> io::Result<Self> {
        let all = (PAGES + PREPARED + 2 * AROUND) * PAGE;
        // SAFETY: makes a new mapping, which nobody else knows.
        let start = unsafe { libc::mmap(ptr::null_mut(), all, 0, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0) };
        let start = NonNull::new(start.cast::<u8>()).filter(|_| start != libc::MAP_FAILED);
        let start = start.ok_or_else(io::Error::last_os_error)?;
        // SAFETY: within the mapping.
        let start = unsafe { start.add(AROUND * PAGE) };
        let mut memory = Self {
            start,
            prepared: Vec::new(),
            times: Vec::new(),
            buffers: Vec::new(),
            sockets: Vec::new(),
            paths: Vec::new(),
        };
        for n in 0..8 {
            let address = memory.prepare_words(&[0, 1000 * n, 0, 50_000 * n]);
            memory.times.push(address);
        }
        for n in 0..16 {
            let address = memory.prepare_words(&[memory.at(n * PAGE + 64), [0, 1, 64, 4096][n % 4]]);
            memory.buffers.push(address);
        }
        let unix = [facts.stream_socket(), facts.datagram_socket()].map(|path| local(path.as_os_str().as_bytes()));
        let sockets = [internet(facts.tcp), internet(facts.udp), local(format!("\0{}", facts.marker).as_bytes())];
        for socket in sockets.iter().chain(&unix) {
            let address = memory.prepare(socket);
            memory.sockets.push(address);
        }
        for path in paths {
            let address = memory.prepare(&[path, &b"\0"[..]].concat());
            memory.paths.push(address);
        }
        if memory.prepared.len() > PREPARED * PAGE {
            return Err(io::Error::other("the paths are too long"));
        }
        Ok(memory)
    }

    fn at(&self, offset: usize) -> i64 {
        self.start.as_ptr() as i64 + offset as i64
    }

    /// Keeps these bytes and returns the address that they will have.
    fn prepare(&mut self, bytes: &[u8]) -> i64 {
        let address = self.at(PAGES * PAGE + self.prepared.len());
        self.prepared.extend_from_slice(bytes);
        self.prepared.resize(self.prepared.len().next_multiple_of(8), 0);
        address
    }

    fn prepare_words(&mut self, words: &[i64]) -> i64 {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        self.prepare(&bytes)
    }

    /// An address in the memory, and sometimes one where nothing is.
    pub(super) fn somewhere(&self, rng: &mut Rng) -> i64 {
        let end = (PAGES + PREPARED) * PAGE;
        match rng.below(16) {
            0 => 0,
            1 => [1, PAGE as i64, -1, i64::MIN, self.at(end), self.at(end - 8)][rng.index(6)],
            _ => self.at(8 * rng.index(PAGES * PAGE / 8)),
        }
    }

    /// The address of a page of the memory.
    pub(super) fn page(&self, rng: &mut Rng) -> i64 {
        self.at(PAGE * rng.index(PAGES))
    }

    /// The address of two short times.
    pub(super) fn time(&self, rng: &mut Rng) -> i64 {
        self.times[rng.index(self.times.len())]
    }

    /// The address of a list of buffers.
    pub(super) fn buffers(&self, rng: &mut Rng) -> i64 {
        self.buffers[rng.index(self.buffers.len())]
    }

    /// The address of a socket address of a victim.
    pub(super) fn socket_address(&self, rng: &mut Rng) -> i64 {
        self.sockets[rng.index(self.sockets.len())]
    }

    /// The address of a path.
    pub(super) fn path(&self, rng: &mut Rng) -> i64 {
        self.paths[rng.index(self.paths.len())]
    }

    /// Maps the memory anew, whatever calls have made of it, and writes what is prepared, and words that could be numbers,
    /// files, lengths and addresses.
    pub(super) fn refill(&self, rng: &mut Rng) {
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let new = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        let length = (PAGES + PREPARED) * PAGE;
        // SAFETY: replaces nothing but the memory, whose content nobody relies on.
        if unsafe { libc::mmap(self.start.as_ptr().cast(), length, rights, new, -1, 0) } == libc::MAP_FAILED {
            return;
        }
        // SAFETY: what is prepared fits into its pages.
        unsafe {
            let prepared = self.start.add(PAGES * PAGE);
            ptr::copy_nonoverlapping(self.prepared.as_ptr(), prepared.as_ptr(), self.prepared.len());
        }
        for _ in 0..REFILLED {
            let word = match rng.below(8) {
                0 | 1 => 0,
                2 => i64::from(rng.below(16)),
                3 => 1 << rng.below(64),
                4 => -1,
                5 | 6 => self.at(8 * rng.index(PAGES * PAGE / 8)),
                _ => rng.bits() as i64,
            };
            let offset = rng.index(PAGES * PAGE / 8);
            // SAFETY: an aligned word within the memory, which is shared by the kernel alone.
            unsafe { self.start.cast::<i64>().add(offset).write_volatile(word) };
        }
    }
}

/// The address of a port of this machine.
fn internet(port: u16) -> Vec<u8> {
    let [high, low] = port.to_be_bytes();
    let mut bytes = (libc::AF_INET as u16).to_ne_bytes().to_vec();
    bytes.extend([high, low, 127, 0, 0, 1]);
    bytes.resize(16, 0);
    bytes
}

/// The address of a Unix socket.
fn local(path: &[u8]) -> Vec<u8> {
    let mut bytes = (libc::AF_UNIX as u16).to_ne_bytes().to_vec();
    bytes.extend(path);
    bytes.resize(110, 0);
    bytes
}
