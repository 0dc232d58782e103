//! Generates headers and glue from the API. C and C++ compilers use them together with a champion's own sources.

use crate::api::{CALLBACKS, CONSTANTS, ERRORS, FUNCTIONS, Function, PRINTED, Returns, STRUCTURES, Structure, Type};

/// The file names of the contest in different years.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    /// The names of the contest of 2015: `prologin.hh`, `prologin.h`.
    Of2015,
    /// The names since 2020: `api.hh`, `api.h`.
    Of2020,
}

/// Returns the glue of a champion in C.
#[must_use]
pub fn c_glue() -> String {
    let mut out = include_str!("../glue/glue.c").to_owned();
    out += &types();
    out += "static void agon_take_erreur(const int32_t **from, erreur *value) { *value = (erreur)*(*from)++; }\n";
    out += &format!(
        "static void agon_print_erreur(erreur value) {{\n    static const char *const names[] = {{ {} }};\n    \
         fputs((unsigned)value < {} ? names[value] : \"?\", stderr);\n}}\n",
        quoted_errors(),
        ERRORS.len()
    );
    for structure in STRUCTURES {
        let name = structure.kind.name();
        out += &format!("static void agon_take_{name}(const int32_t **from, {name} *value) {{\n");
        for (field, kind) in structure.fields {
            out += &format!("    agon_take_{}(from, &value->{field});\n", kind.name());
        }
        out += &format!("}}\nstatic void agon_print_{name}({name} value) {{\n");
        out += &printing(structure, |kind| format!("agon_print_{}", kind.name()));
        out += "}\n";
    }
    for kind in array_types() {
        let name = kind.name();
        out += &format!("typedef struct {{ {name} *items; size_t length; }} {name}_array;\n");
    }
    for (number, function) in FUNCTIONS.iter().enumerate() {
        out += &format!("\n{} {{\n{}", c_prototype(function), marshalled(function));
        let count = function.width();
        match function.returns {
            Returns::One(kind) => {
                let (name, width) = (kind.name(), kind.width());
                out += &format!(
                    "    int32_t out[{width}];\n    agon_call({number}, arguments, {count}, out, {width});\n    \
                     const int32_t *from = out;\n    {name} value;\n    agon_take_{name}(&from, &value);\n    \
                     return value;\n"
                );
            }
            Returns::Many(kind) => {
                let (name, width) = (kind.name(), kind.width());
                out += &format!(
                    "    int32_t length;\n    int32_t *numbers = agon_list({number}, arguments, {count}, &length);\n    \
                     {name}_array list;\n    list.length = (size_t)length / {width};\n    \
                     list.items = malloc((list.length + 1) * sizeof *list.items);\n    \
                     if (!list.items) agon_die(\"out of memory\");\n    const int32_t *from = numbers;\n    \
                     for (size_t i = 0; i < list.length; i++) agon_take_{name}(&from, &list.items[i]);\n    \
                     free(numbers);\n    return list;\n"
                );
            }
        }
        out += "}\n";
    }
    for kind in PRINTED {
        let name = kind.name();
        out +=
            &format!("\nvoid afficher_{name}({name} v) {{\n    agon_print_{name}(v);\n    fputc('\\n', stderr);\n}}\n");
    }
    out
}

/// Returns the glue of a champion in C++. It has each function twice: with the prefix `api_` for `prologin.hh`, and
/// without it for `api.hh`.
#[must_use]
pub fn cpp_glue() -> String {
    let mut out = include_str!("../glue/glue.cc").to_owned();
    out += &types();
    out += "static inline void agon_take(const int32_t *&from, erreur &value) { \
            value = static_cast<erreur>(*from++); }\n";
    out += &format!(
        "static void agon_print(erreur value) {{\n    static const char *const names[] = {{ {} }};\n    \
         std::fputs(static_cast<unsigned>(value) < {} ? names[value] : \"?\", stderr);\n}}\n",
        quoted_errors(),
        ERRORS.len()
    );
    for structure in STRUCTURES {
        let name = structure.kind.name();
        out += &format!("static inline void agon_take(const int32_t *&from, {name} &value) {{\n");
        for (field, _) in structure.fields {
            out += &format!("    agon_take(from, value.{field});\n");
        }
        out += &format!("}}\nstatic void agon_print({name} value) {{\n");
        out += &printing(structure, |_| "agon_print".to_owned());
        out += "}\n";
    }
    out += CPP_CALLS;
    for (number, function) in FUNCTIONS.iter().enumerate() {
        let count = function.width();
        let (kind, call) = match function.returns {
            Returns::One(kind) => (kind, "agon_one"),
            Returns::Many(kind) => (kind, "agon_many"),
        };
        out += &format!(
            "\nextern \"C\" {} {{\n{}    return {call}<{}, {}>({number}, arguments, {count});\n}}\n",
            cpp_prototype(function, "api_"),
            marshalled(function),
            kind.name(),
            kind.width()
        );
        out += &format!(
            "{} {{ return api_{}({}); }}\n",
            cpp_prototype(function, ""),
            function.name,
            function.arguments.iter().map(|a| a.0).collect::<Vec<_>>().join(", ")
        );
    }
    for kind in PRINTED {
        let name = kind.name();
        out += &format!(
            "\nextern \"C\" void api_afficher_{name}({name} v) {{\n    agon_print(v);\n    \
             std::fputc('\\n', stderr);\n}}\nvoid afficher_{name}({name} v) {{ api_afficher_{name}(v); }}\n"
        );
    }
    out
}

/// The templates with which the functions of [`cpp_glue`] call the host.
const CPP_CALLS: &str = r"
template <typename T, int32_t WIDTH>
static T agon_one(int32_t function, const int32_t *arguments, int32_t count) {
    int32_t out[WIDTH];
    agon_call(function, arguments, count, out, WIDTH);
    const int32_t *from = out;
    T value;
    agon_take(from, value);
    return value;
}

template <typename T, int32_t WIDTH>
static std::vector<T> agon_many(int32_t function, const int32_t *arguments, int32_t count) {
    int32_t few[512];
    std::vector<int32_t> many;
    const int32_t *from = few;
    int32_t capacity = 512;
    int32_t length = agon_call(function, arguments, count, few, capacity);
    // Again and again: in a thread that outlives its turn the list may have grown meanwhile.
    while (length > capacity) {
        capacity = length;
        many.resize(static_cast<size_t>(capacity));
        length = agon_call(function, arguments, count, many.data(), capacity);
        from = many.data();
    }
    std::vector<T> list(static_cast<size_t>(length / WIDTH));
    for (T &value : list) agon_take(from, value);
    return list;
}
";

/// Returns `prologin.h` or `api.h`. They differ in the name of one field.
#[must_use]
pub fn c_header(flavour: Flavour) -> String {
    let items = match flavour {
        Flavour::Of2015 => "datas",
        Flavour::Of2020 => "items",
    };
    let mut out = String::from(
        "/* The API of the Prologin 2015 final for champions in C. */\n\n#ifndef AGON_PORTALS_H\n\
         #define AGON_PORTALS_H\n\n#include <stdbool.h>\n#include <stdlib.h>\n\n",
    );
    out += &constants();
    out += &types();
    out += "\n/* Lists: what they hold is the champion's, to be freed. */\n";
    for kind in array_types() {
        let name = kind.name();
        out += &format!("typedef struct {name}_array {{\n    {name} *{items};\n    size_t length;\n}} {name}_array;\n");
    }
    out += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    for function in FUNCTIONS {
        out += &format!("{};\n", c_prototype(function));
    }
    out += "\n/* Print a value to stderr. */\n";
    for kind in PRINTED {
        out += &format!("void afficher_{0}({0} v);\n", kind.name());
    }
    out += "\n/* What the champion defines. */\n";
    for name in CALLBACKS {
        out += &format!("void {name}(void);\n");
    }
    out + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
}

/// Returns `prologin.hh` or `api.hh`.
#[must_use]
pub fn cpp_header(flavour: Flavour) -> String {
    let mut out = String::from(
        "// The API of the Prologin 2015 final for champions in C++.\n\n#ifndef AGON_PORTALS_HH\n\
         #define AGON_PORTALS_HH\n\n#include <functional>\n#include <string>\n#include <vector>\n\n",
    );
    out += &constants();
    out += &types();
    out.push('\n');
    for function in FUNCTIONS {
        let names = function.arguments.iter().map(|a| a.0).collect::<Vec<_>>().join(", ");
        out += &match flavour {
            Flavour::Of2015 => format!(
                "extern \"C\" {};\nstatic inline {} {{ return api_{}({names}); }}\n",
                cpp_prototype(function, "api_"),
                cpp_prototype(function, ""),
                function.name
            ),
            Flavour::Of2020 => format!("{};\n", cpp_prototype(function, "")),
        };
    }
    out += "\n// Print a value to stderr.\n";
    for kind in PRINTED {
        let name = kind.name();
        out += &match flavour {
            Flavour::Of2015 => format!(
                "extern \"C\" void api_afficher_{name}({name} v);\n\
                 static inline void afficher_{name}({name} v) {{ api_afficher_{name}(v); }}\n"
            ),
            Flavour::Of2020 => format!("void afficher_{name}({name} v);\n"),
        };
    }
    out += "\n// What the champion defines.\nextern \"C\" {\n";
    for name in CALLBACKS {
        out += &format!("void {name}();\n");
    }
    out += "}\n";
    // In 2015 the authors of champions wrote these themselves if they needed them.
    if flavour == Flavour::Of2020 {
        out += &comparisons();
    }
    out + "\n#endif\n"
}

/// Returns functions that compare and hash structures. They compare fields in order. The constants of the hash are
/// those of the contest, because they determine the order of elements in a champion's hash containers.
fn comparisons() -> String {
    let mut out = String::from(
        "\n// Structures in containers.\nstatic inline std::size_t agon_mixed(std::size_t all, std::size_t one) {\n    \
         return all ^ (one + 0x9e3779b9u + (all << 6) + (all >> 2));\n}\n",
    );
    for structure in STRUCTURES {
        let name = structure.kind.name();
        let two = format!("(const {name} &a, const {name} &b)");
        let each = |part: &dyn Fn(&str, Type) -> String| {
            structure.fields.iter().map(|(field, kind)| part(field, *kind)).collect::<Vec<_>>()
        };
        let equal = each(&|field, _| format!("a.{field} == b.{field}")).join(" && ");
        let less =
            each(&|field, _| format!("    if (a.{field} != b.{field}) return a.{field} < b.{field};\n")).concat();
        let mixed =
            each(&|field, kind| format!("        all = agon_mixed(all, hash<{}>()(value.{field}));\n", kind.name()));
        out += &format!(
            "\ninline bool operator=={two} {{ return {equal}; }}\n\
             inline bool operator!={two} {{ return !(a == b); }}\n\
             inline bool operator<{two} {{\n{less}    return false;\n}}\n\
             inline bool operator>{two} {{ return b < a; }}\n\
             namespace std {{\ntemplate <> struct hash<{name}> {{\n    \
             size_t operator()(const {name} &value) const {{\n        size_t all = 0;\n{}        return all;\n    }}\n}};\n}}\n",
            mixed.concat()
        );
    }
    out + "\nnamespace std {\ntemplate <typename T> struct hash<vector<T>> {\n    \
           size_t operator()(const vector<T> &list) const {\n        size_t all = list.size();\n        \
           for (const auto &value : list) all = agon_mixed(all, hash<T>()(value));\n        return all;\n    }\n};\n}\n"
}

fn constants() -> String {
    CONSTANTS.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect::<String>() + "\n"
}

/// Returns the enumeration and the structures, which are the same in C and C++.
fn types() -> String {
    let mut out = format!("typedef enum erreur {{ {} }} erreur;\n", ERRORS.join(", "));
    for structure in STRUCTURES {
        let name = structure.kind.name();
        out += &format!("typedef struct {name} {{\n");
        for (field, kind) in structure.fields {
            out += &format!("    {} {field};\n", kind.name());
        }
        out += &format!("}} {name};\n");
    }
    out
}

fn quoted_errors() -> String {
    ERRORS.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// Returns the types for which the API has lists.
fn array_types() -> impl Iterator<Item = Type> {
    STRUCTURES.iter().map(|s| s.kind)
}

/// Returns code that prints a structure as `{ x=1, y=2 }`. A field may be a structure itself.
fn printing(structure: &Structure, printer: impl Fn(Type) -> String) -> String {
    let mut out = String::new();
    for (i, (field, kind)) in structure.fields.iter().enumerate() {
        let before = if i == 0 { "{ " } else { ", " };
        out += &format!("    fputs(\"{before}{field}=\", stderr);\n    {}(value.{field});\n", printer(*kind));
    }
    out + "    fputs(\" }\", stderr);\n"
}

/// Returns code that puts the integers of all arguments into an array `arguments`.
fn marshalled(function: &Function) -> String {
    let mut numbers = Vec::new();
    for (name, kind) in function.arguments {
        match kind {
            Type::Position => numbers.extend([format!("{name}.x"), format!("{name}.y")]),
            _ => numbers.push((*name).to_owned()),
        }
    }
    if numbers.is_empty() {
        "    const int32_t *const arguments = 0;\n".to_owned()
    } else {
        format!("    const int32_t arguments[] = {{ {} }};\n", numbers.join(", "))
    }
}

fn parameters(function: &Function) -> String {
    let each = function.arguments.iter().map(|(name, kind)| format!("{} {name}", kind.name()));
    each.collect::<Vec<_>>().join(", ")
}

fn c_prototype(function: &Function) -> String {
    let returns = match function.returns {
        Returns::One(kind) => kind.name().to_owned(),
        Returns::Many(kind) => format!("{}_array", kind.name()),
    };
    let parameters = if function.arguments.is_empty() { "void".to_owned() } else { parameters(function) };
    format!("{returns} {}({parameters})", function.name)
}

fn cpp_prototype(function: &Function, prefix: &str) -> String {
    let returns = match function.returns {
        Returns::One(kind) => kind.name().to_owned(),
        Returns::Many(kind) => format!("std::vector<{}>", kind.name()),
    };
    format!("{returns} {prefix}{}({})", function.name, parameters(function))
}
