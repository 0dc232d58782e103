//! `agon schema NAME`.

use crate::{
    clean::{clean, cut},
    error::{Error, Result},
    exit::Exit,
    game::list,
    printer::Printer,
    values,
};
use agon_spec::{DOCUMENTS, DocumentKind};
use clap::Args;

/// Print the JSON Schema of a document.
///
/// The schema (draft 2020-12) has every key with its type and its meaning. It allows other keys: later versions may add
/// some. docs/json.md lists the documents and the commands that print them.
#[derive(Args, Debug)]
#[command(arg_required_else_help = true)]
#[command(after_help = "Examples:
  agon schema --list
  agon schema match > match.schema.json
  agon schema replay-line | jq -r '.description'")]
pub struct Schema {
    /// The document.
    #[arg(value_parser = values::document(), hide_possible_values = true, required_unless_present = "list")]
    name: Option<String>,

    /// Print the names of all documents, one a line.
    #[arg(long, conflicts_with = "name")]
    list: bool,
}

impl Schema {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        match &self.name {
            Some(name) => printer.json(&find(name)?.schema())?,
            None => printer.data(DOCUMENTS.iter().map(|kind| format!("{}\n", kind.name)).collect::<String>())?,
        }
        Ok(Exit::Done)
    }
}

fn find(name: &str) -> Result<&'static DocumentKind> {
    DocumentKind::find(name).ok_or_else(|| {
        let error = Error::user(format!("there is no document `{}`", clean(&cut(name, 40))));
        let all = list(DOCUMENTS.iter().map(|kind| kind.name.to_owned()));
        match agon_play::nearest(name, DOCUMENTS.iter().map(|kind| kind.name)) {
            Some(near) => error.hint(format!("did you mean `{near}`? there are: {all}")),
            None => error.hint(format!("there are: {all}")),
        }
    })
}
