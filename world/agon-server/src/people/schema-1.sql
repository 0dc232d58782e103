-- People. name_key: what two equal names have in common. password: a PHC string; none for whoever has not chosen one. standing:
-- player, auditor or organiser. disabled: why it may not be used.
CREATE TABLE contest_accounts (
    id BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    password TEXT,
    standing TEXT NOT NULL,
    disabled TEXT,
    created_ms BIGINT NOT NULL
);

-- Whoever has the secret of such a hash is the account, until it ends or is idle for too long. scope: all (a browser), submit or
-- read (tokens). label: words of the person about it. until_ms: none for a token without an end.
CREATE TABLE contest_sessions (
    hash BLOB PRIMARY KEY,
    id BIGINT NOT NULL UNIQUE,
    account BIGINT NOT NULL REFERENCES contest_accounts (id),
    scope TEXT NOT NULL,
    label TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    used_ms BIGINT NOT NULL,
    until_ms BIGINT
);
CREATE INDEX contest_sessions_of_account ON contest_sessions (account);

-- One-time links. account: whose password it sets; none for that of the first organiser.
CREATE TABLE contest_links (
    hash BLOB PRIMARY KEY,
    account BIGINT REFERENCES contest_accounts (id),
    created_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL
);

-- Teams. code: whoever has it may join. hidden: only its own people and those who lead see it.
CREATE TABLE contest_teams (
    id BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    code TEXT NOT NULL UNIQUE,
    hidden BIGINT NOT NULL,
    created_ms BIGINT NOT NULL
);

-- Who is, or was, in which team. until_ms: none for whoever is in it.
CREATE TABLE contest_members (
    id BIGINT PRIMARY KEY,
    team BIGINT NOT NULL REFERENCES contest_teams (id),
    account BIGINT NOT NULL REFERENCES contest_accounts (id),
    captain BIGINT NOT NULL,
    since_ms BIGINT NOT NULL,
    until_ms BIGINT
);
CREATE UNIQUE INDEX contest_members_now ON contest_members (account) WHERE until_ms IS NULL;
CREATE INDEX contest_members_of_team ON contest_members (team);

-- Codes with which people make accounts. uses: how many more times; none for any number. team: of which they become members.
CREATE TABLE contest_invites (
    id BIGINT PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    standing TEXT NOT NULL,
    team BIGINT REFERENCES contest_teams (id),
    uses BIGINT,
    used BIGINT NOT NULL,
    until_ms BIGINT,
    revoked BIGINT NOT NULL,
    account BIGINT NOT NULL REFERENCES contest_accounts (id),
    created_ms BIGINT NOT NULL
);

-- Requests that are limited. Each is here before what it asks for is tried.
CREATE TABLE contest_requests (
    id BIGINT PRIMARY KEY,
    kind TEXT NOT NULL,
    account TEXT,
    team BIGINT,
    address TEXT,
    at_ms BIGINT NOT NULL
);
CREATE INDEX contest_requests_of_account ON contest_requests (account, kind, at_ms);
CREATE INDEX contest_requests_of_team ON contest_requests (team, kind, at_ms);
CREATE INDEX contest_requests_of_address ON contest_requests (address, kind, at_ms);
CREATE INDEX contest_requests_by_time ON contest_requests (at_ms);

-- What those who lead have done. account: none for whoever used the first link. about: a document.
CREATE TABLE contest_audit (
    id BIGINT PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    account BIGINT REFERENCES contest_accounts (id),
    address TEXT,
    act TEXT NOT NULL,
    about TEXT NOT NULL
);
