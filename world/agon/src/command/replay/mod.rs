//! `agon replay show|verify|view|html|svg|png|gif|export|import|ask`.

mod ask;
mod export;
mod html;
mod import;
mod picture;
mod place;
mod play;
mod rounds;
mod show;
mod time;
mod transcript;
mod verify;
mod view;
mod watch;

pub use verify::verified;

use crate::{error::Result, exit::Exit, printer::Printer};
use clap::{Args, Subcommand};

/// Show, draw, verify and convert recorded matches, and ask a bot about one.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay show game.jsonl --ply 40
  agon replay show game.jsonl --time --turn 57
  agon replay show game.jsonl --watch
  agon replay verify game.jsonl
  agon replay view game.jsonl
  agon replay html game.jsonl -o game.html
  agon replay png game.jsonl --ply 40 -o 40.png
  agon replay gif game.jsonl --ply 10..30 -o game.gif
  agon replay export game.jsonl --to playback > playback.txt
  agon replay ask game.jsonl --ply 40 --seat 1 'python3 bot.py'")]
pub struct Replay {
    #[command(subcommand)]
    command: ReplayCommand,
}

#[derive(Subcommand, Debug)]
enum ReplayCommand {
    Show(show::Show),
    Verify(verify::Verify),
    View(view::View),
    Html(html::Html),
    Svg(picture::Svg),
    Png(picture::Png),
    Gif(picture::Gif),
    Export(export::Export),
    Import(import::Import),
    Ask(ask::Ask),
}

impl Replay {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match self.command {
            ReplayCommand::Show(show) => show.run(printer),
            ReplayCommand::Verify(verify) => verify.run(printer),
            ReplayCommand::View(view) => view.run(printer),
            ReplayCommand::Html(html) => html.run(printer),
            ReplayCommand::Svg(svg) => svg.run(printer),
            ReplayCommand::Png(png) => png.run(printer),
            ReplayCommand::Gif(gif) => gif.run(printer),
            ReplayCommand::Export(export) => export.run(printer),
            ReplayCommand::Import(import) => import.run(printer),
            ReplayCommand::Ask(ask) => ask.run(printer),
        }
    }
}
