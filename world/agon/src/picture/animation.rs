//! Makes an animation of pictures, as a GIF file. All pictures share one palette, so that nothing flickers, and each one
//! holds only what has changed.

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use resvg::tiny_skia::Pixmap;
use std::{collections::HashMap, io::Write};

/// The number of colours. One more is transparent: it stands for a pixel that has not changed.
const COLOURS: usize = 255;
const TRANSPARENT: u8 = 255;
/// How long the last picture stays before the animation begins again, in hundredths of a second.
const LAST: u16 = 200;

/// The colours of an animation.
pub struct Palette {
    colours: Vec<u8>,
    quantizer: NeuQuant,
    /// The index of each colour that was looked up.
    known: HashMap<[u8; 3], u8>,
}

impl Palette {
    /// Chooses the colours that suit these pictures best.
    pub fn of(samples: &[Pixmap]) -> Self {
        let pixels: Vec<u8> = samples.iter().flat_map(|pixmap| pixmap.data()).copied().collect();
        let quantizer = NeuQuant::new(10, COLOURS, &pixels);
        let mut colours = quantizer.color_map_rgb();
        colours.resize(3 * (COLOURS + 1), 0);
        Self { colours, quantizer, known: HashMap::new() }
    }

    fn index(&mut self, colour: [u8; 3]) -> u8 {
        let [r, g, b] = colour;
        *self.known.entry(colour).or_insert_with(|| self.quantizer.index_of(&[r, g, b, 255]) as u8)
    }
}

/// Writes the pictures of an animation, one after the other.
pub struct Animation<W: Write> {
    encoder: Encoder<W>,
    palette: Palette,
    width: u16,
    fps: u16,
    /// What is on the screen, as indices of colours.
    shown: Vec<u8>,
    /// The last change, which is written when it is known how long it stays.
    change: Option<Frame<'static>>,
    /// The number of pictures so far.
    pictures: u64,
}

impl<W: Write> Animation<W> {
    /// Begins an animation with `fps` pictures a second. Every picture has the size of `like`.
    ///
    /// # Errors
    /// It cannot be written, or a side has more than 65,535 pixels, the most that the format can say.
    pub fn new(out: W, like: &Pixmap, palette: Palette, fps: u16) -> Result<Self, EncodingError> {
        let side = |pixels: u32| {
            u16::try_from(pixels).map_err(|_| std::io::Error::other("a GIF has at most 65535 pixels a side"))
        };
        let (width, height) = (side(like.width())?, side(like.height())?);
        let mut encoder = Encoder::new(out, width, height, &palette.colours)?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Self { encoder, palette, width, fps, shown: Vec::new(), change: None, pictures: 0 })
    }

    /// Adds a picture.
    ///
    /// # Errors
    /// The animation cannot be written.
    pub fn add(&mut self, pixmap: &Pixmap) -> Result<(), EncodingError> {
        let indices: Vec<u8> =
            pixmap.data().chunks_exact(4).map(|pixel| self.palette.index([pixel[0], pixel[1], pixel[2]])).collect();
        // Delays are hundredths of a second. Rounding the sum keeps the pace of rates such as 8 pictures a second.
        let at = |pictures: u64| pictures * 100 / u64::from(self.fps);
        let stay = (at(self.pictures + 1) - at(self.pictures)) as u16;
        self.pictures += 1;
        match (self.changed(&indices), &mut self.change) {
            (None, Some(shown)) => shown.delay = shown.delay.saturating_add(stay),
            (changed, _) => {
                let frame = Frame { delay: stay, ..changed.unwrap_or_default() };
                if let Some(before) = self.change.replace(frame) {
                    self.encoder.write_frame(&before)?;
                }
            }
        }
        self.shown = indices;
        Ok(())
    }

    /// Returns the smallest rectangle with all changed pixels, or `None` if the picture is the one that is shown.
    fn changed(&self, indices: &[u8]) -> Option<Frame<'static>> {
        let width = usize::from(self.width);
        let differs = |i: usize| self.shown.get(i) != Some(&indices[i]);
        let changed: Vec<usize> = (0..indices.len()).filter(|i| differs(*i)).collect();
        let (top, bottom) = (changed.first()? / width, changed.last()? / width);
        let left = changed.iter().map(|i| i % width).min()?;
        let right = changed.iter().map(|i| i % width).max()?;
        let rows = (top..=bottom).flat_map(|y| (left..=right).map(move |x| y * width + x));
        Some(Frame {
            left: left as u16,
            top: top as u16,
            width: (right - left + 1) as u16,
            height: (bottom - top + 1) as u16,
            dispose: DisposalMethod::Keep,
            transparent: Some(TRANSPARENT),
            buffer: rows.map(|i| if differs(i) { indices[i] } else { TRANSPARENT }).collect(),
            ..Frame::default()
        })
    }

    /// Writes the last picture, which stays for two seconds, and returns the output.
    ///
    /// # Errors
    /// The animation cannot be written.
    pub fn finish(mut self) -> Result<W, EncodingError> {
        if let Some(mut last) = self.change.take() {
            last.delay = last.delay.max(LAST);
            self.encoder.write_frame(&last)?;
        }
        self.encoder.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gif::{ColorOutput, DecodeOptions};
    use resvg::tiny_skia::{Color, IntSize};

    fn picture(marked: Option<usize>) -> Pixmap {
        let mut pixmap = Pixmap::new(40, 30).expect("it is small");
        pixmap.fill(Color::from_rgba8(250, 250, 247, 255));
        let mut data = pixmap.take();
        if let Some(at) = marked {
            data[4 * at..4 * at + 4].copy_from_slice(&[0, 114, 178, 255]);
        }
        Pixmap::from_vec(data, IntSize::from_wh(40, 30).expect("it is small")).expect("it has that size")
    }

    #[test]
    fn a_picture_holds_only_what_has_changed_and_equal_pictures_are_one() {
        let pictures = [picture(None), picture(None), picture(Some(45)), picture(Some(46))];
        let mut animation =
            Animation::new(Vec::new(), &pictures[0], Palette::of(&pictures), 8).expect("memory takes it");
        for picture in &pictures {
            animation.add(picture).expect("memory takes it");
        }
        let bytes = animation.finish().expect("memory takes it");

        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::Indexed);
        let mut decoder = options.read_info(bytes.as_slice()).expect("it is a GIF");
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().expect("it is whole") {
            frames.push((frame.left, frame.top, frame.width, frame.height, frame.delay));
        }
        assert_eq!(frames, [(0, 0, 40, 30, 25), (5, 1, 1, 1, 12), (5, 1, 2, 1, LAST)]);
    }
}
