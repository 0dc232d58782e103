//! A process of simulated workers.

use crate::{
    acknowledged::Acknowledged,
    client::Client,
    worker::{Behaviour, Shared, Worker},
};
use clap::Args;
use std::{cell::Cell, fs, io, net::SocketAddr, path::PathBuf, process, rc::Rc, thread, time::Duration};
use tokio::{
    runtime,
    sync::oneshot,
    task::{JoinSet, LocalSet},
};

/// A process of simulated workers. It ends when they have heard that the tournament is over, or when its stdin ends.
#[derive(Args, Clone, Debug)]
pub struct Crowd {
    /// The address of the tournament.
    #[arg(long)]
    pub address: SocketAddr,
    /// The file with the key.
    #[arg(long)]
    pub key: PathBuf,
    /// The file for what they are told of their results. It must be new.
    #[arg(long)]
    pub acknowledged: PathBuf,
    /// The number of the first worker.
    #[arg(long)]
    pub first: u32,
    /// How many workers there are.
    #[arg(long)]
    pub workers: u32,
    /// How many matches a worker claims at once.
    #[arg(long)]
    pub most: u32,
    /// The seed of what goes wrong.
    #[arg(long)]
    pub seed: u64,
    /// Nothing goes wrong.
    #[arg(long)]
    pub calm: bool,
}

impl Crowd {
    /// Returns the arguments of a process.
    pub fn words(&self) -> Vec<String> {
        let Self { address, key, acknowledged, first, workers, most, seed, calm } = self;
        let mut words = vec!["workers".to_owned()];
        for (name, value) in [
            ("address", address.to_string()),
            ("key", key.display().to_string()),
            ("acknowledged", acknowledged.display().to_string()),
            ("first", first.to_string()),
            ("workers", workers.to_string()),
            ("most", most.to_string()),
            ("seed", seed.to_string()),
        ] {
            words.extend([format!("--{name}"), value]);
        }
        words.extend(calm.then(|| "--calm".to_owned()));
        words
    }

    /// Works until the end.
    ///
    /// # Errors
    /// The system refuses something, or the server has refused what it must take.
    pub fn work(&self) -> Result<(), String> {
        let failed = |why: io::Error| why.to_string();
        let key = fs::read_to_string(&self.key).map_err(failed)?;
        let acknowledged = Acknowledged::create(&self.acknowledged).map_err(failed)?;
        let shared = Rc::new(Shared { acknowledged, leaves: Cell::new(false) });
        let how = Behaviour { most: self.most, is_troubled: !self.calm };
        let runtime = runtime::Builder::new_current_thread().enable_io().enable_time().build().map_err(failed)?;
        let (ends, ended) = oneshot::channel();
        thread::spawn(move || {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            let _ = ends.send(());
            // A claim may wait for long.
            thread::sleep(Duration::from_secs(5));
            process::exit(0);
        });
        LocalSet::new().block_on(&runtime, async {
            let mut workers = JoinSet::new();
            for number in self.first..self.first + self.workers {
                let client = |instance: &str| Client::new(self.address, key.trim(), instance);
                workers.spawn_local(Worker::new(number, self.seed, client, how, Rc::clone(&shared)).work());
            }
            let leaves = Rc::clone(&shared);
            tokio::task::spawn_local(async move {
                let _ = ended.await;
                leaves.leaves.set(true);
            });
            while let Some(worker) = workers.join_next().await {
                worker.map_err(|why| why.to_string())??;
            }
            Ok(())
        })
    }
}
