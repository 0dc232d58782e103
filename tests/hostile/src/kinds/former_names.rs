//! Kinds that once had other names. The command line still accepts the old ones.

/// The former name of a kind, and its name today.
pub const FORMER_NAMES: &[(&str, &str)] = &[
    ("administers", "administers-the-machine"),
    ("build-calls-home", "build-connects"),
    ("build-falls-silent", "build-closes-its-log"),
    ("build-steals-a-key", "build-copies-a-key"),
    ("changes-its-nature", "changes-process-attributes"),
    ("changes-what-files-are", "changes-file-metadata"),
    ("climbs-out", "path-traversal"),
    ("compares-and-borrows", "copies-descriptors"),
    ("dear-answers", "many-messages"),
    ("dear-answers-and-one", "too-many-messages"),
    ("dear-messages", "long-messages"),
    ("empties-by-opening", "truncates-by-opening"),
    ("files-without-number", "too-many-files"),
    ("folders-without-end", "deeply-nested-folders"),
    ("idles-a-stranger", "lowers-priority-of-others"),
    ("includes-zeroes", "includes-dev-zero"),
    ("knows-its-seat", "detects-its-seat"),
    ("leaves-garbage", "leaves-files"),
    ("letters-by-a-pair", "datagram-by-socket-pair"),
    ("limits-a-stranger", "limits-another-process"),
    ("moves-memory-policy", "sets-memory-policy"),
    ("orders-without-end", "endless-decision"),
    ("out-of-reach-of-the-killer", "avoids-the-oom-killer"),
    ("packed-bomb", "decompression-bomb"),
    ("pipe-hoard", "full-pipes"),
    ("reads-foreign-memory", "reads-memory-of-others"),
    ("reads-its-makers", "reads-its-ancestors"),
    ("signals-a-stranger", "signals-another-process"),
    ("signals-everybody", "signals-all-processes"),
    ("signals-its-starter", "signals-the-referee"),
    ("stderr-pricks", "stderr-single-bytes"),
    ("turns-the-kernels-knobs", "writes-kernel-settings"),
    ("twins", "names-that-differ-in-case"),
    ("uses-up-the-host", "exhausts-kernel-resources"),
    ("writes-foreign-memory", "writes-memory-of-others"),
];

/// Returns the current name of a kind, given its current or its former name.
pub(crate) fn current(name: &str) -> &str {
    FORMER_NAMES.iter().find(|(former, _)| *former == name).map_or(name, |(_, current)| current)
}
