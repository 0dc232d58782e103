use super::*;
use agon_core::{Rng, Seed};

/// How bots fail, in thousandths.
const LATE: [u32; 6] = [0, 1, 5, 20, 100, 300];

/// Machines that play, and what is wrong with the first of them.
struct Lab {
    rng: Rng,
    machines: u32,
    residuals: MachineResiduals,
    /// How many times as often, in tenths, bots are late on the first machine.
    late: u32,
    /// In thousandths, how often each machine spoils an attempt, and the first one more.
    spoilt: (u32, u32),
    /// How many times as long, in tenths, decisions take on the first machine.
    slow: u64,
    /// Whether all bots of a match are late together.
    together: bool,
}

impl Lab {
    fn new(seed: u64, machines: u32, alike: bool) -> Self {
        let (rng, residuals) = (Rng::new(Seed(seed)), MachineResiduals::new(alike));
        Self { rng, machines, residuals, late: 10, spoilt: (5, 0), slow: 10, together: false }
    }

    /// Plays one match. Returns who stands out then.
    fn play(&mut self) -> Option<(u32, StandsOut)> {
        let machine = self.rng.below(self.machines);
        let bots = [self.rng.below(6), self.rng.below(6)];
        let is_first = machine == 0;
        if self.rng.below(1_000) < self.spoilt.0 + if is_first { self.spoilt.1 } else { 0 } {
            self.residuals.add_spoilt(machine, &bots);
            return self.residuals.stands_out();
        }
        let times = if is_first { self.late } else { 10 };
        let common = self.rng.below(10_000);
        let seats = bots.map(|bot| {
            let drawn = if self.together { common } else { self.rng.below(10_000) };
            let late = drawn < LATE[bot as usize] * times;
            let time = u64::from(1_000 + self.rng.below(9_000)) * if is_first { self.slow } else { 10 };
            let fault = self.rng.one_in(50);
            MachineSeat { bot, version: 1, late, fault, decisions: 10, time_us: time }
        });
        self.residuals.add(machine, &seats);
        self.residuals.stands_out()
    }

    fn first_alarm(&mut self, most: usize) -> Option<(usize, u32, StandsOut)> {
        (0..most).find_map(|played| self.play().map(|(machine, why)| (played, machine, why)))
    }
}

#[test]
fn fair_machines_never_stand_out() {
    for seed in 0..40 {
        let machines = [2, 3, 8, 30][seed as usize % 4];
        let mut lab = Lab { together: seed % 3 == 0, ..Lab::new(seed, machines, true) };
        assert_eq!(lab.first_alarm(8_000), None, "seed {seed}");
        let late: u64 = (0..machines).map(|machine| lab.residuals.residual(machine).late).sum();
        assert!(late > 500, "{late}");
    }
}

#[test]
fn deviations_of_fair_machines_are_those_of_chance() {
    let (mut squares, mut count) = (0.0, 0.0);
    for seed in 0..40 {
        let mut lab = Lab::new(100 + seed, 5, false);
        assert_eq!(lab.first_alarm(2_000), None);
        for machine in 0..5 {
            let residual = lab.residuals.residual(machine);
            for excess in [residual.late_excess, residual.fault_excess] {
                squares += excess.deviations.expect("there is something elsewhere").powi(2);
                count += 1.0;
            }
        }
    }
    let average: f64 = squares / count;
    assert!((0.7..1.3).contains(&average), "the square of a standard deviation is 1 on average: {average}");
}

#[test]
fn nothing_is_expected_where_nobody_fails() {
    let mut residuals = MachineResiduals::new(false);
    let seat = MachineSeat { version: 1, ..MachineSeat::default() };
    (0..90).for_each(|number| residuals.add(number % 3, &[seat]));
    let quiet = Excess { seen: 0, expected: 0.0, deviations: Some(0.0) };
    assert_eq!(residuals.residual(1).late_excess, quiet);
    residuals.add(1, &[MachineSeat { late: true, ..seat }]);
    let excess = residuals.residual(1).late_excess;
    assert_eq!((excess.seen, excess.expected), (1, 0.0));
    assert!(excess.deviations.is_some_and(|z| (1.0..2.0).contains(&z)), "once is nothing: {excess:?}");
    assert_eq!(residuals.why(1), None);
}

#[test]
fn a_machine_that_starves_bots_stands_out() {
    for seed in 0..30 {
        let machines = [2, 3, 8][seed as usize % 3];
        let mut lab = Lab { late: 33, ..Lab::new(seed, machines, false) };
        let (played, machine, why) = lab.first_alarm(6_000).unwrap_or_else(|| panic!("seed {seed}"));
        assert!(machine == 0 && matches!(why, StandsOut::Late(_)), "seed {seed}: {machine} {why:?}");
        let StandsOut::Late(excess) = why else { unreachable!() };
        assert!(excess.seen as f64 > 2.0 * excess.expected && excess.deviations.is_some_and(|z| z > 4.0), "{excess:?}");
        assert!(played >= LEAST as usize);
        lab.residuals.remove(0);
        assert_eq!(lab.residuals.residual(0), MachineResidual::default());
        lab.late = 10;
        assert_eq!(lab.first_alarm(2_000), None, "the others are fair to each other");
    }
}

#[test]
fn a_machine_that_spoils_matches_stands_out() {
    for seed in 0..30 {
        let mut lab = Lab { spoilt: (5, 150), ..Lab::new(seed, 4, false) };
        let (_, machine, why) = lab.first_alarm(6_000).unwrap_or_else(|| panic!("seed {seed}"));
        assert!(machine == 0 && matches!(why, StandsOut::Spoilt(_)), "seed {seed}: {machine} {why:?}");
    }
}

#[test]
fn slow_machines_are_shown_and_stand_out_only_among_those_that_are_alike() {
    for alike in [false, true] {
        let mut lab = Lab { slow: 20, ..Lab::new(3, 4, alike) };
        let alarm = lab.first_alarm(3_000);
        match alarm {
            Some((_, 0, StandsOut::Slow(slow))) if alike => assert!(slow.times > 1.5, "{slow:?}"),
            None if !alike => {}
            other => panic!("{alike}: {other:?}"),
        }
        let slowness = lab.residuals.residual(0).slowness.expect("there are others");
        assert!((1.6..2.4).contains(&slowness.times), "{slowness:?}");
        let other = lab.residuals.residual(1).slowness.expect("there are others");
        assert!((0.6..1.1).contains(&other.times), "{other:?}");
    }
}

#[test]
fn nobody_stands_out_without_matches_or_without_others() {
    let late = |bot| MachineSeat { bot, version: 1, late: true, decisions: 1, time_us: 1, ..MachineSeat::default() };
    let fine = |bot| MachineSeat { late: false, ..late(bot) };
    let mut alone = MachineResiduals::new(true);
    for _ in 0..500 {
        alone.add(7, &[late(0), fine(1)]);
        alone.add_spoilt(7, &[0, 1]);
        assert_eq!(alone.stands_out(), None);
    }
    let residual = alone.residual(7);
    assert_eq!((residual.late, residual.late_excess.deviations, residual.slowness), (500, None, None));
    // Another machine has played other bots.
    for _ in 0..500 {
        alone.add(8, &[fine(2), fine(3)]);
        assert_eq!(alone.why(7), None);
    }
    let mut newer = MachineResiduals::new(false);
    for _ in 0..500 {
        newer.add(7, &[late(0), fine(1)]);
        newer.add(8, &[MachineSeat { version: 2, ..fine(0) }, fine(1)]);
        assert_eq!(newer.stands_out(), None, "bot 1 is as good on both, and bot 0 was mended");
    }
    let mut few = MachineResiduals::new(false);
    for _ in 0..500 {
        few.add(1, &[fine(0), fine(1)]);
    }
    for _ in 1..LEAST {
        few.add(2, &[late(0), fine(1)]);
        assert_eq!(few.stands_out(), None);
    }
    few.add(2, &[late(0), fine(1)]);
    assert!(matches!(few.stands_out(), Some((2, StandsOut::Late(_)))), "20 of 20, and elsewhere 0 of 500");
}
