//! The JSON Schema of each document.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

/// The version of all documents that are objects. It changes when a key is removed or changes its meaning. Keys may be
/// added at any time.
pub const SCHEMA_VERSION: u32 = 1;

/// A document that is an object, as commands print it. It begins with `"schema": 1`.
///
/// ```
/// use agon_spec::{CleanDocument, Versioned};
/// let printed = serde_json::to_string(&Versioned::of(CleanDocument { removed: Some(3) }));
/// assert_eq!(printed.unwrap(), r#"{"schema":1,"removed":3}"#);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Versioned<T> {
    schema: u32,
    /// The document, without the key `schema`.
    #[serde(flatten)]
    pub document: T,
}

impl<T> Versioned<T> {
    /// Gives a document the current version.
    pub const fn of(document: T) -> Self {
        Self { schema: SCHEMA_VERSION, document }
    }

    /// Returns the version in which the document was written.
    #[must_use]
    pub const fn schema(&self) -> u32 {
        self.schema
    }
}

impl<T: JsonSchema> JsonSchema for Versioned<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let version = json!({
            "const": SCHEMA_VERSION,
            "description": "The version of the document. It changes when a key is removed or changes its meaning.",
        });
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            let others = std::mem::take(properties);
            properties.insert("schema".into(), version);
            properties.extend(others);
        }
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.insert(0, "schema".into());
        }
        schema
    }
}

/// A kind of document: its name, its source, and its schema.
#[derive(Clone, Copy, Debug)]
pub struct DocumentKind {
    /// The name of the kind, as in `agon schema NAME`.
    pub name: &'static str,
    /// The command that prints such documents, or the part of a replay that has this form.
    pub source: &'static str,
    describe: fn(&mut SchemaGenerator) -> Schema,
}

impl DocumentKind {
    /// Creates a kind whose documents have the type `T`.
    pub(crate) const fn new<T: JsonSchema>(name: &'static str, source: &'static str) -> Self {
        Self { name, source, describe: SchemaGenerator::root_schema_for::<T> }
    }

    /// Returns the kind of this name, or `None` if no kind has it.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        crate::DOCUMENTS.iter().find(|kind| kind.name == name)
    }

    /// Returns the JSON Schema (draft 2020-12) of the kind. It describes the known keys and allows others.
    #[must_use]
    pub fn schema(&self) -> Value {
        // By default the schema of an enum's variant forbids other keys.
        let open = RecursiveTransform(|schema: &mut Schema| {
            if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
                schema.remove("additionalProperties");
            }
        });
        let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(open);
        let mut generator = settings.into_generator();
        let described = Value::from((self.describe)(&mut generator));
        let mut schema = serde_json::Map::new();
        schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.insert("$id".into(), format!("urn:agon:{}:{SCHEMA_VERSION}", self.name).into());
        schema.insert("title".into(), self.name.into());
        if let Value::Object(described) = described {
            schema.extend(described.into_iter().filter(|(key, _)| key != "$schema" && key != "title"));
        }
        Value::Object(schema)
    }
}
