//! The links between the documents of an archive.

use super::collect;
use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// Checks that every relative link in the documents below `folder` leads to a file or folder in it.
pub fn check(folder: &Path) -> Result<(), String> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    let mut dead = Vec::new();
    for page in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "md")) {
        let text = fs::read_to_string(page).map_err(|e| format!("{}: {e}", page.display()))?;
        let within = page.strip_prefix(folder).expect("it is inside");
        let lead_nowhere = relative(&text).into_iter().filter(|link| {
            joined(within.parent().unwrap_or(Path::new("")), link).is_none_or(|file| !folder.join(file).exists())
        });
        dead.extend(lead_nowhere.map(|link| format!("{}: {link}", within.display())));
    }
    if dead.is_empty() { Ok(()) } else { Err(format!("links lead to nothing in the archive:\n{}", dead.join("\n"))) }
}

/// Returns the relative links of a page: `](FILE)`, `src="FILE"` and `href="FILE"`, without what follows a `#`. Code is no link.
fn relative(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (number, part) in text.split("\n```").enumerate() {
        // Between two fences there is code.
        if number % 2 == 1 {
            continue;
        }
        for (begin, end) in [("](", ')'), ("src=\"", '"'), ("href=\"", '"')] {
            let links = part.split(begin).skip(1).filter_map(|rest| rest.split_once(end));
            found.extend(links.map(|(link, _)| link.split('#').next().unwrap_or(link)));
        }
    }
    found.retain(|link| !link.is_empty() && !link.contains(':') && !link.contains(char::is_whitespace));
    found
}

/// Joins a folder and a link. `None` if that leads out of the archive.
fn joined(folder: &Path, link: &str) -> Option<PathBuf> {
    let mut path = folder.to_owned();
    for step in Path::new(link).components() {
        match step {
            Component::Normal(name) => path.push(name),
            Component::ParentDir if path.pop() => {}
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_are_found() {
        let text = "[a](docs/a.md#b) [b](https://x/y) [c](#c)\n![d](docs/d.png) <img src=\"e.png\">\n\
                    ```sh\nx [f](f.md)\n```\n<a href=\"../g.md\">[h]( h )";
        assert_eq!(relative(text), ["docs/a.md", "docs/d.png", "e.png", "../g.md"]);
        assert_eq!(joined(Path::new("docs/games"), "../a.md"), Some("docs/a.md".into()));
        assert_eq!(joined(Path::new("docs"), "../../a.md"), None);
        assert_eq!(joined(Path::new("docs"), "/a.md"), None);
    }

    #[test]
    fn a_dead_link_is_named_with_its_page() {
        let folder = std::env::temp_dir().join(format!("agon-links-{}", std::process::id()));
        fs::create_dir_all(folder.join("docs/games")).expect("a folder");
        fs::write(folder.join("README.md"), "[a](docs/a.md) [g](docs/games)").expect("a file");
        fs::write(folder.join("docs/a.md"), "[r](../README.md#x) [no](games/no.md)").expect("a file");
        let checked = check(&folder);
        fs::remove_dir_all(&folder).expect("it can be removed");
        let dead = checked.expect_err("a link is dead");
        assert!(dead.ends_with("archive:\ndocs/a.md: games/no.md"), "{dead}");
    }

    /// The documents of the repository are those of the archive.
    #[test]
    fn no_link_of_the_documents_leads_elsewhere() {
        let folder = std::env::temp_dir().join(format!("agon-links-of-all-{}", std::process::id()));
        let mut documents = Vec::new();
        collect(&crate::root().join("docs"), &mut documents).expect("they are there");
        documents.extend(super::super::PAGES.map(|page| crate::root().join(page)));
        for document in documents {
            let to = folder.join(document.strip_prefix(crate::root()).expect("it is inside"));
            super::super::copy(&document, &to).expect("it can be copied");
        }
        let checked = check(&folder);
        fs::remove_dir_all(&folder).expect("it can be removed");
        assert_eq!(checked, Ok(()));
    }
}
