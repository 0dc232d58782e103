-- Views that make the tables of versions 2 to 4 look like those of now, for who only reads. The table `earlier` is not in all
-- of them.
CREATE TEMP VIEW tournaments AS SELECT 1 AS number, '' AS name;
CREATE TEMP VIEW workers AS SELECT 0 AS number, '' AS name, '' AS facts, 0 AS at_ms WHERE false;
CREATE TEMP VIEW claims AS
    SELECT 0 AS first, 0 AS tournament, 0 AS worker, 0 AS began_ms, 0 AS until_ms, '' AS matches WHERE false;
CREATE TEMP VIEW attempts AS
    SELECT 0 AS number, 0 AS tournament, 0 AS match, 0 AS token, 0 AS worker, 0 AS began_ms, 0 AS ended_ms, '' AS ended,
        '' AS why WHERE false;
CREATE TEMP VIEW artefacts AS SELECT x'' AS hash, 0 AS size, x'' AS pieces WHERE false;
CREATE TEMP VIEW files AS SELECT *, 1 AS tournament FROM main.files;
CREATE TEMP VIEW amendments AS SELECT *, 1 AS tournament FROM main.amendments;
CREATE TEMP VIEW events AS SELECT *, 1 AS tournament FROM main.events;
CREATE TEMP VIEW batches AS SELECT *, 1 AS tournament FROM main.batches;
CREATE TEMP VIEW maps AS SELECT *, 1 AS tournament FROM main.maps;
CREATE TEMP VIEW bots AS SELECT *, 1 AS tournament FROM main.bots;
CREATE TEMP VIEW versions AS SELECT *, 1 AS tournament FROM main.versions;
CREATE TEMP VIEW progress AS SELECT *, 1 AS tournament FROM main.progress;
CREATE TEMP VIEW snapshots AS SELECT *, 1 AS tournament FROM main.snapshots;
CREATE TEMP VIEW matches AS
    SELECT id AS number, 1 AS tournament, *, NULL AS token, NULL AS worker FROM main.matches;
