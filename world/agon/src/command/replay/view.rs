//! `agon replay view FILE`.

use super::{
    html::{file_name, replay_lines},
    play,
    transcript::Excerpt,
};
use crate::{
    browser,
    clean::clean,
    command::Format,
    error::{Error, Result},
    exit::Exit,
    interrupt,
    page::{Page, Source},
    printer::Printer,
};
use agon_server::http::{Lines, PageServer, Token, page_routes};
use axum::Router;
use clap::Args;
use std::path::PathBuf;

/// Show a recorded match in the browser. It is served on this machine alone, until Ctrl-C.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay view game.jsonl
  agon replay view game.jsonl --transcript talk.jsonl
  agon replay view game.jsonl --no-open --port 8080
  agon replay view game.jsonl --format json --no-open

`agon replay html` writes the same page to a file, without the button that begins a console.")]
pub struct View {
    /// The replay. `-` is stdin.
    file: PathBuf,
    /// The transcript of the match, from `agon match --transcript`.
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    /// The port to listen on. The default is any free one.
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Do not open the browser.
    #[arg(long)]
    no_open: bool,
    /// How to print the address. As JSON, the first line is the document.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl View {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let replay = replay_lines(&self.file)?;
        let transcript = self.transcript.as_deref().map(|path| Excerpt::read(path, None)).transpose()?;
        if let Some(left_out) = transcript.as_ref().and_then(|excerpt| excerpt.left_out) {
            printer.warning(left_out.to_string());
        }
        // A console reads the file again.
        let plays = self.file.metadata().is_ok_and(|about| about.is_file());
        let (transcript, file) = (transcript.as_ref().map(|excerpt| &*excerpt.lines), file_name(&self.file));
        let page = Page { source: Source::Replay(&replay), transcript, file, beside: None, bots: true, plays }.html();
        let failed = |why| Error::system(&format!("cannot listen on port {}", self.port), &why);
        let server = PageServer::new(self.port).map_err(failed)?;
        interrupt::ends_the_command()?;
        let token = Token::random();
        let url = format!("{}{}/", server.url(), token.text());
        let note = format!("shows {} until Ctrl-C", clean(&self.file.display().to_string()));
        browser::announce_and_open(&url, &note, self.format, (!self.no_open).then_some(&*url), printer)?;
        let consoles = if plays { play::routes(token.clone(), self.file, replay) } else { Router::new() };
        let why = server.run(page_routes(token, page, Lines::default()).merge(consoles));
        Err(Error::system("cannot serve the page", &why))
    }
}
