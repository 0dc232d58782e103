//! What champions may do with the generated headers and the glue, asked of a compiler.
//!
//! A machine without one skips this, and says so; where `CI` is set that is a failure.

use agon_champion::{
    Flavour,
    generate::{cpp_glue, cpp_header},
};
use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

/// Compiles a program in C++ beside a file, runs it, and tells whether both went well, with what was said.
fn run(name: &str, beside: (&str, String), standard: &str, program: &str) -> Option<(bool, String)> {
    let compiler = Command::new("g++").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !compiler.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("CI").is_none(), "there is no `g++`, which this test needs");
        eprintln!("SKIPPED: there is no `g++`, which this test needs");
        return None;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("headers-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder for tests can be written to");
    fs::write(folder.join(beside.0), beside.1).expect("the folder for tests can be written to");
    fs::write(folder.join("main.cc"), program).expect("the folder for tests can be written to");
    let mut compiler = Command::new("g++");
    compiler.args([standard, "-Wall", "-Wextra", "-Werror", "-o", "main", "main.cc"]).current_dir(&folder);
    let compiled = compiler.output().expect("it was there just now");
    let mut said = String::from_utf8_lossy(&compiled.stderr).into_owned();
    let mut well = compiled.status.success();
    if well {
        let ran = Command::new(folder.join("main")).output().expect("it was just made");
        well = ran.status.success();
        said += &String::from_utf8_lossy(&ran.stderr);
    }
    let _ = fs::remove_dir_all(&folder);
    Some((well, said))
}

#[test]
fn since_2020_positions_links_and_fields_are_compared_and_hashed() {
    let program = r#"
#include "api.hh"
#include <cassert>
#include <set>
#include <unordered_map>
#include <unordered_set>

int main() {
    const position a{1, 2}, b{2, 1};
    assert(a == a && a != b && a < b && b > a && !(a < a) && !(a > a));
    const lien l{a, b, 0}, m{a, b, 1};
    assert(l == l && l != m && l < m && m > l);
    const champ c{a, b, a, 0}, d{a, b, b, 0};
    assert(c == c && c != d && c < d && d > c);
    std::set<position> sorted{b, a, b};
    assert(sorted.size() == 2 && *sorted.begin() == a);
    std::unordered_set<lien> links{l, m, l};
    std::unordered_set<champ> fields{c, d, c};
    std::unordered_map<position, int> seen;
    seen[a] = 1;
    seen[b] = 2;
    std::unordered_set<std::vector<position>> ways{{a, b}, {b, a}, {a, b}};
    assert(links.size() == 2 && fields.size() == 2 && seen.size() == 2 && ways.size() == 2);
    // The numbers decide in which order a champion meets what it keeps so: they are the contest's.
    assert(std::hash<position>()(a) == 175247769363ul);
    assert(std::hash<position>()(b) == 175247769427ul);
    return 0;
}
"#;
    if let Some((well, said)) = run("2020", ("api.hh", cpp_header(Flavour::Of2020)), "-std=c++17", program) {
        assert!(well, "{said}");
    }
}

#[test]
fn in_2015_champions_did_so_themselves() {
    let program = r#"
#include "prologin.hh"
#include <unordered_set>

bool operator==(const position &a, const position &b) { return a.x == b.x && a.y == b.y; }
namespace std {
template <> struct hash<position> {
    size_t operator()(const position &p) const { return static_cast<size_t>(30 * p.x + p.y); }
};
}

int main() {
    std::unordered_set<position> seen{position{1, 2}, position{1, 2}};
    return seen.size() == 1 ? 0 : 1;
}
"#;
    if let Some((well, said)) = run("2015", ("prologin.hh", cpp_header(Flavour::Of2015)), "-std=c++11", program) {
        assert!(well, "{said}");
    }
}

/// A thread that outlives its turn may ask for a list that is another one a moment later.
#[test]
fn a_list_that_grows_while_it_is_asked_for_is_read_whole() {
    let program = r#"
#include "glue.cc"

static int32_t calls = 0;

static int32_t growing(int32_t, const int32_t *, int32_t, int32_t *out, int32_t capacity) {
    const int32_t length = ++calls == 1 ? 600 : 60000;
    for (int32_t i = 0; i < length && i < capacity; i++) out[i] = i;
    return length;
}

void partie_init() {}
void jouer_tour() {}
void partie_fin() {}

int main() {
    agon_champion_connect(growing);
    const std::vector<position> portals = liste_portails();
    if (portals.size() != 30000) return 1;
    for (int i = 0; i < 30000; i++) {
        if (portals[static_cast<size_t>(i)].x != 2 * i) return 2;
    }
    return 0;
}
"#;
    if let Some((well, said)) = run("glue", ("glue.cc", cpp_glue()), "-std=c++11", program) {
        assert!(well, "{said}");
    }
}
