-- Row-level concurrency: two commits that changed rows of the same file.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();
SET LOCAL deltacc.row_level = on;
SET LOCAL deltacc.data_skipping = on;

-- A change of file path: before and after are the rows of its deletion vector.
CREATE FUNCTION pg_temp.change_of(path text, after bigint[], before bigint[] DEFAULT NULL, extra jsonb DEFAULT '{}', low int DEFAULT 0, high int DEFAULT 99) RETURNS text
LANGUAGE sql AS $$
	SELECT jsonb_build_object('remove', jsonb_strip_nulls(jsonb_build_object('path', path, 'deletionTimestamp', 1, 'dataChange', true,
			'deletionVector', CASE WHEN before IS NOT NULL THEN deltacc.dv_of(before) END)))::text || E'\n' ||
		jsonb_build_object('add', jsonb_build_object('path', path, 'partitionValues', '{}'::jsonb, 'size', 1, 'modificationTime', 1, 'dataChange', true,
			'stats', format('{"numRecords":100,"minValues":{"x":%s},"maxValues":{"x":%s},"nullCount":{"x":0},"tightBounds":true}', low, high),
			'deletionVector', deltacc.dv_of(after)) || extra)::text
$$;
-- What a transaction that wants to commit writes meets.
CREATE FUNCTION pg_temp.hit(winner text, writes text, reads deltacc.predicate[] DEFAULT ARRAY['x < 5'], operation text DEFAULT 'DELETE',
	isolation text DEFAULT 'Serializable', state deltacc.actions DEFAULT pg_temp.table_of(), whole boolean DEFAULT false, read_files text[] DEFAULT NULL) RETURNS text
LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', replace(exception, 'Exception', ''), sub_condition, path, details->>'overlapping_rows'), '; '), '')
	FROM deltacc.check_conflicts(state, winner, reads, writes, isolation, whole, read_files, operation => operation, winner_version => 1)
$$;
CREATE FUNCTION pg_temp.why(winner text, writes text, reads deltacc.predicate[] DEFAULT ARRAY['x < 5'], operation text DEFAULT 'DELETE',
	state deltacc.actions DEFAULT pg_temp.table_of(), whole boolean DEFAULT false, read_files text[] DEFAULT NULL) RETURNS text
LANGUAGE sql AS $$
	SELECT string_agg(concat_ws('|', path, outcome, basis, reason), '; ')
	FROM deltacc.explain_row_level(state, winner, reads, writes, 'Serializable', whole, read_files, operation => operation, winner_version => 1)
$$;

\set w1 'pg_temp.info_of(\'DELETE\') || E\'\\n\' || pg_temp.change_of(\'f\', \'{1,2}\')'
\set t1 'pg_temp.change_of(\'f\', \'{7,8}\')'

-- Different rows, the same rows.
SELECT is(pg_temp.hit(:w1, :t1), '', 'different rows: no conflict');
SELECT is(pg_temp.hit(:w1, pg_temp.change_of('f', '{2,3}')), 'ConcurrentAppend ROW_LEVEL_CHANGES f 1', 'one row in common');
SELECT is(pg_temp.hit(:w1, pg_temp.change_of('f', '{1,2,3}')), 'ConcurrentAppend ROW_LEVEL_CHANGES f 2', 'two rows in common');
SELECT is(pg_temp.hit(:w1, :t1, operation => 'UPDATE'), '', 'an UPDATE, too');
SELECT is(pg_temp.hit(pg_temp.info_of('MERGE') || E'\n' || pg_temp.change_of('f', '{1,2}'), :t1), '', 'the winner may be anything');
SELECT is(pg_temp.hit(pg_temp.change_of('f', '{1,2}'), :t1, isolation => i), '', 'at every level: ' || i) FROM unnest(ARRAY['Serializable', 'WriteSerializable', 'SnapshotIsolation']) i;
SELECT is(pg_temp.hit(pg_temp.change_of('f', '{1,2}'), pg_temp.change_of('f', '{2}'), isolation => i), 'ConcurrentAppend ROW_LEVEL_CHANGES f 1', 'at every level the same rows conflict: ' || i)
FROM unnest(ARRAY['Serializable', 'WriteSerializable', 'SnapshotIsolation']) i;
SELECT is(error_class || ' ' || sqlstate || ' ' || check_name || ' ' || read_predicate, 'DELTA_CONCURRENT_APPEND 2D521 added_file x < 5', 'with Delta''s class, and the read that selects the file')
FROM deltacc.check_conflicts(pg_temp.table_of(), :w1, ARRAY['x < 5'], pg_temp.change_of('f', '{2}'), operation => 'DELETE');
SELECT is(details, '{"overlapping_rows":1,"rows_of_winner":2,"rows_of_transaction":2,"basis":"proof"}'::jsonb, 'the numbers')
FROM deltacc.check_conflicts(pg_temp.table_of(), :w1, ARRAY['x < 5'], pg_temp.change_of('f', '{2,9}'), operation => 'DELETE');

-- A base that both started from.
SELECT is(pg_temp.hit(pg_temp.change_of('f', '{0,1}', '{0}'), pg_temp.change_of('f', '{0,2}', '{0}')), '', 'the rows of the base don''t count');
SELECT is(pg_temp.hit(pg_temp.change_of('f', '{0,1}', '{0}'), pg_temp.change_of('f', '{0,1}', '{0}')), 'ConcurrentAppend ROW_LEVEL_CHANGES f 1', '... the others do');
SELECT is(pg_temp.hit(pg_temp.change_of('f', '{0,1}', '{0}'), pg_temp.change_of('f', '{2}')), 'ConcurrentAppend WITHOUT_HINT f; ConcurrentDeleteRead WITHOUT_HINT f; ConcurrentDeleteDelete WITHOUT_HINT f', 'different pre-images: the level of files');
SELECT is(pg_temp.hit(pg_temp.change_of('f', '{1}', '{0}'), pg_temp.change_of('f', '{0,2}', '{0}')) ~ 'ConcurrentDeleteDelete', true, 'a winner that brings rows back');
SELECT is(pg_temp.hit(pg_temp.change_of('f', '{0,1}', '{0}'), pg_temp.change_of('f', '{2}', '{0}')) ~ 'ConcurrentDeleteDelete', true, 'a transaction that brings rows back');
SELECT is(pg_temp.why(pg_temp.change_of('f', '{1}', '{0}'), pg_temp.change_of('f', '{0,2}', '{0}')), 'f|file level|the winner''s deletion vector lacks rows of the one before it: rows came back', '... and it says so');

-- What is no proof: the answer is that of files, and the row says why.
SELECT is(pg_temp.hit(:w1, :t1, operation => o) ~ 'DeleteDelete', true, format('operation %s', coalesce(o, 'not known')))
FROM unnest(ARRAY['MERGE', 'WRITE', NULL, 'OPTIMIZE', 'RESTORE']) o;
SELECT is(pg_temp.hit(:w1, pg_temp.info_of('DELETE') || E'\n' || :t1, operation => NULL), '', 'the operation may stand in the transaction''s own commitInfo');
SELECT is(pg_temp.hit(:w1, pg_temp.info_of('MERGE') || E'\n' || :t1, operation => 'DELETE') ~ 'DeleteDelete', true, '... but must not contradict');
SELECT is(pg_temp.hit(:w1, :t1, r::deltacc.predicate[]) ~ 'DeleteDelete', true, what)
FROM (VALUES (ARRAY['x < 5', 'x > 2'], 'two reads select the file'), (ARRAY['x < (SELECT 5)'], 'a subquery'), (ARRAY['x < 5 AND x IN (SELECT id FROM s)'], 'IN with a subquery'),
	(ARRAY['x < 5 AND rand() < 0.5'], 'chance'), (ARRAY['x < 5 AND _metadata.row_index < 3'], '_metadata'),
	(ARRAY['x < 5 AND input_file_name() LIKE ''%a%'''], 'the name of the file'), (ARRAY['x < 5 AND my_udf(x)'], 'a function that deltacc doesn''t know'),
	(ARRAY['t.x = s.x'], 'a join'), ('{}', 'no read')) v(r, what);
-- Which reads select the file is seen in its add; without it, and without statistics in the winner's remove, any may.
\set with_f '(pg_temp.table_of()::text || E\'\\n\' || pg_temp.add_of(\'f\', low => 0, high => 99))::deltacc.actions'
SELECT is(pg_temp.hit(:w1, :t1, ARRAY['x > 200'], state => :with_f) ~ 'DeleteDelete', true, 'no read selects the file');
SELECT is(pg_temp.hit(:w1, :t1, ARRAY['x < 5', 'x > 200'], state => :with_f), '', 'two reads, one of which selects the file');
SELECT is(pg_temp.hit(:w1, :t1, ARRAY['x < 5', 'x > 200']) ~ 'DeleteDelete', true, 'two reads, and the file is not known');
SELECT is(pg_temp.hit(:w1, :t1, ARRAY['x < 5 AND p < current_date()']), '', 'current_date() is one value for the statement');
SELECT is(pg_temp.hit(:w1, :t1, whole => true) ~ 'DeleteDelete', true, 'the whole table read');
SELECT is(pg_temp.hit(:w1, :t1, read_files => '{f}'), '', 'the file among read_files');
SELECT is(pg_temp.hit(:w1, :t1, read_files => '{g}') ~ 'DeleteDelete', true, '... and not');
SELECT is(pg_temp.hit(:w1, NULL) ~ 'DeleteRead', true, 'writes not known: nothing is proven');
SELECT alike(string_agg(details->>'row_level', ' '), 'file level: disjoint rows are a proof for a DELETE and an UPDATE, and the transaction is a MERGE%', 'the rows say so')
FROM deltacc.check_conflicts(pg_temp.table_of(), :w1, ARRAY['x < 5'], :t1, operation => 'MERGE');
-- Other shapes keep today's checks.
SELECT is(pg_temp.hit(pg_temp.remove_of('f'), :t1), 'ConcurrentDeleteRead WITHOUT_HINT f; ConcurrentDeleteDelete WITHOUT_HINT f', 'the winner removed the file altogether');
SELECT is(pg_temp.hit(:w1, pg_temp.remove_of('f')) ~ 'DeleteDelete', true, 'the transaction removes the file altogether');
SELECT is(pg_temp.hit(pg_temp.change_of('f', '{1}', extra => '{"deletionVector":null}'), :t1) ~ 'DeleteDelete', true, 'an add without a vector');
SELECT is(pg_temp.hit(:w1 || E'\n' || pg_temp.add_of('f'), :t1) ~ 'DeleteDelete', true, 'two adds');
SELECT is(pg_temp.hit(:w1 || E'\n' || split_part(pg_temp.change_of('f', '{3}'), E'\n', 2), :t1) ~ 'DeleteDelete', true, '... with a vector each');
SELECT is(pg_temp.hit(:w1, replace(:t1, '"dataChange": true', '"dataChange": false')) ~ 'DeleteDelete', true, 'the transaction says that it changes no data');
SELECT is(pg_temp.hit(:w1, pg_temp.change_of('g', '{7}')), 'ConcurrentAppend WITHOUT_HINT f; ConcurrentDeleteRead WITHOUT_HINT f', 'a file that the transaction only read');
-- What the winner adds besides stays with data skipping: the value flip.
SELECT is(pg_temp.hit(:w1 || E'\n' || pg_temp.add_of('new', low => 3, high => 3), :t1), 'ConcurrentAppend WITHOUT_HINT new', 'a new image that the read would have found');
SELECT is(pg_temp.hit(:w1 || E'\n' || pg_temp.add_of('new', low => 50, high => 60), :t1), '', '... and one that it would not');
SELECT is(pg_temp.hit(:w1 || E'\n' || pg_temp.add_of('new'), :t1), 'ConcurrentAppend WITHOUT_HINT new', '... and one without statistics');
-- Several files are judged by themselves.
SELECT is(pg_temp.hit(pg_temp.change_of('f', '{1}') || E'\n' || pg_temp.change_of('g', '{1}') || E'\n' || pg_temp.change_of('h', '{1}'),
	pg_temp.change_of('f', '{2}') || E'\n' || pg_temp.change_of('g', '{1}') || E'\n' || pg_temp.change_of('h', '{3}')), 'ConcurrentAppend ROW_LEVEL_CHANGES g 1', 'one of three');
-- One file, spelled differently.
SELECT is(pg_temp.hit(pg_temp.change_of('a%20b', '{1}'), pg_temp.change_of('a b', '{2}')), '', 'paths are compared as files');
SELECT is(pg_temp.hit(pg_temp.change_of('a%20b', '{1}'), pg_temp.change_of('a b', '{1}')), 'ConcurrentAppend ROW_LEVEL_CHANGES a%20b 1', '... also where they conflict');

-- Vectors that can't be read.
CREATE TEMP TABLE unreadable AS SELECT * FROM (VALUES
	('{"storageType":"u","pathOrInlineDv":"^-aqEH.-t@S}K{vb[*k^","offset":1,"sizeInBytes":34,"cardinality":1}'::jsonb, 'a file, and where it is isn''t known', 'it lies in the table''s directory%'),
	('{"storageType":"p","pathOrInlineDv":"/nowhere/x.bin","offset":1,"sizeInBytes":34,"cardinality":1}', 'a file that isn''t there', '%its file is not there'),
	('{"storageType":"p","pathOrInlineDv":"s3://b/x.bin","offset":1,"sizeInBytes":34,"cardinality":1}', 'an object store', 'its path is none of%'),
	('{"storageType":"i","pathOrInlineDv":"00000","sizeInBytes":4,"cardinality":1}', 'bytes that are none', 'it begins with none%'),
	('{"storageType":"x","pathOrInlineDv":"00000","sizeInBytes":4,"cardinality":1}', 'an unknown storage type', 'its storageType%'),
	(deltacc.dv_of('{1,2}') || '{"cardinality":1}', 'a wrong cardinality', 'it holds another number%')) v(dv, what, why);
SELECT is(pg_temp.hit(pg_temp.change_of('f', '{1}', extra => jsonb_build_object('deletionVector', dv)), :t1) ~ 'DeleteDelete', true, what) FROM unreadable;
SELECT alike(pg_temp.why(pg_temp.change_of('f', '{1}', extra => jsonb_build_object('deletionVector', dv)), :t1), 'f|file level|%can''t be read: ' || why, '... and it says so: ' || what) FROM unreadable;

-- rebase: the winner's add with both vectors, and a remove of what it left.
CREATE FUNCTION pg_temp.rebased(winner text, writes text, reads deltacc.predicate[] DEFAULT ARRAY['x < 5'], state deltacc.actions DEFAULT pg_temp.table_of()) RETURNS TABLE (action text, path text, rows bigint[], vector jsonb, stats jsonb, line jsonb)
LANGUAGE sql AS $$
	SELECT f.action, f.path, ARRAY(SELECT deltacc.dv_rows(f.deletion_vector)), f.deletion_vector, f.stats, to_jsonb(f)
	FROM deltacc.file_actions(deltacc.rebase(state, winner, reads, writes, 'Serializable', operation => 'DELETE', winner_version => 1)) f
$$;
SELECT results_eq(format('SELECT action, path, rows FROM pg_temp.rebased(%L, %L)', pg_temp.change_of('f', '{0,1}', '{0}'), pg_temp.change_of('f', '{0,2}', '{0}') || E'\n' || pg_temp.add_of('mine')),
	$$VALUES ('remove', 'f', '{0,1}'::bigint[]), ('add', 'f', '{0,1,2}'), ('add', 'mine', '{}')$$, 'the vectors united');
SELECT is(concat_ws(' ', vector->>'storageType', vector->>'cardinality', stats->>'tightBounds'), 'i 3 false', 'inline, its cardinality is right, and the bounds are wide')
FROM pg_temp.rebased(pg_temp.change_of('f', '{0,1}', '{0}'), pg_temp.change_of('f', '{0,2}', '{0}')) WHERE action = 'add';
SELECT is(jsonb_build_array(line->'tags', line->'base_row_id', line->'default_row_commit_version'), '[{"a":"b"}, 70, 1]', 'the winner''s tags, row ids and row commit version')
FROM pg_temp.rebased(pg_temp.change_of('f', '{1}', extra => '{"tags":{"a":"b"},"baseRowId":70,"defaultRowCommitVersion":1}'), pg_temp.change_of('f', '{2}'),
	state => pg_temp.table_of(protocol => '{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["domainMetadata","rowTracking"]}')) WHERE action = 'add';
SELECT is(line->'base_row_id', '70', '... also in the remove')
FROM pg_temp.rebased(pg_temp.change_of('f', '{1}', extra => '{"baseRowId":70,"defaultRowCommitVersion":1}'), pg_temp.change_of('f', '{2}')) WHERE action = 'remove';
SELECT is(path, 'a%20b', 'the winner''s spelling: ' || action) FROM pg_temp.rebased(pg_temp.change_of('a%20b', '{1}'), pg_temp.change_of('a b', '{2}'));
SELECT throws_ok(format('SELECT * FROM pg_temp.rebased(%L, %L)', :w1, pg_temp.change_of('f', '{2}')), '2D521', NULL, 'the same rows can''t be rebased');
SELECT is(stats, NULL, 'statistics that can''t be edited are left out') FROM pg_temp.rebased(pg_temp.change_of('f', '{1}', extra => '{"stats":"{torn"}'), pg_temp.change_of('f', '{2}')) WHERE action = 'add';
SELECT is(stats->>'tightBounds', 'false', 'statistics as an object') FROM pg_temp.rebased(pg_temp.change_of('f', '{1}', extra => '{"stats":{"numRecords":3}}'), pg_temp.change_of('f', '{2}')) WHERE action = 'add';

-- Several winners on one file, one after the other, through the log.
INSERT INTO deltacc.tables (name) VALUES ('row_level');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT table_id, v, a::deltacc.actions FROM deltacc.tables, (VALUES
	(0, pg_temp.table_of()::text || E'\n' || pg_temp.add_of('f', low => 0, high => 99)),
	(1, pg_temp.change_of('f', '{1}')), (2, pg_temp.change_of('f', '{1,2}', '{1}')), (3, pg_temp.add_of('g', low => 50, high => 60)), (4, pg_temp.change_of('f', '{1,2,3}', '{1,2}'))) c(v, a)
WHERE name = 'row_level';
CREATE FUNCTION pg_temp.commit_hits(writes text, read_version bigint DEFAULT 0, reads deltacc.predicate[] DEFAULT ARRAY['x < 5']) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', winning_version, sub_condition, path, details->>'overlapping_rows'), '; '), '')
	FROM deltacc.check_commit('row_level', read_version, reads, writes, 'Serializable', operation => 'DELETE')
$$;
SELECT is(pg_temp.commit_hits(pg_temp.change_of('f', '{7}')), '', 'three winners on one file');
SELECT is(pg_temp.commit_hits(pg_temp.change_of('f', '{3,7}')), '4 ROW_LEVEL_CHANGES f 1', 'a row of the last');
SELECT matches(pg_temp.commit_hits(pg_temp.change_of('f', '{1}')), '^1 ROW_LEVEL_CHANGES f 1; 2 WITHOUT_HINT f', 'after a conflict the transaction stands as it stood');
SELECT results_eq($$SELECT f.action, ARRAY(SELECT deltacc.dv_rows(f.deletion_vector)) FROM deltacc.file_actions(deltacc.rebase_commit('row_level', 0, ARRAY['x < 5'], pg_temp.change_of('f', '{7}'), 'Serializable', operation => 'DELETE')) f$$,
	$$VALUES ('remove', '{1,2,3}'::bigint[]), ('add', '{1,2,3,7}')$$, 'rebase over all of them');
SELECT results_eq($$SELECT f.action, ARRAY(SELECT deltacc.dv_rows(f.deletion_vector)) FROM deltacc.file_actions(deltacc.rebase_commit('row_level', 1, ARRAY['x < 5'], pg_temp.change_of('f', '{1,9}', '{1}'), 'Serializable', operation => 'DELETE')) f$$,
	$$VALUES ('remove', '{1,2,3}'::bigint[]), ('add', '{1,2,3,9}')$$, '... from a base');

-- The time limit: 0 leaves none at all.
SET LOCAL deltacc.row_level_time_limit = 0;
SELECT matches(pg_temp.hit(:w1, :t1), '^ConcurrentAppend ALLOTTED_TIME_EXCEEDED f; .*DeleteDelete ALLOTTED_TIME_EXCEEDED f', 'past the time limit files are compared');
SET LOCAL deltacc.row_level_time_limit = -1;

-- Off: released Delta's answers, and a hint.
SET LOCAL deltacc.row_level = off;
SELECT is(pg_temp.hit(:w1, :t1), 'ConcurrentAppend WITHOUT_HINT f; ConcurrentDeleteRead WITHOUT_HINT f; ConcurrentDeleteDelete WITHOUT_HINT f', 'off: three conflicts');
SELECT alike(hint, 'The transaction would commit with row-level concurrency%', 'the hint knows') FROM deltacc.check_conflicts(pg_temp.table_of(), :w1, ARRAY['x < 5'], :t1, operation => 'DELETE');
SELECT alike(hint, 'Row-level concurrency would not help: both changed 1 row %', '... also where it would not') FROM deltacc.check_conflicts(pg_temp.table_of(), :w1, ARRAY['x < 5'], pg_temp.change_of('f', '{2}'), operation => 'DELETE');
SELECT alike(hint, 'This would be no conflict with row-level concurrency%', '... or would for this file only')
FROM deltacc.check_conflicts(pg_temp.table_of(), :w1 || E'\n' || pg_temp.add_of('new'), ARRAY['x < 5'], :t1, operation => 'DELETE') WHERE path = 'f';
SELECT is(string_agg(rules || ' ' || outcome, ', '), 'data skipping conflict, row level ok', 'compare_rules')
FROM deltacc.compare_rules(pg_temp.table_of(), :w1, ARRAY['x < 5'], :t1, operation => 'DELETE') WHERE rules IN ('data skipping', 'row level');
SELECT is(pg_temp.why(:w1, :t1), 'f|reconciled|proof|they changed different rows', 'explain_row_level shows what it would do');

-- Hostile vectors through the check: an answer or an ordinary ERROR, and never "no conflict" for the same rows.
SET LOCAL deltacc.row_level = on;
SELECT setseed(0.5) \g /dev/null
CREATE TEMP TABLE fuzz (state text);
DO $$
DECLARE
	rows bigint[] := ARRAY[1, 2, 3, 5];
	good text := pg_temp.info_of('DELETE') || E'\n' || pg_temp.change_of('f', '{1,2,9,10,11,12,13}', '{9}');
	own text := pg_temp.change_of('f', '{2,9}', '{9}');
	bad text;
	i int;
	hit boolean;
BEGIN
	FOR round IN 1 .. 400 LOOP
		-- one letter of an inline vector, or of its numbers
		i := strpos(good, CASE WHEN random() < 0.5 THEN 'pathOrInlineDv' ELSE 'storageType' END) + floor(random() * 90)::int;
		bad := overlay(good PLACING substr('0a$9"{}-#', 1 + floor(random() * 9)::int, 1) FROM i);
		CONTINUE WHEN bad = good;
		BEGIN
			hit := EXISTS (SELECT FROM deltacc.check_conflicts(pg_temp.table_of(), bad, ARRAY['x < 5'], own, operation => 'DELETE'));
			PERFORM count(*) FROM deltacc.explain_row_level(pg_temp.table_of(), own, ARRAY['x < 5'], bad, operation => 'DELETE');
			INSERT INTO fuzz VALUES (CASE WHEN hit THEN 'conflict' ELSE 'passed: ' || bad END);
		EXCEPTION WHEN OTHERS THEN
			INSERT INTO fuzz VALUES (SQLSTATE);
		END;
	END LOOP;
END $$;
SELECT is((SELECT string_agg(DISTINCT state, ' ') FROM fuzz WHERE state NOT IN ('conflict', '22P02', '22023')), NULL, 'vectors with a wrong letter conflict or are refused');
SELECT cmp_ok(count(*), '>', 100::bigint, 'many can''t be read, and conflict') FROM fuzz WHERE state = 'conflict';

SELECT * FROM finish();
ROLLBACK;
