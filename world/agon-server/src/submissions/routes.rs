//! The routes about versions, but those that receive them.

use super::{
    copies::copies,
    documents::{receipt_document, row, whole},
    page,
    receipt::receipt,
    upload::UploadForm,
    version::{Version, choose, compare, files, held, replay, run_again, take_back, version_of_team, versions},
};
use crate::{
    Refusal, Result,
    people::teams,
    routes::{Route, Visit, document, see},
};
use agon_bundle::BundleHash;
use agon_contest::Act;
use agon_spec::{SubmissionRow, SubmissionsDocument};
use axum::{
    http::{
        HeaderValue,
        header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE},
    },
    response::{IntoResponse as _, Response},
};

/// A team's versions, as a path.
const LIST: &str = "/teams/{number}/versions";
/// One of them.
const ONE: &str = "/teams/{number}/versions/{version}";

/// The pages, forms and documents about versions.
pub const ROUTES: &[Route] = &[
    Route::get(LIST, list),
    Route::get(ONE, show),
    Route::get("/teams/{number}/versions/{version}/compare/{other}", compared),
    Route::get("/teams/{number}/versions/{version}/replays/{step}", replayed),
    Route::post("/teams/{number}/versions/{version}/choose", chosen, ONE, show),
    Route::post("/teams/{number}/versions/{version}/take-back", taken_back, ONE, show),
    Route::post("/teams/{number}/versions/{version}/again", again, ONE, show),
    Route::get("/organise/versions", hints),
    Route::get("/api/teams/{number}/versions", api_list),
    Route::get("/api/teams/{number}/versions/received", api_received),
    Route::get("/api/teams/{number}/versions/{version}", api_show),
];

fn list(visit: &mut Visit) -> Result<Response> {
    let rows = rows(visit)?;
    let (ask, team) = (visit.ask.clone(), team(visit)?);
    let team = visit.read(move |sql| teams::get(sql, &ask.viewer, team))?;
    Ok(page::list(visit, (team.id, &team.name), &rows).into_response())
}

fn api_list(visit: &mut Visit) -> Result<Response> {
    Ok(document(SubmissionsDocument { versions: rows(visit)? }))
}

fn show(visit: &mut Visit) -> Result<Response> {
    let version = version(visit, 1)?;
    let others = visit.read({
        let (ask, team) = (visit.ask.clone(), version.team);
        move |sql| versions(sql, &ask, team)
    })?;
    let others: Vec<i64> = others.iter().map(|other| other.number).filter(|other| *other != version.number).collect();
    let document = visit.read(move |sql| whole(sql, &version))?;
    Ok(page::version(visit, &document, &others).into_response())
}

fn api_show(visit: &mut Visit) -> Result<Response> {
    let version = version(visit, 1)?;
    Ok(document(visit.read(move |sql| whole(sql, &version))?))
}

/// Answers the receipt of what the team has sent before.
fn api_received(visit: &mut Visit) -> Result<Response> {
    let team = team(visit)?;
    visit.ask.must(&Act::SeeInsideTeam(team))?;
    let form = UploadForm::named(visit.query.text("form"));
    let form = form.ok_or_else(|| Refusal::Invalid { field: "form", why: "there is no such form".to_owned() })?;
    let hash: BundleHash = visit.query.text("hash").parse().map_err(|why| Refusal::Invalid { field: "hash", why })?;
    let found = visit.read(move |sql| receipt(sql, team, *hash.bytes(), form))?;
    found.map_or_else(|| Err(Refusal::Unknown("receipt").into()), |found| Ok(document(receipt_document(team, &found))))
}

fn compared(visit: &mut Visit) -> Result<Response> {
    let (one, other) = (version(visit, 1)?, version(visit, 2)?);
    let numbers = (one.team, one.number, other.number);
    let changes = visit.read(move |sql| Ok(compare(&files(sql, &one)?, &files(sql, &other)?)))?;
    Ok(page::compared(visit, numbers, &changes).into_response())
}

fn replayed(visit: &mut Visit) -> Result<Response> {
    let (version, step) = (version(visit, 1)?, visit.number(2, "replay")?);
    let name = format!("attachment; filename=\"version-{}-trial.jsonl.zst\"", version.number);
    let bytes = visit.read(move |sql| replay(sql, &version, step))?;
    let name = HeaderValue::try_from(name).unwrap_or(HeaderValue::from_static("attachment"));
    let kind = HeaderValue::from_static("application/zstd");
    let policy = HeaderValue::from_static("default-src 'none'; sandbox");
    Ok(([(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, name), (CONTENT_SECURITY_POLICY, policy)], bytes).into_response())
}

fn chosen(visit: &mut Visit) -> Result<Response> {
    visit.count_change()?;
    let (ask, version) = (visit.ask.clone(), version(visit, 1)?);
    let path = path(&version);
    visit.transact(move |sql| choose(sql, &ask, &version))?;
    Ok(see(&path))
}

fn taken_back(visit: &mut Visit) -> Result<Response> {
    visit.count_change()?;
    let (ask, version) = (visit.ask.clone(), version(visit, 1)?);
    let path = path(&version);
    visit.transact(move |sql| take_back(sql, &ask, &version))?;
    Ok(see(&path))
}

fn again(visit: &mut Visit) -> Result<Response> {
    visit.ask.must(&Act::Lead)?;
    let (ask, version) = (visit.ask.clone(), version(visit, 1)?);
    let path = path(&version);
    visit.transact(move |sql| run_again(sql, &ask, &version))?;
    Ok(see(&path))
}

/// Shows those who lead which versions are held, and which are very like others.
fn hints(visit: &mut Visit) -> Result<Response> {
    let ask = visit.ask.clone();
    let (held, copies, names) = visit.read(move |sql| {
        let held = held(sql, &ask)?.iter().map(|version| row(sql, version)).collect::<Result<Vec<_>>>()?;
        let names = teams::list(sql, &ask.viewer)?.into_iter().map(|team| (team.id, team.name)).collect();
        Ok((held, copies(sql, &ask)?, names))
    })?;
    Ok(page::hints(visit, &held, &copies, &names).into_response())
}

fn rows(visit: &Visit) -> Result<Vec<SubmissionRow>> {
    let (ask, team) = (visit.ask.clone(), team(visit)?);
    visit.read(move |sql| versions(sql, &ask, team)?.iter().map(|version| row(sql, version)).collect())
}

fn team(visit: &Visit) -> Result<i64> {
    visit.number(0, "team")
}

/// Returns the version whose number is at this place in the path.
fn version(visit: &Visit, place: usize) -> Result<Version> {
    let (ask, team, number) = (visit.ask.clone(), team(visit)?, visit.number(place, "version")?);
    visit.read(move |sql| version_of_team(sql, &ask, team, number))
}

fn path(version: &Version) -> String {
    format!("/teams/{}/versions/{}", version.team, version.number)
}
