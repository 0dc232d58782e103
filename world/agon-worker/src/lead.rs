//! The thread that leads a worker: it says when matches begin, and when they do not any more.

use crate::{
    client::Client,
    error::WorkerFailure,
    event::WorkerEvent,
    link::{LinkNote, Unanswered, Until},
    readying::{Folder, is_same},
    shop::{Errand, Shop, Told},
    work::{WorkerOptions, start},
};
use agon_spec::{WorkerField, WorkerReady, WorkerRegistered};
use std::{sync::mpsc::Receiver, thread, time::Duration};

/// How long a worker that was told to finish tries to report its results. What is left then is reported by the next start.
const PARTING: Duration = Duration::from_secs(30);
/// The time between two events that tell the counts.
const TICK: Duration = Duration::from_millis(100);

/// What other threads have told since it was looked at.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    edition: bool,
    pub(crate) changed: bool,
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

pub(crate) struct Lead<'a> {
    pub(crate) shop: &'a Shop,
    pub(crate) options: &'a WorkerOptions,
    pub(crate) events: &'a mut dyn FnMut(WorkerEvent<'_>),
    pub(crate) tells: Receiver<Told>,
    pub(crate) noted: Receiver<LinkNote>,
    pub(crate) signals: Signals,
    pub(crate) folder: Option<Folder>,
}

impl Lead<'_> {
    /// Registers the worker, and gives back what an earlier process had.
    pub(crate) fn first(&mut self) -> Result<(), WorkerFailure> {
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
    pub(crate) fn lead(&mut self) -> Result<(), WorkerFailure> {
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

    /// Plays matches of one edition of the tournament until no more are to begin, and all that run have ended.
    fn play(&mut self) -> Result<Closing, WorkerFailure> {
        let Some(folder) = self.folder.take() else { return Ok(Closing::Anew) };
        let shop = self.shop;
        let claims = Client::new(&self.options.address, &self.options.key, &shop.link.about().instance);
        shop.desk().open();
        shop.link.set_claiming(true);
        shop.send(Errand::Ready(WorkerReady { edition: folder.field.edition, bots: folder.ready.clone() }));
        let (edition, at_once) = (folder.field.edition, folder.at_once.get());
        let closed = thread::scope(|scope| {
            let mut stop = StopOnDrop { shop, claims: &claims, have_ended: false };
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
            let ended = || threads.iter().all(thread::ScopedJoinHandle::is_finished);
            let closing = self.lead_threads(&folder, &claims, &ended);
            stop.have_ended = closing.is_ok();
            closing
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
                let field =
                    self.during(|| shop.link.ask(Until::Finishing, |client| client.get::<WorkerField>("field")))?;
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
                shop.link.set_claiming(false);
                if wanted == Closing::End {
                    // A claim that is answered by now is given back with everything else.
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
    pub(crate) fn drain(&mut self) -> Result<(), WorkerFailure> {
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
    pub(crate) fn during<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> Result<T, WorkerFailure> {
        thread::scope(|scope| {
            let thread = thread::Builder::new().spawn_scoped(scope, work).map_err(WorkerFailure::System)?;
            while !thread.is_finished() {
                self.pump(Duration::from_millis(20));
            }
            thread.join().map_err(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Passes on what is told, for so long.
    pub(crate) fn pump(&mut self, time: Duration) {
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

/// Ends the threads that play and claim when the one that leads cannot go on: they would wait for ever for it to close the desk.
struct StopOnDrop<'a> {
    shop: &'a Shop,
    claims: &'a Client,
    /// Whether the threads that play have ended by themselves.
    have_ended: bool,
}

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        if self.have_ended {
            return;
        }
        self.shop.link.set_claiming(false);
        self.claims.shut_down();
        let tokens = self.shop.desk().close();
        self.shop.send(Errand::Release(tokens));
        self.shop.desk().kill();
        self.shop.ring();
    }
}

/// Returns the answer to a request without which the worker cannot go on. `None` if it was broken off.
pub(crate) fn answered<T>(request: &'static str, answer: Result<T, Unanswered>) -> Result<Option<T>, WorkerFailure> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Unanswered::Ended) => Ok(None),
        Err(Unanswered::Refused(error)) => Err(WorkerFailure::Refused { request, error }),
        Err(Unanswered::Failed(why)) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ServerAddress, SystemClock, WorkerKey, link::Link, place::Place, scratch::Scratch};
    use agon_play::Cancel;
    use agon_spec::{WorkerMachine, WorkerRegister};
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::{Arc, mpsc::channel},
    };

    #[test]
    fn threads_do_not_wait_for_one_that_leads_no_more() {
        let scratch = Scratch::new("lead");
        let address = ServerAddress::parse("http://127.0.0.1:1").expect("an address");
        let (place, outbox) = Place::take_in(&scratch.path().join("worker"), &address).expect("a folder of our own");
        let key = WorkerKey::parse(&"0".repeat(64)).expect("a key");
        let (instance, cancel) = ("0".repeat(32), Cancel::new().expect("a flag"));
        let claims = Client::new(&address, &key, &instance);
        let machine = WorkerMachine::default();
        let about = WorkerRegister { name: "w".to_owned(), instance, machine, isolation: None, tools: Vec::new() };
        let (notes, (finished, _kept), (told, _tells)) = (channel().0, channel(), channel());
        let link = Link::new(claims.clone(), Arc::new(SystemClock::default()), about, cancel.clone(), None, notes);
        let shop = Shop::new(link, place, outbox, cancel, finished, told);
        let ended = catch_unwind(AssertUnwindSafe(|| {
            thread::scope(|scope| {
                let _stop = StopOnDrop { shop: &shop, claims: &claims, have_ended: false };
                scope.spawn(|| {
                    let mut desk = shop.desk();
                    while !desk.is_closed() {
                        desk = shop.wait(desk);
                    }
                });
                scope.spawn(|| shop.claim(1, 1, &claims));
                panic!("the thread that leads has a bug");
            })
        }));
        assert!(ended.is_err(), "the threads have ended, and the panic goes on");
    }
}
