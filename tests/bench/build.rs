//! Links the bench to a fixed place in memory. It is its own bot, and a program without one has ten thousand addresses to write
//! whenever it starts, which would count as the work of a match.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let set = |name: &str| env::var(name).unwrap_or_default();
    let is_static = set("CARGO_CFG_TARGET_FEATURE").split(',').any(|feature| feature == "crt-static");
    if set("CARGO_CFG_TARGET_OS") == "linux" && set("CARGO_CFG_TARGET_ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
