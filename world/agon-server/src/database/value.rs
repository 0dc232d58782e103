//! What goes into a statement and comes out of it.

use super::DatabaseError;
use crate::Result;

/// A value of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// No value.
    Null,
    /// A whole number. Whether something is so is 0 or 1.
    Int(i64),
    /// A text. It may hold every character.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Int(value.into())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Int(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Self {
        Self::Text(value.clone())
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

impl<const N: usize> From<[u8; N]> for Value {
    fn from(value: [u8; N]) -> Self {
        Self::Bytes(value.to_vec())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row of an answer. Columns count from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row(pub(super) Vec<Value>);

impl Row {
    /// Returns the number in this column.
    ///
    /// # Errors
    /// If there is no number in it.
    pub fn int(&self, column: usize) -> Result<i64> {
        self.optional_int(column)?.ok_or_else(|| mismatch(column, "a number"))
    }

    /// Returns whether the number in this column is not 0.
    ///
    /// # Errors
    /// If there is no number in it.
    pub fn flag(&self, column: usize) -> Result<bool> {
        Ok(self.int(column)? != 0)
    }

    /// Returns the text in this column.
    ///
    /// # Errors
    /// If there is no text in it.
    pub fn text(&self, column: usize) -> Result<&str> {
        self.optional_text(column)?.ok_or_else(|| mismatch(column, "a text"))
    }

    /// Returns the bytes in this column.
    ///
    /// # Errors
    /// If there are no bytes in it.
    pub fn bytes(&self, column: usize) -> Result<&[u8]> {
        self.optional_bytes(column)?.ok_or_else(|| mismatch(column, "bytes"))
    }

    /// Returns the number in this column, if it has a value.
    ///
    /// # Errors
    /// If it has a value of another type.
    pub fn optional_int(&self, column: usize) -> Result<Option<i64>> {
        match self.0.get(column) {
            Some(Value::Int(number)) => Ok(Some(*number)),
            Some(Value::Null) => Ok(None),
            _ => Err(mismatch(column, "a number")),
        }
    }

    /// Returns the text in this column, if it has a value.
    ///
    /// # Errors
    /// If it has a value of another type.
    pub fn optional_text(&self, column: usize) -> Result<Option<&str>> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            _ => Err(mismatch(column, "a text")),
        }
    }

    /// Returns the bytes in this column, if it has a value.
    ///
    /// # Errors
    /// If it has a value of another type.
    pub fn optional_bytes(&self, column: usize) -> Result<Option<&[u8]>> {
        match self.0.get(column) {
            Some(Value::Bytes(bytes)) => Ok(Some(bytes)),
            Some(Value::Null) => Ok(None),
            _ => Err(mismatch(column, "bytes")),
        }
    }
}

fn mismatch(column: usize, wanted: &'static str) -> crate::Error {
    DatabaseError::Type { column, wanted }.into()
}
