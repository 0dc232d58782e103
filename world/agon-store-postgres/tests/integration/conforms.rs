//! It does what every back end must do.

use crate::server::Server;
use agon_store::conformance;
use agon_store_postgres::Postgres;

#[test]
fn it_conforms() {
    let Some(server) = Server::shared() else { return };
    let mut count = 0;
    conformance::all(&mut || {
        count += 1;
        Postgres::open(&server.new_store()).expect("a new store")
    });
    assert!(count > 10, "every test has a store of its own");
}
