//! `agon replay svg|png|gif FILE`.

use super::{
    place::{self, Ply},
    show::{at, not_reached},
};
use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    overwriting,
    picture::{
        animation::{Animation, Palette},
        pixels::Painter,
        svg,
    },
    printer::Printer,
    report::seat_names,
};
use agon_core::Seat;
use agon_games::AnyGame;
use agon_play::load_replay;
use agon_referee::{PlyRecord, Rerun};
use agon_replay::{LineOfPlay, Replay};
use clap::Args;
use std::{
    io::{IsTerminal as _, stdout},
    path::{Path, PathBuf},
    str::FromStr,
};

/// The most pictures from which the colours of an animation are chosen.
const SAMPLES: u32 = 8;

/// Endings of files whose content is not a picture of this program, but that one might ask it for.
const OTHER_ENDINGS: [&str; 12] =
    ["jpg", "jpeg", "webp", "avif", "bmp", "tif", "tiff", "apng", "pdf", "mp4", "webm", "html"];

/// A kind of picture, which is also its command and the ending of its files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Svg,
    Png,
    Gif,
}

impl Kind {
    const fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Gif => "gif",
        }
    }

    /// Checks that the ending of a file does not name another format. A file without one, or with any other, is fine.
    fn check(self, path: &Path) -> Result<()> {
        let Some(ending) = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()) else {
            return Ok(());
        };
        let other = [Self::Svg, Self::Png, Self::Gif].into_iter().find(|kind| kind.ending() == ending);
        if other == Some(self) || (other.is_none() && !OTHER_ENDINGS.contains(&&*ending)) {
            return Ok(());
        }
        let (own, shown) = (self.ending(), clean(&path.display().to_string()));
        let hint = match other {
            Some(_) => format!("name the file `….{own}`, or use `agon replay {ending}`"),
            None if ending == "html" => format!("name the file `….{own}`, or use `agon replay html`"),
            None => format!("name the file `….{own}`; Agon draws svg, png and gif"),
        };
        Err(Error::user(format!("`agon replay {own}` writes a file in the format {own}, not `{shown}`")).hint(hint))
    }
}

/// What is drawn, and where it goes.
#[derive(Args, Debug)]
struct Drawn {
    /// The replay. `-` is stdin.
    file: PathBuf,
    /// Draw what this seat could see, instead of everything.
    #[arg(long, value_name = "N", value_parser = place::seat(), allow_negative_numbers = true)]
    seat: Option<u8>,
    /// Write to this file instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Draw the board after a turn as an SVG picture.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay svg game.jsonl --ply 40 -o 40.svg
  agon replay svg game.jsonl --seat 2 > end.svg")]
pub struct Svg {
    #[command(flatten)]
    drawn: Drawn,
    #[command(flatten)]
    at: Ply,
}

/// Draw the board after a turn as a PNG picture.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay png game.jsonl --ply 40 -o 40.png
  agon replay png game.jsonl --width 2400 -o end.png

Its text is in Noto Sans, which is part of Agon: the same turn gives the same bytes on every machine.")]
pub struct Png {
    #[command(flatten)]
    drawn: Drawn,
    #[command(flatten)]
    at: Ply,
    /// The width of the picture in pixels; the height follows.
    #[arg(long, value_name = "PIXELS", default_value_t = 1280, value_parser = clap::value_parser!(u32).range(16..=16384))]
    width: u32,
}

/// Draw a match as an animation, in a GIF file.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay gif game.jsonl -o game.gif
  agon replay gif game.jsonl --ply 10..30 --fps 4 -o slow.gif
  agon replay gif game.jsonl --ply 20.. --width 400 -o end.gif")]
pub struct Gif {
    #[command(flatten)]
    drawn: Drawn,
    /// Draw the turns from A to B, both of them too; 0 is the start. `A..` goes on to the last turn, `..B` begins at the
    /// start.
    #[arg(long, visible_alias = "turn", value_name = "A..B", default_value = "..", allow_hyphen_values = true)]
    ply: Turns,
    /// The number of turns a second.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=50))]
    fps: u16,
    /// The width of the animation in pixels; the height follows.
    #[arg(long, value_name = "PIXELS", default_value_t = 640, value_parser = clap::value_parser!(u32).range(16..=4096))]
    width: u32,
}

/// A range of turns, with both ends. An end that is not given is that of the match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Turns {
    first: Option<u32>,
    last: Option<u32>,
}

impl FromStr for Turns {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (first, last) = text.split_once("..").ok_or("write a range of turns, for example 30..60, 30.. or ..60")?;
        let end = |text: &str| match text {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| format!("`{text}` is no number of a turn")),
        };
        let turns = Self { first: end(first)?, last: end(last)? };
        match turns {
            Self { first: Some(first), last: Some(last) } if first > last => {
                Err(format!("turn {first} comes after turn {last}"))
            }
            turns => Ok(turns),
        }
    }
}

impl Turns {
    /// Returns the first and the last turn of the range in a match of so many turns.
    ///
    /// # Errors
    /// The match has no such turns.
    fn within(self, plies: u32) -> Result<(u32, u32)> {
        let (first, last) = (self.first.unwrap_or(0), self.last.unwrap_or(plies));
        // The later end is given if both are: a range has its ends in order.
        let end = self.last.unwrap_or(first);
        if end > plies {
            let text = format!("turn {end} comes after the last turn of the match, {plies}");
            return Err(Error::user(text).hint("`--ply A..B` is the range of turns to draw"));
        }
        Ok((first, last))
    }
}

impl Svg {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let (replay, game) = self.drawn.load(Kind::Svg)?;
        let album = Album::of(&replay, game, self.drawn.seat)?;
        let picture = album.svg(&album.rerun(self.at.ply.unwrap_or(album.play.plies()))?);
        self.drawn.write(printer, picture.as_bytes())
    }
}

impl Png {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        self.drawn.refuse_terminal()?;
        let (replay, game) = self.drawn.load(Kind::Png)?;
        let album = Album::of(&replay, game, self.drawn.seat)?;
        let picture = album.svg(&album.rerun(self.at.ply.unwrap_or(album.play.plies()))?);
        let png = Painter::new(self.width).paint(&picture)?.encode_png();
        let png = png.map_err(|why| Error::user(format!("cannot make the picture: {why}")).exit(Exit::Internal))?;
        self.drawn.write(printer, &png)
    }
}

impl Gif {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        self.drawn.refuse_terminal()?;
        let (replay, game) = self.drawn.load(Kind::Gif)?;
        let album = Album::of(&replay, game, self.drawn.seat)?;
        let (first, last) = self.ply.within(album.play.plies())?;
        let (painter, turns) = (Painter::new(self.width), &album.play.turns);
        let mut samples = Vec::new();
        let mut rerun = album.rerun(first)?;
        for ply in spread(first, last) {
            rerun.seek(ply, turns).map_err(|why| not_reached(&why))?;
            samples.push(painter.paint(&album.svg(&rerun))?);
        }
        let failed = |why| Error::user(format!("cannot make the animation: {why}"));
        let mut animation = Animation::new(Vec::new(), &samples[0], Palette::of(&samples), self.fps).map_err(failed)?;
        let mut rerun = album.rerun(first)?;
        let bar = printer.bar(u64::from(last - first) + 1);
        for ply in first..=last {
            rerun.seek(ply, turns).map_err(|why| not_reached(&why))?;
            animation.add(&painter.paint(&album.svg(&rerun))?).map_err(failed)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        self.drawn.write(printer, &animation.finish().map_err(failed)?)
    }
}

impl Drawn {
    fn load(&self, kind: Kind) -> Result<(Replay, &'static dyn AnyGame)> {
        if let Some(output) = &self.output {
            kind.check(output)?;
            overwriting::refuse(&[("--output", output)], &[("the replay", self.file.as_path())])?;
        }
        Ok(load_replay(&self.file)?)
    }

    fn refuse_terminal(&self) -> Result<()> {
        if self.output.is_none() && stdout().is_terminal() {
            return Err(Error::user("the picture is no text for a terminal").hint("write it to a file: `-o FILE`"));
        }
        Ok(())
    }

    fn write(&self, printer: &Printer, bytes: &[u8]) -> Result<Exit> {
        match &self.output {
            None => printer.data(bytes)?,
            Some(path) => {
                overwriting::replace(path, bytes).map_err(|e| Error::file("write", path, &e))?;
                printer.note(format!("the picture is in {}", clean(&path.display().to_string())));
            }
        }
        Ok(Exit::Done)
    }
}

/// A recorded match whose turns are drawn.
struct Album<'a> {
    game: &'static dyn AnyGame,
    play: LineOfPlay<&'a PlyRecord>,
    eyes: Option<Seat>,
}

impl<'a> Album<'a> {
    fn of(replay: &'a Replay, game: &'static dyn AnyGame, seat: Option<u8>) -> Result<Self> {
        let play = replay.line_of_play();
        let eyes = seat.map(|number| place::seat_of(number, play.spec.seats.len())).transpose()?;
        Ok(Self { game, play, eyes })
    }

    fn rerun(&self, ply: u32) -> Result<Rerun> {
        at(self.game, &self.play, ply)
    }

    fn svg(&self, rerun: &Rerun) -> String {
        let frame = match self.eyes {
            None => rerun.board().picture(),
            eyes => rerun.board().frame(eyes).spelled_out(),
        };
        svg(&frame, &seat_names(&self.play.spec))
    }
}

/// Returns turns of a range at equal distances, with its first and its last one.
fn spread(first: u32, last: u32) -> impl Iterator<Item = u32> {
    let steps = (last - first).clamp(1, SAMPLES - 1);
    (0..=steps).map(move |step| first + (u64::from(last - first) * u64::from(step) / u64::from(steps)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_turns_has_both_ends_and_may_lack_either() {
        let turns = |first, last| Ok(Turns { first, last });
        assert_eq!("30..60".parse(), turns(Some(30), Some(60)));
        assert_eq!("30..".parse(), turns(Some(30), None));
        assert_eq!("..60".parse(), turns(None, Some(60)));
        assert_eq!("..".parse(), turns(None, None));
        for text in ["", "30", "60..30", "a..b", "-1..4", "1..2..3", "4294967296.."] {
            assert!(text.parse::<Turns>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_ending_may_not_name_another_format() {
        for name in ["a.png", "a.PNG", "a", "/dev/stdout", "a.png.part", "turn.57", "png"] {
            assert!(Kind::Png.check(Path::new(name)).is_ok(), "{name}");
        }
        for name in ["a.jpg", "a.JPEG", "a.svg", "a.gif", "a.png.webp", "a.html"] {
            assert!(Kind::Png.check(Path::new(name)).is_err(), "{name}");
        }
    }

    #[test]
    fn colours_are_chosen_from_turns_of_the_whole_range() {
        assert_eq!(spread(5, 5).collect::<Vec<_>>(), [5, 5]);
        assert_eq!(spread(0, 2).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(spread(0, 700).collect::<Vec<_>>(), [0, 100, 200, 300, 400, 500, 600, 700]);
    }
}
