//! Tests with a server. `cargo xtask postgres -- COMMAND` starts one and names it in `AGON_POSTGRES`.

mod conforms;
mod crash;
mod lead;
mod server;
mod transfer;
