//! Tests of clocks, seeds, seats and rule sets in the forms that people and files write.

use agon_core::{
    ClockPolicy, Derivation, Ending, Fingerprint, Rng, Seat, Seats, Seed, SeedKey, Standing, TimePolicy,
    clock::{parse_duration, print_duration, print_rounded},
    rules::{self, RulePoint, RuleSet},
};
use proptest::prelude::*;
use std::time::Duration;

#[test]
fn a_clock_reads_as_it_is_written() {
    let clock: ClockPolicy = "move=1s,soft=100ms,first=+2s,bank=180s,greeting=2s".parse().expect("a clock");
    assert_eq!(clock.hard, Some(Duration::from_secs(1)));
    assert_eq!(clock.first, Duration::from_secs(2));
    assert_eq!(clock.to_string(), "off,greeting=2s,move=1s,soft=100ms,bank=180s,first=+2s,policy=fair");
    assert_eq!(clock.to_string().parse::<ClockPolicy>(), Ok(clock));
    assert_eq!(clock.amended("move=250ms").expect("an amendment").greeting, clock.greeting);
    assert_eq!(clock.amended("off").expect("off"), ClockPolicy::OFF);
    assert_eq!(clock.amended("soft=off").expect("one part off").soft, None);
    for policy in TimePolicy::ALL {
        let other = clock.amended(&format!("policy={policy}")).expect("a policy");
        assert_eq!((other.policy, other.hard), (policy, clock.hard));
        assert_eq!(other.to_string().parse::<ClockPolicy>(), Ok(other));
        let off = other.amended("off").expect("off");
        assert!(off.is_off() && off.policy == policy && !other.is_off(), "`off` is about limits");
        assert_eq!(serde_json::from_str::<ClockPolicy>(&format!("\"{other}\"")).expect("a clock"), other);
    }
}

#[test]
fn a_clock_that_was_written_before_there_were_policies_counts_all_the_time() {
    let clock: ClockPolicy = serde_json::from_str("\"off,move=1s\"").expect("a clock");
    assert_eq!((clock.policy, clock.hard), (TimePolicy::Wall, Some(Duration::from_secs(1))));
    assert_eq!(serde_json::to_string(&clock).expect("a text"), "\"off,move=1s,policy=wall\"");
}

#[test]
fn times_for_people_have_three_digits() {
    let cases = [
        (0, "0us"),
        (850, "850us"),
        (1_000, "1.00ms"),
        (12_345, "12.3ms"),
        (1_250_000, "1.25s"),
        (90_000_000, "90.0s"),
    ];
    for (micros, text) in cases {
        assert_eq!(print_rounded(Duration::from_micros(micros)), text);
    }
}

#[test]
fn a_bad_clock_says_what_is_there() {
    for (text, what) in [
        ("1s", "`1s` is not a part of a clock"),
        ("mvoe=1s", "unknown part `mvoe` of a clock"),
        ("move=fast", "`fast` is not a time"),
        ("move=1h", "`1h` is not a time"),
        ("move=-1s", "`-1s` is not a time"),
        ("move=99999999999min", "`99999999999min` is not a time"),
        ("move=.s", "`.s` is not a time"),
        ("policy=kind", "`kind` is not a policy of a clock"),
    ] {
        let flaw = text.parse::<ClockPolicy>().expect_err(text);
        assert_eq!(flaw.what, what);
        let hint = flaw.hint.expect(text);
        assert_eq!(hint.contains("did you mean `move=1s`?"), text == "1s", "{hint}");
    }
}

proptest! {
    #[test]
    fn times_survive_print_and_parse(micros in 0..86_400_000_000u64) {
        let time = Duration::from_micros(micros);
        prop_assert_eq!(parse_duration(&print_duration(time)), Ok(time));
    }

    #[test]
    fn no_text_breaks_the_parsers(text in ".{0,40}") {
        let _ = parse_duration(&text);
        let _ = text.parse::<ClockPolicy>();
        let _ = rules::parse::<Toy>(&text);
    }

    #[test]
    fn bounded_draws_stay_in_bounds(seed in any::<u64>(), bound in 1..u32::MAX, low in any::<i32>(), span in 0..1000u32) {
        let mut rng = Rng::new(Seed(seed));
        prop_assert!(rng.below(bound) < bound);
        let high = low.saturating_add(span as i32);
        let drawn = rng.between(low, high);
        prop_assert!(low <= drawn && drawn <= high);
        prop_assert!((0.0..1.0).contains(&rng.unit()));
    }
}

#[test]
fn numbers_that_replays_depend_on_never_change() {
    // These numbers are fixed: a change breaks every recorded match with a built-in bot or a generated map.
    let mut rng = Rng::new(Seed(1));
    assert_eq!([rng.bits(), rng.bits()], [2_335_080_409_098_337_534, 4_949_199_025_616_913_012]);
    assert_eq!(Seed(1).derive("map", 2), Seed(3_402_252_931_137_655_270));
    assert_eq!(Fingerprint::new().u32(1).bytes(b"agon").finish(), 18_069_853_545_683_997_859);
}

#[test]
fn keyed_seeds_are_those_of_hmac() {
    // Computed by Python: hmac.new(key, b"map\0" + (2).to_bytes(8, "little"), "sha256").digest()[:8], as a little-endian number.
    assert_eq!(Seed(1).keyed("map", 2), Seed(9_576_816_512_827_789_832));
    assert_eq!(SeedKey([7; 32]).seed("match", u64::MAX), Seed(1_443_801_628_755_688_558));
    assert_eq!(Derivation::Keyed.map(Seed(5)), Seed(5).keyed("map", 0));
    assert_eq!(Derivation::Fast.map(Seed(5)), Seed(5));
    assert_eq!(Derivation::Fast.bot(Seed(5), Seat::new(1)), Seed(5).derive("bot", 1));
    assert_eq!(Seed(5).for_bot(Seat::new(1)), Seed(5).keyed("bot", 1));
    assert_eq!(format!("{:?}", SeedKey([7; 32])), "SeedKey(..)", "a key stays out of messages");
}

#[test]
fn draws_are_uniform() {
    let mut rng = Rng::new(Seed(3));
    let mut count = [0u32; 6];
    for _ in 0..60_000 {
        count[rng.index(6)] += 1;
    }
    assert!(count.iter().all(|c| (9_500..10_500).contains(c)), "{count:?}");
    let mut items: Vec<u32> = (0..20).collect();
    rng.shuffle(&mut items);
    assert_ne!(items, (0..20).collect::<Vec<_>>());
    items.sort_unstable();
    assert_eq!(items, (0..20).collect::<Vec<_>>());
}

#[test]
fn seats_count_from_one_outside() {
    let seat = Seat::new(0);
    assert_eq!(seat.to_string(), "1");
    assert_eq!(serde_json::to_string(&seat).expect("json"), "1");
    assert_eq!(serde_json::from_str::<Seat>("24").expect("json").index(), 23);
    assert!(serde_json::from_str::<Seat>("0").is_err());
    assert!(serde_json::from_str::<Seat>("33").is_err());
    let seats = Seats::first(3).without(Seat::new(1));
    assert_eq!(seats.iter().map(Seat::index).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(Seats::first(32).len(), 32);
}

#[test]
fn equal_scores_share_a_place() {
    let standing = Standing::by_score(vec![5, 9, 9, 1], Ending::Limit);
    assert_eq!(standing.places, [3, 1, 1, 4]);
    assert_eq!(standing.sole_winner(), None);
    assert_eq!(Standing::by_score(vec![5, 9], Ending::Limit).sole_winner(), Some(1));
}

#[derive(Clone, PartialEq, Debug)]
struct Toy {
    keys: &'static str,
}

impl RuleSet for Toy {
    const SETS: &'static [&'static str] = &["spec", "original"];
    const POINTS: &'static [RulePoint] =
        &[RulePoint { name: "keys", about: "how many keys", values: &["one", "many"] }];
    fn named(set: &str) -> Option<Self> {
        match set {
            "spec" => Some(Self { keys: "one" }),
            "original" => Some(Self { keys: "many" }),
            _ => None,
        }
    }
    fn get(&self, _point: &str) -> &'static str {
        self.keys
    }
    fn set(&mut self, _point: &str, value: &str) {
        self.keys = if value == "one" { "one" } else { "many" };
    }
    fn why_not(set: &str) -> Option<&'static str> {
        (set == "lost").then_some("nothing of it survives")
    }
}

#[test]
fn rule_sets_read_as_they_are_written() {
    let parse = rules::parse::<Toy>;
    assert_eq!(parse("").expect("default"), Toy { keys: "one" });
    assert_eq!(rules::print(&parse("spec,keys=many").expect("a point")), "original");
    assert_eq!(parse("odd").expect_err("no such set").hint.as_deref(), Some("the sets are: spec, original"));
    assert_eq!(
        parse("lost").expect_err("no such set").to_string(),
        "there is no rule set `lost`: nothing of it survives"
    );
    assert_eq!(parse("spec,keys=few").expect_err("no such value").to_string(), "point `keys` cannot be `few`");
    assert_eq!(parse("spec,lamps=1").expect_err("no such point").to_string(), "unknown point `lamps` of the rules");
    assert_eq!(parse("spec,keys").expect_err("no value").to_string(), "`keys` is not POINT=VALUE");
}
