-- What parsing a large commit takes: the peak of a new backend with and without it.

CREATE TABLE bench.large (body text);
ALTER TABLE bench.large ALTER body SET STORAGE external;
-- the raw commit as often as it takes
INSERT INTO bench.large
SELECT string_agg(body, E'\n') FROM bench.raw_text, generate_series(1, GREATEST(1, :megabytes * 1000000 / octet_length(body)));

CREATE FUNCTION bench.peak_kb() RETURNS bigint LANGUAGE sql VOLATILE
RETURN (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+) kB'))[1]::bigint;

\c -
SELECT '{"add":{"path":"a","stats":"{}"}}'::deltacc.actions \g /dev/null
SELECT md5(body) FROM bench.large \g /dev/null
SELECT bench.peak_kb() AS text_alone \gset
\c -
SELECT '{"add":{"path":"a","stats":"{}"}}'::deltacc.actions \g /dev/null
SELECT pg_column_size(body::deltacc.actions) AS result FROM bench.large \gset
SELECT bench.peak_kb() AS with_parsing \gset

INSERT INTO bench.results (point, what, items, ours, rival, theirs, ratio, target, met)
SELECT 5, format('memory on top of the text, commit of %s MB', octet_length(body) / 1000000), to_char(:files::bigint * octet_length(body) / (SELECT octet_length(body) FROM bench.raw_text), 'FM999,999,999'),
	format('%s MB', (:with_parsing - :text_alone) / 1000), 'the result and the longest line', format('%s MB', (:result::bigint + longest) / 1000000),
	bench.rounded((:with_parsing - :text_alone) * 1024.0 / (:result::bigint + longest)), '≤ 1', (:with_parsing::bigint - :text_alone) * 1024 <= :result::bigint + longest
FROM bench.large, (SELECT max(octet_length(line)) AS longest FROM bench.raw) AS l;
