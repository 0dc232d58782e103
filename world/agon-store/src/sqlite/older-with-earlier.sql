CREATE TEMP VIEW earlier AS SELECT *, 1 AS tournament, NULL AS token, NULL AS worker FROM main.earlier;
