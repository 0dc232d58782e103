//! What becomes of requests, with a clock as data.

use super::*;
use crate::{ServerAddress, WorkerKey};
use agon_spec::{WorkerError, WorkerMachine};
use std::sync::mpsc::{Receiver, channel};

/// A clock in which waiting takes no time.
#[derive(Debug, Default)]
struct Quick(Mutex<Duration>);

impl Clock for Quick {
    fn now(&self) -> Duration {
        *self.0.lock().expect("no panic")
    }

    fn wait(&self, time: Duration, ends: &dyn Fn() -> bool) -> bool {
        if ends() {
            return false;
        }
        *self.0.lock().expect("no panic") += time;
        !ends()
    }
}

fn link(patience: Option<Duration>) -> (Link, Receiver<LinkNote>, Cancel) {
    let address = ServerAddress::parse("http://127.0.0.1:1").expect("an address");
    let key = WorkerKey::parse("0123456789abcdef").expect("a key");
    let about = WorkerRegister {
        name: "arena".to_owned(),
        instance: "0123456789abcdef".to_owned(),
        machine: WorkerMachine::default(),
        isolation: None,
        tools: Vec::new(),
    };
    let (notes, noted) = channel();
    let cancel = Cancel::new().expect("a flag");
    let client = Client::new(&address, &key, "0123456789abcdef");
    let link = Link::new(client, Arc::new(Quick::default()), about, cancel.clone(), patience, notes);
    (link, noted, cancel)
}

/// Fails so often, and then answers.
fn after(times: u32, trouble: Trouble) -> impl FnMut(&Client) -> Result<u32, Trouble> {
    let mut failures = 0;
    move |_| {
        failures += 1;
        if failures > times { Ok(failures) } else { Err(trouble.clone()) }
    }
}

fn gone() -> Trouble {
    Trouble::Away("connection refused".to_owned())
}

#[test]
fn a_request_is_repeated_until_it_has_an_answer() {
    let (link, noted, _) = link(None);
    assert_eq!(link.ask(Until::Finishing, after(1_000, gone())).expect("it is back"), 1_001);
    assert_eq!(noted.try_iter().collect::<Vec<_>>(), [LinkNote::Away("connection refused".to_owned()), LinkNote::Back]);
    let waited = link.clock.now();
    assert!(waited > Duration::from_secs(3_000) && waited < Duration::from_secs(30_000), "{waited:?}");
    assert_eq!(link.ask(Until::Finishing, after(2, gone())).expect("it is back"), 3);
    assert!(noted.try_iter().next().is_none(), "what is over at once is not told");
}

#[test]
fn a_wish_for_patience_holds_for_all_requests() {
    let (link, _, _) = link(None);
    let busy = Trouble::Busy { after: Some(Duration::from_secs(40)), why: "full".to_owned() };
    link.ask(Until::Finishing, after(1, busy)).expect("it answers");
    let waited = link.clock.now();
    assert!((40..60).contains(&waited.as_secs()), "{waited:?}");
    link.state().quiet_until = waited + Duration::from_secs(7);
    link.ask(Until::Finishing, after(0, gone())).expect("it answers");
    assert_eq!(link.clock.now(), waited + Duration::from_secs(7), "another thread was put off");
}

#[test]
fn a_server_that_stays_away_ends_only_who_has_nothing_to_lose() {
    let (link, _, _) = link(Some(Duration::from_secs(600)));
    link.set_holding(true);
    assert!(link.ask(Until::Finishing, after(1_000, gone())).is_ok());
    link.set_holding(false);
    match link.ask(Until::Finishing, after(1_000, gone())) {
        Err(Unanswered::Failed(WorkerFailure::Gone { minutes, .. })) => assert!((10..11).contains(&minutes)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_request_ends_when_it_is_told_to() {
    let (link, _, cancel) = link(None);
    let until = Until::Time(Duration::from_secs(5));
    assert!(matches!(link.ask(until, after(1_000, gone())), Err(Unanswered::Ended)));
    cancel.finish();
    assert!(matches!(link.ask(Until::Finishing, after(0, gone())), Err(Unanswered::Ended)));
    assert!(link.ask(Until::Killed, after(3, gone())).is_ok(), "results are still reported");
    cancel.kill();
    assert!(matches!(link.ask(Until::Killed, after(0, gone())), Err(Unanswered::Ended)));
    let (link, ..) = self::link(None);
    link.set_claiming(false);
    assert!(matches!(link.ask(Until::Claiming, after(0, gone())), Err(Unanswered::Ended)));
    assert!(link.ask(Until::Finishing, after(0, gone())).is_ok());
    link.end();
    assert!(matches!(link.ask(Until::Killed, after(0, gone())), Err(Unanswered::Ended)));
}

#[test]
fn refusals_that_concern_the_worker_end_it() {
    let (link, _, _) = link(None);
    let refused = |code| {
        let error = WorkerError { code, message: "no".to_owned(), hint: None };
        link.ask(Until::Finishing, after(1, Trouble::Refused(error))).expect_err("it is refused")
    };
    use WorkerErrorCode::{BadRequest, NoKey, OtherVersion, PutAside};
    assert!(matches!(refused(NoKey), Unanswered::Failed(WorkerFailure::WrongKey(_))));
    assert!(matches!(refused(OtherVersion), Unanswered::Failed(WorkerFailure::OtherVersion(_))));
    assert!(matches!(refused(PutAside), Unanswered::Failed(WorkerFailure::PutAside(_))));
    assert!(matches!(refused(BadRequest), Unanswered::Refused(_)));
    let stranger = || Trouble::Stranger("a router".to_owned());
    let first = link.ask(Until::Finishing, after(1, stranger()));
    assert!(matches!(first, Err(Unanswered::Failed(WorkerFailure::Stranger { .. }))), "{first:?}");
    link.state().times = 1;
    assert!(link.ask(Until::Finishing, after(9, stranger())).is_ok(), "it was there before");
}
