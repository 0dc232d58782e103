//! Properties for arbitrary orders and bytes: nothing panics, no ship appears from nowhere, the parts of a position
//! agree, and the way a reply is split does not matter.

use agon_core::{
    Asked, Client, Contest, Dialogue, Entry, Game, Joint, Remaining, Said, Seat, Seed, Setup, Terms, rules,
};
use agon_planet_wars::{BotClient, Order, Position, RefereeDialogue, Rules};
use proptest::prelude::*;

const SETS: [Rules; 3] = [Rules::SPEC, Rules::ORIGINAL, Rules::PLAYGAME];

fn start(rules: Rules, seed: u64) -> Position {
    let map = Position::generate("small", Seed(seed), 2).unwrap();
    Position::from_map(map, &Terms { rules, seats: 2, limit: None }).unwrap()
}

/// Numbers that are mostly in range, and sometimes at the ends of 32 bits.
fn number(low: i32, high: i32) -> impl Strategy<Value = i32> {
    prop_oneof![8 => low..high, 1 => Just(i32::MIN), 1 => Just(i32::MAX)]
}

fn decision() -> impl Strategy<Value = Vec<Order>> {
    let order = (number(-1, 9), number(-1, 9), number(-2, 120));
    let order = order.prop_map(|(source, destination, ships)| Order { source, destination, ships });
    proptest::collection::vec(order, 0..6)
}

/// Lines as bots should write them, and as they should not.
fn reply() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => (0..9u8, 0..9u8, 0..30u8).prop_map(|(s, d, n)| format!("{s} {d} {n}\n").into_bytes()),
        2 => Just(b"go\n".to_vec()),
        1 => Just(b" GO \r\n".to_vec()),
        1 => "[ \t\r0-9+#a-zA-Z-]{0,12}\n?".prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..12),
        1 => Just(b"+1 99999999999999999999 -3\n".to_vec()),
    ];
    proptest::collection::vec(line, 0..8).prop_map(|lines| lines.concat())
}

/// The outcome of one decision: orders, outcome of the dialogue, bytes that are left.
fn hear(game: &Position, rules: &Rules, chunks: &[&[u8]]) -> (Vec<Order>, Said, Vec<u8>) {
    let mut referee = RefereeDialogue::new(rules);
    let view = game.view(Seat::new(0));
    let (mut orders, mut inbox, mut said) = (Vec::new(), Vec::new(), Said::More);
    for chunk in chunks {
        inbox.extend_from_slice(chunk);
        if said == Said::More {
            let (used, now) = referee.hear(view, Remaining::default(), &inbox, false, &mut orders, &mut Vec::new());
            assert!(used <= inbox.len());
            inbox.drain(..used);
            said = now;
        }
    }
    (orders, said, inbox)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn no_order_breaks_a_position(seed in 0..8u64, set in 0..3usize, turns in proptest::collection::vec([decision(), decision()], 1..20)) {
        let mut game = start(SETS[set], seed);
        let mut bare = game.clone().without_fleets();
        let mut tmp = <Position as Game>::Scratch::default();
        let growth: i64 = (0..game.planet_count()).map(|p| i64::from(game.chart().growth(p))).sum();
        for orders in &turns {
            let before = [0, 1].map(|side| game.total_ships(Seat::new(side)));
            // The orders go straight to `resolve`, without the check that would refuse most of them.
            let entries = [0, 1].map(|side| Entry { seat: Seat::new(side), orders: &orders[side][..], failure: None });
            game.resolve(Joint::new(&entries), &mut tmp, &mut ());
            bare.resolve(Joint::new(&entries), &mut tmp, &mut ());
            prop_assert_eq!(game.fingerprint(), bare.fingerprint(), "the list of fleets changes the rules");
            prop_assert_eq!(game.standing(), bare.standing());
            for (side, before) in before.into_iter().enumerate() {
                let seat = Seat::new(side);
                prop_assert!(game.total_ships(seat) <= before + growth);
                let view = game.view(seat);
                let arriving = (0..view.planets()).flat_map(|p| (1..=view.horizon()).map(move |t| view.arriving(p, t).0));
                let listed = view.fleets().filter(|f| f.owner == 1).map(|f| f.ships);
                prop_assert_eq!(arriving.sum::<i32>(), listed.sum::<i32>(), "the calendar and the list differ");
            }
        }
    }

    #[test]
    fn how_a_reply_is_split_does_not_matter(text in reply(), set in 0..2usize, cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let game = start(SETS[set], 1);
        let whole = hear(&game, &SETS[set], &[&text]);
        let single: Vec<&[u8]> = text.chunks(1).collect();
        prop_assert_eq!(&hear(&game, &SETS[set], &single), &whole);
        let mut ends: Vec<usize> = cuts.iter().map(|c| c.index(text.len() + 1)).collect();
        ends.extend([0, text.len()]);
        ends.sort_unstable();
        let chunks: Vec<&[u8]> = ends.windows(2).map(|w| &text[w[0]..w[1]]).collect();
        prop_assert_eq!(&hear(&game, &SETS[set], &chunks), &whole);
    }

    #[test]
    fn no_reply_breaks_a_game(seed in 0..8u64, set in 0..3usize, replies in proptest::collection::vec([reply(), reply()], 1..8)) {
        let mut game = start(SETS[set], seed);
        let mut tmp = <Position as Game>::Scratch::default();
        for texts in &replies {
            let heard = [0, 1].map(|side| hear(&game, &SETS[set], &[&texts[side]]));
            let entries = [0, 1].map(|side| {
                let (orders, said, _) = &heard[side];
                let failure = match said {
                    Said::Decision => None,
                    Said::Nonsense(_) => Some(agon_core::Failure::Nonsense),
                    _ => Some(agon_core::Failure::Late),
                };
                agon_core::judge(&game, Seat::new(side), orders, failure, &mut tmp).0
            });
            game.resolve(Joint::new(&entries), &mut tmp, &mut ());
            let failed = entries.iter().any(|e| e.failure.is_some());
            prop_assert!(!failed || game.over(), "a forfeit ends the game in every rule set");
        }
    }

    #[test]
    fn no_text_breaks_a_client(text in "([PF] ([0-9]{1,2} ){4}[0-9]{1,11}( [0-9])?\n|go\n|[ -~]{0,9}\n){0,20}") {
        let mut player = BotClient::default();
        let mut rest = text.as_bytes();
        while let (used, asked @ (Asked::Decide | Asked::Confused(_))) = player.read(rest, &mut Vec::new()) {
            rest = &rest[used..];
            if asked == Asked::Decide && player.view().planets() > 0 {
                for bot in Position::INFO.bots {
                    let mut orders = Vec::new();
                    Position::bot(bot.name, Seed(1)).unwrap().decide(player.view(), &mut orders);
                }
            }
        }
    }

    #[test]
    fn every_rule_set_is_written_so_that_it_can_be_read(set in 0..3usize, points in proptest::collection::vec((0..14usize, 0..3usize), 0..5)) {
        use agon_core::RuleSet as _;
        let mut rules = SETS[set];
        for (point, value) in points {
            let point = Rules::POINTS[point];
            rules.set(point.name, point.values[value % point.values.len()]);
        }
        prop_assert_eq!(rules::parse::<Rules>(&rules::print(&rules)), Ok(rules));
    }
}
