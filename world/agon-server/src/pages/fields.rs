//! Parts of forms.

use crate::routes::Visit;
use maud::{Markup, html};

/// How a field is filled in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Field<'a> {
    /// The name in the request.
    pub name: &'a str,
    /// What people read above it.
    pub label: &'a str,
    /// The type of the input, as in HTML. It is `text` if it is empty.
    pub kind: &'a str,
    /// What is in it already.
    pub value: &'a str,
    /// What people read below it. Nothing if it is empty.
    pub about: &'a str,
    /// What the browser may fill in, as in HTML.
    pub autocomplete: &'a str,
    /// Whether it may be left empty.
    pub optional: bool,
}

impl Field<'_> {
    /// Writes the field with its label.
    #[must_use]
    pub fn html(&self) -> Markup {
        let id = format!("field-{}", self.name);
        let about = format!("{id}-about");
        let kind = if self.kind.is_empty() { "text" } else { self.kind };
        let complete = if self.autocomplete.is_empty() { "off" } else { self.autocomplete };
        html! {
            div.field {
                label for=(id) { (self.label) }
                input id=(id) name=(self.name) type=(kind) value=(self.value) autocomplete=(complete) spellcheck="false"
                    autocapitalize="none" maxlength="200" required[!self.optional]
                    aria-describedby=[(!self.about.is_empty()).then_some(&about)];
                @if !self.about.is_empty() { small id=(about) { (self.about) } }
            }
        }
    }
}

/// Writes a field for a password. `autocomplete` says which one, as in HTML.
#[must_use]
pub fn password(name: &str, label: &str, about: &str, autocomplete: &str) -> Markup {
    Field { name, label, kind: "password", about, autocomplete, ..Field::default() }.html()
}

/// Writes a choice, each with its value and its text.
#[must_use]
pub fn choice(field: &str, label: &str, options: &[(&str, &str)], chosen: &str) -> Markup {
    let id = format!("field-{field}");
    html! {
        div.field {
            label for=(id) { (label) }
            select id=(id) name=(field) {
                @for (value, text) in options { option value=(value) selected[*value == chosen] { (text) } }
            }
        }
    }
}

/// Writes a form that is sent to a path, with its token.
#[must_use]
pub fn form(visit: &Visit, action: &str, send: &str, inner: &Markup) -> Markup {
    html! {
        form method="post" action=(action) {
            (token_field(visit))
            (inner)
            button { (send) }
        }
    }
}

/// Writes a form that is a single button. `label` says for those who cannot see the table around it what it is about.
#[must_use]
pub fn button(visit: &Visit, action: &str, text: &str, label: &str) -> Markup {
    html! {
        form method="post" action=(action) {
            (token_field(visit))
            button.small aria-label=(label) { (text) }
        }
    }
}

/// Writes the field that shows that the form comes from here.
#[must_use]
pub fn token_field(visit: &Visit) -> Markup {
    html! { input type="hidden" name="form" value=(visit.form_token()); }
}
