//! What commands print is held against the schemas that `agon schema` prints.

use crate::agon::Place;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What stands in files, whose versions have a number of their own.
const LINES: &[&str] = &["match-spec"];

/// The schema of a document, closed: here every key must be described, so that none is forgotten.
fn closed(place: &Place, name: &str) -> Value {
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
    let mut schema = place.json(&["schema", name]);
    close(&mut schema);
    schema
}

/// Fails unless `document` is valid, and none of its keys is undescribed.
fn assert_valid(place: &Place, name: &str, document: &Value) {
    let validator = jsonschema::validator_for(&closed(place, name)).expect("a schema");
    let wrong: Vec<String> =
        validator.iter_errors(document).map(|why| format!("{}: {why}", why.instance_path())).collect();
    assert!(wrong.is_empty(), "{name}: {wrong:#?}\n{document:#}");
    let open = jsonschema::validator_for(&place.json(&["schema", name])).expect("a schema");
    assert!(open.is_valid(document), "{name}");
    if let (Value::Object(object), false) = (document, LINES.contains(&name)) {
        assert_eq!(object.iter().next(), Some((&"schema".to_owned(), &json!(1))), "{name} begins with its version");
    }
}

/// Fails unless each of these changes makes the document invalid.
fn assert_refused(place: &Place, name: &str, document: &Value, changes: &[(&str, Value)]) {
    let validator = jsonschema::validator_for(&place.json(&["schema", name])).expect("a schema");
    for (key, wrong) in changes {
        let mut bad = document.clone();
        *bad.pointer_mut(key).unwrap_or_else(|| panic!("{name} has no {key}: {document:#}")) = wrong.clone();
        assert!(!validator.is_valid(&bad), "{name}: {key} may be {wrong}");
    }
}

#[test]
fn every_document_is_listed_and_has_a_schema() {
    let place = Place::new();
    let list = place.run(&["schema", "--list"]);
    let names: Vec<&str> = list.out.lines().collect();
    assert_eq!(list.code, 0);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for name in &names {
        let schema = place.json(&["schema", name]);
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        assert_eq!(schema["title"], **name);
        jsonschema::meta::validate(&schema).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(
            jsonschema::validator_for(&schema).is_ok_and(|validator| !validator.is_valid(&json!("text"))),
            "{name}"
        );
    }
    let bash = place.run(&["completions", "bash"]).out;
    assert!(bash.contains(&names.join(" ")), "a shell offers the names");
}

#[test]
fn an_unknown_document_is_an_error_that_names_the_nearest() {
    let place = Place::new();
    place.fails(1, &["schema", "doktor"], &["there is no document `doktor`", "did you mean `doctor`?", "map-check"]);
    place.fails(1, &["schema", "nothing"], &["there is no document `nothing`", "there are: ", "doctor"]);
    assert_eq!(place.run(&["schema"]).code, 2);
    place.fails(2, &["schema", "doctor", "--list"], &["--list"]);
}

#[test]
fn games_are_valid() {
    let place = Place::new();
    let all = place.json(&["games", "--format", "json"]);
    assert_valid(&place, "games", &all);
    assert_refused(
        &place,
        "games",
        &all,
        &[("/0/seats", json!([2])), ("/0/bots/0", json!(1)), ("/0/clock", json!({}))],
    );
    let mut one = place.json(&["games", "portals", "--format", "json"]);
    assert_valid(&place, "game", &one);
    one.as_object_mut().expect("an object").shift_remove("schema");
    assert!(all.as_array().expect("an array").contains(&one), "the rows of the list have no version");
    one["added"] = json!("later");
    one["schema"] = json!(1);
    let validator = jsonschema::validator_for(&place.json(&["schema", "game"])).expect("a schema");
    assert!(validator.is_valid(&one), "keys may be added");
}

#[test]
fn maps_are_valid() {
    let place = Place::new();
    for game in crate::agon::games() {
        let map = place.write("map", place.run(&["map", "new", &game, "--seed", "3"]).out);
        let checked = place.json(&["map", "check", &game, &map, "--format", "json"]);
        assert_valid(&place, "map-check", &checked);
        assert_valid(&place, "map-show", &place.json(&["map", "show", &game, &map, "--format", "json"]));
    }
    let flawed = place.write("flawed", "x\n");
    let done = place.run(&["map", "check", "grid", &flawed, "--format", "json"]);
    let flaw: Value = serde_json::from_str(&done.out).expect("a document");
    assert!(done.code == 1 && flaw["flaw"]["text"].is_string(), "{done:?}");
    assert_valid(&place, "map-check", &flaw);
    let wrong =
        [("/flaw/text", json!(null)), ("/seats", json!("2")), ("/fingerprint", json!("12")), ("/schema", json!(2))];
    assert_refused(&place, "map-check", &flaw, &wrong);
}

#[test]
fn checks_are_valid() {
    let place = Place::new();
    let good = place.json(&["check", "grid", "@random", "--format", "json"]);
    assert_valid(&place, "check", &good);
    let done = place.run(&["check", "grid", "agon bot grid nobody", "--format", "json"]);
    let failed: Value = serde_json::from_str(&done.out).expect("a document");
    assert!(done.code == 1 && failed["passed"] == json!(false), "{done:?}");
    assert_valid(&place, "check", &failed);
    let done = place.run(&["check", "grid", "agon --version", "--format", "json"]);
    let failed: Value = serde_json::from_str(&done.out).expect("a document");
    assert_valid(&place, "check", &failed);
    let wrong = [("/steps/0/result", json!("ok")), ("/steps/0/step", json!(1.5)), ("/passed", json!("no"))];
    assert_refused(&place, "check", &failed, &wrong);
}

#[test]
fn builds_are_valid() {
    let place = Place::new();
    std::fs::create_dir(place.path("bot")).expect("the folder for tests can be written to");
    place.write("bot/agon.toml", "run = [\"sh\", \"bot.sh\"]\n");
    place.write("bot/bot.sh", "exit 0\n");
    let cache = place.path("cache");
    let json = |args: &[&str]| -> Value {
        let output = place.command(args).env("XDG_CACHE_HOME", &cache).output().expect("agon can be started");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {output:?}"))
    };
    let built = json(&["build", "bot", "--format", "json"]);
    assert_valid(&place, "build", &built);
    assert_refused(
        &place,
        "build",
        &built,
        &[("/kept", json!(0)), ("/run", json!("sh bot.sh")), ("/log", json!(null))],
    );
    let cleaned = json(&["build", "--clean", "--format", "json"]);
    assert_valid(&place, "build-clean", &cleaned);
    assert_refused(&place, "build-clean", &cleaned, &[("/removed", json!("1"))]);
}

#[test]
fn what_was_measured_is_valid() {
    let place = Place::new();
    let args = ["bench", "timeouts", "--matches", "1", "--at-once", "1", "--limit", "1min", "--format", "json"];
    let bench = place.json(&args);
    assert_valid(&place, "bench", &bench);
    let wrong = [("/rows/0/value", json!("1")), ("/rows/0/goal", json!(true)), ("/machine/cores", json!(-1))];
    assert_refused(&place, "bench", &bench, &wrong);
    let done = place.run(&["doctor", "--format", "json"]);
    let doctor: Value = serde_json::from_str(&done.out).expect("a document");
    assert_valid(&place, "doctor", &doctor);
    let wrong = [("/level", json!("best")), ("/protections/0/state", json!("ok")), ("/tools/0/name", json!(null))];
    assert_refused(&place, "doctor", &doctor, &wrong);
}

#[test]
fn rows_of_hostile_bots_are_valid() {
    let place = Place::new();
    let list = place.json(&["selftest", "hostile", "--list", "--format", "json"]);
    assert_valid(&place, "selftest-hostile-list", &list);
    assert_refused(&place, "selftest-hostile-list", &list, &[("/0/number", json!("1")), ("/0/level", json!("some"))]);
    let name = list[0]["name"].as_str().expect("a name");
    let report = place.json(&["selftest", "hostile", "--only", name, "--format", "json"]);
    assert_valid(&place, "selftest-hostile", &report);
    let wrong = [("/rows/0/ok", json!("yes")), ("/rows/0/took_ms", json!(0.5)), ("/passed", json!(null))];
    assert_refused(&place, "selftest-hostile", &report, &wrong);
}

#[test]
fn the_page_of_documents_names_each_with_its_command_and_its_keys() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md")).expect("the page");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let place = Place::new();
    let names = place.run(&["schema", "--list"]).out;
    let expected: Vec<String> = names.lines().map(|name| row(&place, name)).collect();
    assert_eq!(rows, expected, "the rows of docs/json.md");
}

/// The row of a document in the page.
fn row(place: &Place, name: &str) -> String {
    let schema = place.json(&["schema", name]);
    let source = agon_spec::DocumentKind::find(name).expect("a document").source;
    let object = match schema["items"]["$ref"].as_str() {
        Some(definition) => schema.pointer(definition.trim_start_matches('#')).expect("it is defined"),
        None => &schema,
    };
    let keys = object["properties"].as_object().expect("keys").keys().filter(|key| *key != "schema");
    let keys = keys.map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    let shape = if schema["type"] == "array" { "an array; each row: " } else { "" };
    let source = if source.starts_with("agon ") { format!("`{source}`") } else { source.to_owned() };
    format!("| `{name}` | {source} | {shape}{keys} |")
}
