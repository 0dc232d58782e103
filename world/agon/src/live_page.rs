//! A match in the browser while it is played: a page that takes the lines of the replay as they come.

use crate::{
    browser,
    error::{Error, Result, reason},
    page::{Page, Source},
    printer::Printer,
};
use agon_play::Cancel;
use agon_referee::MatchEvent;
use agon_replay::Writer;
use agon_server::http::{Lines, PageServer, Token, page_routes};
use std::{thread, time::Duration};

/// The maximum time between two looks at the interrupt flag.
const NAP: Duration = Duration::from_millis(50);

/// The most that is kept for the page. Later turns of a longer match are not shown.
const MOST_BYTES: u64 = 128 << 20;

/// A page that shows a match while it is played.
pub struct LivePage {
    /// `None` after the last line, and if the match is too long for a replay.
    writer: Option<Writer<Lines>>,
    lines: Lines,
}

impl LivePage {
    /// Serves the page and opens the browser. The address is on stderr.
    ///
    /// # Errors
    /// No port is free, or the system starts no thread.
    pub fn open(printer: &Printer) -> Result<Self> {
        let lines = Lines::default();
        let page =
            Page { source: Source::Live, transcript: None, file: None, beside: None, bots: false, plays: false }.html();
        let failed = |why| Error::system("cannot serve the page of the match", &why);
        let server = PageServer::new(0).map_err(failed)?;
        let token = Token::random();
        let url = format!("{}{}/", server.url(), token.text());
        let routes = page_routes(token, page, lines.clone());
        let warner = *printer;
        let serving = move || {
            let why = server.run(routes);
            warner.warning(format!("the page of the match is no longer served: {}", reason(&why)));
        };
        thread::Builder::new().spawn(serving).map_err(|why| Error::thread(&why))?;
        printer.tell(format!("the match is shown at {url}"));
        browser::open(&url, printer);
        Ok(Self { writer: Some(Writer::new(lines.clone(), env!("CARGO_PKG_VERSION")).limited(MOST_BYTES)), lines })
    }

    /// Shows an event.
    pub fn add(&mut self, event: &MatchEvent) {
        if let Some(writer) = &mut self.writer
            && writer.write(event).is_err()
        {
            self.writer = None;
        }
    }

    /// Says that the match is over, and keeps the page until the command is interrupted.
    pub fn stay(self, cancel: &Cancel, printer: &Printer) {
        // What cannot be written was never seen, and the page says that the match is cut off.
        let _ = self.writer.map(Writer::finish);
        self.lines.end();
        printer.note("the page stays until Ctrl-C");
        while !cancel.is_cancelled() {
            thread::sleep(NAP);
        }
    }
}
