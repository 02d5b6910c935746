-- The measurements that need nothing but PostgreSQL: see run.sh.  psql
-- variables: files, columns (the raw commit), stored, versions, commits, runs.
SET client_min_messages = warning;
SET deltacc.data_skipping = on;
SET max_parallel_workers_per_gather = 0;
SET jit = off;

-- ----- 1: raw text -----

CREATE TABLE bench.raw (line text);
INSERT INTO bench.raw SELECT line FROM bench.adds(0, :files, :columns) ORDER BY file;
CREATE TABLE bench.raw_text (body text);
ALTER TABLE bench.raw_text ALTER body SET STORAGE external;
INSERT INTO bench.raw_text SELECT string_agg(line, E'\n') FROM bench.raw;
CREATE TABLE bench.raw_stored (actions deltacc.actions);
INSERT INTO bench.raw_stored SELECT body::deltacc.actions FROM bench.raw_text;
VACUUM ANALYZE bench.raw, bench.raw_text, bench.raw_stored;

SELECT bench.compare(1, format('raw text of %s MB to deltacc.actions, %s columns indexed', octet_length(body) / 1000000, :columns), :files,
	'SELECT pg_column_size(body::deltacc.actions) FROM bench.raw_text',
	'PostgreSQL jsonb of the lines and of their statistics', 'SELECT count((line::jsonb -> ''add'' ->> ''stats'')::jsonb) FROM bench.raw',
	0.4, :runs) FROM bench.raw_text;

-- ----- 2: a stored commit -----

CREATE TABLE bench.stored (actions deltacc.actions);
INSERT INTO bench.stored SELECT string_agg(line, E'\n' ORDER BY file)::deltacc.actions FROM bench.adds(0, :stored, 6);
CREATE TABLE bench.snapshot AS SELECT bench.table_lines(GREATEST(6, :columns))::deltacc.actions AS state;
CREATE TABLE bench.parsed AS SELECT (line::jsonb -> 'add' ->> 'stats')::jsonb AS stats FROM bench.adds(0, :stored, 6) ORDER BY file;
CREATE TABLE bench.typed AS
SELECT (stats -> 'minValues' ->> 'long_1')::bigint AS long_least, (stats -> 'maxValues' ->> 'long_1')::bigint AS long_greatest,
	(stats -> 'minValues' ->> 'double_2')::float8 AS double_least, (stats -> 'maxValues' ->> 'double_2')::float8 AS double_greatest,
	(stats -> 'minValues' ->> 'string_3') COLLATE "C" AS string_least, (stats -> 'maxValues' ->> 'string_3') COLLATE "C" AS string_greatest,
	(stats -> 'minValues' ->> 'date_4')::date AS date_least, (stats -> 'maxValues' ->> 'date_4')::date AS date_greatest,
	(stats -> 'minValues' ->> 'decimal_5')::numeric(14,2) AS decimal_least, (stats -> 'maxValues' ->> 'decimal_5')::numeric(14,2) AS decimal_greatest
FROM bench.parsed;
VACUUM ANALYZE bench.stored, bench.snapshot, bench.parsed, bench.typed;

-- Each of the two conditions holds for half of the files, and both for none.
SELECT bench.compare(2, format('stored commit, two conjuncts on a %s', kind), :stored, ours,
		'sequential scan of typed columns', format('SELECT count(*) FROM bench.typed WHERE ' || pg, kind || '_greatest', kind || '_least'),
		1, :runs, CASE WHEN kind IN ('long', 'double') THEN 50 ELSE 10 END),
	bench.compare(2, format('stored commit, two conjuncts on a %s', kind), :stored, ours,
		'the same over parsed jsonb', format('SELECT count(*) FROM bench.parsed WHERE ' || pg,
			format('(stats -> ''maxValues'' ->> %L)::%s', column_name, sql_type), format('(stats -> ''minValues'' ->> %L)::%s', column_name, sql_type)),
		0.02, :runs)
FROM generate_series(1, 5) AS c, bench.gap(c, :stored), LATERAL (
	SELECT bench.name(c), format('SELECT deltacc.first_conflict(state, actions, ARRAY[%L]) FROM bench.snapshot, bench.stored', spark)
) AS s(column_name, ours);

-- ----- 3: a long log -----

SELECT bench.enter_table('long log', :versions, 100, 0, 3);
VACUUM ANALYZE deltacc.commits, deltacc.snapshots;

SELECT bench.clock(3, format('check_commit, %s versions, three commits won', to_char(:versions, 'FM999,999,999')), 100 * :versions,
	format('SELECT count(*) FROM deltacc.check_commit(''long log'', %s, ARRAY[''long_1 < 100000 AND double_2 < 50''])', :versions - 4), 20, :runs);
-- ... as plain INSERTs leave a log, and refresh() has not been called
DELETE FROM deltacc.snapshots;
SELECT bench.clock(3, 'the same without kept states', 100 * :versions,
	format('SELECT count(*) FROM deltacc.check_commit(''long log'', %s, ARRAY[''long_1 < 100000 AND double_2 < 50''])', :versions - 4), 20, :runs);
SELECT deltacc.keep_snapshots('long log');
-- ... two of which removed old files
INSERT INTO deltacc.tables (name, location) VALUES ('long log with removes', '/lake/long log with removes');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT n.table_id, c.version, c.actions
FROM deltacc.tables AS t JOIN deltacc.commits AS c USING (table_id), deltacc.tables AS n
WHERE t.name = 'long log' AND n.name = 'long log with removes';
UPDATE deltacc.commits AS c SET actions = (c.actions::text || bench.removes((c.version - :versions + 3) * 25 * :versions, 10))::deltacc.actions
FROM deltacc.tables AS t WHERE t.table_id = c.table_id AND t.name = 'long log with removes' AND c.version >= :versions - 2;
SELECT deltacc.keep_snapshots('long log with removes');
VACUUM ANALYZE deltacc.commits, deltacc.snapshots;
SELECT bench.clock(3, 'the same with kept states, two of them removed old files', 100 * :versions,
	format('SELECT count(*) FROM deltacc.check_commit(''long log with removes'', %s, ARRAY[''long_1 < 100000 AND double_2 < 50''])', :versions - 4), 20, :runs);

-- ----- 4: contention -----

SELECT bench.enter_table('contention', :commits, 50, 50, 3);
VACUUM ANALYZE deltacc.commits, deltacc.snapshots;
SET parallel_setup_cost = 0;
INSERT INTO bench.results (point, what, items, ours, rival, theirs, ratio, target, met)
SELECT 4, what, to_char(:commits * 100, 'FM999,999,999'), bench.shown(ours), rival, bench.shown(theirs), bench.rounded(ours / theirs), target,
	CASE WHEN theirs IS NULL THEN ours <= 5000 ELSE ours / theirs <= 0.625 END
FROM bench.medians(ARRAY[
		'SET max_parallel_workers_per_gather = 0; SELECT count(*) FILTER (WHERE delta) FROM deltacc.contention(''contention'', 50)',
		'SET max_parallel_workers_per_gather = 2; SELECT count(*) FILTER (WHERE delta) FROM deltacc.contention(''contention'', 50)'], :runs) AS t(took),
	LATERAL (VALUES ('contention, window 50, no worker', took[1], NULL, NULL, '≤ 5 s'),
		('contention, window 50, two workers', took[2], 'no worker', took[1], '≤ 0.625')) AS v(what, ours, rival, theirs, target);
SET max_parallel_workers_per_gather = 0;
RESET parallel_setup_cost;

-- ----- 5: growth -----

CREATE TABLE bench.grown (factor int, body text, actions deltacc.actions);
ALTER TABLE bench.grown ALTER body SET STORAGE external;
INSERT INTO bench.grown (factor, body)
SELECT factor, (SELECT string_agg(line, E'\n' ORDER BY file) FROM bench.adds(0, :stored / 100 * factor, 6)) FROM (VALUES (1), (10), (100)) AS f(factor);
UPDATE bench.grown SET actions = body::deltacc.actions;
VACUUM ANALYZE bench.grown;
SELECT bench.growth('raw text to deltacc.actions, by files', :stored / 100, 'SELECT pg_column_size(body::deltacc.actions) FROM bench.grown WHERE factor = %s', :runs);
SELECT bench.growth('check of a stored commit, by files', :stored / 100, format(
	'SELECT deltacc.first_conflict(state, actions, ARRAY[%L]) FROM bench.snapshot, bench.grown WHERE factor = ', spark) || '%s', :runs)
FROM bench.gap(3, :stored / 2);
SELECT bench.growth('check_commit, by winners', :versions / 200, format(
	'SELECT count(*) FROM deltacc.check_commit(''long log'', 0, ARRAY[''long_1 < 1000 AND double_2 < 1''], last_version => %s * ', :versions / 200) || '%s)', :runs);
-- IN by binary search: of 10,000 values a file costs hardly more than of 10
CREATE TABLE bench.lists AS SELECT n, ARRAY[bench.in_list(n, :stored)::deltacc.predicate] AS reads FROM (VALUES (10), (10000)) AS v(n);
SET deltacc.data_skipping = sharp;
SELECT bench.compare(5, 'IN (…) of 10,000 values, data_skipping = sharp', :stored,
	'SELECT deltacc.first_conflict(state, actions, reads) FROM bench.snapshot, bench.stored, bench.lists WHERE n = 10000', 'IN (…) of 10 values',
	'SELECT deltacc.first_conflict(state, actions, reads) FROM bench.snapshot, bench.stored, bench.lists WHERE n = 10', 10, :runs);
SET deltacc.data_skipping = on;
-- Binding once a query, counted.
SELECT value AS built_before FROM deltacc.counters() WHERE name = 'plans built' \gset
SELECT count(deltacc.first_conflict(s.state, c.actions, ARRAY['long_1 = 17 AND string_3 > ''d'''])) FROM bench.snapshot AS s, deltacc.commits AS c
JOIN deltacc.tables AS t USING (table_id) WHERE t.name = 'contention' \g /dev/null
INSERT INTO bench.results (point, what, items, ours, target, met)
SELECT 5, 'predicates bound in one query over that many commits', to_char(:commits, 'FM999,999,999'), (value - :built_before)::text, '1', value - :built_before = 1
FROM deltacc.counters() WHERE name = 'plans built';
