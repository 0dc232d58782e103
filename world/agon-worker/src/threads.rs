//! The threads that play, and the one that keeps their results.

use crate::{
    bundle_cache::blob,
    convert::{planned, result},
    desk::Playing,
    error::WorkerFailure,
    event::WorkerEvent,
    link::{Unanswered, Until},
    outbox::{Finished, tokens_of},
    shop::{Errand, Shop, Told},
};
use agon_spec::{
    WORKER_BLOB_LIMIT, WorkerCheck, WorkerFinding, WorkerFound, WorkerLease, WorkerReady, WorkerReadyBot, WorkerSettled,
};
use agon_tournament::{Player, PlayerEnd, TournamentError};
use std::{
    sync::{
        Arc, PoisonError,
        atomic::Ordering,
        mpsc::{Receiver, Sender},
    },
    time::Duration,
};

/// So many matches in a row that cannot be played at all say that no other can be either.
const UNPLAYABLE: u32 = 3;
/// The most results that are written at once.
const TOGETHER: usize = 256;
/// The most bytes of replays and logs that are written at once, if there is more than one result.
const BYTES_TOGETHER: usize = 16 << 20;
/// The pause before results are written again that could not be.
const AGAIN: Duration = Duration::from_secs(5);

/// What a thread that plays does next.
enum Job {
    Check(WorkerCheck),
    Match(WorkerLease, Arc<Playing>),
}

impl Shop {
    /// Plays matches until no more begin.
    pub(crate) fn play(&self, thread: usize, player: &Player, edition: u64) {
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(finished) = finished else { return };
        while let Some(job) = self.next() {
            match job {
                Job::Check(check) => self.check(thread, player, &check),
                Job::Match(lease, playing) => self.play_one(thread, player, edition, &lease, &playing, &finished),
            }
        }
    }

    /// Waits for something to do. `None` if nothing more begins.
    fn next(&self) -> Option<Job> {
        let mut desk = self.desk();
        loop {
            if let Some(check) = desk.next_check() {
                return Some(Job::Check(check));
            }
            match desk.begin() {
                Ok(Some((lease, playing))) => {
                    // There may be too few left.
                    self.ring();
                    return Some(Job::Match(lease, playing));
                }
                Ok(None) if desk.is_closed() => return None,
                Ok(None) => {}
                Err(why) => {
                    self.fail(WorkerFailure::System(why));
                    return None;
                }
            }
            desk = self.wait(desk);
        }
    }

    /// Checks a result of another worker.
    fn check(&self, thread: usize, player: &Player, check: &WorkerCheck) {
        let WorkerCheck { token, planned: sent, replay } = check;
        let planned = planned(sent);
        let found = match self.replay_of(replay.as_deref()) {
            _ if !player.has(&planned) => {
                WorkerFound::Nothing("a bot or the map of the match is not ready on this worker".to_owned())
            }
            Ok(replay) => player.check(thread, &planned, replay.as_deref(), &self.cancel),
            Err(why) => WorkerFound::Nothing(why),
        };
        self.tell(WorkerEvent::Checked { id: planned.id });
        self.send(Errand::Checked(WorkerFinding { id: planned.id, token: *token, found }));
    }

    /// Fetches the replay with this hash, if there is one.
    fn replay_of(&self, hash: Option<&str>) -> Result<Option<Vec<u8>>, String> {
        let Some(hash) = hash else { return Ok(None) };
        let most = WORKER_BLOB_LIMIT as u64;
        blob(&self.link, Until::Claiming, hash, most).map(Some).map_err(|why| match why {
            Unanswered::Ended => "the worker ends".to_owned(),
            Unanswered::Refused(error) => error.message,
            Unanswered::Failed(why) => why.to_string(),
        })
    }

    fn play_one(
        &self,
        thread: usize,
        player: &Player,
        edition: u64,
        lease: &WorkerLease,
        playing: &Playing,
        finished: &Sender<Finished>,
    ) {
        let (token, id, planned) = (lease.token, lease.planned.id, planned(&lease.planned));
        let give_back = |why: String| {
            if self.desk().end(token) {
                self.tell(WorkerEvent::GivenBack { id: Some(id), why: why.clone() });
                self.send(Errand::GiveBack { token, id: Some(id), why });
            }
        };
        if !player.has(&planned) {
            return give_back("a bot or the map of the match is not ready on this worker".to_owned());
        }
        self.place.mark(token, true);
        self.tell(WorkerEvent::Start { thread, id, bots: planned.bots.clone() });
        let played = player.play(thread, &planned, &playing.cancel, &playing.turn);
        if !matches!(played, Ok(PlayerEnd::Over { .. })) {
            self.place.mark(token, false);
        }
        match played {
            Ok(PlayerEnd::Over { result: played, mut files, spoilt }) => {
                self.unplayable.store(0, Ordering::Relaxed);
                let (result, left_out) = result(&played, &mut files);
                if !self.desk().finish(token, played.wall_us) {
                    // The server has taken it back meanwhile.
                    return self.place.mark(token, false);
                }
                if left_out {
                    self.tell(WorkerEvent::TooLarge { id });
                }
                self.tell(WorkerEvent::Match { id, bots: planned.bots, result: played });
                let settled = WorkerSettled { id, token, result, spoilt };
                // The thread that keeps results ends after this one.
                let _ = finished.send(Finished { settled, files });
            }
            Ok(PlayerEnd::NotStarted(bots)) => {
                let name = |number: u32| player.field().name_of(number).unwrap_or_default().to_owned();
                let told: Vec<String> = bots.iter().map(|(bot, why)| format!("{}: {why}", name(*bot))).collect();
                give_back(format!("bots could not be started: {}", told.join("; ")));
                let ready = |(number, why): &(u32, String)| WorkerReadyBot {
                    number: *number,
                    ok: false,
                    why: Some(why.clone()),
                };
                self.send(Errand::Ready(WorkerReady { edition, bots: bots.iter().map(ready).collect() }));
                bots.into_iter().for_each(|(bot, why)| self.tell(WorkerEvent::Broken { bot: name(bot), why }));
            }
            Ok(PlayerEnd::Cancelled) => {
                // The server has taken it back, or the user wants it to end.
                if self.desk().end(token) {
                    self.send(Errand::Release(vec![token]));
                }
            }
            Err(TournamentError::Play(agon_play::Error::Changed(changed))) => {
                give_back(changed.to_string());
                let _ = self.told.send(Told::Changed);
            }
            Err(why) => {
                give_back(why.to_string());
                if self.unplayable.fetch_add(1, Ordering::Relaxed) + 1 >= UNPLAYABLE {
                    self.fail(WorkerFailure::Tournament(why));
                }
            }
        }
    }

    /// Writes results until all threads that play have ended. Results that come together are written together.
    pub(crate) fn keep(&self, finished: Receiver<Finished>) {
        while let Ok(first) = finished.recv() {
            let mut batch = vec![first];
            let bytes = |one: &Finished| one.files.iter().map(Vec::len).sum::<usize>();
            let mut sum = bytes(&batch[0]);
            while batch.len() < TOGETHER
                && sum < BYTES_TOGETHER
                && let Ok(next) = finished.try_recv()
            {
                sum += bytes(&next);
                batch.push(next);
            }
            if !self.keep_together(&batch) {
                return;
            }
        }
    }

    /// Returns whether the results are on disk. If not, everything ends.
    fn keep_together(&self, batch: &[Finished]) -> bool {
        loop {
            let put = self.outbox().put(batch);
            let why = match put {
                Ok(_) => break,
                Err(why) => why,
            };
            if !self.unkept.swap(true, Ordering::AcqRel) {
                self.tell(WorkerEvent::Unkept { why: agon_play::system_words(&why) });
            }
            if self.link.wait(AGAIN, Until::Killed).is_err() {
                return false;
            }
        }
        self.unkept.store(false, Ordering::Release);
        let settled: Vec<WorkerSettled> = batch.iter().map(|one| one.settled.clone()).collect();
        let tokens = tokens_of(&settled);
        tokens.iter().for_each(|token| self.place.mark(*token, false));
        self.desk().keep(tokens);
        self.ring();
        true
    }
}
