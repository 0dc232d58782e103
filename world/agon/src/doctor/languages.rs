//! Looks for compilers and interpreters on this host.

use crate::{
    clean::{clean, cut},
    error::reason,
};
use agon_languages::tools;
use agon_play::tasks_left;
use agon_sandbox::Shortage;
use agon_spec::LanguageTool;
use std::{ffi::OsStr, path::PathBuf, process::Command, thread};

/// A tool that may be on this host.
pub struct Tool {
    pub name: &'static str,
    found: Option<(PathBuf, String)>,
}

/// How many threads and processes a tool may need to tell its version. Mono that cannot start one kills every process of its user.
const TASKS: u64 = 16;

/// Looks for all tools, at the same time if there is room for that.
pub fn look() -> Vec<Tool> {
    let tools: Vec<_> = tools().filter(|tool| !tool.version.is_empty()).collect();
    let fits = |count: usize| tasks_left().is_none_or(|left| left >= TASKS * count as u64);
    let at_once = fits(tools.len());
    let ask = |tool: &agon_languages::Tool| ask(tool.name, tool.version, at_once || fits(1));
    thread::scope(|scope| {
        let asked: Vec<_> = tools
            .into_iter()
            .map(|tool| {
                let thread = at_once.then(|| thread::Builder::new().spawn_scoped(scope, move || ask(tool)));
                (tool, thread.and_then(Result::ok))
            })
            .collect();
        let answer =
            |(tool, asked): (&'static agon_languages::Tool, Option<thread::ScopedJoinHandle<'_, _>>)| match asked {
                Some(thread) => thread.join().ok().flatten(),
                None => ask(tool),
            };
        asked.into_iter().map(|asked| Tool { name: asked.0.name, found: answer(asked) }).collect()
    })
}

/// Finds a tool, and asks it for its version if there is `room` for it.
fn ask(name: &str, version: &str, room: bool) -> Option<(PathBuf, String)> {
    let path = std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(OsStr::new(name)))
        .find(|p| p.is_file())?;
    if !room {
        let what = "is here, but was not started: the limits leave too few threads and processes";
        return Some((path, what.to_owned()));
    }
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
