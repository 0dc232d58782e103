//! What a store in memory keeps beside its matches.

use super::Memory;
use crate::{
    Artefact, Attempt, Blob, BlobHash, BlobStore, BotTotals, BotVersion, Claim, Decision, EarlierResult, FileVersion,
    Progress, Records, Registry, Result, Snapshot, StoreError, StoredBot, StoredEvent, StoredMap, StoredMatch,
    StoredWorker, Ticket,
};

impl BlobStore for Memory {
    fn put(&self, blob: Blob) -> Ticket<BlobHash> {
        let hash = blob.hash();
        self.content().blobs.insert(hash, blob);
        Ticket::over(Ok(hash))
    }

    fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        let content = self.content();
        content.blobs.get(&hash).map(Blob::unpacked).transpose()
    }
}

impl Records for Memory {
    fn progress(&self) -> Result<Progress> {
        Ok(self.content().progress)
    }

    fn find(&self, id: u64) -> Result<Option<StoredMatch>> {
        Ok(self.content().matches.get(&id).cloned())
    }

    fn matches(&self, after: u64, count: usize) -> Result<Vec<StoredMatch>> {
        let Some(first) = after.checked_add(1) else { return Ok(Vec::new()) };
        Ok(self.content().matches.range(first..).take(count).map(|(_, stored)| stored.clone()).collect())
    }

    fn over_since(&self, after: u64, count: usize) -> Result<Vec<(u64, StoredMatch)>> {
        let content = self.content();
        let Some(first) = after.checked_add(1) else { return Ok(Vec::new()) };
        let later = content.over.range(first..).take(count);
        Ok(later.filter_map(|(number, id)| Some((*number, content.matches.get(id)?.clone()))).collect())
    }

    fn attempts(&self, id: u64) -> Result<Vec<Attempt>> {
        Ok(self.content().attempts.iter().filter(|attempt| attempt.id == id).cloned().collect())
    }

    fn claims(&self) -> Result<Vec<Claim>> {
        Ok(self.content().claims.iter().copied().collect())
    }

    fn workers(&self) -> Result<Vec<StoredWorker>> {
        Ok(self.content().workers.clone())
    }

    fn artefact(&self, hash: BlobHash) -> Result<Option<Artefact>> {
        Ok(self.content().artefacts.get(&hash).cloned())
    }

    fn bots(&self) -> Result<Vec<StoredBot>> {
        Ok(self.content().bots.clone())
    }

    fn files(&self) -> Result<Vec<FileVersion>> {
        Ok(self.content().files.clone())
    }

    fn maps(&self) -> Result<Vec<StoredMap>> {
        Ok(self.content().maps.clone())
    }

    fn amendments(&self) -> Result<Vec<String>> {
        Ok(self.content().amendments.clone())
    }

    fn earlier(&self) -> Result<Vec<EarlierResult>> {
        Ok(self.content().earlier.clone())
    }

    fn events(&self, count: usize) -> Result<Vec<StoredEvent>> {
        let events = &self.content().events;
        Ok(events[events.len().saturating_sub(count)..].to_vec())
    }

    fn snapshot(&self, name: &str) -> Result<Option<Snapshot>> {
        Ok(self.content().snapshots.get(name).cloned())
    }
}

impl Registry for Memory {
    fn add_file(&self, file: FileVersion) -> Ticket<()> {
        self.content().files.push(file);
        Ticket::over(Ok(()))
    }

    fn add_worker(&self, name: &str, facts: &str, now_ms: i64) -> Ticket<u32> {
        let workers = &mut self.content().workers;
        if let Some(known) = workers.iter().find(|known| known.name == name && known.facts == facts) {
            return Ticket::over(Ok(known.number));
        }
        let number = u32::try_from(workers.len() + 1).unwrap_or(u32::MAX);
        workers.push(StoredWorker { number, name: name.to_owned(), facts: facts.to_owned(), at_ms: now_ms });
        Ticket::over(Ok(number))
    }

    fn add_artefact(&self, artefact: Artefact) -> Ticket<()> {
        let mut content = self.content();
        if let Some(missing) = artefact.pieces.iter().find(|piece| !content.blobs.contains_key(*piece)) {
            return Ticket::over(Err(StoreError::NoBlob(*missing)));
        }
        content.artefacts.entry(artefact.hash).or_insert(artefact);
        Ticket::over(Ok(()))
    }

    fn add_map(&self, map: StoredMap) -> Ticket<()> {
        self.content().maps.push(map);
        Ticket::over(Ok(()))
    }

    fn add_bot(&self, name: &str) -> Ticket<u32> {
        let bots = &mut self.content().bots;
        if bots.iter().any(|bot| bot.name == name) {
            return Ticket::over(Err(StoreError::SameName(name.to_owned())));
        }
        let number = u32::try_from(bots.len()).unwrap_or(u32::MAX);
        let (name, totals) = (name.to_owned(), BotTotals::default());
        bots.push(StoredBot { number, name, versions: Vec::new(), withdrawn: None, totals });
        Ticket::over(Ok(number))
    }

    fn add_version(&self, bot: u32, version: BotVersion) -> Ticket<u32> {
        let mut content = self.content();
        let Some(bot) = content.bots.get_mut(bot as usize) else { return Ticket::over(Err(StoreError::NoBot(bot))) };
        let number = bot.versions.last().map_or(1, |last| last.number + 1);
        bot.versions.push(BotVersion { number, ..version });
        Ticket::over(Ok(number))
    }

    fn withdraw(&self, bot: u32, why: Option<&str>) -> Ticket<()> {
        let mut content = self.content();
        let Some(bot) = content.bots.get_mut(bot as usize) else { return Ticket::over(Err(StoreError::NoBot(bot))) };
        bot.withdrawn = why.map(str::to_owned);
        Ticket::over(Ok(()))
    }

    fn amend(&self, text: &str) -> Ticket<()> {
        self.content().amendments.push(text.to_owned());
        Ticket::over(Ok(()))
    }

    fn decide(&self, decision: Decision) -> Ticket<()> {
        Ticket::over(self.content().decide(decision))
    }

    fn record(&self, event: StoredEvent) -> Ticket<()> {
        self.content().events.push(event);
        Ticket::over(Ok(()))
    }

    fn keep(&self, name: &str, snapshot: Snapshot) -> Ticket<()> {
        self.content().snapshots.insert(name.to_owned(), snapshot);
        Ticket::over(Ok(()))
    }

    fn hurry(&self) {}
}
