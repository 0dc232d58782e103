//! The image of the `Dockerfile`, where something can build it.

use super::execute;
use crate::root;
use std::process::{Command, Stdio};

/// Programs that build images, each with a command that succeeds if they can.
const BUILDERS: [(&str, &[&str]); 3] = [("docker", &["info"]), ("podman", &["info"]), ("buildah", &["info"])];

/// Builds the image and plays a match in it. Says so if nothing here can do that.
pub fn build(version: &str) -> Result<(), String> {
    let works = |(program, words): &(&str, &[&str])| {
        let asked = Command::new(program).args(*words).stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    let Some((builder, _)) = BUILDERS.iter().find(|builder| works(builder)) else {
        println!("\nSKIPPED: the image of the Dockerfile, because neither docker nor podman nor buildah works here\n");
        return Ok(());
    };
    let image = format!("agon:{version}");
    execute(Command::new(builder).args(["build", "--tag", &image, "."]).current_dir(root()))?;
    if *builder != "buildah" {
        let words = ["run", "--rm", "--network", "none", &image, "match", "grid", "@random", "@random"];
        execute(Command::new(builder).args(words))?;
    }
    Ok(())
}
