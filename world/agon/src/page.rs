//! A recorded match as one page: the viewer, the rules as WebAssembly, and the replay in one HTML file. It opens from disk
//! in any browser and fetches nothing.

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::io::Write;

/// The viewer, built from `viewer/` by `cargo xtask assets`.
const SCRIPT: &str = include_str!("../assets/page.js");
const STYLE: &str = include_str!("../assets/page.css");
/// The rules of every game, without bots, built from `agon-wasm` by the same task.
const ENGINE: &[u8] = include_bytes!("../assets/view.wasm");
/// The same with the built-in bots. A page that plays matches on has both, because the smaller one is there sooner.
const PLAY: &[u8] = include_bytes!("../assets/play.wasm");

/// What a page is made of.
pub struct Page<'a> {
    /// The match that it shows.
    pub source: Source<'a>,
    /// The lines of the transcript of the same match, if the page has what bots wrote.
    pub transcript: Option<&'a [u8]>,
    /// The name of the file with the replay, which stands in commands that the page gives to copy.
    pub file: Option<&'a str>,
    /// The lines of another replay, which is shown beside the first one, in step with it.
    pub beside: Option<&'a [u8]>,
    /// Whether the page has the built-in bots, which play the match on.
    pub bots: bool,
    /// Whether the server of the page begins a console at any turn.
    pub plays: bool,
}

/// The block that follows the script, because the first board does not wait for it: the module with built-in bots.
const LATER: &str = "agon-play";

/// Where a page has its match from.
pub enum Source<'a> {
    /// The lines of the replay, not compressed. They are in the page.
    Replay(&'a [u8]),
    /// What one seat knew. It is in the page, and neither a replay nor the rules are.
    Known(&'a [u8]),
    /// The server of the page, which has the lines as they are written.
    Live,
}

impl Page<'_> {
    /// Returns the page. Equal replays of one name give equal pages.
    ///
    /// The policy lets the browser refuse whatever is not in the file: other scripts and styles, every request (but those of a
    /// live page for its lines, and of a page that begins consoles), and markup that a script makes of text.
    ///
    /// No text of a bot is part of the markup: replay and transcript are compressed blocks in base64, which the script
    /// shows as text.
    pub fn html(&self) -> Vec<u8> {
        let (replay, known, connect) = match self.source {
            Source::Replay(lines) => (Some(lines), None, if self.plays { "'self'" } else { "'none'" }),
            Source::Known(record) => (None, Some(record), "'none'"),
            Source::Live => (None, None, "'self'"),
        };
        let engine = known.is_none().then_some(ENGINE);
        let blocks = [
            ("agon-engine", engine),
            ("agon-known", known),
            ("agon-replay", replay),
            ("agon-transcript", self.transcript),
            ("agon-file", self.file.map(str::as_bytes)),
            ("agon-beside", self.beside),
            ("agon-plays", self.plays.then_some(b"1")),
            (LATER, self.bots.then_some(PLAY)),
        ];
        document(SCRIPT, STYLE, connect, &blocks)
    }
}

/// Returns a page of a script, a style sheet and blocks of data. `connect` is what the script may ask for.
pub fn document(script: &str, style: &str, connect: &str, blocks: &[(&str, Option<&[u8]>)]) -> Vec<u8> {
    let has = |name: &str| blocks.iter().any(|(id, bytes)| *id == name && bytes.is_some());
    // Only an engine has to be compiled.
    let compile = if has("agon-engine") { " 'wasm-unsafe-eval'" } else { "" };
    // The script starts itself anew in a worker, in which bots play matches to their end.
    let (work, policies) = if has(LATER) { (" worker-src blob:;", "agon-worker") } else { ("", "'none'") };
    let policy = format!(
        "default-src 'none'; connect-src {connect}; script-src '{}'{compile}; style-src '{}'; img-src data:;{work} base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types {policies}",
        hash(script),
        hash(style)
    );
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>Agon</title>\n<style>{style}</style>\n</head>\n<body>\n"
    );
    let push = |out: &mut String, is_later: bool| {
        for (id, bytes) in blocks.iter().filter(|(id, _)| (*id == LATER) == is_later) {
            let Some(bytes) = bytes else { continue };
            out.push_str(&format!("<script type=\"application/gzip\" id=\"{id}\">"));
            push_base64(out, &packed(bytes));
            out.push_str("</script>\n");
        }
    };
    push(&mut out, false);
    out.push_str(&format!("<script>{script}</script>\n"));
    push(&mut out, true);
    out.push_str("</body>\n</html>\n");
    out.into_bytes()
}

/// Returns the hash of a text as a content security policy names it.
fn hash(text: &str) -> String {
    let mut out = String::from("sha256-");
    push_base64(&mut out, &Sha256::digest(text));
    out
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).and_then(|()| packer.finish()).expect("memory takes every byte")
}

/// Appends the bytes in base64, with padding (RFC 4648, section 4).
fn push_base64(out: &mut String, bytes: &[u8]) {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.reserve(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let word = part.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for place in 0..4 {
            let sign = SIGNS[(word >> (18 - 6 * place)) as usize & 63];
            out.push(if place > part.len() { '=' } else { char::from(sign) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648, section 10.
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")]
        {
            let mut out = String::new();
            push_base64(&mut out, bytes.as_bytes());
            assert_eq!(out, text);
        }
        let mut out = String::new();
        push_base64(&mut out, &[0xfb, 0xff, 0xfe]);
        assert_eq!(out, "+//+");
    }

    #[test]
    fn the_script_and_the_style_cannot_end_their_elements() {
        for (text, end) in [(SCRIPT, "</script"), (SCRIPT, "<!--"), (STYLE, "</style")] {
            assert!(!text.to_ascii_lowercase().contains(end), "{end}");
        }
    }

    #[test]
    fn text_of_bots_is_no_markup() {
        let hostile = b"</script><script>alert(1)</script>";
        let source = Source::Replay(hostile);
        let page =
            Page { source, transcript: Some(hostile), file: Some("</script>"), beside: None, bots: true, plays: false }
                .html();
        let text = String::from_utf8(page).expect("the page is text");
        assert!(!text.contains("alert(1)"));
        assert_eq!(text.matches("<script").count(), 6, "five blocks and the viewer");
        assert_eq!(text.matches("</script>").count(), 6);
    }
}
