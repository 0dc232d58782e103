//! Intakes as the server does them: in a process of its own, in a sandbox.

use crate::{
    archives::{entry, file, gzip, packed, zip},
    ground::Ground,
};
use agon_bundle::BundleWriter;
use agon_contest::submission::{Step, StepEnd};
use agon_play::{Cancel, Helper, IsolationChoice, Preparer, SandboxOptions};
use agon_server::submissions::{AgonSteps, RunSteps, StepReport, StepRun, UploadForm};
use std::fs;

const PROGRAM: &str = env!("CARGO_BIN_EXE_agon-server-submissions");

/// Takes in what was sent as this file.
fn intake(name: &str, bytes: &[u8]) -> (StepReport, Ground) {
    let cancel = Cancel::new().expect("descriptors");
    // Our own `main` belongs to the test harness.
    let mut preparer = Preparer::new(Helper::Program(PROGRAM.into()), SandboxOptions::default(), cancel.clone());
    preparer.decide().expect("a level");
    let ground = Ground::new();
    fs::create_dir_all(ground.path("run/sent")).expect("a folder");
    fs::write(ground.path("run/sent").join(name), bytes).expect("a file");
    let steps = AgonSteps { program: PROGRAM.into(), isolation: IsolationChoice::Auto };
    let folder = ground.path("run");
    let run = StepRun { step: Step::Intake, game: "grid", seed: 1, folder: &folder, taken: None, cancel: &cancel };
    (steps.run(&run), ground)
}

fn bundle(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = BundleWriter::new(&mut bytes);
    for (path, data) in files {
        writer.file(path, false, data.len() as u64, &mut &data[..]).expect("memory takes everything");
    }
    writer.finish().expect("memory takes everything");
    bytes
}

#[test]
fn good_uploads_become_files_with_a_description() {
    let python: &[u8] = b"print('go')\n";
    let uploads = [
        ("me.tar.gz", packed(&[file("me/bot.py", python), file("me/lib/a.py", b"x = 1\n")])),
        ("me.tar", [file("bot.py", python), file("lib/a.py", b"x = 1\n"), vec![0; 1024]].concat()),
        ("me.bundle", bundle(&[("me/bot.py", python), ("me/lib/a.py", b"x = 1\n")])),
        // An archive in a bundle, as `agon submit me.tar.gz` sends it.
        ("other.bundle", bundle(&[("me.tar.gz", &packed(&[file("bot.py", python), file("lib/a.py", b"x = 1\n")]))])),
    ];
    let mut contents = Vec::new();
    for (name, bytes) in uploads {
        let (report, ground) = intake(name, &bytes);
        assert_eq!(report.end, StepEnd::Passed, "{name}: {}", report.log);
        let taken = report.taken.expect("it has passed");
        assert_eq!(taken.bot, "./me", "{name}");
        let paths: Vec<_> = taken.files.iter().map(|file| (file.path.as_str(), file.size)).collect();
        assert_eq!(paths, [("bot.py", 12), ("lib/a.py", 6)], "{name}");
        assert_eq!(fs::read(ground.path("run/files/me/bot.py")).expect("a file"), python);
        let left: Vec<_> = fs::read_dir(ground.path("run/files")).expect("a folder").flatten().collect();
        assert_eq!(left.len(), 3, "the bot, its description and its fingerprints: {left:?}");
        assert!(report.log.contains("2 files") && report.log.contains("lib/a.py"), "{}", report.log);
        contents.push(taken.content);
    }
    assert!(contents.iter().all(|content| *content == contents[0]), "the same files have the same hash");
    let (report, _ground) = intake("me.zip", &zip("bot.py", python, 12));
    assert_eq!(report.end, StepEnd::Passed, "{}", report.log);
}

#[test]
fn hostile_uploads_are_refused_with_a_reason() {
    let zeros = entry("me/zeros", b'0', 7 << 30, "", &vec![0; 32 << 20]);
    let many: Vec<Vec<u8>> = (0..10_001).map(|number| file(&format!("me/{number}"), b"")).collect();
    let whole = bundle(&[("me/bot.py", b"print(1)\n")]);
    let escapes = bundle(&[("../bot.py", b"print(1)\n")]);
    let uploads: Vec<(&str, Vec<u8>, &str)> = vec![
        ("bomb.tar.gz", gzip(&zeros), "zeros"),
        ("bomb.zip", zip("zeros", b"x", u32::MAX - 1), "zeros"),
        ("many.tar.gz", packed(&many), "10000"),
        ("link.tar.gz", packed(&[entry("me/link", b'2', 0, "/etc/passwd", b""), file("me/bot.py", b"x")]), "link"),
        ("up.tar.gz", packed(&[file("../evil.py", b"x")]), ".."),
        ("absolute.tar.gz", packed(&[file("/etc/evil", b"x")]), "absolute"),
        ("device.tar.gz", packed(&[entry("me/null", b'3', 0, "", b"")]), "null"),
        ("noise.zip", b"this is no archive at all".to_vec(), "no zip archive"),
        ("cut.bundle", whole[..whole.len() - 600].to_vec(), "cut off"),
        ("up.bundle", escapes, ".."),
        ("two.bundle", bundle(&[("a/bot.py", b"x"), ("b/bot.py", b"x")]), "one folder"),
        ("plain.bundle", bundle(&[("bot.py", b"x")]), "neither a folder nor an archive"),
        ("empty.tar.gz", packed(&[]), "no file in it"),
    ];
    for (name, bytes, words) in uploads {
        let (report, ground) = intake(name, &bytes);
        let StepEnd::Refused(why) = &report.end else { panic!("{name}: {:?} {}", report.end, report.log) };
        assert!(why.contains(words), "{name}: {why}");
        assert!(report.log.contains(why.as_str()), "{name}: {}", report.log);
        assert!(report.taken.is_none() && !ground.path("run/files").exists(), "{name}: nothing is left");
        assert!(!ground.path("evil.py").exists() && !ground.path("run/evil.py").exists());
    }
}

#[test]
fn forms_of_uploads_are_what_their_names_say() {
    assert_eq!(UploadForm::of_file("x.tar.gz"), UploadForm::named("tar.gz"));
    let (report, _ground) = intake("x.rar", b"Rar!");
    assert!(matches!(report.end, StepEnd::Refused(why) if why.contains("not taken")));
}
