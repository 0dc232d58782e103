//! Pages in which a person plays. One has the rules with the built-in bots as WebAssembly and the match that begins, in one
//! HTML file: it opens from disk in any browser and needs no server. The other one is the page of a console that is served.

use crate::page::document;
use agon_spec::MatchSpec;
use serde_json::json;

/// The console, built from `viewer/` by `cargo xtask assets`.
const SCRIPT: &str = include_str!("../assets/console.js");
const STYLE: &str = include_str!("../assets/console.css");
/// The rules of every game with bots and generators, built from `agon-wasm` by the same task.
const ENGINE: &[u8] = include_bytes!("../assets/play.wasm");
/// A page has no whole numbers beyond 2^53.
pub const MOST_SEED: u64 = (1 << 53) - 1;

/// Returns the page of a match that begins. Equal matches give equal pages.
pub fn html(spec: &MatchSpec) -> Vec<u8> {
    let seats: Vec<_> = spec.seats.iter().map(|seat| json!({ "name": seat.name, "bot": seat.bot })).collect();
    let mut start = json!({
        "game": spec.game,
        "rules": spec.rules,
        "map": spec.map,
        "map_name": spec.map_name,
        "seed": spec.seed.0 & MOST_SEED,
        "seats": seats,
    });
    if let Some(limit) = spec.limit {
        start["limit"] = limit.into();
    }
    let start = start.to_string();
    document(SCRIPT, STYLE, "'none'", &[("agon-engine", Some(ENGINE)), ("agon-match", Some(start.as_bytes()))])
}

/// Returns the page of a console that is served on this port of this machine.
pub fn served(game: &str, port: u16) -> Vec<u8> {
    // Some browsers do not count a WebSocket of the same server as `'self'`.
    let connect = format!("'self' ws://127.0.0.1:{port} ws://localhost:{port}");
    let served = json!({ "game": game }).to_string();
    document(SCRIPT, STYLE, &connect, &[("agon-engine", Some(ENGINE)), ("agon-served", Some(served.as_bytes()))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Seed;
    use agon_spec::SeatSpec;

    #[test]
    fn the_page_is_small_and_has_no_markup_from_names() {
        let seat =
            SeatSpec { name: "</script><script>alert(1)</script>".into(), bot: "human".into(), ..SeatSpec::default() };
        let map = "point 1 1\npoint 5 1\npoint 1 5\n";
        let spec = MatchSpec { seed: Seed(u64::MAX), ..MatchSpec::new("triangles", "spec", map, [seat.clone(), seat]) };
        let page = html(&spec);
        // As `docs/console.md` says.
        assert!(page.len() < 1_000_000, "{} bytes", page.len());
        let text = String::from_utf8(page).expect("the page is text");
        assert!(!text.contains("alert(1)"));
        assert_eq!(text.matches("<script").count(), 3, "two blocks and the console");
    }

    #[test]
    fn the_script_and_the_style_cannot_end_their_elements() {
        for (text, end) in [(SCRIPT, "</script"), (SCRIPT, "<!--"), (STYLE, "</style")] {
            assert!(!text.to_ascii_lowercase().contains(end), "{end}");
        }
    }
}
