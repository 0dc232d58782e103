//! Looks for compilers and interpreters on this host.

use crate::{
    clean::{clean, cut},
    error::reason,
};
use agon_languages::tools;
use agon_sandbox::Shortage;
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
            .map(|tool| {
                let asking = || ask(tool.name, tool.version);
                (tool, thread::Builder::new().spawn_scoped(scope, asking).ok())
            })
            .collect();
        let answer =
            |(tool, asked): (&'static agon_languages::Tool, Option<thread::ScopedJoinHandle<'_, _>>)| match asked {
                Some(thread) => thread.join().ok().flatten(),
                // The system starts no thread.
                None => ask(tool.name, tool.version),
            };
        asked.into_iter().map(|asked| Tool { name: asked.0.name, found: answer(asked) }).collect()
    })
}

fn ask(name: &str, version: &str) -> Option<(PathBuf, String)> {
    let path = std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(OsStr::new(name)))
        .find(|p| p.is_file())?;
    // This runs in `/`, because a launcher may choose the version of its tool by the files of the current folder.
    let answer = match agon_sandbox::answer_of(Command::new(&path).arg(version).current_dir("/")) {
        Ok(answer) => answer,
        Err(why) if Shortage::among_causes(&why).is_some() => {
            return Some((path, format!("is here, but: {}", reason(&why))));
        }
        Err(_) => return None,
    };
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
