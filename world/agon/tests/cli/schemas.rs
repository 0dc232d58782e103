//! Checks the documents that commands print against the schemas that `agon schema` prints.

use crate::agon::Place;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The documents in files. Their versions have their own numbers.
const LINES: &[&str] = &["match-spec", "replay-header", "replay-line"];

/// Returns the schema of a document in closed form: every key must be described, so that none is forgotten.
fn closed(place: &Place, name: &str) -> Value {
    fn close(schema: &mut Value, whole: &Value) {
        match schema {
            Value::Object(object) => {
                if object.contains_key("properties") {
                    // This is a variant with a tag. Its keys are the tag and those of the definition that it refers to.
                    if let Some(Value::String(to)) = object.remove("$ref") {
                        let keys =
                            whole.pointer(to.trim_start_matches('#')).expect("it is defined")["properties"].clone();
                        let (Value::Object(keys), Some(Value::Object(own))) = (keys, object.get_mut("properties"))
                        else {
                            panic!("{to} has no keys");
                        };
                        own.extend(keys);
                    }
                    object.entry("additionalProperties").or_insert(false.into());
                }
                object.values_mut().for_each(|inner| close(inner, whole));
            }
            Value::Array(list) => list.iter_mut().for_each(|inner| close(inner, whole)),
            _ => {}
        }
    }
    let whole = place.json(&["schema", name]);
    let mut schema = whole.clone();
    close(&mut schema, &whole);
    schema
}

/// Fails unless `document` is valid and all of its keys are described.
pub fn assert_valid(place: &Place, name: &str, document: &Value) {
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
fn findings_of_the_doctor_are_valid() {
    let place = Place::new();
    let done = place.run(&["doctor", "--format", "json"]);
    let doctor: Value = serde_json::from_str(&done.out).expect("a document");
    assert_valid(&place, "doctor", &doctor);
    let wrong = [("/level", json!("best")), ("/protections/0/state", json!("ok")), ("/tools/0/name", json!(null))];
    assert_refused(&place, "doctor", &doctor, &wrong);
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

/// Returns the row of a document in the page.
fn row(place: &Place, name: &str) -> String {
    let schema = place.json(&["schema", name]);
    let source = agon_spec::DocumentKind::find(name).expect("a document").source;
    let object = match schema["items"]["$ref"].as_str() {
        Some(definition) => schema.pointer(definition.trim_start_matches('#')).expect("it is defined"),
        None => &schema,
    };
    let keys = match object["properties"].as_object() {
        Some(keys) => keys.keys().filter(|key| *key != "schema").map(|key| format!("`{key}`")).collect(),
        None => vec!["those of a [line](replay.md#lines)".to_owned()],
    };
    let keys = keys.join(", ");
    let shape = if schema["type"] == "array" { "an array; each row: " } else { "" };
    let is_command = ["agon ", "cargo "].iter().any(|start| source.starts_with(start));
    let source = if is_command { format!("`{source}`") } else { source.to_owned() };
    format!("| `{name}` | {source} | {shape}{keys} |")
}

#[test]
fn matches_are_valid_and_say_what_decided_them() {
    let place = Place::new();
    for game in crate::agon::games() {
        let mut args = vec!["match", &game, "@random", "@random", "--seed", "4", "--format", "json"];
        args.extend(rounds(&place, &game));
        let done = place.run(&args);
        let document: Value = serde_json::from_str(&done.out).unwrap_or_else(|why| panic!("{why}: {done:?}"));
        assert_valid(&place, "match", &document);
        assert_eq!((&document["replay_hash"], &document["seats"][0]["kind"]), (&Value::Null, &json!("builtin")));
    }
    let args = ["match", "grid", "@random", "agon --version", "--seed", "4", "--replay", "r.jsonl", "--format", "json"];
    let failed = place.json(&args);
    assert_valid(&place, "match", &failed);
    let seat = &failed["seats"][1];
    assert_eq!((&seat["bot"], &seat["kind"]), (&json!("agon --version"), &json!("command")));
    assert!(seat["fault"]["kind"].is_string(), "{failed:#}");
    assert_eq!(failed["agon"], env!("CARGO_PKG_VERSION"));
    assert_eq!(failed["replay_hash"], sha256(place.read("r.jsonl").as_bytes()));
    let replay = place.read("r.jsonl");
    let header: Value = serde_json::from_str(replay.lines().next().expect("a header")).expect("a header");
    assert_eq!(failed["map_hash"], sha256(header["map"].as_str().expect("a map").as_bytes()));
    assert_eq!(failed["clock"], header["clock"]);
    let wrong = [
        ("/seats/0/kind", json!("program")),
        ("/seats/1/fault/kind", json!(null)),
        ("/seats/0/time/p50_us", json!(-1)),
        ("/map_hash", json!(null)),
        ("/reason", json!("because")),
        ("/schema", json!("1")),
    ];
    assert_refused(&place, "match", &failed, &wrong);
}

#[test]
fn the_hash_of_a_bot_is_that_of_its_files_and_words() {
    let place = Place::new();
    let hash = |bot: &str| {
        let args = ["match", "grid", "@random", bot, "--seed", "4", "--rounds", "2", "--format", "json"];
        let done = place.run(&args);
        let document: Value = serde_json::from_str(&done.out).unwrap_or_else(|why| panic!("{why}: {done:?}"));
        assert_valid(&place, "match", &document);
        let seat = &document["seats"][1];
        (seat["kind"].as_str().expect("a kind").to_owned(), seat["hash"].as_str().expect("a hash").to_owned())
    };
    let builtin = hash("@random");
    assert_eq!(builtin.0, "builtin");
    assert_eq!(hash("other=@random"), builtin, "a name is no part of a bot");
    assert_ne!(hash("@greedy"), builtin);
    for folder in ["one", "two"] {
        std::fs::create_dir(place.path(folder)).expect("the folder for tests can be written to");
        place.write(&format!("{folder}/agon.toml"), "run = [\"sh\", \"bot.sh\"]\n");
        place.write(&format!("{folder}/bot.sh"), "cat\n");
    }
    let first = hash("one");
    assert_eq!((first.0.as_str(), &hash("two")), ("folder", &first), "the same files in another place");
    place.write("two/bot.sh", "cat \n");
    assert_ne!(hash("two"), first, "another file");
    place.write("bot.sh", "cat\n");
    let command = hash("sh bot.sh");
    assert_eq!(command.0, "command");
    place.write("bot.sh", "cat \n");
    assert_ne!(hash("sh bot.sh"), command, "the file that a command names");
}

#[test]
fn replays_are_valid() {
    let place = Place::new();
    let mut lines = 0;
    for game in crate::agon::games() {
        let file = format!("{game}.jsonl");
        let mut args = vec!["match", &game, "@random", "agon --version", "--seed", "5", "--replay", &file];
        args.extend(rounds(&place, &game));
        assert_eq!(place.run(&args).code, 0, "{game}");
        let text = place.read(&file);
        let mut values = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line"));
        let header = values.next().expect("a header");
        assert_valid(&place, "replay-header", &header);
        let mut spec = header.clone();
        for key in ["agon", "engine", "fingerprint"] {
            spec.as_object_mut().expect("an object").shift_remove(key).expect("a key of the header");
        }
        assert_valid(&place, "match-spec", &spec);
        let validator = jsonschema::validator_for(&place.json(&["schema", "replay-line"])).expect("a schema");
        for line in values {
            assert!(validator.is_valid(&line), "{game}: {line}");
            lines += 1;
        }
        assert_valid(&place, "replay-show", &place.json(&["replay", "show", &file, "--format", "json"]));
        let ply = place.json(&["replay", "show", &file, "--ply", "1", "--format", "json"]);
        assert_valid(&place, "replay-show-ply", &ply);
        assert_valid(&place, "replay-show-time", &place.json(&["replay", "show", &file, "--time", "--format", "json"]));
        let ask = ["replay", "ask", &file, "--ply", "1", "--seat", "1", "@random", "--format", "json"];
        assert_valid(&place, "replay-ask", &place.json(&ask));
        let verified = place.json(&["replay", "verify", &file, "--format", "json"]);
        assert_valid(&place, "replay-verify", &verified);
        assert_refused(&place, "replay-verify", &verified, &[("/reproduces", json!(1)), ("/fingerprint", json!("x"))]);
        let mark = verified["fingerprint"].as_str().expect("a fingerprint");
        place.write(&file, text.replace(mark, "0000000000000000"));
        let done = place.run(&["replay", "verify", &file, "--format", "json"]);
        let differs: Value = serde_json::from_str(&done.out).expect("a document");
        assert!(done.code == 30 && differs["difference"]["text"].is_string(), "{done:?}");
        assert_valid(&place, "replay-verify", &differs);
    }
    assert!(lines > 10, "{lines} lines");
}

#[test]
fn lines_of_replays_with_wrong_types_are_refused() {
    let place = Place::new();
    assert_eq!(place.run(&["match", "grid", "@random", "@random", "--seed", "5", "--replay", "r.jsonl"]).code, 0);
    let text = place.read("r.jsonl");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
    let wrong = [("/agon", json!("2")), ("/seats/0/name", json!(1)), ("/seed", json!(0.5)), ("/fingerprint", json!(7))];
    assert_refused(&place, "replay-header", &lines[0], &wrong);
    let wrong = [("/ply", json!("1")), ("/entries/0/seat", json!(0)), ("/entries/0/wall_us", json!(null))];
    assert_refused(&place, "replay-line", &lines[1], &wrong);
    let wrong = [("/end", json!("lost")), ("/standing/places/0", json!(-1)), ("/times", json!({}))];
    assert_refused(&place, "replay-line", lines.last().expect("a footer"), &wrong);
}

#[test]
fn recorded_replays_are_valid() {
    let place = Place::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/replays/v2");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the fixtures") {
        let path = entry.expect("a file").path();
        let name = path.display().to_string();
        // A replay that was cut is too large for this test.
        if name.contains(".jsonl") && !name.contains("cut.jsonl") {
            let show = place.json(&["replay", "show", &name, "--format", "json"]);
            assert_valid(&place, "replay-show", &show);
            seen += 1;
        }
    }
    assert!(seen > 5, "{seen} replays");
}

/// Returns the arguments for a short match, if the game has a limit.
fn rounds(place: &Place, game: &str) -> &'static [&'static str] {
    let limit = &place.json(&["games", game, "--format", "json"])["limit"];
    if limit.is_null() { &[] } else { &["--rounds", "9"] }
}

/// Returns a hash in the form in which `agon` prints hashes.
fn sha256(bytes: &[u8]) -> String {
    agon_play::ContentHash::of(bytes).to_string()
}
