//! The clock of a bot, which counts its own instructions, and waiting, which uses them up: a bot that watches its clock
//! thinks exactly as long on every machine.

use crate::{
    guest::{Call, Errno, Fail},
    streams::Streams,
};

/// What the clock of the calendar shows at the start of every bot, in nanoseconds: the first second of 2000, UTC.
const CALENDAR: u64 = 946_684_800_000_000_000;

/// Clocks: of the calendar, since the start, and two of the time that was computed.
const REALTIME: i32 = 0;
const LAST_CLOCK: i32 = 3;

/// Sizes in the lists of `poll_oneoff`.
const SUBSCRIPTION: u32 = 48;
const EVENT: u32 = 32;

/// What is waited for.
const CLOCK: u8 = 0;
const READ: u8 = 1;
const WRITE: u8 = 2;

/// One entry of what is waited for.
#[derive(Clone, Copy, Debug)]
struct Wait {
    userdata: [u8; 8],
    kind: u8,
    /// Nanoseconds from now on, of a clock.
    time: u64,
    /// What is wrong with it.
    error: i32,
}

impl<S: Streams> Call<'_, S> {
    /// Every clock counts single nanoseconds.
    pub(super) fn clock_res_get(&mut self, clock: i32, at: u32) -> Result<(), Fail> {
        self.now(clock)?;
        Ok(self.write_u64(at, 1)?)
    }

    pub(super) fn clock_time_get(&mut self, clock: i32, at: u32) -> Result<(), Fail> {
        let now = self.now(clock)?;
        Ok(self.write_u64(at, now)?)
    }

    /// One instruction is a nanosecond.
    fn now(&mut self, clock: i32) -> Result<u64, Fail> {
        match clock {
            REALTIME => Ok(CALENDAR.saturating_add(self.used()?)),
            1..=LAST_CLOCK => self.used(),
            _ => Err(Errno::INVAL.into()),
        }
    }

    /// stdin and stdout are ready at once, because a read may wait; a clock is ready when its instructions are used up,
    /// which they are at once where nothing else is ready.
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
                // How many bytes there are is not known; at least one is what a reader must hear.
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
        // A clock or a descriptor, by kind.
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

/// Where an entry of a list is.
fn entry(list: u32, index: u32, size: u32) -> Result<u32, Errno> {
    index.checked_mul(size).and_then(|offset| list.checked_add(offset)).ok_or(Errno::FAULT)
}
