//! A worker from its start to its end, seen from the thread that leads it.

use crate::{
    ServerAddress, WorkerKey,
    client::Client,
    clock::Clock,
    error::WorkerFailure,
    event::WorkerEvent,
    lead::{Lead, Signals},
    link::Link,
    parting::part,
    place::Place,
    shop::Shop,
};
use agon_play::{Cancel, CorePlacement, Helper, IsolationChoice};
use agon_spec::{Isolation, WorkerMachine, WorkerRegister, WorkerTool};
use std::{
    num::NonZeroUsize,
    sync::{Arc, mpsc::channel},
    thread,
    time::Duration,
};

/// A server that is away for so long is waited for no longer with [`WorkerOptions::once`], if nothing depends on its return.
const PATIENCE: Duration = Duration::from_secs(600);

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// The server.
    pub address: ServerAddress,
    /// What shows the server that this worker belongs to the organiser.
    pub key: WorkerKey,
    /// The name of the worker, as people shall see it.
    pub name: String,
    /// The machine.
    pub machine: WorkerMachine,
    /// The level of isolation that works here. `None` if no bot that is a process can be started.
    pub isolation: Option<Isolation>,
    /// The weakest level of isolation that the file of a tournament may ask for. [`IsolationChoice::Auto`] stands for the strongest
    /// one that works here, and never for none.
    pub sandbox: IsolationChoice,
    /// The interpreters and compilers.
    pub tools: Vec<WorkerTool>,
    /// How many matches are played at the same time. `None` for as many as there are cores for.
    pub at_once: Option<NonZeroUsize>,
    /// The cores on which matches run.
    pub placement: CorePlacement,
    /// Whether the worker ends when the tournament has no more matches.
    pub once: bool,
    /// The program that is started again to become a bot.
    pub helper: Helper,
    /// Ends the worker: its first stage lets running matches end, its second one breaks them off.
    pub cancel: Cancel,
}

/// Where a worker has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkerEnd {
    /// The tournament has no more matches.
    Finished,
    /// The worker was told to end. Results that the server has not acknowledged are reported by the next start.
    Interrupted {
        /// How many results these are.
        unreported: usize,
    },
}

/// Plays matches of the server's tournaments until the worker is told to end, or the tournament is over and that was asked for.
///
/// The current folder of the process becomes the one in which the tournament's folder is made anew.
///
/// # Errors
/// If the worker cannot go on: the server takes another key or has another version, what it offers cannot be used here, or the
/// worker's files cannot be written. A server that is away is no error; it is waited for.
pub fn work(
    options: &WorkerOptions,
    clock: Arc<dyn Clock>,
    events: &mut dyn FnMut(WorkerEvent<'_>),
) -> Result<WorkerEnd, WorkerFailure> {
    let (place, outbox) = Place::take(&options.address)?;
    let instance = place.instance()?;
    let client = Client::new(&options.address, &options.key, &instance);
    let about = WorkerRegister {
        name: options.name.clone(),
        instance: instance.clone(),
        machine: options.machine.clone(),
        isolation: options.isolation,
        tools: options.tools.clone(),
    };
    let (told, tells) = channel();
    let (notes, noted) = channel();
    let (finished, kept) = channel();
    let patience = options.once.then_some(PATIENCE);
    let link = Link::new(client, Arc::clone(&clock), about.clone(), options.cancel.clone(), patience, notes);
    let shop = Shop::new(link, place, outbox, options.cancel.clone(), finished, told);
    let shop = &shop;
    let mut lead = Lead { shop, options, events, tells, noted, signals: Signals::default(), folder: None };
    let ended = thread::scope(|scope| {
        // Also if the thread that leads has a bug: the others would wait for ever.
        let _end = EndOnDrop(shop);
        let ended = start(scope, "keeper", move || shop.keep(kept))
            .and_then(|()| lead.first())
            .and_then(|()| start(scope, "beats", || shop.beat()))
            .and_then(|()| start(scope, "reports", || shop.report()))
            .and_then(|()| lead.lead());
        shop.take_failure().map_or(ended, Err)
    });
    lead.pump(Duration::ZERO);
    let unreported = shop.outbox().tokens().count();
    match ended {
        Err(why @ WorkerFailure::WrongKey(_)) => Err(why),
        ended => {
            part(options, &clock, about, shop, unreported == 0);
            ended?;
            let finished = !options.cancel.is_cancelled();
            Ok(if finished { WorkerEnd::Finished } else { WorkerEnd::Interrupted { unreported } })
        }
    }
}

struct EndOnDrop<'a>(&'a Shop);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Starts a thread of a worker.
pub(crate) fn start<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() + Send + 'scope,
) -> Result<(), WorkerFailure> {
    let started = thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, work);
    started.map(drop).map_err(WorkerFailure::System)
}
