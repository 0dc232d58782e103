//! Checks with arbitrary bytes, for fuzz targets and property tests. Whatever the bytes are, a game must not panic,
//! hang or use unlimited memory.

use super::Case;
use crate::{Contest, Failure, Joint, Remaining, Rng, Said, Seat, Seats, Seed, Terms, judge, rules};
use alloc::vec::Vec;

/// How many bytes a dialogue may write for every byte that it reads. A prompt does not count.
const CHATTER: usize = 4096;

/// Reads `bytes` as a map file. The game must either refuse it with a flaw, or print it so that it reads back as the
/// same map, and play it.
///
/// # Panics
/// Panics if the game does neither.
pub fn map_bytes<C: Contest>(bytes: &[u8]) {
    let map = match C::parse_map(bytes) {
        Ok(map) => map,
        Err(flaw) => {
            assert!(!flaw.what.is_empty() && flaw.place.is_none_or(|p| p.line >= 1 && p.column >= 1 && p.length >= 1));
            return;
        }
    };
    let text = C::print_map(&map);
    assert_eq!(C::parse_map(text.as_bytes()).as_ref(), Ok(&map), "a printed map reads back");
    for seats in super::seat_counts::<C>() {
        let terms =
            Terms { rules: rules::parse("").expect("every game has a default rule set"), seats, limit: Some(3) };
        let Ok(mut game) = C::from_map(map.clone(), &terms) else { continue };
        let _ = game.frame().spelled_out();
        let mut tmp = C::Scratch::default();
        let mut rng = Rng::new(Seed(1));
        for ply in 0..3 {
            super::frames::well_formed(&game.frame(), game.seats(), ply);
            if game.over() {
                break;
            }
            let decisions = super::sampled(&game, &mut rng, &mut tmp);
            super::resolve(&mut game, &decisions, &mut tmp);
        }
    }
}

/// Plays a bot that writes `bytes` in portions. The first byte is the length of a portion, and a byte 0xff in the
/// others ends a portion early. Every portion arrives as the answer to the greeting or to a prompt. The match goes on
/// until the bytes run out or the seat fails.
///
/// # Panics
/// Panics if the dialogue breaks its contract.
pub fn dialogue_bytes<C: Contest>(case: &Case<'_>, bytes: &[u8]) {
    let mut game: C = super::begin(case);
    let mut tmp = C::Scratch::default();
    let mut rng = Rng::new(Seed(case.seed));
    let seat = Seat::new(case.seed as usize % game.seats());
    let mut dialogue = game.dialogue(seat, &[]);
    let clock = Remaining::default();
    let (mut out, mut orders, mut unread) = (Vec::new(), Vec::new(), Vec::new());
    let (split, bytes) = bytes.split_first().map_or((1, bytes), |(s, rest)| (usize::from(*s).max(1), rest));
    let mut asked = dialogue.greet(game.view(seat), clock, &mut out) == Said::More;
    let mut greeted = !asked;
    let mut portions = bytes.split(|b| *b == 0xff).flat_map(|p| p.chunks(split)).peekable();
    while let Some(portion) = portions.next() {
        if !asked {
            if game.over() || !step_until(&mut game, seat, &mut rng, &mut tmp) {
                return;
            }
            out.clear();
            orders.clear();
            dialogue.prompt(game.view(seat), clock, &mut out);
            asked = true;
        }
        unread.extend_from_slice(portion);
        let end = portions.peek().is_none();
        let (before, said_before) = (unread.len(), out.len());
        let said = loop {
            let (used, said) = dialogue.hear(game.view(seat), clock, &unread, end, &mut orders, &mut out);
            assert!(used <= unread.len(), "a dialogue uses no more than there is");
            unread.drain(..used);
            if said != Said::More || used == 0 || unread.is_empty() {
                break said;
            }
        };
        assert!(out.len() - said_before <= CHATTER * (before + 1) + (1 << 20), "a dialogue says too much");
        assert!(orders.len() <= bytes.len() + 1, "an order takes at least a byte");
        let failure = match said {
            Said::More if end => Some(Failure::Gone),
            Said::More => continue,
            Said::Ready => {
                assert!(!greeted, "only a greeting is ready");
                (greeted, asked) = (true, false);
                continue;
            }
            Said::Decision => None,
            Said::Nonsense(nonsense) => {
                assert!(!nonsense.why.is_empty(), "nonsense has a reason");
                Some(Failure::Nonsense)
            }
        };
        if !greeted && failure.is_none() {
            panic!("the answer to a greeting is not a decision");
        }
        asked = false;
        if !game.awaiting().contains(seat) {
            return;
        }
        let (entry, refused) = judge(&game, seat, &orders, failure, &mut tmp);
        dialogue.verdict(game.view(seat), refused.map_or(Ok(()), Err), &mut out);
        let mut decisions: Vec<(Seat, Vec<C::Order>, Option<Failure>)> = Vec::new();
        for other in game.awaiting().iter() {
            if other == seat {
                decisions.push((seat, entry.orders.to_vec(), entry.failure));
            } else {
                let mut sampled = Vec::new();
                game.sample(other, &mut rng, &mut tmp, &mut sampled);
                decisions.push((other, sampled, None));
            }
        }
        let entries: Vec<_> =
            decisions.iter().map(|(s, o, f)| crate::Entry { seat: *s, orders: o, failure: *f }).collect();
        game.resolve(Joint::new(&entries), &mut tmp, &mut ());
        if failure.is_some() {
            return;
        }
    }
}

/// Plays random decisions of the other seats until `seat` is awaited. Returns `false` if it is never awaited again.
fn step_until<C: Contest>(game: &mut C, seat: Seat, rng: &mut Rng, tmp: &mut C::Scratch) -> bool {
    for _ in 0..crate::MAX_SEATS {
        if game.over() || game.awaiting() == Seats::NONE {
            return false;
        }
        if game.awaiting().contains(seat) {
            return true;
        }
        let decisions = super::sampled(game, rng, tmp);
        super::resolve(game, &decisions, tmp);
    }
    false
}
