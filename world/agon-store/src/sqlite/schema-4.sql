-- What was in `matches` before a match was played again, and when that was decided. The columns after `at_ms` are those of
-- `matches`, in their order.
CREATE TABLE earlier (
    number INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
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
    seats TEXT NOT NULL
) STRICT;
