//! The 64-bit hash of a position.

/// A hasher that builds [`Game::fingerprint`](crate::Game::fingerprint).
///
/// The order of the values matters, every value has an explicit width, and the result is the same on every platform.
/// The hash does not resist an adversary who looks for collisions.
///
/// ```
/// use agon_core::Fingerprint;
/// let mut f = Fingerprint::new();
/// f.u32(7).i64(-1).bytes(b"abc");
/// assert_eq!(f.finish(), { let mut g = Fingerprint::new(); g.u32(7).i64(-1).bytes(b"abc"); g.finish() });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprint {
    /// Creates a fingerprint of no values.
    #[must_use]
    pub const fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// Mixes in 64 bits.
    #[inline]
    pub fn u64(&mut self, value: u64) -> &mut Self {
        // A multiplication of 64 x 64 to 128 bits, folded back: one multiplication for each word, and every bit of the
        // word can reach every bit of the state.
        let wide = u128::from(self.0 ^ value) * 0xd6e8_feb8_6659_fd93_u128;
        self.0 = (wide as u64) ^ ((wide >> 64) as u64) ^ value.rotate_left(29).wrapping_add(0xa076_1d64_78bd_642f);
        self
    }

    /// Mixes in a signed number as 64 bits.
    #[inline]
    pub fn i64(&mut self, value: i64) -> &mut Self {
        self.u64(value as u64)
    }

    /// Mixes in a 32-bit number, widened to 64 bits.
    #[inline]
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.u64(u64::from(value))
    }

    /// Mixes in a length as 64 bits, because the width of `usize` differs between platforms.
    #[inline]
    pub fn len(&mut self, value: usize) -> &mut Self {
        self.u64(value as u64)
    }

    /// Mixes in bytes and their number.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.len(bytes.len());
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.u64(u64::from_le_bytes(word));
        }
        self
    }

    /// Returns the hash of all values so far.
    #[must_use]
    pub const fn finish(&self) -> u64 {
        let mut x = self.0;
        x ^= x >> 32;
        x = x.wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^= x >> 32;
        x
    }
}
