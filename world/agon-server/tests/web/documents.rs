//! The documents under `/api` against their schemas.

use crate::browser::{Browser, PASSWORD, Place};
use agon_spec::DocumentKind;
use serde_json::Value;

fn assert_valid(name: &str, document: &Value) {
    let mut schema = serde_json::to_value(DocumentKind::find(name).expect("it is listed").schema()).expect("a schema");
    close(&mut schema);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let wrong: Vec<String> =
        validator.iter_errors(document).map(|why| format!("{}: {why}", why.instance_path())).collect();
    assert!(wrong.is_empty(), "{name}: {wrong:#?}\n{document:#}");
    assert_eq!(document.as_object().and_then(|keys| keys.keys().next()).map(String::as_str), Some("schema"));
}

/// Lets a schema allow nothing but the keys that it describes.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.contains_key("properties") {
                object.entry("additionalProperties").or_insert(false.into());
            }
            object.values_mut().for_each(close);
        }
        Value::Array(list) => list.iter_mut().for_each(close),
        _ => {}
    }
}

#[test]
fn documents_are_valid() {
    let place = Place::open();
    let mut organiser = place.organiser();
    place.post(&mut organiser, "/organise/invites", &[("role", "organiser"), ("uses", "2"), ("days", "1")]);
    let mut ana = place.joined("ana", "");
    place.post(&mut ana, "/teams", &[("team", "Gatos")]);
    place.post(&mut ana, "/account/tokens", &[("scope", "submit"), ("label", "laptop")]);
    let paths = [
        ("contest", "/api/contest"),
        ("contest-account", "/api/account"),
        ("contest-teams", "/api/teams"),
        ("contest-team", "/api/teams/1"),
    ];
    for (name, path) in paths {
        assert_valid(name, &place.get(&mut ana, path).json());
    }
    assert_valid("contest", &place.get(&mut Browser::default(), "/api/contest").json());
    assert_valid("contest-organise", &place.get(&mut organiser, "/api/organise").json());
    assert_valid("contest-error", &place.get(&mut ana, "/api/organise").json());
    assert_valid("contest-error", &place.get(&mut ana, "/api/teams/99").json());
}

#[test]
fn no_document_has_a_secret() {
    let place = Place::open();
    let mut organiser = place.organiser();
    let secrets: Vec<String> = organiser.cookies.values().cloned().chain([PASSWORD.to_owned()]).collect();
    for path in ["/api/account", "/api/organise", "/organise", "/account"] {
        let answer = place.get(&mut organiser, path);
        assert_eq!(answer.status, 200);
        assert!(!secrets.iter().any(|secret| answer.body.contains(secret)), "{path}");
        assert!(!answer.body.contains("argon2"), "{path}");
    }
}
