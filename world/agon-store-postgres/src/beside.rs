//! For tables that another crate keeps in the schema of a store, beside the store's own.

use crate::{db::Db, failure, nul, place::Place, schema};
use agon_store::{Result, StoreError};
use postgres::Client;
use std::borrow::Cow;

/// Connects to the server of a store, in the store's schema. The store must have been opened before: it makes the schema. What
/// this connection commits is on disk.
///
/// # Errors
/// If there is no store, or the server cannot be reached.
pub fn connect(address: &str) -> Result<Client> {
    let place = Place::read(address)?;
    let connected = Db::connect(&place).and_then(|mut db| match schema::look(&mut db, &place)? {
        0 => Err(StoreError::NotAStore(schema::path(&place)).into()),
        _ => Ok(db.into_client()),
    });
    connected.map_err(|why| why.at(&place))
}

/// Returns the schema of a store.
///
/// # Errors
/// If the address is none.
pub fn schema(address: &str) -> Result<String> {
    Ok(Place::read(address)?.schema)
}

/// Returns whether something may work on another connection, or a moment later.
#[must_use]
pub fn is_passing(why: &postgres::Error) -> bool {
    failure::is_passing(why)
}

/// Returns the words of an error without those of the driver.
#[must_use]
pub fn words(why: &postgres::Error) -> String {
    failure::words(why)
}

/// Returns a text as tables have it: PostgreSQL has no NUL in a text.
#[must_use]
pub fn kept_text(text: &str) -> Cow<'_, str> {
    nul::kept(text)
}

/// Returns a text as it was before [`kept_text`].
#[must_use]
pub fn restored_text(text: String) -> String {
    nul::restored(text)
}
