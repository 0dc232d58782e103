//! Turns a picture from [`svg`](super::svg) into pixels, without a browser. The only font is the one in Agon, so that the
//! same picture has the same pixels on every machine.

use crate::{
    error::{Error, Result},
    exit::Exit,
};
use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree, fontdb::Database},
};
use std::sync::Arc;

/// Noto Sans, under the licence in `fonts/OFL.txt`. It has the Latin, Greek and Cyrillic scripts; other characters show
/// as boxes.
const FONT: &[u8] = include_bytes!("../../fonts/NotoSans-Regular.ttf");
const FAMILY: &str = "Noto Sans";

/// The most pixels of a picture; they take four bytes each.
const MOST_PIXELS: f32 = 64e6;

/// Paints pictures of one width.
pub struct Painter {
    options: Options<'static>,
    width: u32,
}

impl Painter {
    pub fn new(width: u32) -> Self {
        let mut fonts = Database::new();
        fonts.load_font_data(FONT.to_vec());
        fonts.set_sans_serif_family(FAMILY);
        let options = Options { font_family: FAMILY.to_owned(), fontdb: Arc::new(fonts), ..Options::default() };
        Self { options, width }
    }

    /// Paints the text of an SVG file. The height follows from the width.
    ///
    /// # Errors
    /// The picture would have too many pixels.
    pub fn paint(&self, svg: &str) -> Result<Pixmap> {
        let tree = Tree::from_str(svg, &self.options)
            .map_err(|why| Error::user(format!("cannot read the picture of the board: {why}")).exit(Exit::Internal))?;
        let size = tree.size();
        let scale = self.width as f32 / size.width();
        let height = (size.height() * scale).round().max(1.0);
        let pixels = Some(height).filter(|height| self.width as f32 * height <= MOST_PIXELS);
        let Some(mut pixmap) = pixels.and_then(|height| Pixmap::new(self.width, height as u32)) else {
            let text = format!("a picture of {} x {height:.0} pixels is too large", self.width);
            return Err(Error::user(text).hint("give a smaller `--width`"));
        };
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
        Ok(pixmap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20' font-family='sans-serif'>\
                        <text x='2' y='15' font-size='14'>Ω7</text></svg>";

    #[test]
    fn text_is_painted_with_the_font_of_agon() {
        let pixmap = Painter::new(80).paint(TEXT).expect("it is small");
        assert_eq!((pixmap.width(), pixmap.height()), (80, 40));
        assert!(pixmap.pixels().iter().any(|pixel| pixel.alpha() == 255), "the text is there");
        assert_eq!(pixmap.data(), Painter::new(80).paint(TEXT).expect("it is small").data());
    }

    #[test]
    fn a_picture_that_is_too_large_is_refused() {
        let tall = "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1000'/>";
        let why = Painter::new(1000).paint(tall).expect_err("it would have a billion pixels");
        assert!(why.to_string().contains("1000 x 1000000"), "{why}");
    }
}
