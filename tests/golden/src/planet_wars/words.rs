//! The engines' notes about players who failed.

use agon_core::{Entry, Failure};
use agon_planet_wars::{Order, Refusal};

/// Returns whether two notes say the same. We keep a number beyond 32 bits as the nearest one that fits.
pub fn same(written: &str, ours: &str) -> bool {
    let numbers = |text: &str| -> Option<Vec<i32>> {
        let fields = text.strip_prefix("bad order: ")?.split(' ');
        fields.map(|f| Some(f.parse::<i128>().ok()?.clamp(i32::MIN.into(), i32::MAX.into()) as i32)).collect()
    };
    written == ours || numbers(written).is_some_and(|n| numbers(ours) == Some(n))
}

/// Returns the server's first note about a player.
pub fn of_server(entry: &Entry<'_, Order>, nonsense: &str) -> String {
    match entry.failure {
        Some(Failure::Unlawful(index)) => {
            let Order { source, destination, ships } = entry.orders[index as usize];
            format!("bad order: {source} {destination} {ships}")
        }
        Some(Failure::Nonsense) => {
            let line = nonsense.trim_matches([' ', '\t', '\r', '\x0b', '\x0c']).to_lowercase();
            format!("kicked for making an unparseable order: {line}").trim_end_matches(' ').to_string()
        }
        _ => "kicked for taking too long to move".to_string(),
    }
}

/// Returns the recorder's note about a player of the Java engine.
pub fn of_java(entry: &Entry<'_, Order>, refusal: Option<Refusal>) -> String {
    match (entry.failure, refusal) {
        (_, Some(Refusal::UnknownSource { .. } | Refusal::UnknownDestination { .. })) => {
            "crashed-IndexOutOfBoundsException".to_string()
        }
        (Some(Failure::Unlawful(_)), _) => "dropped-bad-order".to_string(),
        (Some(Failure::Nonsense), _) => "crashed-NumberFormatException".to_string(),
        _ => "timed-out".to_string(),
    }
}
