//! A worker from its start to its end, seen from the thread that leads it.

use crate::{
    ServerAddress, WorkerKey,
    client::Client,
    clock::Clock,
    error::WorkerFailure,
    event::WorkerEvent,
    field_folder::{MadeField, make},
    link::{Link, LinkNote, Unanswered, Until},
    place::Place,
    shop::{Errand, Shop, Told},
};
use agon_play::{Cancel, CorePlacement, Helper, Room, Tier};
use agon_spec::{
    Isolation, WorkerField, WorkerLeave, WorkerMachine, WorkerNoted, WorkerReady, WorkerReadyBot, WorkerRegister,
    WorkerRegistered, WorkerTool,
};
use agon_tournament::{Field, Player, TournamentError};
use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    sync::{
        Arc,
        mpsc::{Receiver, channel},
    },
    thread,
    time::Duration,
};

/// A server that is away for so long is waited for no longer with [`WorkerOptions::once`], if nothing depends on its return.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long a worker that was told to finish tries to report its results. What is left then is reported by the next start.
const PARTING: Duration = Duration::from_secs(30);
/// How long a worker that was told to end at once may take to give back what it has.
const GIVING_BACK: Duration = Duration::from_secs(5);
/// The time between two events that tell the counts.
const TICK: Duration = Duration::from_millis(100);
/// The pause before a field is fetched again whose bundles were gone.
const STALE: Duration = Duration::from_secs(2);

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

fn start<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() + Send + 'scope,
) -> Result<(), WorkerFailure> {
    let started = thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, work);
    started.map(drop).map_err(WorkerFailure::System)
}

/// Gives back what was not played, and leaves if nothing is left to report.
fn part(options: &WorkerOptions, clock: &Arc<dyn Clock>, about: WorkerRegister, shop: &Shop, leaves: bool) {
    let client = Client::new(&options.address, &options.key, &about.instance);
    let (notes, _) = channel();
    // Nobody else may end it before its time.
    let Ok(cancel) = Cancel::new() else { return };
    let link = Link::new(client, Arc::clone(clock), about, cancel, None, notes);
    let until = Until::Time(clock.now() + GIVING_BACK);
    let mut tokens = shop.desk().close();
    let mut errands: Vec<Errand> = shop.errands().drain(..).collect();
    errands.retain(|errand| match errand {
        Errand::Release(more) => {
            tokens.extend(more);
            false
        }
        Errand::GiveBack { .. } => true,
        Errand::Ready(_) => false,
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

/// The tournament's folder as it is now, ready to play.
struct Folder {
    field: WorkerField,
    player: Player,
    at_once: NonZeroUsize,
    ready: Vec<WorkerReadyBot>,
}

/// What other threads have told since it was looked at.
#[derive(Debug, Default)]
struct Signals {
    edition: bool,
    changed: bool,
    registered: bool,
    finished: bool,
    /// Whether it was told that the tournament is finished.
    told: bool,
}

/// Why no more matches begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Closing {
    /// The folder is to be made anew.
    Anew,
    /// The worker ends.
    End,
}

struct Lead<'a> {
    shop: &'a Shop,
    options: &'a WorkerOptions,
    events: &'a mut dyn FnMut(WorkerEvent<'_>),
    tells: Receiver<Told>,
    noted: Receiver<LinkNote>,
    signals: Signals,
    folder: Option<Folder>,
}

impl Lead<'_> {
    /// Registers the worker, and gives back what an earlier process had.
    fn first(&mut self) -> Result<(), WorkerFailure> {
        self.shop.note_holding();
        let shop = self.shop;
        let registered = self.during(|| shop.link.register(Until::Finishing))?;
        let Some(registered) = answered("register", registered)? else { return Ok(()) };
        let (kept, begun) = (shop.desk().held(), shop.place.begun());
        begun.iter().for_each(|token| shop.place.mark(*token, false));
        let is_kept = |token: &u64| kept.iter().any(|held| held.token == *token);
        let (broken_off, waiting): (Vec<u64>, Vec<u64>) =
            registered.held.iter().filter(|token| !is_kept(token)).partition(|token| begun.contains(token));
        shop.send(Errand::Release(waiting));
        for token in broken_off {
            let why = "the worker was killed while it played".to_owned();
            (self.events)(WorkerEvent::GivenBack { id: None, why: why.clone() });
            shop.send(Errand::GiveBack { token, id: None, why });
        }
        self.tell_registered(registered);
        Ok(())
    }

    /// Plays until the worker ends.
    fn lead(&mut self) -> Result<(), WorkerFailure> {
        let shop = self.shop;
        loop {
            let field = self.during(|| shop.link.ask(Until::Finishing, |client| client.get::<WorkerField>("field")))?;
            let Some(field) = answered("field", field)? else { break };
            let ready = self.be_ready(field)?;
            if self.shop.cancel.is_cancelled() {
                break;
            }
            if ready && self.play()? == Closing::End {
                break;
            }
        }
        self.drain()
    }

    /// Makes the folder anew, unless it is the same. Returns whether there is one.
    fn be_ready(&mut self, field: WorkerField) -> Result<bool, WorkerFailure> {
        if let Some(folder) = &mut self.folder
            && !self.signals.changed
            && is_same(&folder.field, &field)
        {
            folder.field.edition = field.edition;
            return Ok(true);
        }
        self.folder = None;
        self.signals.changed = false;
        let shop = self.shop;
        let made = self.during(|| {
            make(&shop.link, &shop.place, &field, &mut |event| shop.tell(event))
        })?;
        let Some(made) = answered("bundle", made)? else { return Ok(false) };
        let Some(made) = made else {
            let _ = self.during(|| shop.link.wait(STALE, Until::Finishing))?;
            return Ok(false);
        };
        match self.prepare(field, &made) {
            Err(WorkerFailure::Tournament(TournamentError::Play(why))) if why.tier() == Tier::Cancelled => Ok(false),
            Err(why) => Err(why),
            Ok(folder) => {
                self.folder = Some(folder);
                Ok(true)
            }
        }
    }

    /// Builds the bots and starts each of them once.
    fn prepare(&mut self, field: WorkerField, made: &MadeField) -> Result<Folder, WorkerFailure> {
        let (file, cancel) = (&made.file, &self.options.cancel);
        let prepared = Field::prepare(file, &self.options.helper, cancel, &mut |event| (self.events)(WorkerEvent::Preparing(event)));
        let mut prepared = match prepared {
            Err(TournamentError::Bots(broken)) => {
                let why = |number: u32| broken.iter().find(|bot| bot.number == number as usize).map(|bot| bot.why.clone());
                let bots = field.bots.iter().map(|bot| {
                    let why = made.missing.get(&bot.number).cloned().or_else(|| why(bot.number));
                    WorkerReadyBot { number: bot.number, ok: false, why }
                });
                let ready = Errand::Ready(WorkerReady { edition: field.edition, bots: bots.collect() });
                let shop = self.shop;
                // Why the worker ends says more than why that could not be told.
                let _ = self.during(|| shop.run(&ready, Until::Finishing))?;
                return Err(TournamentError::Bots(broken).into());
            }
            prepared => prepared?,
        };
        if !prepared.map_names().eq(field.maps.iter().map(|map| map.name.as_str())) {
            let there: Vec<&str> = prepared.map_names().collect();
            let why = format!("its maps are others here than on the server: {}", there.join(", "));
            return Err(WorkerFailure::Field(why));
        }
        let events = &mut *self.events;
        prepared.try_starts(cancel, &|_| false, &mut |bot| events(WorkerEvent::Starting { bot: bot.to_owned() }))?;
        let mut whys: BTreeMap<usize, String> = prepared.broken().map(|bot| (bot.number, bot.why.clone())).collect();
        made.missing.iter().for_each(|(number, why)| drop(whys.insert(*number as usize, why.clone())));
        let ready: Vec<WorkerReadyBot> = field
            .bots
            .iter()
            .map(|bot| {
                let why = whys.get(&(bot.number as usize)).cloned();
                WorkerReadyBot { number: bot.number, ok: why.is_none(), why }
            })
            .collect();
        let at_once = self.at_once(file, &prepared)?;
        let name = |bot: &WorkerReadyBot| field.bots[bot.number as usize].name.clone();
        let broken = ready.iter().filter_map(|bot| Some((name(bot), bot.why.clone()?))).collect();
        let bots = ready.iter().filter(|bot| bot.ok).count();
        let warning = prepared.warning().map(str::to_owned);
        (self.events)(WorkerEvent::Ready { bots, broken, warning, at_once: at_once.get() });
        let versions = field.bots.iter().map(|bot| bot.version).collect();
        let player = Player::new(file, prepared, field.derivation, versions, at_once, &self.options.placement);
        Ok(Folder { field, player, at_once, ready })
    }

    /// Returns how many matches are played at the same time.
    fn at_once(&mut self, file: &agon_tournament::TournamentFile, field: &Field) -> Result<NonZeroUsize, WorkerFailure> {
        let processes = field.processes(file.seats as usize);
        let usual = self.options.placement.matches_at_once(processes, file.cores, file.ponder);
        let usual = usual.map_err(|why| TournamentError::Play(why.into()))?;
        let wanted = self.options.at_once.unwrap_or(usual);
        let room = Room::here(processes, field.isolation().unwrap_or(Isolation::None));
        Ok(match room.filter(|room| room.matches < wanted) {
            Some(room) => {
                (self.events)(WorkerEvent::Room { wanted: wanted.get(), room });
                room.matches
            }
            None => wanted,
        })
    }

    /// Plays matches of one edition of the tournament until no more are to begin, and all that run have ended.
    fn play(&mut self) -> Result<Closing, WorkerFailure> {
        let Some(folder) = self.folder.take() else { return Ok(Closing::Anew) };
        let shop = self.shop;
        let claims = Client::new(&self.options.address, &self.options.key, &shop.link.about().instance);
        shop.desk().open();
        shop.send(Errand::Ready(WorkerReady { edition: folder.field.edition, bots: folder.ready.clone() }));
        let (edition, at_once) = (folder.field.edition, folder.at_once.get());
        let closed = thread::scope(|scope| {
            let mut threads = Vec::new();
            let mut started = Ok(());
            for thread in 0..at_once {
                let player = &folder.player;
                let spawned = thread::Builder::new()
                    .name(format!("match {}", thread + 1))
                    .spawn_scoped(scope, move || shop.play(thread, player, edition));
                match spawned {
                    Ok(thread) => threads.push(thread),
                    Err(why) if threads.is_empty() => started = Err(WorkerFailure::System(why)),
                    Err(_) => break,
                }
            }
            let count = threads.len();
            let started = started.and_then(|()| {
                let claims = &claims;
                start(scope, "claims", move || shop.claim(count, edition, claims))
            });
            if let Err(why) = started {
                shop.fail(why);
            }
            self.lead_threads(&folder, &claims, &|| threads.iter().all(thread::ScopedJoinHandle::is_finished))
        });
        let closing = closed?;
        if closing == Closing::Anew && !self.signals.changed {
            // It may be the same that the server has now.
            self.folder = Some(folder);
        }
        Ok(closing)
    }

    /// Looks after the threads until they have ended.
    fn lead_threads(
        &mut self,
        folder: &Folder,
        claims: &Client,
        ended: &dyn Fn() -> bool,
    ) -> Result<Closing, WorkerFailure> {
        let shop = self.shop;
        let mut closing = None;
        (self.signals.edition, self.signals.finished) = (false, false);
        loop {
            self.pump(TICK);
            if std::mem::take(&mut self.signals.registered) && closing.is_none() {
                // A server that has begun anew may lead another tournament.
                let field = self.during(|| shop.link.ask(Until::Finishing, |client| client.get::<WorkerField>("field")))?;
                match answered("field", field) {
                    Ok(Some(field)) if is_same(&field, &folder.field) && field.edition == folder.field.edition => {
                        let ready = WorkerReady { edition: field.edition, bots: folder.ready.clone() };
                        shop.send(Errand::Ready(ready));
                    }
                    Ok(Some(_)) => self.signals.edition = true,
                    Ok(None) => {}
                    Err(why) => shop.fail(why),
                }
            }
            let is_over = self.options.once && self.signals.finished && shop.is_done();
            let wanted = match () {
                () if shop.cancel.is_cancelled() || shop.has_failed() || is_over => Some(Closing::End),
                () if self.signals.edition || self.signals.changed => Some(Closing::Anew),
                () => None,
            };
            if let Some(wanted) = wanted
                && closing != Some(Closing::End)
            {
                if closing.is_none() && wanted == Closing::Anew {
                    (self.events)(WorkerEvent::Edition);
                }
                if wanted == Closing::End {
                    claims.shut_down();
                }
                closing = Some(wanted);
                let tokens = shop.desk().close();
                shop.send(Errand::Release(tokens));
                shop.ring();
            }
            if shop.cancel.is_killed() || shop.has_failed() {
                shop.desk().kill();
            }
            if let Some(closing) = closing
                && ended()
            {
                return Ok(closing);
            }
        }
    }

    /// Waits until the server has acknowledged every result, or does not any more.
    fn drain(&mut self) -> Result<(), WorkerFailure> {
        let until = self.shop.link.clock().now() + PARTING;
        while !self.shop.is_done()
            && !self.shop.has_failed()
            && !self.shop.cancel.is_killed()
            && self.shop.link.clock().now() < until
        {
            self.pump(TICK);
        }
        self.shop.take_failure().map_or(Ok(()), Err)
    }

    /// Does something that takes long on another thread, and passes on meanwhile what is told.
    fn during<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> Result<T, WorkerFailure> {
        thread::scope(|scope| {
            let thread = thread::Builder::new().spawn_scoped(scope, work).map_err(WorkerFailure::System)?;
            while !thread.is_finished() {
                self.pump(Duration::from_millis(20));
            }
            thread.join().map_err(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Passes on what is told, for so long.
    fn pump(&mut self, time: Duration) {
        while let Ok(note) = self.noted.try_recv() {
            match note {
                LinkNote::Away(why) => (self.events)(WorkerEvent::Away { why }),
                LinkNote::Back => (self.events)(WorkerEvent::Back),
                LinkNote::Registered(registered) => {
                    self.signals.registered = true;
                    self.tell_registered(*registered);
                }
            }
        }
        let first = if time.is_zero() { self.tells.try_recv().ok() } else { self.tells.recv_timeout(time).ok() };
        let mut next = first;
        while let Some(told) = next {
            match told {
                Told::Event(event) => (self.events)(event),
                Told::Edition => self.signals.edition = true,
                Told::Changed => self.signals.changed = true,
                Told::Finished(finished) => {
                    if finished && !self.signals.told {
                        (self.events)(WorkerEvent::Finished);
                    }
                    (self.signals.finished, self.signals.told) = (finished, finished);
                }
            }
            next = self.tells.try_recv().ok();
        }
        self.shop.note_holding();
        let counts = self.shop.desk().counts();
        (self.events)(WorkerEvent::Tick(counts));
    }

    fn tell_registered(&mut self, registered: WorkerRegistered) {
        let WorkerRegistered { worker, tournament, .. } = registered;
        (self.events)(WorkerEvent::Registered { worker, tournament });
    }
}

/// Returns whether two editions have the same bots, maps and rules.
fn is_same(one: &WorkerField, other: &WorkerField) -> bool {
    let plain = |field: &WorkerField| WorkerField { edition: 0, ..field.clone() };
    plain(one) == plain(other)
}

/// Returns the answer to a request without which the worker cannot go on. `None` if it was broken off.
fn answered<T>(request: &'static str, answer: Result<T, Unanswered>) -> Result<Option<T>, WorkerFailure> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Unanswered::Ended) => Ok(None),
        Err(Unanswered::Refused(error)) => Err(WorkerFailure::Refused { request, error }),
        Err(Unanswered::Failed(why)) => Err(why),
    }
}
