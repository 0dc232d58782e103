//! Names of maps that come from a server.

use std::path::{Component, Path, PathBuf};

/// A name has at most so many bytes.
const LONGEST: usize = 1_024;

/// Returns where in the tournament's folder the map with this name is, or why it cannot be there.
///
/// The server is another machine: whatever it says, nothing outside of the folder is written.
pub(crate) fn place_of(name: &str) -> Result<PathBuf, &'static str> {
    if name.is_empty() || name.len() > LONGEST {
        return Err("it is empty or too long");
    }
    if name.chars().any(|c| c.is_control() || agon_core::text::is_hidden(c)) {
        return Err("it has characters that nobody sees");
    }
    let mut place = PathBuf::new();
    for component in Path::new(name).components() {
        match component {
            Component::Normal(part) => place.push(part),
            Component::CurDir => {}
            Component::ParentDir => return Err("it leads out of the tournament's folder with `..`"),
            Component::RootDir | Component::Prefix(_) => return Err("it is an absolute path"),
        }
    }
    if place.as_os_str().is_empty() || name.ends_with('/') || name.ends_with("/.") {
        return Err("it is a folder");
    }
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_map_stays_in_the_folder() {
        for name in ["island.txt", "maps/island.txt", "./maps/./a b.txt", "maps/..island", "île.txt"] {
            assert!(place_of(name).is_ok(), "{name}");
        }
        for name in [
            "",
            "/etc/passwd",
            "../cup.agon",
            "maps/../../x",
            "..",
            ".",
            "maps/",
            "maps/.",
            "a\0b",
            "a\nb",
            "\x1b[2J",
            "a\u{202e}b",
            &"a".repeat(2_000),
        ] {
            assert!(place_of(name).is_err(), "{name:?}");
        }
        assert_eq!(place_of("./maps//a.txt"), Ok(PathBuf::from("maps/a.txt")));
    }

    proptest! {
        #[test]
        fn no_name_leads_out(name in r"[./a\\~ \x00]{0,12}") {
            if let Ok(place) = place_of(&name) {
                prop_assert!(place.is_relative());
                prop_assert!(place.components().all(|part| matches!(part, Component::Normal(_))));
            }
        }
    }
}
