//! Reads a line of JSON: just enough for the referee's messages.

#[derive(PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text,
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(n, _)| n == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// What is in an array.
    pub fn items(&self) -> Option<&[Json]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The number as an integer, as all of this game's numbers are.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Json::Number(number) => Some(*number as i64),
            _ => None,
        }
    }
}

/// The value that the line holds; `None` if it is not JSON.
pub fn read(line: &str) -> Option<Json> {
    Reader { rest: line }.value()
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self) -> Option<Json> {
        if self.takes("{") {
            let mut members = Vec::new();
            while !self.takes("}") {
                if !members.is_empty() && !self.takes(",") {
                    return None;
                }
                let name = if self.takes("\"") { self.text()? } else { return None };
                if !self.takes(":") {
                    return None;
                }
                members.push((name, self.value()?));
            }
            Some(Json::Object(members))
        } else if self.takes("[") {
            let mut items = Vec::new();
            while !self.takes("]") {
                if !items.is_empty() && !self.takes(",") {
                    return None;
                }
                items.push(self.value()?);
            }
            Some(Json::Array(items))
        } else if self.takes("\"") {
            self.text().map(|_| Json::Text)
        } else if self.takes("null") {
            Some(Json::Null)
        } else if self.takes("true") {
            Some(Json::Bool(true))
        } else if self.takes("false") {
            Some(Json::Bool(false))
        } else {
            let end = self.rest.find([',', ']', '}', ' ', '\t', '\r']).unwrap_or(self.rest.len());
            let number = self.rest[..end].parse().ok()?;
            self.rest = &self.rest[end..];
            Some(Json::Number(number))
        }
    }

    /// Steps over `token`, and over blanks before it, if it comes next.
    fn takes(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.strip_prefix(token).map(|rest| self.rest = rest).is_some()
    }

    /// The rest of a string that has begun. The names of members hold no escapes, and other strings are not looked at.
    fn text(&mut self) -> Option<String> {
        let mut escaped = false;
        let end = self.rest.find(|c| {
            let quote = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            quote
        })?;
        let text = self.rest[..end].to_string();
        self.rest = &self.rest[end + 1..];
        Some(text)
    }
}
