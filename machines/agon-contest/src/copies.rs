//! Near copies: how much of one bot's sources is in another bot's.
//!
//! Sources become tokens, in which names, numbers, texts and comments do not count (`tokens`). Every run of [`RUN`]
//! tokens has a hash, and of each [`WINDOW`] hashes in a row the smallest one is kept (winnowing: Schleimer, Wilkerson and
//! Aiken, 2003). So two sources with a common run of `RUN + WINDOW - 1` tokens always have a common fingerprint, and sources
//! without a common run of `RUN` tokens have none, but by chance of the hash.
//!
//! A large share is a hint for the organiser. It is no proof: two honest bots may follow the same lecture.

mod tokens;

use tokens::Tokens;

/// The number of tokens in a run.
pub const RUN: usize = 12;
/// The number of hashes in a row of which one is kept.
pub const WINDOW: usize = 8;
/// A smaller number of fingerprints says nothing about a bot.
pub const FEWEST: usize = 20;
/// A larger share than this is told to the organiser, in thousandths.
pub const LARGE_SHARE: u32 = 600;

/// The fingerprints of sources.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fingerprints(Vec<u64>);

impl Fingerprints {
    /// Returns the fingerprints of the text of one file.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let tokens: Vec<u64> = Tokens::new(text).collect();
        let hashes: Vec<u64> = tokens.windows(RUN).map(hash).collect();
        let least = |window: &[u64]| window.iter().min().copied();
        let kept = if hashes.len() < WINDOW {
            least(&hashes).into_iter().collect()
        } else {
            hashes.windows(WINDOW).filter_map(least).collect()
        };
        Self::sorted(kept)
    }

    /// Returns the fingerprints of several files together.
    #[must_use]
    pub fn together(all: impl IntoIterator<Item = Self>) -> Self {
        Self::sorted(all.into_iter().flat_map(|one| one.0).collect())
    }

    /// Returns the fingerprints that are not among those of `known`, such as a starter kit that everybody has.
    #[must_use]
    pub fn without(&self, known: &Self) -> Self {
        Self(self.0.iter().filter(|print| known.0.binary_search(print).is_err()).copied().collect())
    }

    /// Returns how much of the smaller of the two is in the other one, in thousandths. `None` if one of them is too small to
    /// tell.
    #[must_use]
    pub fn share(&self, other: &Self) -> Option<u32> {
        let smaller = self.0.len().min(other.0.len());
        if smaller < FEWEST {
            return None;
        }
        let common = self.0.iter().filter(|print| other.0.binary_search(print).is_ok()).count();
        u32::try_from(common * 1000 / smaller).ok()
    }

    /// Returns the number of fingerprints.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the fingerprints as bytes, 8 for each, the lowest first.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|print| print.to_le_bytes()).collect()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) has written. Bytes that are too few for a fingerprint are left out.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::sorted(bytes.as_chunks().0.iter().map(|print| u64::from_le_bytes(*print)).collect())
    }

    fn sorted(mut prints: Vec<u64>) -> Self {
        prints.sort_unstable();
        prints.dedup();
        Self(prints)
    }
}

/// Returns the hash of a run of tokens.
fn hash(run: &[u64]) -> u64 {
    // Every bit of the result has to depend on all tokens, because the smallest hashes are kept.
    run.iter().fold(0, |hash: u64, token| {
        let mut mixed = (hash.rotate_left(5) ^ token).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SOURCE: &str = include_str!("submission.rs");

    /// Renames every name, and writes the text in another layout with other comments.
    fn disguised(text: &str) -> String {
        let mut out = String::from("// all of it is mine\n");
        let mut word = String::new();
        for c in
            text.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| line.chars().chain(['\n']))
        {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            if word.len() > 6 && !tokens::is_keyword(&word) && !word.starts_with(|c: char| c.is_ascii_digit()) {
                word.insert_str(0, "my_");
            }
            out.push_str(&std::mem::take(&mut word));
            out.push(c);
            if c == '\n' {
                out.push_str("      ");
            }
        }
        out
    }

    #[test]
    fn a_disguised_copy_is_the_same_and_another_program_is_not() {
        let own = Fingerprints::of(SOURCE);
        assert!(own.count() > 100, "{}", own.count());
        assert_eq!(own.share(&Fingerprints::of(&disguised(SOURCE))), Some(1000));
        let other = Fingerprints::of(include_str!("copies/tokens.rs"));
        let share = other.share(&own).expect("both are large enough");
        assert!(share < LARGE_SHARE / 2, "{share}");
    }

    #[test]
    fn half_a_copy_is_half_a_share() {
        let own = Fingerprints::of(SOURCE);
        let half = Fingerprints::of(&SOURCE[..SOURCE.floor_char_boundary(SOURCE.len() / 2)]);
        let theirs = Fingerprints::together([half.clone(), Fingerprints::of(include_str!("copies/tokens.rs"))]);
        let share = own.share(&theirs).expect("both are large enough");
        assert!((300..900).contains(&share), "{share}");
        assert_eq!(half.share(&own).map(|share| share > 950), Some(true));
    }

    #[test]
    fn a_kit_that_everybody_has_does_not_count() {
        let kit = Fingerprints::of(SOURCE);
        let one = Fingerprints::together([kit.clone(), Fingerprints::of(include_str!("copies/tokens.rs"))]);
        assert_eq!(one.without(&kit).share(&kit.without(&kit)), None, "nothing is left of the kit");
        assert!(one.share(&kit).is_some_and(|share| share > LARGE_SHARE));
    }

    #[test]
    fn little_says_nothing() {
        let small = Fingerprints::of("print('go')\n");
        assert_eq!(small.share(&small), None);
        assert_eq!(Fingerprints::of("").count(), 0);
    }

    /// A text of the tokens with these numbers, each a different sign.
    fn text(tokens: &[u8]) -> String {
        const SIGNS: &[u8] = b"+-*%&|^~!?<>=,;:.()[]{}";
        tokens.iter().map(|token| format!("{} ", SIGNS[usize::from(*token) % SIGNS.len()] as char)).collect()
    }

    proptest! {
        #[test]
        fn a_long_common_run_is_always_found(
            before in prop::collection::vec(0u8..23, 0..60),
            common in prop::collection::vec(0u8..23, RUN + WINDOW - 1..60),
            behind in prop::collection::vec(0u8..23, 0..60),
        ) {
            let one = Fingerprints::of(&text(&[&before[..], &common].concat()));
            let other = Fingerprints::of(&text(&[&common[..], &behind].concat()));
            prop_assert!(one.0.iter().any(|print| other.0.contains(print)));
        }

        #[test]
        fn what_has_no_common_run_has_no_common_fingerprint(
            one in prop::collection::vec(0u8..11, 0..200),
            other in prop::collection::vec(11u8..23, 0..200),
        ) {
            let (one, other) = (Fingerprints::of(&text(&one)), Fingerprints::of(&text(&other)));
            prop_assert!(one.0.iter().all(|print| !other.0.contains(print)));
        }

        #[test]
        fn a_share_is_the_same_from_both_sides(
            one in prop::collection::btree_set(0u64..200, 0..100),
            other in prop::collection::btree_set(0u64..200, 0..100),
        ) {
            let (one, other) = (Fingerprints(one.into_iter().collect()), Fingerprints(other.into_iter().collect()));
            prop_assert_eq!(one.share(&other), other.share(&one));
            prop_assert!(one.share(&other).is_none_or(|share| share <= 1000));
            prop_assert_eq!(one.share(&one), (one.count() >= FEWEST).then_some(1000));
            prop_assert_eq!(Fingerprints::of_bytes(&one.to_bytes()), one);
        }

        #[test]
        fn any_text_has_fingerprints(text: String) {
            let prints = Fingerprints::of(&text);
            prop_assert!(prints.count() <= text.chars().count());
        }
    }
}
