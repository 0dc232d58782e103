//! Claims one of the cores 0 and 1, prints its number, and keeps the claim until the input ends. Also starts a program,
//! which must not keep the claim.

use agon_play::CorePool;
use std::{
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
};

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    let pool = CorePool::at(Path::new(&folder), vec![0, 1]).expect("a folder of this user alone");
    let claim = pool.claim(1).expect("locks work").expect("a core is free");
    // The child survives when this program is killed.
    let child = Command::new("sleep").arg("60").stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    println!("{} {}", claim.cores()[0], child.expect("a program of every system").id());
    std::io::stdout().flush().expect("somebody reads");
    let _ = std::io::stdin().read(&mut [0]);
}
