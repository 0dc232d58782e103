//! Workers that come, are ready, leave.

use crate::{
    Answer, Dispatcher, Do, Notice, Processors, Refusal, WorkerPresence, claims::is_random, notice::reason,
    worker::Worker,
};
use agon_spec::{Isolation, WorkerErrorCode, WorkerReady, WorkerRegister, WorkerRegistered};

/// The longest name of a worker, and the longest of its other texts, in bytes.
const LONGEST: (usize, usize) = (64, 256);
/// The most tools that a worker has.
const MOST_TOOLS: usize = 100;
/// The most matches that a worker plays at the same time.
const MOST_CORES: u32 = 1_024;

impl Dispatcher {
    pub(crate) fn register(&mut self, asker: u64, about: WorkerRegister) -> Result<(), Refusal> {
        if !self.registers.take(self.now) {
            let what = "too many workers register at once";
            return Err(Refusal::new(WorkerErrorCode::Busy, what).retry_after(10, asker));
        }
        check(&about)?;
        if about.machine.agon != self.settings.agon {
            let own = &self.settings.agon;
            let what = format!("this tournament is played by Agon {own}");
            return Err(Refusal::new(WorkerErrorCode::OtherVersion, what).hint(format!(
                "install Agon {own} on the machine of the worker: other versions may play other rules"
            )));
        }
        self.check_fitness(&about)?;
        let now = self.now;
        let number = match self.by_instance.get(&about.instance) {
            Some(number) => *number,
            None => self.add_worker(asker, about.clone())?,
        };
        let Some(worker) = self.workers.get_mut(&number) else { return Ok(()) };
        if worker.presence == WorkerPresence::PutAside {
            return Err(Refusal::new(
                WorkerErrorCode::PutAside,
                "the organiser wants no more matches from this worker",
            ));
        }
        let came_back = !worker.is_here();
        (worker.presence, worker.seen_ms) = (WorkerPresence::Here, now);
        if worker.about != about || !worker.met {
            (worker.about, worker.met) = (about.clone(), true);
            self.out.push(Do::Meet { worker: number, about: Box::new(about) });
        }
        let held = worker.held.iter().copied().collect();
        let name = worker.name.clone();
        if came_back {
            self.tell(Notice::Back { name });
        }
        self.empty = None;
        let registered = WorkerRegistered {
            worker: number,
            tournament: self.settings.tournament.clone(),
            edition: self.settings.edition,
            lease_ms: self.settings.lease_ms,
            beat_ms: self.settings.beat_ms,
            held,
        };
        self.answer(asker, Answer::Registered(registered));
        Ok(())
    }

    /// Refuses workers that the organiser does not want, and machines that the tournament cannot use.
    fn check_fitness(&mut self, about: &WorkerRegister) -> Result<(), Refusal> {
        if let Some(why) = self.settings.put_aside.get(&about.name) {
            return Err(Refusal::new(WorkerErrorCode::PutAside, reason(why.clone())).hint(
                "`agon tournament workers FILE readmit NAME` takes it back, on the machine that leads, before the next run",
            ));
        }
        if let Some(least) = self.settings.least_isolation
            && about.isolation.is_none_or(|level| level < least)
        {
            let level = about.isolation.map_or("no bot that is a program can be started", Isolation::name);
            let what =
                format!("the tournament needs the sandbox `{least}`, and the strongest on this machine is: {level}");
            return Err(Refusal::new(WorkerErrorCode::Unfit, what).hint(
                "`agon doctor` says what is missing on this machine; the key `sandbox` of the file says what is needed",
            ));
        }
        match &mut self.settings.processors {
            Processors::Any => {}
            Processors::Alike(model @ None) => *model = Some(about.machine.cpu.clone()),
            Processors::Alike(Some(model)) if *model == about.machine.cpu => {}
            Processors::Alike(Some(model)) => {
                let what = format!(
                    "the tournament is played on machines that are alike, with the processor `{model}`; this one has `{}`",
                    about.machine.cpu
                );
                return Err(Refusal::new(WorkerErrorCode::Unfit, what)
                    .hint("`machines = \"any\"` in the file lets every processor play"));
            }
        }
        Ok(())
    }

    fn add_worker(&mut self, asker: u64, about: WorkerRegister) -> Result<u32, Refusal> {
        if self.workers.len() >= self.settings.most_workers {
            // Those that were silent for the longest time make room.
            let gone = self.workers.values().filter(|worker| !worker.is_here() && worker.held.is_empty());
            match gone.min_by_key(|worker| worker.seen_ms).map(|worker| worker.number) {
                Some(number) => self.forget(number),
                None => {
                    let what = "there are as many workers as this server can have";
                    return Err(Refusal::new(WorkerErrorCode::Unavailable, what).retry_after(60, asker));
                }
            }
        }
        self.last_number += 1;
        let number = self.last_number;
        let taken = self.workers.values().any(|worker| worker.is_here() && worker.name == about.name);
        let name = if taken { format!("{}#{number}", about.name) } else { about.name.clone() };
        self.tell(Notice::Came { worker: number, name: name.clone(), cores: about.machine.cores });
        self.by_instance.insert(about.instance.clone(), number);
        self.workers.insert(number, Worker::new(number, name, about, self.now, self.settings.requests));
        Ok(number)
    }

    pub(crate) fn ready(&mut self, asker: u64, number: u32, ready: WorkerReady) -> Result<(), Refusal> {
        // Another edition may have had more bots.
        let is_current = ready.edition == self.settings.edition;
        if is_current && let Some(strange) = ready.bots.iter().find(|bot| bot.number >= self.settings.bots) {
            let what = format!("there is no bot {}", strange.number);
            return Err(Refusal::new(WorkerErrorCode::BadRequest, what));
        }
        if is_current && let Some(worker) = self.workers.get_mut(&number) {
            let mut failed = Vec::new();
            for bot in ready.bots {
                if bot.ok {
                    worker.ready.insert(bot.number);
                    worker.failed.remove(&bot.number);
                    continue;
                }
                worker.ready.remove(&bot.number);
                let why = reason(bot.why.unwrap_or_else(|| "it does not say why".to_owned()));
                if worker.failed.insert(bot.number, why.clone()).is_none() {
                    failed.push(Notice::BotFails { name: worker.name.clone(), bot: bot.number, why });
                }
            }
            failed.into_iter().for_each(|notice| self.tell(notice));
            // What it could not play before it may be able to play now.
            self.waiting.iter_mut().filter(|waiting| waiting.worker == number).for_each(|waiting| waiting.dry = false);
        }
        self.answer(asker, Answer::Noted);
        Ok(())
    }

    /// Takes everything from a worker that leaves.
    pub(crate) fn leave(&mut self, number: u32) {
        self.go(number, WorkerPresence::Left);
        let left = self.unreported(number);
        let held = left.len();
        self.release(left);
        let name = self.name(number);
        self.tell(Notice::Gone { name, held, silent: false });
    }

    pub(crate) fn put_aside(&mut self, name: String, why: String) {
        let of_name = self.workers.values().filter(|worker| worker.about.name == name).map(|worker| worker.number);
        let of_name: Vec<u32> = of_name.collect();
        self.settings.put_aside.insert(name, why);
        of_name.into_iter().for_each(|number| self.take_from(number));
    }

    fn take_from(&mut self, number: u32) {
        self.go(number, WorkerPresence::PutAside);
        // That it has them is no fault of these matches.
        let held = self.unreported(number);
        self.release(held);
    }

    /// Marks workers that are silent, and forgets those that were so for long.
    pub(crate) fn end_workers(&mut self) {
        let (now, lease_ms, forget_ms) = (self.now, self.settings.lease_ms, self.settings.forget_ms);
        let silent = self.workers.values().filter(|worker| worker.is_here() && worker.seen_ms + lease_ms <= now);
        for number in silent.map(|worker| worker.number).collect::<Vec<_>>() {
            let held = self.unreported(number).len();
            self.go(number, WorkerPresence::Silent);
            let name = self.name(number);
            self.tell(Notice::Gone { name, held, silent: true });
        }
        let gone = |worker: &&Worker| {
            !worker.is_here()
                && worker.presence != WorkerPresence::PutAside
                && worker.held.is_empty()
                && worker.seen_ms + forget_ms <= now
        };
        for number in self.workers.values().filter(gone).map(|worker| worker.number).collect::<Vec<_>>() {
            self.forget(number);
        }
        if self.workers.values().any(Worker::is_here) {
            self.empty = None;
        } else if let (since, false) = *self.empty.get_or_insert((now, false))
            && since + self.settings.nobody_ms <= now
            && !self.settings.local
            && !self.finished
        {
            self.empty = Some((since, true));
            self.tell(Notice::NoWorker);
        }
    }

    fn go(&mut self, number: u32, presence: WorkerPresence) {
        if let Some(worker) = self.workers.get_mut(&number) {
            worker.presence = presence;
        }
        let askers = self.waiting.iter().filter(|waiting| waiting.worker == number).map(|waiting| waiting.asker);
        let askers: Vec<u64> = askers.collect();
        self.waiting.retain(|waiting| waiting.worker != number);
        askers.into_iter().for_each(|asker| self.answer_empty(asker));
    }

    /// Returns the matches that a worker has and has not reported.
    fn unreported(&self, number: u32) -> Vec<u64> {
        let Some(worker) = self.workers.get(&number) else { return Vec::new() };
        worker.held.iter().copied().filter(|token| self.is_of(*token, number)).collect()
    }

    fn forget(&mut self, number: u32) {
        if let Some(worker) = self.workers.remove(&number) {
            self.by_instance.remove(&worker.about.instance);
        }
    }
}

fn check(about: &WorkerRegister) -> Result<(), Refusal> {
    let wrong = |what: &str| Err(Refusal::new(WorkerErrorCode::BadRequest, what));
    let machine = &about.machine;
    let texts = [&machine.agon, &machine.kernel, &machine.cpu, &machine.target];
    let tools = about.tools.iter().flat_map(|tool| [&tool.name, &tool.version]);
    if !is_random(&about.instance) {
        return wrong("`instance` must have 16 to 64 hexadecimal digits");
    }
    if about.name.is_empty() || about.name.len() > LONGEST.0 || about.name.chars().any(char::is_control) {
        return wrong("`name` must have 1 to 64 bytes, and no control characters");
    }
    if about.tools.len() > MOST_TOOLS || texts.into_iter().chain(tools).any(|text| text.len() > LONGEST.1) {
        return wrong("a text about the machine is too long");
    }
    if !(1..=MOST_CORES).contains(&machine.cores) {
        return wrong("`cores` must be from 1 to 1024");
    }
    Ok(())
}
