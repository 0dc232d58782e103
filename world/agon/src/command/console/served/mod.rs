//! `agon console GAME` without a terminal: a page that the console serves on this machine.

mod absence;
mod hub;
mod pieces;
mod routes;
mod wire;

use super::session::Session;
use crate::{
    browser,
    command::Format,
    console_page,
    error::{Error, Result},
    exit::Exit,
    interrupt::Interrupt,
    printer::Printer,
};
use absence::Absence;
use agon_server::http::{Keys, PageServer, Token};
use crossbeam_channel::{Receiver, select, unbounded};
use hub::Hub;
use routes::{PageEvent, routes};
use std::{
    thread,
    time::{Duration, Instant},
};

/// The maximum time between two looks at the interrupt flag.
const NAP: Duration = Duration::from_millis(50);
/// How long pages may take to hear of the end.
const GOODBYE: Duration = Duration::from_secs(1);

/// How a page is served.
pub struct Served {
    /// The port to listen on. 0 stands for any free one.
    pub port: u16,
    /// Whether the browser is opened.
    pub opens: bool,
    /// How the address is printed.
    pub format: Format,
    /// How long the console goes on when its last page has gone. `None` is without end.
    pub absence: Option<Duration>,
}

impl Served {
    /// Serves a session until somebody quits it, or until Ctrl-C.
    ///
    /// # Errors
    /// The port is taken, stdout cannot be written, or the system starts no thread.
    pub fn run(&self, session: &mut Session<'_>, interrupt: &Interrupt, printer: &Printer) -> Result<Exit> {
        let failed = |why| Error::system(&format!("cannot listen on port {}", self.port), &why);
        let server = PageServer::new(self.port).map_err(failed)?;
        let (keys, page) = (Keys::random(), console_page::served(session.game_name(), server.port()));
        let address = |token: &Token| format!("{}#{}", server.url(), token.text());
        let (url, opened) = (address(keys.token()), self.opens.then(|| address(&keys.ticket())));
        let mut hub = Hub::new(session, keys.token())?;
        let (sender, events) = unbounded();
        let routes = routes(keys, page, sender.clone());
        let serving = move || {
            let why = server.run(routes);
            let _ = sender.send(PageEvent::Failed(why));
        };
        thread::Builder::new().spawn(serving).map_err(|why| Error::thread(&why))?;
        let note = "the console is at this address until Ctrl-C or `quit`; `--terminal` is a prompt in its place";
        browser::announce_and_open(&url, note, self.format, opened.as_deref(), printer)?;
        let mut absence = Absence::new(self.absence);
        while !interrupt.cancel().is_cancelled() && !session.has_quit {
            if absence.is_too_long(hub.has_pages(), session.now()) {
                break;
            }
            let left = session.left().into_iter().chain(hub.left(session.now())).fold(NAP, Duration::min);
            select! {
                recv(session.reports()) -> report => report.into_iter().for_each(|report| session.hear(report)),
                recv(session.prepared()) -> bot => bot.into_iter().for_each(|bot| session.seat(bot)),
                recv(events) -> event => event.into_iter().try_for_each(|event| hub.take(event, session))?,
                default(left) => session.tick(),
            }
            hub.publish(session)?;
        }
        session.rescue();
        if !session.has_quit {
            session.begin(0, "quit");
            hub.publish(session)?;
        }
        hub.end()?;
        say_goodbye(hub, &events);
        Ok(Exit::Done)
    }
}

/// Waits until all pages have what was sent to them.
fn say_goodbye(hub: Hub, events: &Receiver<PageEvent>) {
    let mut pages = hub.close();
    let until = Instant::now() + GOODBYE;
    while !pages.is_empty()
        && let Ok(event) = events.recv_deadline(until)
    {
        if let PageEvent::Left { page } = event {
            pages.remove(&page);
        }
    }
}
