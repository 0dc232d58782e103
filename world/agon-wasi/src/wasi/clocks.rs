//! The clock of a bot, which counts its own instructions, and waiting, which uses them up. So a bot that watches its
//! clock computes for the same number of instructions on every machine.

use crate::{
    guest::{Call, Errno, Fail},
    streams::Streams,
};

/// The real time at the start of every bot, in nanoseconds: 2000-01-01 00:00:00 UTC.
const CALENDAR: u64 = 946_684_800_000_000_000;

/// The clocks: the real time, the time since the start, and two clocks for CPU time.
const REALTIME: i32 = 0;
const LAST_CLOCK: i32 = 3;

/// The sizes of entries in the lists of `poll_oneoff`, in bytes.
const SUBSCRIPTION: u32 = 48;
const EVENT: u32 = 32;

/// The kinds of events to wait for.
const CLOCK: u8 = 0;
const READ: u8 = 1;
const WRITE: u8 = 2;

/// An event to wait for.
#[derive(Clone, Copy, Debug)]
struct Wait {
    userdata: [u8; 8],
    kind: u8,
    /// For a clock: the nanoseconds from now.
    time: u64,
    /// The error number of the entry. 0 if it is valid.
    error: i32,
}

impl<S: Streams> Call<'_, S> {
    /// Writes the resolution of a clock, which is always one nanosecond.
    pub(super) fn clock_res_get(&mut self, clock: i32, at: u32) -> Result<(), Fail> {
        self.now(clock)?;
        Ok(self.write_u64(at, 1)?)
    }

    pub(super) fn clock_time_get(&mut self, clock: i32, at: u32) -> Result<(), Fail> {
        let now = self.now(clock)?;
        Ok(self.write_u64(at, now)?)
    }

    /// Returns the time of a clock. One instruction takes one nanosecond.
    fn now(&mut self, clock: i32) -> Result<u64, Fail> {
        match clock {
            REALTIME => Ok(CALENDAR.saturating_add(self.used()?)),
            1..=LAST_CLOCK => self.used(),
            _ => Err(Errno::INVAL.into()),
        }
    }

    /// Waits for events. stdin and stdout are always ready, because a read may wait. A clock is ready when the bot has
    /// used up the instructions. If nothing else is ready, the call uses them up itself.
    pub(super) fn poll_oneoff(&mut self, asked: u32, told: u32, count: u32, size_at: u32) -> Result<(), Fail> {
        if count == 0 {
            return Err(Errno::INVAL.into());
        }
        let (mut ready, mut soonest) = (false, u64::MAX);
        for i in 0..count {
            self.charge(u64::from(SUBSCRIPTION))?;
            let wait = self.wait(entry(asked, i, SUBSCRIPTION)?)?;
            match wait.kind {
                CLOCK if wait.error == 0 => soonest = soonest.min(wait.time),
                _ => ready = true,
            }
        }
        let passed = if ready { 0 } else { soonest };
        let mut events = 0;
        for i in 0..count {
            let wait = self.wait(entry(asked, i, SUBSCRIPTION)?)?;
            if wait.kind != CLOCK || wait.error != 0 || wait.time <= passed {
                let mut event = [0; EVENT as usize];
                event[..8].copy_from_slice(&wait.userdata);
                event[8..10].copy_from_slice(&(wait.error as u16).to_le_bytes());
                event[10] = wait.kind;
                // The number of available bytes is unknown, but a reader needs at least one.
                event[16] = u8::from(wait.kind != CLOCK && wait.error == 0);
                self.write(entry(told, events, EVENT)?, &event)?;
                events += 1;
            }
        }
        self.write_u32(size_at, events)?;
        self.charge(passed)
    }

    fn wait(&mut self, at: u32) -> Result<Wait, Fail> {
        let entry: [u8; SUBSCRIPTION as usize] = self.read(at)?;
        let number = |from: usize| u64::from_le_bytes(std::array::from_fn(|i| entry[from + i]));
        let userdata = std::array::from_fn(|i| entry[i]);
        let kind = entry[8];
        // The number of a clock or a descriptor, depending on the kind.
        let which = number(16) as u32 as i32;
        let (time, error) = match kind {
            CLOCK => {
                let until = entry[40] & 1 == 1;
                match self.now(which) {
                    Ok(now) if until => (number(24).saturating_sub(now), 0),
                    Ok(_) => (number(24), 0),
                    Err(_) => (0, Errno::INVAL.0),
                }
            }
            READ | WRITE => match self.stream(which) {
                Ok(stream) if (stream == 0) == (kind == READ) => (0, 0),
                _ => (0, Errno::BADF.0),
            },
            _ => return Err(Errno::INVAL.into()),
        };
        Ok(Wait { userdata, kind, time, error })
    }
}

/// Returns the address of an entry in a list.
fn entry(list: u32, index: u32, size: u32) -> Result<u32, Errno> {
    index.checked_mul(size).and_then(|offset| list.checked_add(offset)).ok_or(Errno::FAULT)
}
