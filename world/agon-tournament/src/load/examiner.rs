//! Checks results on this machine, where nobody else does it or two machines disagree. Its finding counts.

use crate::{
    Field, Replays,
    played::Manner,
    recheck::{by_playing, by_rules},
};
use agon_play::{Cancel, CorePlacement, HostHistory};
use agon_spec::WorkerFound;
use agon_store::PlannedMatch;
use std::{
    io,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

/// A thread that checks one result after the other. It ends with its owner.
pub(super) struct Examiner {
    /// `None` as long as nothing was to be checked.
    cases: Option<Sender<Case>>,
    /// Where the thread says what it has found, and where that is heard.
    tell: Sender<Finding>,
    heard: Receiver<Finding>,
}

/// What was found, with the token of its case.
type Finding = (u64, WorkerFound);

/// A result that is to be checked.
pub(super) struct Case {
    pub(super) token: u64,
    pub(super) planned: PlannedMatch,
    /// Its replay. Without it, the match is played again.
    pub(super) replay: Option<Vec<u8>>,
}

/// How matches are played again here.
pub(super) struct Means {
    pub(super) field: Arc<Field>,
    pub(super) versions: Vec<u32>,
    pub(super) cancel: Cancel,
}

impl Examiner {
    pub(super) fn new() -> Self {
        let (tell, heard) = channel();
        Self { cases: None, tell, heard }
    }

    /// Checks a result: [`Examiner::found`] tells what was found.
    ///
    /// # Errors
    /// The system starts no thread.
    pub(super) fn examine(&mut self, case: Case, means: impl FnOnce() -> Means) -> io::Result<()> {
        if self.cases.is_none() {
            let ((cases, open), tell, means) = (channel(), self.tell.clone(), means());
            thread::Builder::new().name("checks".to_owned()).spawn(move || work(&open, &tell, &means))?;
            self.cases = Some(cases);
        }
        let sent = self.cases.as_ref().is_some_and(|cases| cases.send(case).is_ok());
        if !sent {
            // The next case has a thread of its own.
            self.cases = None;
            return Err(io::Error::other("the thread that checks has ended"));
        }
        Ok(())
    }

    /// Returns what was found since the last time.
    pub(super) fn found(&self) -> Vec<Finding> {
        self.heard.try_iter().collect()
    }
}

fn work(open: &Receiver<Case>, tell: &Sender<Finding>, means: &Means) {
    let host = HostHistory::default();
    let manner = Manner {
        field: &means.field,
        host: &host,
        cancel: &means.cancel,
        placement: &CorePlacement::Anywhere,
        cores: None,
        ponder: false,
        replays: Replays::None,
        versions: &means.versions,
    };
    for Case { token, planned, replay } in open {
        let what = match replay {
            Some(replay) => by_rules(&means.field, &planned, &replay),
            None => by_playing(&manner, &planned, &means.cancel),
        };
        if tell.send((token, what)).is_err() {
            return;
        }
    }
}
