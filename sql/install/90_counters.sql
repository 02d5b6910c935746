-- ----- What this backend has done -----

CREATE FUNCTION deltacc.counters(OUT name text, OUT value bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_counters_sql'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
ROWS 50;

COMMENT ON FUNCTION deltacc.counters() IS
'what deltacc has done in this backend so far: values opened, slices and bytes fetched from them, plans built and reused, and how often it computed each function on values ("points of abs") and on ranges ("ranges of abs")';
