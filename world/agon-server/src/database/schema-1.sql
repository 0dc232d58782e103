-- The last number that was given in each series, such as that of the accounts.
CREATE TABLE contest_series (
    name TEXT PRIMARY KEY,
    last BIGINT NOT NULL
);

-- What the organiser has set, such as the contest's file.
CREATE TABLE contest_settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    at_ms BIGINT NOT NULL
);
