//! The program `agon-bench`, which `agon bench` runs.

use agon_cli::CountingAllocator;
use std::process::ExitCode;

/// The benches report allocations. No other program of Agon pays for counting them.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    agon_cli::agon_bench()
}
