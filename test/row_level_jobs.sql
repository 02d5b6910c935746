-- The 16 statements on accounts that Delta aborted, with row-level concurrency: what they wanted to write is known,
-- since their deletion vectors lie beside the log (tools/aborted_writes.sql).
\ir data/begin.psql
SELECT deltacc.ingest('accounts', :'data' || '/logs/accounts') > 0 AS ingested \g /dev/null
\ir ../tools/aborted_writes.sql
SELECT no_plan();

-- set_config() goes first: the check depends on what it gives.
CREATE TEMP TABLE answers AS
SELECT a.*, r AS row_level, c.*
FROM aborted_writes a, unnest(ARRAY['off', 'on', 'databricks']) r
CROSS JOIN LATERAL (SELECT set_config('deltacc.row_level', r, true)) s(setting)
LEFT JOIN LATERAL (
	SELECT count(*) AS conflicts, (array_agg(x.exception))[1] AS exception, (array_agg(x.winning_version))[1] AS winner,
		count(*) FILTER (WHERE x.path NOT IN (SELECT path FROM deltacc.file_actions(a.writes))) AS elsewhere
	FROM deltacc.check_commit('accounts', read_version, ARRAY[condition], CASE WHEN setting IS NOT NULL THEN writes END, 'Serializable', last_version => last_version) x) c ON true;

SELECT is(count(*), 16::bigint, 'what each job wanted to commit is known') FROM aborted_writes;
SELECT is(count(*) FILTER (WHERE conflicts = 0), n, format('row_level = %s: %s of 16 commit', r, n))
FROM answers JOIN (VALUES ('off', 0::bigint), ('on', 9), ('databricks', 16)) v(r, n) ON r = row_level GROUP BY r, n ORDER BY n;
SELECT is(string_agg(DISTINCT exception || ' ' || (conflicts = elsewhere), ', '), 'ConcurrentAppendException true', 'the other seven: a file that they only read came with a deletion vector of the winner')
FROM answers WHERE row_level = 'on' AND conflicts > 0;
SELECT is(count(*) FILTER (WHERE exception = j->>'exception' AND winner::text = substring(j->>'message' FROM 'committed at version (\d+)')), 16::bigint, 'off: Delta''s own answer, also with the writes')
FROM answers JOIN (SELECT line::jsonb, n FROM regexp_split_to_table(rtrim(pg_read_file(:'data' || '/logs/failed-jobs.jsonl'), E'\n'), E'\n') WITH ORDINALITY AS l(line, n)) x(j, n) ON n = job_id WHERE row_level = 'off';

-- Without the writes nothing is proven.
SET LOCAL deltacc.row_level = on;
SELECT is(count(*), 0::bigint, 'writes not known: none')
FROM aborted_writes WHERE NOT EXISTS (SELECT FROM deltacc.check_commit('accounts', read_version, ARRAY[condition], NULL, 'Serializable', last_version => last_version));
-- rebase: the rows of the statement on top of what the winner deleted.
SELECT is((SELECT array_agg(f.path || deltacc.dv_cardinality(f.deletion_vector, :'data' || '/logs/accounts')::text ORDER BY f.path) FROM deltacc.file_actions(r) f WHERE f.action = 'add'),
	(SELECT array_agg(f.path || (deltacc.dv_cardinality(f.deletion_vector, :'data' || '/logs/accounts')
		+ coalesce((SELECT deltacc.dv_cardinality(w.deletion_vector, :'data' || '/logs/accounts') FROM deltacc.live_files('accounts', last_version) w WHERE w.path = f.path)
		- (SELECT deltacc.dv_cardinality(w.deletion_vector, :'data' || '/logs/accounts') FROM deltacc.live_files('accounts', read_version) w WHERE w.path = f.path), 0))::text ORDER BY f.path)
	FROM deltacc.file_actions(writes) f WHERE f.action = 'add'), 'rebased: ' || statement)
FROM answers CROSS JOIN LATERAL (SELECT deltacc.rebase_commit('accounts', read_version, ARRAY[condition], writes, 'Serializable', last_version => last_version)) x(r)
WHERE row_level = 'on' AND conflicts = 0;
-- No file is needed: the catalog has the bytes of the winners' vectors. Those of the jobs no commit refers to.
UPDATE deltacc.tables SET location = '/gone' WHERE name = 'accounts';
SELECT is(count(*), 0::bigint, 'without the files of the jobs'' own vectors: none')
FROM answers a WHERE row_level = 'on' AND conflicts = 0 AND NOT EXISTS (SELECT FROM deltacc.check_commit('accounts', read_version, ARRAY[condition], writes, 'Serializable', last_version => last_version));
INSERT INTO deltacc.deletion_vectors (table_id, id, bytes)
SELECT t.table_id, p.id, deltacc.dv_bytes(f.deletion_vector, :'data' || '/logs/accounts')
FROM aborted_writes a, deltacc.file_actions(a.writes) f, deltacc.dv_place(f.deletion_vector) p, deltacc.tables t
WHERE f.deletion_vector IS NOT NULL AND t.name = 'accounts' ON CONFLICT DO NOTHING;
SELECT is(count(*), 9::bigint, 'with their bytes in the catalog: nine again')
FROM answers a WHERE row_level = 'on' AND conflicts = 0 AND NOT EXISTS (SELECT FROM deltacc.check_commit('accounts', read_version, ARRAY[condition], writes, 'Serializable', last_version => last_version));

-- Real winners as loser and winner: each commit that deletes, played on the version before the one that it really followed.
CREATE TEMP TABLE pairs AS
SELECT l.version, l.operation, w.actions AS winner, deltacc.table_state(s.version, s.actions) AS snapshot,
	(SELECT bool_or(lf.path = wf.path) FROM deltacc.file_actions(l.actions) lf, deltacc.file_actions(w.actions) wf WHERE lf.action = 'remove' AND wf.action = 'remove') AS common,
	-- based on what the winner found: the loser's own rows on top of that vector
	(SELECT string_agg(CASE WHEN f.action = 'add' THEN jsonb_build_object('add', jsonb_strip_nulls(jsonb_build_object('path', f.path, 'partitionValues', '{}'::jsonb, 'size', f.size, 'modificationTime', f.modification_time, 'dataChange', true,
			'stats', f.stats::text, 'deletionVector', deltacc.dv_union(deltacc.dv_minus(f.deletion_vector, o.deletion_vector, d), b.deletion_vector, d))))
		ELSE jsonb_build_object('remove', jsonb_strip_nulls(jsonb_build_object('path', f.path, 'dataChange', true, 'deletionVector', b.deletion_vector))) END::text, E'\n')
	FROM deltacc.file_actions(l.actions) f
	LEFT JOIN deltacc.file_actions(l.actions) o ON o.action = 'remove' AND o.path = f.path
	LEFT JOIN deltacc.live_files('accounts', l.version - 2) b ON b.path = f.path
	WHERE f.deletion_vector IS NOT NULL OR f.action = 'remove')::deltacc.actions AS writes,
	(SELECT p.predicate FROM deltacc.logged_predicates(deltacc.table_state(s.version, s.actions), l.actions) p LIMIT 1) AS read
FROM (SELECT c.version, c.actions, deltacc.commit_info(c.actions)->>'operation' AS operation FROM deltacc.commits c JOIN deltacc.tables t USING (table_id) WHERE t.name = 'accounts') l
JOIN deltacc.commits w ON w.version = l.version - 1
JOIN deltacc.commits s ON s.version <= l.version - 2
CROSS JOIN (SELECT :'data' || '/logs/accounts') x(d)
WHERE l.version BETWEEN 7 AND 20 OR l.version BETWEEN 23 AND 24
GROUP BY l.version, l.operation, l.actions, w.actions, x.d;
SELECT is(string_agg(concat_ws(' ', version, e.outcome, e.overlapping_rows), '; ' ORDER BY version), '23 reconciled 0; 24 reconciled 0', 'the two pairs that changed one file changed different rows')
FROM pairs CROSS JOIN LATERAL deltacc.explain_row_level(snapshot, winner, ARRAY[read], writes, operation => operation, table_name => 'accounts') e WHERE common AND e.path IS NOT NULL;

SELECT * FROM finish();
ROLLBACK;
