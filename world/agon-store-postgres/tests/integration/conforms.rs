//! It does what every back end must do.

use crate::server::new_store;
use agon_store::conformance;
use agon_store_postgres::Postgres;

#[test]
fn it_conforms() {
    if new_store().is_none() {
        return;
    }
    let mut count = 0;
    conformance::all(&mut || {
        count += 1;
        Postgres::open(&new_store().expect("there is a server")).expect("a new store")
    });
    assert!(count > 10, "every test has a store of its own");
}
