-- Several tournaments may be in one store. The first is the one of the file, and has no name.
CREATE TABLE tournaments (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO tournaments VALUES (1, '');

-- The last numbers that were given: `opened` counts how often a program has opened the store to write, and `result` the
-- matches that came to be over.
CREATE TABLE numbers (name TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO numbers VALUES ('opened', 0), ('result', 0);

-- The machines that play, as they describe themselves.
CREATE TABLE workers (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    facts TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    UNIQUE (name, facts)
) STRICT;

-- Claims, one row for those that were made together. matches: a JSON list of pairs, a token and the number of a match. Matches
-- that are over do not count. The row goes when no claim of it holds.
CREATE TABLE claims (
    first INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL,
    worker INTEGER NOT NULL,
    began_ms INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    matches TEXT NOT NULL
) STRICT;

-- Attempts to play a match that did not give the result that counts. ended: `spoilt`, `silent` or `late`.
CREATE TABLE attempts (
    number INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL,
    match INTEGER NOT NULL,
    token INTEGER,
    worker INTEGER,
    began_ms INTEGER NOT NULL,
    ended_ms INTEGER NOT NULL,
    ended TEXT NOT NULL,
    why TEXT NOT NULL
) STRICT;
CREATE INDEX attempts_of_match ON attempts (tournament, match);

-- What is too large for one blob. pieces: the hashes of its blobs, one after the other.
CREATE TABLE artefacts (hash BLOB PRIMARY KEY, size INTEGER NOT NULL, pieces BLOB NOT NULL) STRICT, WITHOUT ROWID;

ALTER TABLE files ADD COLUMN tournament INTEGER NOT NULL DEFAULT 1;
ALTER TABLE amendments ADD COLUMN tournament INTEGER NOT NULL DEFAULT 1;
ALTER TABLE events ADD COLUMN tournament INTEGER NOT NULL DEFAULT 1;
ALTER TABLE batches ADD COLUMN tournament INTEGER NOT NULL DEFAULT 1;
ALTER TABLE earlier ADD COLUMN tournament INTEGER NOT NULL DEFAULT 1;
ALTER TABLE earlier ADD COLUMN token INTEGER;
ALTER TABLE earlier ADD COLUMN worker INTEGER;

ALTER TABLE maps RENAME TO maps_4;
CREATE TABLE maps (
    tournament INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    content BLOB,
    PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;
INSERT INTO maps SELECT 1, number, name, content FROM maps_4;
DROP TABLE maps_4;

ALTER TABLE bots RENAME TO bots_4;
CREATE TABLE bots (
    tournament INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    withdrawn TEXT,
    played INTEGER NOT NULL DEFAULT 0,
    faults INTEGER NOT NULL DEFAULT 0,
    time_us INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tournament, number),
    UNIQUE (tournament, name)
) STRICT, WITHOUT ROWID;
INSERT INTO bots SELECT 1, number, name, withdrawn, played, faults, time_us FROM bots_4;
DROP TABLE bots_4;

ALTER TABLE versions RENAME TO versions_4;
CREATE TABLE versions (
    tournament INTEGER NOT NULL,
    bot INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hash BLOB,
    words TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (tournament, bot, number)
) STRICT, WITHOUT ROWID;
INSERT INTO versions SELECT 1, bot, number, hash, words, at_ms FROM versions_4;
DROP TABLE versions_4;

ALTER TABLE progress RENAME TO progress_4;
CREATE TABLE progress (
    tournament INTEGER NOT NULL,
    state INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (tournament, state)
) STRICT, WITHOUT ROWID;
INSERT INTO progress SELECT 1, state, number FROM progress_4;
DROP TABLE progress_4;

ALTER TABLE snapshots RENAME TO snapshots_4;
CREATE TABLE snapshots (
    tournament INTEGER NOT NULL,
    name TEXT NOT NULL,
    after INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (tournament, name)
) STRICT, WITHOUT ROWID;
INSERT INTO snapshots SELECT 1, name, after, text FROM snapshots_4;
DROP TABLE snapshots_4;

-- number: the order in which matches came to be over. A match that is declared void later gets a new one. token: the claim
-- under which it was played.
ALTER TABLE matches RENAME TO matches_4;
CREATE TABLE matches (
    number INTEGER PRIMARY KEY,
    tournament INTEGER NOT NULL,
    id INTEGER NOT NULL,
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
    seats TEXT NOT NULL,
    token INTEGER,
    worker INTEGER,
    UNIQUE (tournament, id)
) STRICT;
INSERT INTO matches SELECT NULL, 1, *, NULL, NULL FROM matches_4 ORDER BY id;
DROP TABLE matches_4;
UPDATE numbers SET last = (SELECT coalesce(max(number), 0) FROM matches) WHERE name = 'result';
