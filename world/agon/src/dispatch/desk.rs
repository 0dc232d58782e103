//! The thread of the dispatcher: brings requests of workers and answers of the load to it, and its orders to both.

use crate::error::{Error, Result};
use agon_dispatch::{Answer, Dispatcher, Do, In, Refusal, Request, WorkerState};
use agon_play::Post;
use agon_spec::WorkerErrorCode;
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::{sync::oneshot, time};

/// How often time goes by.
const TICK: Duration = Duration::from_millis(100);
/// After how long a request has an answer, whatever happens. A claim waits for 20 s.
const LONGEST: Duration = Duration::from_secs(60);

type Reply = std::result::Result<Answer, Refusal>;

enum Message {
    Asked { asker: u64, instance: String, request: Request, reply: oneshot::Sender<Reply> },
    Told(In),
    Begin(Post<Do>),
}

/// The thread, as those see it who speak to it.
#[derive(Clone)]
pub struct Desk {
    messages: Sender<Message>,
    askers: Arc<AtomicU64>,
    workers: Arc<Mutex<Vec<WorkerState>>>,
}

/// Says that nobody waits for an answer any more, unless it came.
struct Asking<'a> {
    desk: &'a Desk,
    asker: u64,
    answered: bool,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if !self.answered {
            self.desk.tell(In::Hung { asker: self.asker });
        }
    }
}

impl Desk {
    /// Starts the thread. It ends when nobody has a desk any more.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn open(dispatcher: impl FnOnce(u64) -> Dispatcher + Send + 'static) -> Result<Self> {
        let (messages, inbox) = channel();
        let desk = Self { messages, askers: Arc::default(), workers: Arc::default() };
        let workers = Arc::clone(&desk.workers);
        let served = move || serve(dispatcher(0), &inbox, &workers);
        thread::Builder::new().name("dispatcher".to_owned()).spawn(served).map_err(|why| Error::thread(&why))?;
        Ok(desk)
    }

    /// Brings a request of a worker to the dispatcher, and its answer back.
    pub async fn ask(&self, instance: String, request: Request) -> Reply {
        let over = || {
            let refusal = Refusal::new(WorkerErrorCode::Unavailable, "the server has no answer now");
            refusal.retry_after(5, self.askers.load(Ordering::Relaxed))
        };
        let asker = self.askers.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        if self.messages.send(Message::Asked { asker, instance, request, reply }).is_err() {
            return Err(over());
        }
        let mut asking = Asking { desk: self, asker, answered: false };
        let answer = time::timeout(LONGEST, answer).await;
        asking.answered = matches!(answer, Ok(Ok(_)));
        answer.ok().and_then(std::result::Result::ok).unwrap_or_else(|| Err(over()))
    }

    /// Tells the dispatcher what the load knows.
    pub fn tell(&self, message: In) {
        // Without the thread nobody waits for it.
        let _ = self.messages.send(Message::Told(message));
    }

    /// Says where the orders for the load go. Those before were kept.
    pub fn begin(&self, orders: Post<Do>) {
        let _ = self.messages.send(Message::Begin(orders));
    }

    /// Returns the workers as they were a moment ago.
    pub fn workers(&self) -> Vec<WorkerState> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(mut dispatcher: Dispatcher, inbox: &Receiver<Message>, workers: &Mutex<Vec<WorkerState>>) {
    let begun = Instant::now();
    let now = || u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut replies: BTreeMap<u64, oneshot::Sender<Reply>> = BTreeMap::new();
    let (mut load, mut early): (Option<Post<Do>>, Vec<Do>) = (None, Vec::new());
    let mut ticked = Instant::now();
    loop {
        let message = match inbox.recv_timeout(TICK.saturating_sub(ticked.elapsed())) {
            Ok(Message::Asked { asker, instance, request, reply }) => {
                replies.insert(asker, reply);
                Some(In::Asked { asker, instance, request })
            }
            Ok(Message::Told(message)) => {
                if let In::Hung { asker } = &message {
                    replies.remove(asker);
                }
                Some(message)
            }
            Ok(Message::Begin(post)) => {
                for order in early.drain(..) {
                    post.send(order);
                }
                load = Some(post);
                None
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let mut orders = message.map(|message| dispatcher.step(now(), message)).unwrap_or_default();
        if ticked.elapsed() >= TICK {
            ticked = Instant::now();
            orders.extend(dispatcher.step(now(), In::Tick));
            *workers.lock().unwrap_or_else(PoisonError::into_inner) = dispatcher.workers();
        }
        for order in orders {
            match (order, &load) {
                (Do::Answer { asker, answer }, _) => {
                    // Whoever asked may have gone.
                    let _ = replies.remove(&asker).map(|reply| reply.send(answer));
                }
                (order, Some(load)) => {
                    load.send(order);
                }
                (order, None) => early.push(order),
            }
        }
    }
}
