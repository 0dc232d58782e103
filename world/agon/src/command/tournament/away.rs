//! `agon tournament run --listen`: workers on other machines.

use super::{Source, of_tournament};
use crate::{
    clean::{clean, shell_word},
    dispatch::{Desk, ListenAddress, ReadBundle, Routes, Shelf, WaitingBlobs, WorkerKey, serve},
    error::{Error, Result},
    exit::Exit,
    printer::Printer,
};
use agon_bundle::BundlePlan;
use agon_dispatch::{Dispatcher, Do, In, Processors, Settings, WorkerPresence, WorkerState};
use agon_play::Post;
use agon_spec::WorkerTournament;
use agon_store::{Artefact, Blob, BlobHash, Store, StoreReader};
use agon_tournament::{
    Field, Others, Stock, Tournament, bundles_of, first_processor, flaw_of_travel, purges, put_aside, this_processor,
};
use clap::Args;
use std::{
    collections::BTreeMap,
    io,
    net::TcpListener,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// How long the end is told to workers, and how long those may take to leave that know of it.
const PARTING: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(2));

/// Workers on other machines.
#[derive(Args, Debug)]
pub struct Away {
    /// Let workers on other machines play matches: `agon worker`. ADDR is PORT, for this machine alone, or HOST:PORT. The key that
    /// workers need is in FILE.key, which is made if it is missing.
    #[arg(long, value_name = "ADDR")]
    listen: Option<ListenAddress>,

    /// ADDR may be one that other machines reach, because only a proxy does, which encrypts what they send.
    #[arg(long, requires = "listen")]
    behind_proxy: bool,

    /// ADDR may be one that other machines reach, although everybody in the network can read what they send: the bots, and the
    /// key.
    #[arg(long, requires = "listen", conflicts_with = "behind_proxy")]
    insecure_lan: bool,

    /// How many matches run at the same time on this machine. 0 leaves all of them to workers.
    #[arg(long, value_name = "N", requires = "listen", conflicts_with = "at_once")]
    pub cores: Option<usize>,

    /// After how many seconds the matches of a worker that is silent are played elsewhere.
    #[arg(long, value_name = "SECONDS", requires = "listen", default_value_t = 30, hide_default_value = true,
          value_parser = clap::value_parser!(u64).range(2..=3_600))]
    lease: u64,
}

/// A server that listens, but does not answer yet.
pub struct Listening {
    listener: TcpListener,
    key: WorkerKey,
    pub key_path: PathBuf,
    plays_here: bool,
    lease_ms: u64,
    /// What everybody must know about the network.
    openness: Option<&'static str>,
}

/// The bots of a tournament as they travel. `None` for those that do not play.
pub type Plans = Vec<Option<BundlePlan>>;

impl Away {
    /// Starts to listen, if that was asked for, and tells how workers come.
    ///
    /// # Errors
    /// The address cannot be used, or is one that others reach without leave; or there is no key.
    pub fn listen(&self, source: &Source, printer: &Printer) -> Result<Option<Listening>> {
        let Some(address) = &self.listen else { return Ok(None) };
        if !address.is_loopback() && !self.behind_proxy && !self.insecure_lan {
            return Err(Error::user("other machines reach this address, and what they send is not encrypted")
                .exit(Exit::Usage)
                .hint(
                    "`--insecure-lan` says that everybody in the network may read the bots and the key; `--behind-proxy`, that \
                     only a proxy reaches it, which encrypts; or listen on `127.0.0.1:PORT`, and let workers come through ssh",
                ));
        }
        let failed = |why: io::Error| Error::system("cannot listen for workers", &why);
        let listener = address.listen().map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let key_path = WorkerKey::path(&source.path);
        let key = WorkerKey::read_or_make(&key_path)?;
        let command = format!("agon worker {} --key {}", address.url(bound), clean(&shell_word(&key_path)));
        let openness = match () {
            () if self.insecure_lan => Some("INSECURE: everybody in the network can read the bots and the key"),
            () if self.behind_proxy => Some("behind a proxy"),
            () => None,
        };
        printer.tell(match openness {
            None => format!("workers: {command}"),
            Some(openness) => format!("workers: {command} ({openness})"),
        });
        let plays_here = self.cores != Some(0);
        let lease_ms = self.lease * 1_000;
        Ok(Some(Listening { listener, key, key_path, plays_here, lease_ms, openness }))
    }
}

/// Plans the bundle of each bot.
///
/// # Errors
/// A bot that plays cannot travel. All of them are told.
pub fn plans(source: &Source, field: &Field, printer: &Printer) -> Result<Plans> {
    printer.progress("packing the bots");
    let folder = std::env::current_dir().map_err(|why| Error::file("find the folder", &source.path, &why))?;
    let planned = bundles_of(&source.file, &folder);
    printer.progress("");
    let (mut plans, mut errors) = (Vec::new(), Vec::new());
    for (number, planned) in planned.into_iter().enumerate() {
        match planned {
            Ok(plan) => plans.push(Some(plan)),
            Err(_) if field.broken().any(|broken| broken.number == number) => plans.push(None),
            Err(why) => {
                let flaw = flaw_of_travel(&why, number, &source.text);
                errors.push(match flaw {
                    Some(flaw) => Error::in_text(&source.name, source.text.as_bytes(), flaw),
                    None => Error::user(clean(&why.to_string())),
                });
                plans.push(None);
            }
        }
    }
    errors.into_iter().reduce(Error::and).map_or(Ok(plans), Err)
}

/// A server that answers.
pub struct Served {
    desk: Desk,
    blobs: Arc<WaitingBlobs>,
    seal_key: [u8; 32],
    lease_ms: u64,
    plays_here: bool,
    openness: Option<&'static str>,
}

impl Listening {
    /// Returns which processors workers may have.
    fn processors<S: Store>(&self, tournament: &Tournament<S>) -> Result<Processors> {
        if !tournament.wants_alike() {
            return Ok(Processors::Any);
        }
        let first = first_processor(tournament.store()).map_err(of_tournament)?;
        Ok(Processors::Alike(first.or_else(|| self.plays_here.then(this_processor))))
    }

    /// Puts what workers fetch into the store, and answers them from then on.
    ///
    /// # Errors
    /// A bot cannot be packed, the store cannot be used, or the system has no room for a server.
    pub fn serve<S: Store>(
        self,
        tournament: &Tournament<S>,
        text: &str,
        plans: &Plans,
        store: Box<dyn StoreReader>,
    ) -> Result<Served> {
        let Stock { field, maps, bundles } = tournament.stock(text, plans).map_err(of_tournament)?;
        let spec = tournament.about();
        let about = WorkerTournament { name: spec.0.to_owned(), game: spec.1.to_owned() };
        let bots = u32::try_from(field.bots.len()).unwrap_or(u32::MAX);
        let settings = Settings {
            edition: field.edition,
            lease_ms: self.lease_ms,
            beat_ms: (self.lease_ms / 6).max(300),
            patience_ms: tournament.longest_turn().map(|turn| u64::try_from(turn.as_millis()).unwrap_or(u64::MAX)),
            nobody_ms: 60_000,
            local: self.plays_here,
            least_isolation: tournament.least_isolation(),
            processors: self.processors(tournament)?,
            put_aside: put_aside(tournament.store()).map_err(of_tournament)?,
            ..Settings::new(env!("CARGO_PKG_VERSION"), about, bots)
        };
        let desk = Desk::open(move |now| Dispatcher::new(settings, now))?;
        let blobs = Arc::new(WaitingBlobs::default());
        let sizes = bundles.iter().map(|(hash, artefact)| (*hash, artefact.size)).collect();
        let reader = Box::new(StoreBundles { store: Mutex::new(store), bundles });
        let shelf = Arc::new(Shelf { field, maps, bundles: sizes, reader });
        // Another tournament under the same key, such as one that begins anew, knows none of these tokens; nor does this one
        // after it has put a worker aside.
        let begun = tournament.store().files()?.first().map_or(0, |file| file.at_ms);
        let epoch = purges(tournament.store()).map_err(of_tournament)?;
        let seal_key = self.key.derived(&format!("tokens {begun} {epoch}"));
        serve(self.listener, Routes::new(self.key, desk.clone(), shelf, Arc::clone(&blobs)))?;
        let Self { lease_ms, plays_here, openness, .. } = self;
        Ok(Served { desk, blobs, seal_key, lease_ms, plays_here, openness })
    }
}

impl Served {
    /// Returns what everybody must know about the network.
    pub fn openness(&self) -> Option<&'static str> {
        self.openness
    }

    /// Returns where the workers can be asked for.
    pub fn desk(&self) -> Desk {
        self.desk.clone()
    }

    /// Waits a moment, so that workers have their answers. If the tournament is complete, waits until they have heard of it, and
    /// those that leave can say so.
    pub fn part(&self, is_complete: bool) {
        let begun = Instant::now();
        // What the thread of the dispatcher tells is a moment old.
        thread::sleep(Duration::from_millis(250));
        if !is_complete {
            return;
        }
        loop {
            let workers = self.desk.workers();
            let here = |worker: &&WorkerState| worker.presence == WorkerPresence::Here;
            let untold = workers.iter().filter(here).any(|worker| !worker.told);
            let patience = if untold { PARTING.0 } else { PARTING.1 };
            if begun.elapsed() >= patience || workers.iter().filter(here).count() == 0 {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Others for Served {
    fn begin(&self, orders: Post<Do>) {
        self.desk.begin(orders);
    }

    fn tell(&self, message: In) {
        self.desk.tell(message);
    }

    fn take_blob(&self, hash: BlobHash) -> Option<Blob> {
        let blob = self.blobs.get(hash);
        self.blobs.remove(hash);
        blob
    }

    fn plays_here(&self) -> bool {
        self.plays_here
    }

    fn lease_ms(&self) -> u64 {
        self.lease_ms
    }

    fn seal_key(&self) -> [u8; 32] {
        self.seal_key
    }
}

/// The bundles in a store.
struct StoreBundles {
    store: Mutex<Box<dyn StoreReader>>,
    bundles: BTreeMap<BlobHash, Artefact>,
}

impl StoreBundles {
    fn piece(&self, hash: BlobHash) -> io::Result<Vec<u8>> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.get(hash).map_err(io::Error::other)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl ReadBundle for StoreBundles {
    fn read(&self, bundle: BlobHash, from: u64, take: &mut dyn FnMut(Vec<u8>) -> bool) -> io::Result<()> {
        let artefact = self.bundles.get(&bundle).ok_or(io::ErrorKind::NotFound)?;
        let (first, mut before) = Stock::piece_at(from);
        for piece in artefact.pieces.iter().skip(first) {
            let bytes = self.piece(*piece)?.split_off(before);
            before = 0;
            if !bytes.is_empty() && !take(bytes) {
                break;
            }
        }
        Ok(())
    }

    fn blob(&self, blob: BlobHash) -> io::Result<Option<Vec<u8>>> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.get(blob).map_err(io::Error::other)
    }

    fn has(&self, blob: BlobHash) -> bool {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.has(blob).unwrap_or(false)
    }
}
