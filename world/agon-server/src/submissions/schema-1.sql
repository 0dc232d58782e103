-- What was sent, once for all teams that sent the same bytes. `form` says what the bytes are.
CREATE TABLE contest_uploads (
    id BIGINT PRIMARY KEY,
    hash BLOB NOT NULL,
    form TEXT NOT NULL,
    size BIGINT NOT NULL,
    UNIQUE (hash, form)
);

CREATE TABLE contest_upload_pieces (
    upload BIGINT NOT NULL REFERENCES contest_uploads (id),
    number BIGINT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (upload, number)
);

-- The versions of teams. `content` is the hash of the files that the intake has taken, and `prints` are their fingerprints.
CREATE TABLE contest_versions (
    id BIGINT PRIMARY KEY,
    team BIGINT NOT NULL REFERENCES contest_teams (id),
    number BIGINT NOT NULL,
    upload BIGINT NOT NULL REFERENCES contest_uploads (id),
    name TEXT NOT NULL,
    account BIGINT NOT NULL REFERENCES contest_accounts (id),
    received_ms BIGINT NOT NULL,
    state TEXT NOT NULL,
    step TEXT,
    attempts BIGINT NOT NULL,
    due_ms BIGINT NOT NULL,
    reason TEXT NOT NULL,
    content BLOB,
    prints BLOB,
    taken_back_ms BIGINT,
    UNIQUE (team, number),
    UNIQUE (team, upload)
);
CREATE INDEX contest_versions_by_state ON contest_versions (state, id);

CREATE TABLE contest_version_files (
    version BIGINT NOT NULL REFERENCES contest_versions (id),
    path TEXT NOT NULL,
    size BIGINT NOT NULL,
    executable BIGINT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (version, path)
);

-- Every attempt of every step, with what the team is shown of it.
CREATE TABLE contest_version_steps (
    version BIGINT NOT NULL REFERENCES contest_versions (id),
    number BIGINT NOT NULL,
    step TEXT NOT NULL,
    began_ms BIGINT NOT NULL,
    ended_ms BIGINT,
    result TEXT,
    log TEXT NOT NULL,
    replay BLOB,
    PRIMARY KEY (version, number)
);

-- The version of each team that plays.
CREATE TABLE contest_chosen (
    team BIGINT PRIMARY KEY,
    version BIGINT NOT NULL REFERENCES contest_versions (id),
    at_ms BIGINT NOT NULL
);

-- Hints for the organiser: `share` is in thousandths, and `same` says that the files are equal.
CREATE TABLE contest_copies (
    version BIGINT NOT NULL REFERENCES contest_versions (id),
    other BIGINT NOT NULL REFERENCES contest_versions (id),
    share BIGINT NOT NULL,
    same BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    PRIMARY KEY (version, other)
);

-- The last turn of each team in the queue of versions: a number that grows with each turn of any team.
CREATE TABLE contest_turns (
    team BIGINT PRIMARY KEY,
    turn BIGINT NOT NULL
);
