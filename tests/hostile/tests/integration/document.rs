//! `docs/hostile.md` lists every kind with its model, and every former name.
//!
//! After a change of kinds, `AGON_UPDATE_DOCS=1 cargo test -p agon-hostile --test integration document` rewrites both tables.

use agon_hostile::{FORMER_NAMES, Kind, kinds};
use agon_spec::Isolation;
use std::{
    fs,
    path::{Path, PathBuf},
};

const BEGIN: &str = "<!-- kinds -->\n";
const END: &str = "<!-- end of kinds -->";

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hostile.md")
}

fn row(kind: &Kind) -> String {
    let (full, restricted) = (kind.expected(Isolation::Full), kind.expected(Isolation::Restricted));
    let differs = kind.needs <= Isolation::Restricted && full != restricted;
    let expected = if differs { format!("{full}<br>{restricted}") } else { full };
    format!("| {} | `{}` | {} | {} | {expected} |\n", kind.number, kind.name, kind.attacks, kind.needs)
}

#[test]
fn the_document_has_every_kind_with_its_model() {
    let text = fs::read_to_string(path()).unwrap();
    let (head, rest) = text.split_once(BEGIN).expect("the table begins with a mark");
    let (table, tail) = rest.split_once(END).expect("the table ends with a mark");
    let rows: String = kinds().into_iter().map(row).collect();
    let former: String = FORMER_NAMES.iter().map(|(former, name)| format!("| `{former}` | `{name}` |\n")).collect();
    let expected = format!(
        "\n| no. | kind | attacks | contained by | correct ends |\n| --- | --- | --- | --- | --- |\n{rows}\n\
         ### Former names\n\n`--only` still accepts these names.\n\n| former name | name |\n| --- | --- |\n{former}\n"
    );
    if std::env::var_os("AGON_UPDATE_DOCS").is_some() {
        fs::write(path(), format!("{head}{BEGIN}{expected}{END}{tail}")).unwrap();
    } else {
        assert_eq!(table, expected, "see the head of this test");
    }
}
