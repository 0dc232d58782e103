//! The account of who asks.

use super::{Visit, api::account_document, enter::new_password, see};
use crate::{
    Refusal, Result, pages,
    people::{accounts, sessions},
};
use agon_contest::{Act, Scope};
use axum::response::{IntoResponse as _, Response};

/// Shows the account.
pub fn show(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::KeepAccount)?;
    let document = account_document(visit)?;
    Ok(pages::account::account(visit, &document).into_response())
}

/// Changes the password. Every other session ends.
pub fn change_password(visit: &mut Visit) -> Result<Response> {
    let (now, password) = (visit.form.exact("now").to_owned(), new_password(visit)?);
    let (site, limits) = (&visit.site, visit.limits());
    let session = accounts::change_password(&site.database, &limits, &visit.ask, &now, &password, &visit.browser)?;
    visit.log_in(&session);
    Ok(see("/account"))
}

/// Makes a token for programs, and shows it once.
pub fn make_token(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::KeepAccount)?;
    let scope = Scope::from_word(visit.form.text("scope")).filter(|scope| *scope != Scope::All);
    let scope = scope.ok_or(Refusal::Unknown("scope"))?;
    let (ask, label) = (visit.ask.clone(), visit.form.text("label").to_owned());
    let token = visit.transact(move |sql| sessions::make_token(sql, &ask, scope, &label, None))?;
    let words = visit.words();
    visit.notice = Some(pages::account::secret(&words.token_made, &token.text(), &words.token_once));
    show(visit)
}

/// Ends a session, or takes a token back.
pub fn end_session(visit: &mut Visit) -> Result<Response> {
    let (ask, number) = (visit.ask.clone(), visit.number(0, "session")?);
    visit.transact(move |sql| sessions::revoke(sql, &ask, number))?;
    Ok(see("/account"))
}

/// Ends every session of browsers but this one.
pub fn end_others(visit: &mut Visit) -> Result<Response> {
    let ask = visit.ask.clone();
    visit.transact(move |sql| {
        for session in sessions::list(sql, &ask)? {
            if session.scope == Scope::All && !session.current {
                sessions::revoke(sql, &ask, session.id)?;
            }
        }
        Ok(())
    })?;
    Ok(see("/account"))
}
