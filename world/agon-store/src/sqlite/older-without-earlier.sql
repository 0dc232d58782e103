CREATE TEMP VIEW earlier AS SELECT *, 0 AS at_ms FROM temp.matches WHERE false;
