//! The end of a worker: it gives back what it was not to play, and says goodbye.

use crate::{
    client::Client,
    clock::Clock,
    link::{Link, Until},
    shop::{Errand, Shop},
    work::WorkerOptions,
};
use agon_play::Cancel;
use agon_spec::{WorkerLeave, WorkerNoted, WorkerRegister};
use std::{
    sync::{Arc, mpsc::channel},
    time::Duration,
};

/// How long a worker that ends may take to give back what it has.
const GIVING_BACK: Duration = Duration::from_secs(5);
/// How long it may take to say goodbye to a server that was away before.
const GOODBYE: Duration = Duration::from_secs(1);

/// Gives back what was not played, and leaves if nothing is left to report.
pub(crate) fn part(options: &WorkerOptions, clock: &Arc<dyn Clock>, about: WorkerRegister, shop: &Shop, leaves: bool) {
    let client = Client::new(&options.address, &options.key, &about.instance);
    let (notes, _) = channel();
    // Nobody else may end it before its time.
    let Ok(cancel) = Cancel::new() else { return };
    let link = Link::new(client, Arc::clone(clock), about, cancel, None, notes);
    let time = if shop.link.is_cut_off() { GOODBYE } else { GIVING_BACK };
    let until = Until::Time(clock.now() + time);
    let mut tokens = shop.desk().close();
    let mut errands: Vec<Errand> = shop.errands().drain(..).collect();
    errands.retain(|errand| match errand {
        Errand::Release(more) => {
            tokens.extend(more);
            false
        }
        Errand::GiveBack { .. } => true,
        // Somebody else checks what this worker has not.
        Errand::Checked(_) | Errand::Ready(_) => false,
    });
    if !tokens.is_empty() && !leaves {
        errands.push(Errand::Release(tokens));
    }
    for errand in &errands {
        // What is not told now, the server finds out when the matches were here for too long.
        let _ = errand.send(&link, until);
    }
    // Who has left has nothing to report any more.
    if leaves && link.ask(until, |client| client.post::<WorkerNoted>("leave", &WorkerLeave {})).is_ok() {
        shop.place.forget_instance();
    }
}
