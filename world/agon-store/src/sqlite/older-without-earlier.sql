CREATE TEMP VIEW earlier AS SELECT 0 AS number, 0 AS at_ms, 0 AS tournament WHERE false;
