//! Tests the rules that every schema keeps, and compares the shapes of `agon-core`'s types with their JSON.

use agon_core::{ClockPolicy, Frame, Key, Seat, Shape};
use agon_spec::{DOCUMENTS, DocumentKind, MapShowDocument, MatchSpec, SCHEMA_VERSION, Versioned};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Collects every object in a schema, with its path.
fn objects<'a>(value: &'a Value, path: &str, found: &mut Vec<(String, &'a serde_json::Map<String, Value>)>) {
    match value {
        Value::Object(object) => {
            found.push((path.to_owned(), object));
            object.iter().for_each(|(key, inner)| objects(inner, &format!("{path}/{key}"), found));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, inner)| objects(inner, &format!("{path}/{i}"), found));
        }
        _ => {}
    }
}

#[test]
fn every_schema_is_one_and_allows_other_keys() {
    for kind in DOCUMENTS {
        let schema = kind.schema();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{}", kind.name);
        assert_eq!(schema["title"], kind.name);
        jsonschema::meta::validate(&schema).unwrap_or_else(|why| panic!("{}: {why}", kind.name));
        let text = schema.to_string();
        for closed in ["\"additionalProperties\":false", "\"unevaluatedProperties\":false"] {
            assert!(!text.contains(closed), "{}: {closed}", kind.name);
        }
    }
}

#[test]
fn names_and_numbers_of_schemas_are_unique() {
    let names: BTreeSet<_> = DOCUMENTS.iter().map(|kind| kind.name).collect();
    let ids: BTreeSet<_> = DOCUMENTS.iter().map(|kind| kind.schema()["$id"].to_string()).collect();
    assert_eq!((names.len(), ids.len()), (DOCUMENTS.len(), DOCUMENTS.len()));
}

#[test]
fn every_key_is_described_in_words_for_people() {
    for kind in DOCUMENTS {
        let schema = kind.schema();
        let mut found = Vec::new();
        objects(&schema, "", &mut found);
        for (path, object) in &found {
            if let Some(text) = object.get("description").and_then(Value::as_str) {
                for code in ["](", "[`", "::", "`None`", "`Some`"] {
                    assert!(!text.contains(code), "{} {path}: {text}", kind.name);
                }
            }
            let Some(Value::Object(properties)) = object.get("properties") else { continue };
            for (key, property) in properties {
                // The key that holds the value of a variant, and the key that names the variant, need no description.
                let is_variant = path.contains("/oneOf/");
                let said = property.get("description").is_some() || property.get("$ref").is_some();
                assert!(said || is_variant, "{} {path}: `{key}` has no description", kind.name);
            }
        }
    }
}

#[test]
fn objects_begin_with_their_version() {
    for kind in DOCUMENTS {
        let schema = kind.schema();
        if schema["properties"].get("schema").is_some() {
            assert_eq!(schema["properties"].as_object().unwrap().keys().next().unwrap(), "schema", "{}", kind.name);
            assert_eq!(
                (&schema["properties"]["schema"]["const"], &schema["required"][0]),
                (&json!(1), &json!("schema"))
            );
        }
    }
}

/// Returns whether a value has the shape that is defined in the schema of a document.
fn fits(kind: &str, definition: &str, value: &Value) -> bool {
    let mut schema = DocumentKind::find(kind).expect("a document").schema();
    assert!(schema["$defs"].get(definition).is_some(), "{kind} has no {definition}");
    let definitions = schema["$defs"].take();
    let schema = json!({ "$ref": format!("#/$defs/{definition}"), "$defs": definitions });
    jsonschema::validator_for(&schema).expect("a schema").is_valid(value)
}

#[test]
fn pictures_have_the_shape_that_is_described() {
    let mut frame = Frame { title: "turn 1".into(), captions: vec!["score 1".into()], ..Frame::default() };
    let point = [1.0, 2.5];
    frame.add("cell", Key::default(), Shape::Cell(point)).of(Some(Seat::new(31))).strength(0.5).tip("12");
    frame.add("disc", Key::default(), Shape::Disc(point, 3.0));
    frame.add("line", Key::default(), Shape::Line(point, point));
    frame.add("area", Key::default(), Shape::Polygon(vec![point; 3]));
    frame.add("text", Key::default(), Shape::Label(point, "x".into()));
    let document =
        MapShowDocument { game: "toy".into(), map: "m".into(), seats: 2, text: String::new(), frame: frame.clone() };
    let good = serde_json::to_value(Versioned::of(document)).expect("a document");
    assert!(fits("map-show", "Frame", &good["frame"]), "{good}");
    let validator = jsonschema::validator_for(&DocumentKind::find("map-show").unwrap().schema()).unwrap();
    assert!(validator.is_valid(&good));
    for (place, wrong) in [
        ("/frame/items/0/seat", json!(0)),
        ("/frame/items/1/shape", json!({ "disc": [[1.0, 2.0]] })),
        ("/frame/items/4/shape/label/1", json!(7)),
        ("/frame/low", json!([0.0])),
        ("/schema", json!(SCHEMA_VERSION + 1)),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(place).expect("it is there") = wrong;
        assert!(!validator.is_valid(&bad), "{place}");
    }
}

#[test]
fn a_match_has_the_shape_that_is_described() {
    let text = r#"{"game":"toy","rules":"spec","map_name":"m","map":"5","seed":18446744073709551615,"seats":[{"name":"a","bot":"@random","dialect":[["quit","yes"]],"clock":"move=1s"}],"clock":"move=1s","limits":{"isolation":"full","fuel":"1G"}}"#;
    let spec: MatchSpec = serde_json::from_str(text).expect("a match");
    let validator = jsonschema::validator_for(&DocumentKind::find("match-spec").unwrap().schema()).unwrap();
    let good = serde_json::to_value(&spec).unwrap();
    assert!(validator.is_valid(&good), "{good}");
    for (place, wrong) in [
        ("/seed", json!("7")),
        ("/seed", json!(-1)),
        ("/seats", json!({})),
        ("/clock", json!(1.5)),
        ("/limits/isolation", json!("FULL")),
        ("/seats/0/dialect/0", json!(["quit"])),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(place).expect("it is there") = wrong;
        assert!(!validator.is_valid(&bad), "{place}");
    }
    assert_eq!(serde_json::to_value(ClockPolicy::OFF).unwrap(), "off,policy=fair");
}
