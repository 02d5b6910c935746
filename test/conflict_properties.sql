-- What must hold for any files, predicates and winners: random ones, the same in
-- every run.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT plan(11);
SELECT setseed(0.4);

CREATE FUNCTION pg_temp.pick(VARIADIC choices text[]) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT choices[1 + floor(random() * cardinality(choices))::int] $$;

-- A condition over id, x, p and d, of up to some depth.
CREATE FUNCTION pg_temp.condition(depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	v text := floor(random() * 100)::int::text;
	u text := floor(random() * 100)::int::text;
	letter text := pg_temp.pick('a', 'b', 'c', 'd');
BEGIN
	IF depth > 0 AND random() < 0.45 THEN
		RETURN CASE floor(random() * 5)::int
			WHEN 0 THEN format('NOT (%s)', pg_temp.condition(depth - 1))
			WHEN 1 THEN format('(%s) OR (%s)', pg_temp.condition(depth - 1), pg_temp.condition(depth - 1))
			ELSE format('(%s) AND (%s)', pg_temp.condition(depth - 1), pg_temp.condition(depth - 1)) END;
	END IF;
	RETURN pg_temp.pick('x < ' || v, 'x >= ' || v, 'x > ' || v, 'x <= ' || v, format('id BETWEEN %s AND %s', v, v::int + 5), 'x = ' || v, 'x <> ' || v, format('x BETWEEN %s AND %s', least(u::int, v::int), greatest(u::int, v::int)),
		format('x IN (%s, %s, NULL)', u, v), format('x NOT IN (%s)', v), 'x IS NULL', 'x IS NOT NULL', format('x <=> %s', v), format('x + 1 < %s', v), format('x %% 7 = %s', u),
		'x < id', format('coalesce(x, 0) > %s', v), 'x', 'id = ' || v, format('id > %s AND x < %s', v, u), format('p = ''%s''', letter), format('p > ''%s''', letter), format('p LIKE ''%s%%''', letter),
		'p IS NULL', format('upper(p) = upper(''%s'')', letter), format('p = ''%s'' OR x > %s', letter, v), 's.id = t.id', 'rand() < 0.5', 'true', 'false', 'NULL');
END $$;

-- A condition is one that binds: x by itself is none.
CREATE FUNCTION pg_temp.read_of() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	c text;
BEGIN
	LOOP
		c := pg_temp.condition(3);
		BEGIN
			PERFORM deltacc.first_conflict(pg_temp.table_of(), '{"txn":{"appId":"a","version":1}}', ARRAY[c]::deltacc.predicate[]);
			RETURN c;
		EXCEPTION WHEN OTHERS THEN
			NULL;
		END;
	END LOOP;
END $$;

CREATE FUNCTION pg_temp.file_of(path text, partitioned boolean, extra text DEFAULT '') RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	low int := floor(random() * 100)::int;
	high int := low + floor(random() * 30)::int;
	nulls int := CASE WHEN random() < 0.2 THEN 10 WHEN random() < 0.3 THEN 3 ELSE 0 END;
	stats text := CASE
		WHEN random() < 0.15 THEN NULL
		WHEN nulls = 10 THEN '{"numRecords":10,"nullCount":{"x":10}}'
		WHEN random() < 0.1 THEN format('{"numRecords":10,"minValues":{"x":%s},"nullCount":{"x":0}}', low)
		ELSE format('{"numRecords":10,"minValues":{"x":%s,"id":%s},"maxValues":{"x":%s,"id":%s},"nullCount":{"x":%s,"id":0}}', low, low, high, high + 5, nulls) END;
BEGIN
	RETURN json_build_object('add', json_strip_nulls(json_build_object('path', path,
		'partitionValues', CASE WHEN partitioned THEN json_build_object('p', pg_temp.pick('a', 'b', 'c', 'd')) ELSE '{}'::json END,
		'size', 1, 'modificationTime', 1, 'dataChange', random() < 0.8, 'stats', stats)))::text;
END $$;

-- 160 questions: a table with five files, one to three winners, one or two reads.
CREATE TEMP TABLE question AS
SELECT n, partitioned, pg_temp.table_of(CASE WHEN partitioned THEN '["p"]' ELSE '[]' END)::text
			|| E'\n' || (SELECT string_agg(pg_temp.file_of('old' || f, partitioned), E'\n') FROM generate_series(1, 5) f WHERE n > 0) AS state,
	ARRAY(SELECT pg_temp.info_of(pg_temp.pick('WRITE', 'MERGE', 'DELETE', 'OPTIMIZE'), random() < 0.3)
			|| coalesce(E'\n' || (SELECT string_agg(pg_temp.file_of(format('new%s_%s', w, f), partitioned), E'\n') FROM generate_series(1, 1 + floor(random() * 4)::int) f), '')
			|| CASE WHEN random() < 0.4 THEN E'\n' || pg_temp.remove_of('old' || (1 + floor(random() * 5)::int)) ELSE '' END
		FROM generate_series(1, 1 + floor(random() * 3)::int) w WHERE n > 0) AS winners,
	ARRAY(SELECT pg_temp.read_of() FROM generate_series(1, 1 + floor(random() * 2)::int) r WHERE n > 0) AS reads,
	pg_temp.file_of('mine', partitioned) || CASE WHEN random() < 0.5 THEN E'\n' || pg_temp.remove_of('old' || (1 + floor(random() * 5)::int)) ELSE '' END AS writes,
	pg_temp.pick('Serializable', 'WriteSerializable', 'SnapshotIsolation') AS level
FROM (SELECT n, random() < 0.5 AS partitioned FROM generate_series(1, 160) n) g;

-- Rows as text, without what data skipping may word differently.
CREATE FUNCTION pg_temp.rows_of(q question, w int, skipping text, files text[] DEFAULT NULL) RETURNS text[] LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('deltacc.data_skipping', skipping, true);
	RETURN ARRAY(SELECT concat_ws(' ', check_name, path)
		FROM deltacc.check_conflicts(q.state::deltacc.actions, q.winners[w]::deltacc.actions, q.reads::deltacc.predicate[], q.writes::deltacc.actions, q.level, read_files => files, winner_version => w));
END $$;

SELECT is((SELECT count(*) FROM question q, generate_subscripts(winners, 1) w
	WHERE NOT pg_temp.rows_of(q, w, 'on') <@ pg_temp.rows_of(q, w, 'off')), 0::bigint, 'data skipping reports no conflict that released Delta does not');
SELECT is((SELECT count(*) FROM question q, generate_subscripts(winners, 1) w
	WHERE NOT pg_temp.rows_of(q, w, 'sharp') <@ pg_temp.rows_of(q, w, 'on')), 0::bigint, 'sharp reports no conflict that data skipping does not');
SELECT cmp_ok((SELECT count(*) FROM question q, generate_subscripts(winners, 1) w
	WHERE pg_temp.rows_of(q, w, 'on') <> pg_temp.rows_of(q, w, 'off')), '>', 10::bigint, '... and the questions tell the two apart');

-- What filter_files keeps for some read is a conflict, however many reads and files there are.
CREATE FUNCTION pg_temp.lost(q question, w int, skipping text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('deltacc.data_skipping', skipping, true);
	RETURN (SELECT count(DISTINCT path) FROM unnest(q.reads) r, deltacc.filter_files(q.state::deltacc.actions, r::deltacc.predicate, q.winners[w]::deltacc.actions) f
		WHERE kept AND path NOT IN (SELECT c.path FROM deltacc.check_conflicts(q.state::deltacc.actions, q.winners[w]::deltacc.actions, q.reads::deltacc.predicate[], q.writes::deltacc.actions, 'Serializable', winner_version => w) c
			WHERE check_name = 'added_file'));
END $$;
SELECT is((SELECT sum(pg_temp.lost(q, w, skipping)) FROM question q, generate_subscripts(winners, 1) w, unnest(ARRAY['on', 'sharp']) skipping), 0::numeric, 'each file that filter_files keeps for one of the reads conflicts');
-- ... nor in which order the reads stand.
SELECT is((SELECT count(*) FROM question q, generate_subscripts(winners, 1) w, unnest(ARRAY['off', 'on', 'sharp']) skipping, LATERAL (SELECT q.n, q.partitioned, q.state, q.winners, ARRAY[q.reads[2], q.reads[1]], q.writes, q.level) AS t
	WHERE cardinality(reads) = 2 AND NOT (pg_temp.rows_of(q, w, skipping) @> pg_temp.rows_of(t::text::question, w, skipping) AND pg_temp.rows_of(q, w, skipping) <@ pg_temp.rows_of(t::text::question, w, skipping))), 0::bigint, 'the order of the reads decides no more than the order of the rows');

-- first_conflict is the first row of check_conflicts.
CREATE FUNCTION pg_temp.first_is_first(q question, w int) RETURNS boolean LANGUAGE sql AS $$
	SELECT (deltacc.first_conflict(q.state::deltacc.actions, q.winners[w]::deltacc.actions, q.reads::deltacc.predicate[], q.writes::deltacc.actions, q.level, winner_version => w)) IS NOT DISTINCT FROM
		(SELECT c FROM deltacc.check_conflicts(q.state::deltacc.actions, q.winners[w]::deltacc.actions, q.reads::deltacc.predicate[], q.writes::deltacc.actions, q.level, winner_version => w) c LIMIT 1) $$;
SELECT is((SELECT count(*) FROM question q, generate_subscripts(winners, 1) w, unnest(ARRAY['off', 'on', 'sharp']) skipping
	WHERE set_config('deltacc.data_skipping', skipping, true) IS NOT NULL AND NOT pg_temp.first_is_first(q, w)), 0::bigint, 'first_conflict is the first row of check_conflicts');

-- A transaction without any conflict can be rebased, and no other.
CREATE FUNCTION pg_temp.rebases(q question, w int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM deltacc.rebase(q.state::deltacc.actions, q.winners[w]::deltacc.actions, q.reads::deltacc.predicate[], q.writes::deltacc.actions, q.level, winner_version => w);
	RETURN true;
EXCEPTION WHEN SQLSTATE '2D521' THEN
	RETURN false;
END $$;
SELECT is((SELECT count(*) FROM question q, generate_subscripts(winners, 1) w
	WHERE pg_temp.rebases(q, w) <> (cardinality(pg_temp.rows_of(q, w, current_setting('deltacc.data_skipping'))) = 0)), 0::bigint, 'rebase succeeds where there is no conflict, and only there');

-- check_commit over several winners is one check after the other, with the read files told.
INSERT INTO deltacc.tables (name) SELECT 'property ' || n FROM question;
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT table_id, v - 1, c::deltacc.actions FROM question JOIN deltacc.tables ON name = 'property ' || n, unnest(state || winners) WITH ORDINALITY u(c, v);
CREATE FUNCTION pg_temp.commit_rows(q question, skipping text, files text[]) RETURNS text[] LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('deltacc.data_skipping', skipping, true);
	RETURN ARRAY(SELECT concat_ws(' ', winning_version, check_name, path)
		FROM deltacc.check_commit('property ' || q.n, 0, q.reads::deltacc.predicate[], q.writes::deltacc.actions, q.level, read_files => files));
END $$;
SELECT is((SELECT count(*) FROM question q, unnest(ARRAY['off', 'on', 'sharp']) skipping
	WHERE pg_temp.commit_rows(q, skipping, '{old1,old3}') <>
		ARRAY(SELECT w || ' ' || r FROM generate_subscripts(q.winners, 1) w, unnest(pg_temp.rows_of(q, w, skipping, '{old1,old3}')) r)), 0::bigint,
	'check_commit is check_conflicts winner by winner');
-- Without being told, it finds the same as with the files that the reads select at the read version.
SELECT is((SELECT count(*) FROM question q
	WHERE pg_temp.commit_rows(q, 'on', NULL) <> pg_temp.commit_rows(q, 'on',
		ARRAY(SELECT DISTINCT f.path FROM unnest(q.reads) r, deltacc.filter_files(q.state::deltacc.actions, r::deltacc.predicate, q.state::deltacc.actions) f WHERE f.kept))), 0::bigint,
	'read files are those that filter_files keeps of the snapshot');

-- rebase_commit is rebase winner by winner; row tracking, so that there is something to rebase.
CREATE FUNCTION pg_temp.tracked(text) RETURNS text LANGUAGE sql AS $$
	SELECT replace($1, '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}', '{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["rowTracking","domainMetadata"]}}') $$;
CREATE FUNCTION pg_temp.fold(q question) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	writes text := pg_temp.info_of('WRITE') || E'\n' || pg_temp.add_of('mine', NULL, 0, 9);
BEGIN
	FOR w IN 1..cardinality(q.winners) LOOP
		writes := deltacc.rebase(pg_temp.tracked(q.state)::deltacc.actions, (q.winners[w] || format(E'\n{"domainMetadata":{"domain":"delta.rowTracking","configuration":"{\\"rowIdHighWaterMark\\":%s}","removed":false}}', w * 100))::deltacc.actions,
			'{}', writes::deltacc.actions, q.level, winner_version => w);
	END LOOP;
	RETURN writes;
END $$;
UPDATE deltacc.commits c SET actions = CASE WHEN version = 0 THEN pg_temp.tracked(c.actions::text)
	ELSE c.actions::text || format(E'\n{"domainMetadata":{"domain":"delta.rowTracking","configuration":"{\\"rowIdHighWaterMark\\":%s}","removed":false}}', version * 100) END::deltacc.actions
FROM deltacc.tables t WHERE t.table_id = c.table_id AND name LIKE 'property %';
SELECT is((SELECT count(*) FROM question q
	WHERE deltacc.rebase_commit('property ' || q.n, 0, '{}', (pg_temp.info_of('WRITE') || E'\n' || pg_temp.add_of('mine', NULL, 0, 9))::deltacc.actions, q.level)::text <> pg_temp.fold(q)), 0::bigint,
	'rebase_commit is rebase winner by winner');
SELECT is((SELECT count(*) FROM question q WHERE pg_temp.fold(q) LIKE format('%%"baseRowId":%s,%%', cardinality(winners) * 100 + 1)), 160::bigint, '... with row ids above the last winner''s');

SELECT * FROM finish();
ROLLBACK;
