//! What stands in place of a virtual environment of Python, and is left out: a link, or a file that names the environment.

use super::{junk::VENV_FOLDER, name::shown};
use std::{collections::BTreeMap, path::Path};

/// What was left out in place of virtual environments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Environments {
    elsewhere: Option<String>,
    links: BTreeMap<String, String>,
}

impl Environments {
    /// Returns the link or file in place of an environment that is missing, because it is elsewhere.
    pub(crate) fn elsewhere(&self) -> Option<&str> {
        self.elsewhere.as_deref()
    }

    /// Returns the folder of the environment to which a link leads. `None` if there is no such link to an imported one.
    pub(crate) fn linked(&self, link: &str) -> Option<&str> {
        self.links.get(link).map(String::as_str)
    }

    /// Returns the links to imported environments, each with the folder of its environment.
    pub(super) fn links(&self) -> impl Iterator<Item = (&str, &str)> {
        self.links.iter().map(|(link, folder)| (link.as_str(), folder.as_str()))
    }

    /// Makes all paths relative to the folder `top`, in which they are.
    pub(super) fn look_into(&mut self, top: &str) {
        let inside = |path: &str| path.strip_prefix(top).and_then(|path| path.strip_prefix('/')).map(str::to_owned);
        self.elsewhere = self.elsewhere.take().map(|path| inside(&path).unwrap_or(path));
        let links = std::mem::take(&mut self.links).into_iter();
        self.links = links.filter_map(|(link, folder)| Some((inside(&link)?, inside(&folder)?))).collect();
    }

    /// Notes a link or file in place of an environment that is missing.
    pub(super) fn miss(&mut self, raw: &[u8]) {
        self.elsewhere.get_or_insert_with(|| shown(raw));
    }

    /// Notes a link to an imported environment.
    pub(super) fn name(&mut self, link: &Path, environment: &Path) {
        if let (Some(link), Some(environment)) = (link.to_str(), environment.to_str()) {
            self.links.insert(link.to_owned(), environment.to_owned());
        }
    }
}

/// Returns whether a file stands in place of an environment, by its name. Some tools make such a file.
pub(super) fn is_environment(file: &str) -> bool {
    file.rsplit('/').next() == Some(VENV_FOLDER)
}
