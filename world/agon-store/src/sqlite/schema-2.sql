-- Which program made which version of these tables.
CREATE TABLE migrations (version INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, agon TEXT NOT NULL) STRICT;

CREATE TABLE files (number INTEGER PRIMARY KEY, text TEXT NOT NULL, agon TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT;
CREATE TABLE maps (number INTEGER PRIMARY KEY, name TEXT NOT NULL, content BLOB) STRICT;

-- Sums are kept with every result, so that nobody has to count a million of them.
CREATE TABLE bots (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    withdrawn TEXT,
    played INTEGER NOT NULL DEFAULT 0,
    faults INTEGER NOT NULL DEFAULT 0,
    time_us INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE versions (
    bot INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hash BLOB,
    words TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (bot, number)
) STRICT, WITHOUT ROWID;

-- Matches to be played, many in a row, because each row costs time. plans: a JSON list; sqlite/text.rs says of what.
-- A row goes when all its matches are over. Until then, those that are in `matches` do not count.
CREATE TABLE batches (
    number INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    plans TEXT NOT NULL
) STRICT;

-- Matches that are over, one row each. state: 1 finished, 2 spoilt, 3 void. bots: numbers separated by commas, one for
-- each seat. seats: a JSON list; sqlite/text.rs says of what.
CREATE TABLE matches (
    id INTEGER PRIMARY KEY,
    state INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    round INTEGER NOT NULL,
    map INTEGER NOT NULL,
    map_seed INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    bots TEXT NOT NULL,
    probability REAL,
    reason TEXT NOT NULL,
    plies INTEGER NOT NULL,
    fingerprint INTEGER,
    replay BLOB,
    log BLOB,
    started_ms INTEGER NOT NULL,
    wall_us INTEGER NOT NULL,
    seats TEXT NOT NULL
) STRICT;
CREATE TABLE progress (state INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;
INSERT INTO progress VALUES (0, 0), (1, 0), (2, 0), (3, 0);

CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    match INTEGER,
    bot INTEGER,
    text TEXT NOT NULL
) STRICT;
-- What the organiser decided while the tournament ran, in this order.
CREATE TABLE amendments (number INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE snapshots (name TEXT PRIMARY KEY, after INTEGER NOT NULL, text TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Large values have a table of their own, or every query over results would read them.
CREATE TABLE blobs (
    number INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    packed BLOB NOT NULL
) STRICT;
