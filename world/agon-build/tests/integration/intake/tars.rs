use super::ground::{Ground, contents, names, refused};
use agon_build::intake::Limits;
use std::io::Write;

/// An entry of a tar archive: its head and its data, filled up.
pub fn entry(name: &[u8], kind: u8, mode: u32, data: &[u8]) -> Vec<u8> {
    sized(name, kind, mode, data.len() as u64, data)
}

/// An entry that says another size than it has.
pub fn sized(name: &[u8], kind: u8, mode: u32, size: u64, data: &[u8]) -> Vec<u8> {
    let mut head = vec![0; 512];
    head[..name.len()].copy_from_slice(name);
    head[100..108].copy_from_slice(format!("{mode:07o}\0").as_bytes());
    // From 8 GiB on the number is written in bytes, with a mark in front.
    match size {
        0..0x2_0000_0000 => head[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes()),
        _ => {
            head[124] = 0x80;
            head[128..136].copy_from_slice(&size.to_be_bytes());
        }
    }
    head[156] = kind;
    head[257..265].copy_from_slice(b"ustar\x0000");
    head[148..156].copy_from_slice(b"        ");
    let sum: u32 = head.iter().map(|b| u32::from(*b)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head.extend(data);
    head.resize(head.len().next_multiple_of(512), 0);
    head
}

/// An entry of this kind with a target, as links have.
fn linked(name: &[u8], kind: u8, mode: u32, target: &str) -> Vec<u8> {
    let mut head = entry(name, kind, mode, b"");
    head[157..157 + target.len()].copy_from_slice(target.as_bytes());
    head[148..156].fill(b' ');
    let sum: u32 = head.iter().map(|b| u32::from(*b)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head
}

fn link(name: &str, target: &str) -> Vec<u8> {
    linked(name.as_bytes(), b'2', 0o777, target)
}

pub fn file(name: &str, data: &[u8]) -> Vec<u8> {
    entry(name.as_bytes(), b'0', 0o644, data)
}

pub fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    [entries.concat(), vec![0; 1024]].concat()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes everything")
}

/// One extension of the format of POSIX 2001.
fn record(key: &str, value: &str) -> Vec<u8> {
    let rest = format!(" {key}={value}\n");
    let length = (rest.len()..).find(|n| n.to_string().len() + rest.len() == *n).expect("there is one");
    format!("{length}{rest}").into_bytes()
}

#[test]
fn every_packing_brings_the_same_files() {
    let long = format!("bot/{}/x.txt", "deep".repeat(30));
    let other = format!("bot/{}.txt", "wide".repeat(40));
    let plain = tar(&[
        entry(b"./", b'5', 0o755, b""),
        entry(b"./bot/", b'5', 0o755, b""),
        entry(b"pax_global_header", b'g', 0o644, &record("comment", "0123456789abcdef")),
        entry(b"./bot/run", b'0', 0o777, b"#!/bin/sh\n"),
        entry(b"././@LongLink", b'L', 0o644, &[long.as_bytes(), b"\0"].concat()),
        file("cut short", b"long"),
        entry(b"x", b'x', 0o644, &[record("mtime", "1.5"), record("path", &other)].concat()),
        file("cut short", b"wide"),
        entry(b"bot/.git/config", b'\0', 0o600, b"left out"),
    ]);
    let packed = [
        ("bot.tar", plain.clone()),
        ("bot.tar.gz", gzip(&plain)),
        ("bot.TGZ", [gzip(&plain[..700]), gzip(&plain[700..])].concat()),
        ("bot.tar.zst", zstd::encode_all(&plain[..], 19).expect("memory takes everything")),
    ];
    for (name, bytes) in packed {
        let ground = Ground::new();
        let tree = ground.unpack(name, &bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let files = contents(&tree);
        assert_eq!(names(&tree), [&long[4..], "run", &other[4..]], "{name}");
        assert_eq!(files["run"], ("#!/bin/sh\n".to_owned(), true), "{name}");
        assert_eq!([&files[&long[4..]].0[..], &files[&other[4..]].0].concat(), "longwide", "{name}");
    }
}

#[test]
fn entries_that_could_do_harm_are_refused() {
    let pax = |key: &str, value: &str| [entry(b"x", b'x', 0o644, &record(key, value)), file("a", b"x")].concat();
    let long = |name: &[u8]| entry(b"././@LongLink", b'L', 0o644, name);
    let long_target = |target: &[u8]| entry(b"././@LongLink", b'K', 0o644, target);
    for (bad, words) in [
        (file("../escaped", b""), ["../escaped", "leads out"]),
        (file("/escaped", b""), ["/escaped", "absolute"]),
        (file("a\\b", b""), ["a\\\\b", "backslash"]),
        (file("nul", b""), ["nul", "device on Windows"]),
        (entry(b"escaped", b'2', 0o777, b""), ["escaped", "is a link"]),
        (entry(b".venv/escaped", b'2', 0o777, b""), ["escaped", "is a link"]),
        (entry(b"../.venv", b'2', 0o777, b""), ["../.venv", "leads out"]),
        (entry(b".venv", b'1', 0o777, b""), [".venv", "is a link"]),
        ([entry(b".venv", b'2', 0o777, b""), file(".venv/escaped", b"")].concat(), [".venv", "twice"]),
        (link("escaped", "/etc/passwd"), ["escaped", "is a link that leads out of the archive"]),
        (link("escaped", "../outside"), ["escaped", "is a link that leads out of the archive"]),
        (link("a/escaped", "../b/../../main.py"), ["a/escaped", "leads to nothing"]),
        (link("escaped", "main.py/../main.py"), ["escaped", "leads to nothing"]),
        (link("escaped", "nowhere"), ["escaped", "is a link that leads to nothing in the archive"]),
        (link("escaped", "MAIN.PY"), ["escaped", "leads to nothing"]),
        (link("escaped", "escaped"), ["escaped", "leads to nothing"]),
        (link("escaped", "."), ["escaped", "is a link that leads to a folder"]),
        ([link("a", "b"), link("b", "a")].concat(), ["`a`", "leads to nothing"]),
        ([link("a", "/etc"), link("escaped", "a/passwd")].concat(), ["`a`", "leads out of the archive"]),
        ([link("z", "/etc"), link("escaped", "z/passwd")].concat(), ["escaped", "leads out of the archive"]),
        ([entry(b"a/", b'5', 0o755, b""), link("escaped", "a")].concat(), ["escaped", "leads to a folder"]),
        ([link("a", "main.py"), file("a/escaped", b"")].concat(), ["`a`", "twice"]),
        ([file("a", b""), link("a", "main.py")].concat(), ["`a`", "twice"]),
        ([file(".git/x", b""), link("escaped", ".git/x")].concat(), ["escaped", "`.git/x`, which is left out"]),
        (link("../escaped", "main.py"), ["../escaped", "leads out of its folder"]),
        (link("escaped/", "main.py"), ["escaped/", "without a name"]),
        (linked(b"escaped", b'2', 0o4777, "main.py"), ["escaped", "set-uid"]),
        (entry(b"escaped", b'2', 0o777, b"data"), ["escaped", "is a link with data"]),
        // Of an environment only the interpreter may be elsewhere, and nothing else leads there.
        (link(".venv/bin/evil", "/etc/passwd"), [".venv/bin/evil", "leads out of the archive"]),
        (link(".venv/bin/python3/evil", "/etc/passwd"), [".venv/bin/python3/evil", "leads out of the archive"]),
        (link(".venv/lib64", "../../outside"), [".venv/lib64", "leads out of the archive"]),
        (link(".venv/lib64", "lib"), [".venv/lib64", "leads to nothing"]),
        (link("bin/python3", "/usr/bin/python3"), ["bin/python3", "leads out of the archive"]),
        (
            [link(".venv/bin/python3", "/etc/passwd"), link("escaped", ".venv/bin/python3")].concat(),
            ["escaped", "leads out of the archive"],
        ),
        (linked(b"escaped", b'1', 0o644, "main.py"), ["escaped", "is a link to the bytes of another file"]),
        (linked(b".venv/bin/python", b'1', 0o644, "/usr/bin/python3"), [".venv/bin/python", "is a link to the bytes"]),
        (entry(b"x", b'3', 0o644, b""), ["`x`", "is a device"]),
        (entry(b"x", b'4', 0o644, b""), ["`x`", "is a device"]),
        (entry(b"x", b'6', 0o644, b""), ["`x`", "is a pipe"]),
        (entry(b"x", b'S', 0o644, b""), ["`x`", "sparse"]),
        (entry(b"x", b'7', 0o644, b""), ["`x`", "unknown type `7`"]),
        (entry(b"x", b'M', 0o644, b""), ["`x`", "unknown type `M`"]),
        (entry(b"x", b'0', 0o4755, b""), ["`x`", "set-uid"]),
        (entry(b"x", b'0', 0o2755, b""), ["`x`", "set-uid"]),
        (entry(b"x/", b'5', 0o2755, b""), ["`x/`", "set-uid"]),
        (entry(b"x/", b'0', 0o644, b""), ["`x/`", "without a name"]),
        (entry(b"./", b'0', 0o644, b""), ["`./`", "without a name"]),
        (file("main.py", b"other"), ["main.py", "twice"]),
        (file("MAIN.py", b"other"), ["MAIN.py", "one file on some systems"]),
        (file("main.py/x", b""), ["main.py", "twice"]),
        (pax("path", "../escaped"), ["../escaped", "leads out"]),
        (pax("linkpath", "/etc/passwd"), ["`a`", "is a link and something else"]),
        ([long_target(b"/etc/passwd\0"), file("a", b"x")].concat(), ["`a`", "is a link and something else"]),
        ([long_target(b"/etc/passwd\0"), link("a", "main.py")].concat(), ["`a`", "leads out of the archive"]),
        ([long_target(b"a\0"), long_target(b"b\0"), link("a", "")].concat(), ["LongLink", "second name"]),
        (long_target(b"main.py\0"), ["the archive ends", "belongs to nothing"]),
        (entry(b"g", b'g', 0o644, &record("linkpath", "all")), ["`g`", "all entries alike"]),
        (pax("size", "99999999999"), ["`x`", "size twice"]),
        (pax("GNU.sparse.major", "1"), ["`x`", "sparse"]),
        // Behind an empty line not everybody reads on.
        ([entry(b"x", b'x', 0o644, b"\n16 linkpath=/etc\n"), file("a", b"")].concat(), ["`x`", "cannot be read"]),
        ([entry(b"x", b'x', 0o644, b"9 path=b\n\n12 size=123\n"), file("a", b"")].concat(), ["`x`", "cannot be read"]),
        ([entry(b"x", b'x', 0o644, b"9 path=bb\n"), file("a", b"")].concat(), ["`x`", "cannot be read"]),
        (entry(b"x/", b'5', 0o755, &file("main.py", b"")), ["`x/`", "folder with data"]),
        (entry(b"g", b'g', 0o644, &record("path", "all")), ["`g`", "all entries alike"]),
        ([long(b"/escaped\0"), file("a", b"")].concat(), ["/escaped", "absolute"]),
        ([long(b"b\0"), long(b"c\0"), file("a", b"")].concat(), ["LongLink", "second name"]),
        (long(b"b\0"), ["the archive ends", "belongs to nothing"]),
        (long(&[b'n'; 20_000]), ["LongLink", "more than 16 KiB"]),
    ] {
        refused(Ground::new().unpack("bot.tar", &tar(&[file("main.py", b"pass\n"), bad])), &words);
    }
}

#[test]
fn a_link_in_place_of_an_environment_is_left_out() {
    let link = entry(b"bot/.venv", b'2', 0o777, b"");
    let tree = Ground::new().unpack("bot.tar", &tar(&[file("bot/main.py", b"pass\n"), link])).expect("it is harmless");
    assert_eq!(names(&tree), ["main.py"]);
}

#[test]
fn a_link_to_a_file_of_the_archive_is_a_copy_of_it() {
    let long = format!("{}/data", "deep".repeat(30));
    let ground = Ground::new();
    let tree = ground.unpack(
        "bot.tar",
        &tar(&[
            // A link may come before what it leads to.
            link("bot/first", "./src//../second"),
            link("bot/second", "src/run"),
            entry(b"bot/src/run", b'0', 0o755, b"#!/bin/sh\n"),
            entry(b"././@LongLink", b'L', 0o644, format!("bot/{long}\0").as_bytes()),
            file("cut short", b"long"),
            entry(b"././@LongLink", b'K', 0o644, format!("{long}\0").as_bytes()),
            link("bot/gnu", "cut short"),
            entry(b"x", b'x', 0o644, &record("linkpath", &long)),
            link("bot/posix", "cut short"),
        ]),
    );
    let tree = tree.expect("every link stays inside");
    let files = contents(&tree);
    assert_eq!(names(&tree), [&long[..], "first", "gnu", "posix", "second", "src/run"]);
    assert_eq!((&files["first"], &files["second"]), (&files["src/run"], &files["src/run"]));
    assert_eq!([&files["gnu"].0[..], &files["posix"].0].concat(), "longlong");
    assert!(names(&tree).iter().all(|name| !tree.root().join(name).is_symlink()));
}

#[test]
fn copies_in_place_of_links_count_towards_the_limits() {
    let limits = Limits { total: 3000, ..Limits::default() };
    let ground = Ground::new();
    let links: Vec<_> = (0..3).map(|n| link(&format!("link{n}"), "data")).collect();
    let archive = ground.write("bot.tar", &tar(&[file("data", &[b'x'; 1000]), links.concat()]));
    refused(ground.take(&archive, limits), &["more than 3000 bytes", "`link2`"]);
    assert!(ground.written() <= 3000);
}

#[test]
fn an_environment_in_an_archive_is_its_packages() {
    for folder in [".venv", "env"] {
        let path = |rest: &str| format!("bot/{folder}/{rest}");
        let whole = [
            link(&path("lib64"), "lib"),
            link(&path("bin/python"), "/usr/bin/python3"),
            link(&path("bin/python3"), "python"),
            link(&path("bin/python3.77"), "../../../uv/bin/python3.77"),
            link(&path("bin/\u{1d70b}thon"), "python3"),
            file(&path("bin/activate"), b"no package"),
            file(&path("lib/python3.77/site-packages/net.py"), b"net"),
            link(&path("lib/python3.77/site-packages/old.py"), "net.py"),
            file(&path("lib/python3.77/site-packages/pip/main.py"), b"of the tools"),
            file(&path("pyvenv.cfg"), b"home = /usr/bin\n"),
            file("bot/main.py", b"pass\n"),
        ];
        for archive in [tar(&whole), tar(&whole.iter().rev().cloned().collect::<Vec<_>>())] {
            let tree = Ground::new().unpack("bot.tgz", &gzip(&archive)).unwrap_or_else(|e| panic!("{folder}: {e}"));
            let packages = format!("{folder}/lib/python3.77/site-packages");
            let expected = [format!("{packages}/net.py"), format!("{packages}/old.py"), "main.py".to_owned()];
            assert_eq!(names(&tree), expected, "{folder}");
        }
    }
}

#[test]
fn nothing_is_left_unread_behind_the_end() {
    let whole = tar(&[file("main.py", b"pass\n")]);
    let padded = [whole.clone(), vec![0; 9 << 10]].concat();
    for (name, bytes) in [("bot.tar", padded.clone()), ("bot.tgz", gzip(&padded))] {
        assert!(Ground::new().unpack(name, &bytes).is_ok(), "{name}: blocks are filled up with zeros");
    }
    let two = [whole.clone(), tar(&[file("other.py", b"pass\n")])].concat();
    let zst = |bytes: &[u8]| zstd::encode_all(bytes, 3).expect("memory takes everything");
    for (name, bytes) in [
        ("bot.tar", two.clone()),
        ("bot.tgz", gzip(&two)),
        ("bot.tgz", [gzip(&whole), gzip(&tar(&[file("other.py", b"")]))].concat()),
        ("bot.tar.zst", [zst(&whole), zst(&tar(&[file("other.py", b"")]))].concat()),
        ("bot.tar", [whole.clone(), b"tail".to_vec()].concat()),
    ] {
        refused(Ground::new().unpack(name, &bytes), &["archive", "behind its end"]);
    }
    // What the packing itself says of the whole.
    let mut wrong = gzip(&whole);
    let at = wrong.len() - 6;
    wrong[at] ^= 1;
    for (name, bytes) in [
        ("bot.tgz", wrong),
        ("bot.tgz", gzip(&whole)[..gzip(&whole).len() - 3].to_vec()),
        ("bot.tgz", [gzip(&whole), b"tail".to_vec()].concat()),
        ("bot.tar.zst", [zst(&whole), b"tail".to_vec()].concat()),
    ] {
        refused(Ground::new().unpack(name, &bytes), &["the archive is broken"]);
    }
}

#[test]
fn broken_archives_are_refused() {
    let whole = tar(&[file("main.py", b"pass\n"), file("data", &[b'x'; 700])]);
    for length in (1..512).chain(513..540).chain(1030..1536) {
        refused(Ground::new().unpack("bot.tar", &whole[..length]), &["archive"]);
    }
    refused(Ground::new().unpack("bot.tar", &whole[..1700]), &["data"]);
    refused(Ground::new().unpack("bot.tar.gz", &whole), &["no tar archive"]);
    refused(Ground::new().unpack("bot.tar.zst", &whole), &["no tar archive"]);
    refused(Ground::new().unpack("bot.tar", &[]), &["no file in it"]);
    let packed = gzip(&whole);
    refused(Ground::new().unpack("bot.tgz", &packed[..packed.len() / 2]), &["archive"]);
    // A window that costs more memory than a bot is worth.
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("there is memory");
    encoder.window_log(27).and_then(|()| encoder.include_contentsize(false)).expect("it is in range");
    encoder.write_all(&whole).expect("memory takes everything");
    let wide = encoder.finish().expect("memory takes everything");
    refused(Ground::new().unpack("bot.tar.zst", &wide), &["no tar archive"]);
    for at in 0..512 {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        // Behind the NUL that ends the check sum anything may stand.
        if at != 155 {
            refused(Ground::new().unpack("bot.tar", &bytes), &["archive"]);
        }
    }
}
