//! The project's own tasks.

mod golden;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["golden"] => golden::run(None),
        ["golden", dir] => golden::run(Some(dir)),
        _ => {
            eprintln!("usage: cargo xtask golden [DIR]");
            ExitCode::from(2)
        }
    }
}
