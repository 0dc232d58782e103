//! Looks for compilers and interpreters on this host.

use crate::clean::{clean, cut};
use agon_languages::tools;
use agon_spec::LanguageTool;
use std::{ffi::OsStr, path::PathBuf, process::Command, thread};

/// A tool that may be on this host.
pub struct Tool {
    pub name: &'static str,
    found: Option<(PathBuf, String)>,
}

/// Looks for all tools at the same time.
pub fn look() -> Vec<Tool> {
    thread::scope(|scope| {
        let asked: Vec<_> = tools()
            .filter(|tool| !tool.version.is_empty())
            .map(|tool| (tool.name, scope.spawn(|| ask(tool.name, tool.version))))
            .collect();
        asked.into_iter().map(|(name, found)| Tool { name, found: found.join().ok().flatten() }).collect()
    })
}

fn ask(name: &str, version: &str) -> Option<(PathBuf, String)> {
    let path = std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(OsStr::new(name)))
        .find(|p| p.is_file())?;
    // This runs in `/`, because a launcher may choose the version of its tool by the files of the current folder.
    let answer = agon_sandbox::answer_of(Command::new(&path).arg(version).current_dir("/")).ok()?;
    let text = if answer.stdout.is_empty() { answer.stderr } else { answer.stdout };
    let text = String::from_utf8_lossy(&text).into_owned();
    Some((path, cut(&clean(text.lines().next().unwrap_or_default()), 60)))
}

impl Tool {
    pub fn version_text(&self) -> String {
        self.found.as_ref().map_or_else(|| "not found".to_owned(), |(_, version)| version.clone())
    }

    pub fn path_text(&self) -> String {
        self.found.as_ref().map_or_else(String::new, |(path, _)| clean(&path.display().to_string()))
    }

    pub fn document(&self) -> LanguageTool {
        LanguageTool {
            name: self.name.to_owned(),
            path: self.found.as_ref().map(|(path, _)| path.display().to_string()),
            version: self.found.as_ref().map(|(_, version)| version.clone()),
        }
    }
}
