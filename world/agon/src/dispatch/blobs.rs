//! Replays and logs that have come, and wait for the result that names them. They are stored with it, so that none is left in the
//! store that no result names.

use agon_dispatch::Refusal;
use agon_spec::WorkerErrorCode;
use agon_store::{Blob, BlobHash};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How many bytes may wait, and how many of one worker.
const MOST: (usize, usize) = (512 << 20, 64 << 20);
/// What a blob costs beside its bytes.
const EACH: usize = 256;
/// For how long a blob waits.
const PATIENCE: Duration = Duration::from_secs(600);

/// Blobs that wait.
#[derive(Default)]
pub struct WaitingBlobs(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    by_hash: BTreeMap<BlobHash, Kept>,
    size: usize,
}

struct Kept {
    blob: Blob,
    /// The instance of the worker that sent it.
    of: String,
    at: Instant,
}

impl Kept {
    fn size(&self) -> usize {
        self.blob.packed().len() + EACH
    }
}

impl WaitingBlobs {
    /// Keeps a blob of a worker. Its oldest ones make room.
    ///
    /// # Errors
    /// There is no room.
    pub fn add(&self, of: &str, blob: Blob, now: Instant) -> Result<(), Refusal> {
        let mut waiting = self.waiting();
        let hash = blob.hash();
        let kept = Kept { of: of.to_owned(), at: now, blob };
        if let Some(known) = waiting.by_hash.get_mut(&hash) {
            known.at = now;
            return Ok(());
        }
        waiting.drop_where(|kept| now.duration_since(kept.at) > PATIENCE);
        let own: usize = waiting.by_hash.values().filter(|kept| kept.of == of).map(Kept::size).sum();
        if own + kept.size() > MOST.1 {
            // A worker that reports what it sends never has so much. What it sends from now on may be needed.
            waiting.drop_where(|kept| kept.of == of);
        }
        if waiting.size + kept.size() > MOST.0 {
            let what = "too many replays wait for their results";
            return Err(Refusal::new(WorkerErrorCode::Unavailable, what).retry_after(5, waiting.size as u64));
        }
        waiting.size += kept.size();
        waiting.by_hash.insert(hash, kept);
        Ok(())
    }

    /// Returns a blob that waits.
    pub fn get(&self, hash: BlobHash) -> Option<Blob> {
        self.waiting().by_hash.get(&hash).map(|kept| kept.blob.clone())
    }

    /// Returns whether this blob waits.
    pub fn has(&self, hash: BlobHash) -> bool {
        self.waiting().by_hash.contains_key(&hash)
    }

    /// Forgets a blob: it is stored.
    pub fn remove(&self, hash: BlobHash) {
        self.waiting().drop_where(|kept| kept.blob.hash() == hash);
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn drop_where(&mut self, is_over: impl Fn(&Kept) -> bool) {
        let Self { by_hash, size } = self;
        by_hash.retain(|_, kept| {
            let over = is_over(kept);
            *size -= if over { kept.size() } else { 0 };
            !over
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(bytes: usize, nth: u64) -> Blob {
        // Nothing that can be compressed.
        let mut z = nth;
        let noise: Vec<u8> = (0..bytes)
            .map(|_| {
                z = z.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (z >> 56) as u8
            })
            .collect();
        Blob::new(&noise).expect("it can be packed")
    }

    #[test]
    fn a_blob_waits_for_its_result_and_not_for_ever() {
        let (blobs, now) = (WaitingBlobs::default(), Instant::now());
        let (one, two) = (blob(10, 1), blob(10, 2));
        blobs.add("a", one.clone(), now).expect("there is room");
        assert!(blobs.has(one.hash()) && blobs.get(one.hash()) == Some(one.clone()) && !blobs.has(two.hash()));
        blobs.add("a", two.clone(), now + PATIENCE + Duration::from_secs(1)).expect("there is room");
        assert!(!blobs.has(one.hash()) && blobs.has(two.hash()));
        blobs.remove(two.hash());
        assert_eq!(blobs.waiting().size, 0);
    }

    #[test]
    fn one_worker_takes_no_room_from_others() {
        let (blobs, now) = (WaitingBlobs::default(), Instant::now());
        let other = blob(100, 0);
        blobs.add("b", other.clone(), now).expect("there is room");
        for nth in 1..80 {
            blobs.add("a", blob(1 << 20, nth), now).expect("its own make room");
        }
        assert!(blobs.has(other.hash()) && blobs.waiting().size < MOST.1 + 1_000);
    }
}
