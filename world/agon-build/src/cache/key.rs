//! The key of an entry in the cache.

use crate::{Plan, Run, intake::SourceTree};
use sha2::{Digest, Sha256};

/// The version of the cache. Increase it when the same files and the same plan give another result.
const VERSION: u32 = 3;

/// Computes the key of an entry: the SHA-256 hash of everything that its content depends on.
///
/// Each part follows its length, so that different lists never give the same bytes.
#[derive(Clone, Debug)]
pub struct KeyHasher(Sha256);

impl KeyHasher {
    /// Creates a hasher for entries of this kind, such as `bot`. Adds the kind and the version of Agon.
    #[must_use]
    pub fn new(of: &str) -> Self {
        let mut key = Self(Sha256::new());
        key.add(env!("CARGO_PKG_VERSION").as_bytes());
        key.add(&VERSION.to_le_bytes());
        key.add(of.as_bytes());
        key
    }

    /// Adds a part.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Adds a list of parts with its length.
    pub fn list<P: AsRef<[u8]>>(&mut self, parts: impl IntoIterator<Item = P>) {
        let parts: Vec<P> = parts.into_iter().collect();
        self.add(&(parts.len() as u64).to_le_bytes());
        parts.iter().for_each(|part| self.add(part.as_ref()));
    }

    /// Adds every name, mode and byte of the files.
    pub fn tree(&mut self, tree: &SourceTree) {
        self.add(&(tree.files().count() as u64).to_le_bytes());
        for (name, entry) in tree.files() {
            self.add(name.as_bytes());
            self.add(&[u8::from(entry.executable)]);
            self.add(&entry.sha256);
        }
    }

    /// Returns the key: 64 hexadecimal digits.
    #[must_use]
    pub fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Returns the key of a bot. It depends on every name, mode and byte of its files, on its plan, on the tools, on the place
/// of the build, and on the version of Agon.
pub(crate) fn key(tree: &SourceTree, plan: &Plan, place: &str) -> String {
    let mut key = KeyHasher::new("bot");
    key.add(place.as_bytes());
    key.add(plan.script().as_bytes());
    let (kind, words) = match &plan.run {
        Run::Words(words) => ("words", words),
        Run::Made(names) => ("made", names),
    };
    key.add(kind.as_bytes());
    key.list(words);
    key.list(plan.environment.iter().flat_map(|(name, value)| [name, value]));
    key.list(plan.tools.iter().map(|tool| tool.stamp()));
    key.tree(tree);
    key.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_lists_have_one_key() {
        let of = |lists: &[&[&str]]| {
            let mut key = KeyHasher::new("test");
            lists.iter().for_each(|list| key.list(*list));
            key.finish()
        };
        let keys = [
            of(&[&["ab", "c"]]),
            of(&[&["a", "bc"]]),
            of(&[&["a"], &["bc"]]),
            of(&[&["a", "bc"], &[]]),
            of(&[&[], &["a", "bc"]]),
            of(&[&["a", "bc", ""]]),
        ];
        assert!(keys.iter().all(|key| key.len() == 64 && keys.iter().filter(|other| *other == key).count() == 1));
    }
}
