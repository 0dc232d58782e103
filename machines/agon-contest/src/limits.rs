//! How often somebody may ask.

/// The kinds of requests that are limited.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Try a password.
    LogIn,
    /// Make an account.
    Register,
    /// Try a code or a one-time link.
    Code,
    /// Submit a version.
    Submit,
    /// Change something else: a team, a token, a name.
    Change,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::LogIn, Self::Register, Self::Code, Self::Submit, Self::Change];

    /// Returns its word in tables and in the file of a contest.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::LogIn => "log-in",
            Self::Register => "register",
            Self::Code => "code",
            Self::Submit => "submit",
            Self::Change => "change",
        }
    }
}

/// So many requests within so long a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    /// The most requests. At least 1.
    pub most: u32,
    /// The time in which there may be as many, in milliseconds. At least 1.
    pub within_ms: i64,
}

impl Rate {
    /// Returns how long to wait until another request may be made, in milliseconds; 0 if it may be made now.
    ///
    /// `times` are those of earlier requests that were allowed, in the order in which they were recorded. Those that are not
    /// within the time are not looked at. A time after `now`, by a clock that was set back, counts as `now`: nobody waits for longer
    /// than the time of the rate.
    #[must_use]
    pub fn wait(&self, times: &[i64], now: i64) -> i64 {
        let mut recent: Vec<i64> =
            times.iter().map(|at| (*at).min(now)).filter(|at| now - at < self.within_ms).collect();
        recent.sort_unstable();
        let most = usize::try_from(self.most).unwrap_or(usize::MAX);
        // The request that must be out of the time before there is room for another one.
        match recent.len().checked_sub(most.max(1)) {
            None => 0,
            Some(at) => recent.get(at).map_or(0, |at| at + self.within_ms - now),
        }
    }
}

/// The limits of one kind of requests. Those of an account and a team count where they are known: many people of a room have one
/// address, and none of them is to wait for the others. That of an address counts for visitors, also for those who try a name.
///
/// Names are public, so that anybody can try them. The tight rate of a name is therefore that of one address: nobody elsewhere uses
/// up the tries of its owner. Whoever tries from many addresses meets the loose one, which counts them all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KindLimits {
    /// For each account, or for each name that somebody tries to log in with from one address, whether there is an account with it
    /// or not.
    pub account: Rate,
    /// For each name that somebody tries to log in with, from all addresses together.
    pub name: Option<Rate>,
    /// For each team.
    pub team: Option<Rate>,
    /// For each address from which nobody known asks.
    pub address: Rate,
}

impl KindLimits {
    /// Returns all the rates.
    pub fn rates(&self) -> impl Iterator<Item = Rate> {
        [Some(self.account), self.name, self.team, Some(self.address)].into_iter().flatten()
    }
}

/// Times of earlier requests of one kind that were allowed.
#[derive(Clone, Copy, Default, Debug)]
pub struct Earlier<'a> {
    /// Those of the account, if it is known; or those of the name that is tried, from this address.
    pub account: Option<&'a [i64]>,
    /// Those of the name that is tried, from all addresses.
    pub name: Option<&'a [i64]>,
    /// Those of the team, if there is one.
    pub team: Option<&'a [i64]>,
    /// Those from the address.
    pub address: Option<&'a [i64]>,
}

/// How often somebody may ask.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// For each of [`Kind::ALL`].
    kinds: [KindLimits; Kind::ALL.len()],
}

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

const fn rate(most: u32, within_ms: i64) -> Rate {
    Rate { most, within_ms }
}

impl Default for Limits {
    fn default() -> Self {
        let of = |account, address| KindLimits { account, name: None, team: None, address };
        let kind = |kind| match kind {
            // A person mistypes some times; a program tries thousands.
            Kind::LogIn => {
                KindLimits { name: Some(rate(200, 5 * MINUTE)), ..of(rate(10, 5 * MINUTE), rate(600, 5 * MINUTE)) }
            }
            // A class of 300 makes its accounts in one lesson, from one address.
            Kind::Register => of(rate(400, HOUR), rate(400, HOUR)),
            Kind::Code => of(rate(20, HOUR), rate(400, HOUR)),
            Kind::Submit => KindLimits { team: Some(rate(30, HOUR)), ..of(rate(30, HOUR), rate(30, HOUR)) },
            Kind::Change => KindLimits { team: Some(rate(120, MINUTE)), ..of(rate(60, MINUTE), rate(60, MINUTE)) },
        };
        Self { kinds: Kind::ALL.map(kind) }
    }
}

impl Limits {
    /// Returns the limits of a kind of requests.
    #[must_use]
    pub fn of(&self, kind: Kind) -> KindLimits {
        self.kinds[kind as usize]
    }

    /// Sets the limits of a kind of requests.
    pub fn set(&mut self, kind: Kind, limits: KindLimits) {
        self.kinds[kind as usize] = limits;
    }

    /// Sets how often each account may ask for something of a kind. The other rates of the kind stay in proportion: an address of
    /// visitors, for example, may try as many times more codes than an account as it usually may. Accounts are made by visitors
    /// alone, so that for [`Kind::Register`] it is the rate of an address.
    pub fn set_account_rate(&mut self, kind: Kind, account: Rate) {
        let usual = Self::default().of(kind);
        let scale = |rate: Rate| Rate { most: account.most.saturating_mul(rate.most / usual.account.most), ..account };
        let (name, team, address) = (usual.name.map(scale), usual.team.map(scale), scale(usual.address));
        self.set(kind, KindLimits { account, name, team, address });
    }

    /// Returns the longest time that any rate looks back, in milliseconds. What is older may be forgotten.
    #[must_use]
    pub fn memory_ms(&self) -> i64 {
        self.kinds.iter().flat_map(KindLimits::rates).map(|rate| rate.within_ms).max().unwrap_or(0)
    }

    /// Returns how long to wait until a request may be made, in milliseconds; 0 if it may be made now.
    #[must_use]
    pub fn wait(&self, kind: Kind, earlier: &Earlier<'_>, now: i64) -> i64 {
        let limits = self.of(kind);
        let waits = [
            earlier.account.map(|times| limits.account.wait(times, now)),
            earlier.name.zip(limits.name).map(|(times, rate)| rate.wait(times, now)),
            earlier.team.zip(limits.team).map(|(times, rate)| rate.wait(times, now)),
            earlier.address.map(|times| limits.address.wait(times, now)),
        ];
        waits.into_iter().flatten().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_wait_ends_when_the_first_request_is_out_of_the_time() {
        let rate = rate(2, 1000);
        for (times, now, wait) in [
            (&[][..], 0, 0),
            (&[0], 0, 0),
            (&[0, 10], 10, 990),
            (&[0, 10], 999, 1),
            (&[0, 10], 1000, 0),
            (&[0, 10, 1000], 1000, 10),
            (&[10, 0], 10, 990),
            // The clock was set back by an hour.
            (&[3_600_000, 3_600_001], 5, 1000),
        ] {
            assert_eq!(rate.wait(times, now), wait, "{times:?} at {now}");
        }
    }

    #[test]
    fn the_longest_wait_counts() {
        let limits = Limits::default();
        let now = 10 * HOUR;
        let many = vec![now; 30];
        let team = Earlier { account: Some(&[]), team: Some(&many), ..Earlier::default() };
        assert_eq!(limits.wait(Kind::Submit, &team, now), HOUR);
        assert_eq!(limits.wait(Kind::Submit, &Earlier { team: None, ..team }, now), 0);
        // Names that are tried have no team.
        assert_eq!(limits.wait(Kind::LogIn, &team, now), 0);
        // From many addresses, 200 tries of a name are too many, but not 199.
        let many = vec![now; 200];
        let name = |times| limits.wait(Kind::LogIn, &Earlier { name: Some(times), ..team }, now);
        assert_eq!((name(&many), name(&many[1..])), (5 * MINUTE, 0));
        assert_eq!(limits.memory_ms(), HOUR);
    }

    proptest! {
        /// Requests at any times, each asked again when it was told to come again.
        #[test]
        fn no_window_has_more_than_the_rate_allows(most in 1_u32..6, within in 1_i64..50, steps in prop::collection::vec(0_i64..20, 1..80)) {
            let rate = rate(most, within);
            let (mut now, mut allowed) = (0, Vec::new());
            for step in steps {
                now += step;
                let wait = rate.wait(&allowed, now);
                prop_assert!((0..=within).contains(&wait));
                if wait > 0 {
                    prop_assert!(rate.wait(&allowed, now + wait - 1) > 0, "it may come earlier than told");
                    prop_assert_eq!(rate.wait(&allowed, now + wait), 0, "whoever comes when told is let in");
                } else {
                    allowed.push(now);
                }
                let window = allowed.iter().filter(|at| now - **at < within).count();
                prop_assert!(window <= most as usize);
                // A request is refused only when the window is full.
                prop_assert_eq!(rate.wait(&allowed, now) > 0, window == most as usize);
            }
        }

        #[test]
        fn the_order_of_times_does_not_matter(mut times in prop::collection::vec(-50_i64..100, 0..20), most in 1_u32..5, now in 0_i64..100) {
            let rate = rate(most, 30);
            let wait = rate.wait(&times, now);
            times.sort_unstable();
            prop_assert_eq!(rate.wait(&times, now), wait);
            prop_assert!((0..=30).contains(&wait));
        }

        /// What others of the same room do is never a reason for somebody known to wait.
        #[test]
        fn somebody_known_waits_for_nobody_else(own in prop::collection::vec(0_i64..HOUR, 0..40), kind in 0_usize..5) {
            let (limits, kind) = (Limits::default(), Kind::ALL[kind]);
            let known = Earlier { account: Some(&own), ..Earlier::default() };
            prop_assert_eq!(limits.wait(kind, &known, HOUR), limits.of(kind).account.wait(&own, HOUR));
        }
    }
}
