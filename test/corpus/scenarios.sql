-- The conflict check, scenario by scenario: conflict-scenarios.jsonl and
-- conflict-more.jsonl.
--
-- What is asked of each file, one row of the report for each question:
--   (the file itself)     the first conflict: exception, error class, SQLSTATE, version; for an error of Delta's own an
--                         ERROR that names the same cause
--   (through the catalog) the same, by check_commit
--   (facts)               what Delta's message names: operation, version, partition, table
--   (isolation chosen)    the same verdict and the level that Delta used, without being told a level
--   (each winner alone)   where there are several winners: the verdict on each of them, without the others
--   (committed actions)   what rebase or rebase_commit gives, action by action
SET deltacc.data_skipping = off;
SET deltacc.default_isolation_level = 'Serializable';

-- The transaction's reads as predicates.
CREATE FUNCTION corpus.scenario_reads(reads json) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
	SELECT ARRAY(
		SELECT CASE
			WHEN r->>'filter' IS NOT NULL THEN r->>'filter'
			WHEN json_array_length(r->'filters') > 0 THEN
				(SELECT string_agg('(' || f || ')', ' AND ') FROM json_array_elements_text(r->'filters') f)
			WHEN r->'partitions_of' IS NOT NULL THEN
				(SELECT string_agg('(' || (SELECT string_agg(format('%s <=> %s', key, coalesce(quote_literal(value), 'NULL')), ' AND ')
										   FROM json_each_text(a->'add'->'partitionValues')) || ')', ' OR ')
				 FROM json_array_elements(r->'partitions_of') a)
			ELSE 'true' END
		FROM json_array_elements(reads) WITH ORDINALITY AS x(r, n)
		WHERE r->'track_files' IS NULL AND r->'app_id' IS NULL
		ORDER BY n) $$;

-- Not asked: what fails outside the check (before it, or after: then no winner did it), and settings that deltacc does
-- not offer.
CREATE FUNCTION corpus.scenario_asked(s json) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT s->'result'->'txn'->'prepared_actions' IS NOT NULL
	   AND (s->'result'->>'outcome' <> 'error' OR s->'result'->>'conflict_version' IS NOT NULL)
	   AND s->>'id' NOT IN ('C:value/date_garbage/ansi_false', 'C:value/decimal_overflow/ansi_false',
							'H:allow/killswitch_off', 'H:allow/rowtracking_enable_legacy_path') $$;

CREATE TYPE corpus.answer AS (conflict deltacc.conflict, failure text);

-- A scenario in the shape in which deltacc is asked.
CREATE TABLE corpus.scenario AS
SELECT file, n, line->>'id' AS id, line AS s, line->'result' AS r, line->'result'->'txn' AS txn,
	   (line->>'read_version')::int AS read_version,
	   ARRAY(SELECT corpus.commit_text(c)::text FROM json_array_elements(line->'history') c) ||
	   ARRAY(SELECT corpus.commit_text(c)::text FROM json_array_elements(line->'winners') c) AS commits,
	   corpus.scenario_reads(line->'current'->'reads') AS reads,
	   (line->'result'->'txn'->'prepared_commit_info')::text || E'\n' || corpus.commit_text(line->'result'->'txn'->'prepared_actions') AS writes
FROM corpus.line
WHERE file IN ('conflict-scenarios', 'conflict-more') AND corpus.scenario_asked(line);

CREATE FUNCTION corpus.snapshot_of(c corpus.scenario) RETURNS deltacc.actions LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN c.read_version < 0 THEN ''::deltacc.actions
				ELSE (SELECT deltacc.reconcile(v, c.commits[v + 1]::deltacc.actions) FROM generate_series(0, c.read_version) v) END $$;

-- One winner, in the pure function.
CREATE FUNCTION corpus.ask_winner(c corpus.scenario, winner text, version bigint, isolation text) RETURNS corpus.answer LANGUAGE plpgsql AS $$
DECLARE
	hint text;
	detail text;
BEGIN
	RETURN ROW(deltacc.first_conflict(corpus.snapshot_of(c), winner::deltacc.actions, c.reads::deltacc.predicate[], c.writes::deltacc.actions,
			isolation, (c.txn->>'read_whole_table')::boolean, corpus.texts(c.txn->'read_files'), corpus.texts(c.txn->'read_app_ids'),
			c.txn->>'operation', version, c.r->>'table_path'), NULL::text);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT, detail = PG_EXCEPTION_DETAIL;
	RETURN ROW(NULL::deltacc.conflict, concat_ws(' ', SQLSTATE, SQLERRM, detail, hint));
END $$;

-- All winners, out of the catalog.
CREATE FUNCTION corpus.ask_catalog(c corpus.scenario, isolation text) RETURNS corpus.answer LANGUAGE plpgsql AS $$
DECLARE
	conflict deltacc.conflict;
	hint text;
	detail text;
BEGIN
	INSERT INTO deltacc.tables (name, location) VALUES ('corpus:' || c.id, c.r->>'table_path') ON CONFLICT DO NOTHING;
	INSERT INTO deltacc.commits (table_id, version, actions)
	SELECT table_id, v, c.commits[v + 1]::deltacc.actions
	FROM deltacc.tables, generate_series(0, cardinality(c.commits) - 1) v WHERE name = 'corpus:' || c.id
	ON CONFLICT DO NOTHING;
	SELECT x.* INTO conflict
	FROM deltacc.check_commit('corpus:' || c.id, c.read_version, c.reads::deltacc.predicate[], c.writes::deltacc.actions,
		isolation, (c.txn->>'read_whole_table')::boolean, corpus.texts(c.txn->'read_files'), corpus.texts(c.txn->'read_app_ids'),
		c.txn->>'operation') x LIMIT 1;
	RETURN ROW(conflict, NULL::text);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT, detail = PG_EXCEPTION_DETAIL;
	RETURN ROW(NULL::deltacc.conflict, concat_ws(' ', SQLSTATE, SQLERRM, detail, hint));
END $$;

-- What would be committed, one JSON a row; needs the catalog for several winners.
CREATE FUNCTION corpus.ask_rebase(c corpus.scenario) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	IF cardinality(c.commits) - 1 - c.read_version = 1 THEN
		RETURN deltacc.rebase(corpus.snapshot_of(c), c.commits[c.read_version + 2]::deltacc.actions, c.reads::deltacc.predicate[], c.writes::deltacc.actions,
			c.txn->>'isolation_used', (c.txn->>'read_whole_table')::boolean, corpus.texts(c.txn->'read_files'), corpus.texts(c.txn->'read_app_ids'),
			c.txn->>'operation', c.read_version + 1, c.r->>'table_path');
	END IF;
	RETURN deltacc.rebase_commit('corpus:' || c.id, c.read_version, c.reads::deltacc.predicate[], c.writes::deltacc.actions,
		c.txn->>'isolation_used', (c.txn->>'read_whole_table')::boolean, corpus.texts(c.txn->'read_files'), corpus.texts(c.txn->'read_app_ids'),
		c.txn->>'operation');
EXCEPTION WHEN OTHERS THEN
	RETURN 'ERROR ' || SQLSTATE || ' ' || SQLERRM;
END $$;

CREATE FUNCTION corpus.verdict_text(a corpus.answer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN a.failure LIKE 'XX%' THEN 'internal error'
		WHEN a.failure IS NOT NULL THEN 'error'
		WHEN (a.conflict).check_name IS NULL THEN 'ok'
		ELSE concat_ws(' ', (a.conflict).exception, concat_ws('.', (a.conflict).error_class, (a.conflict).sub_condition),
					   (a.conflict).sqlstate, (a.conflict).winning_version) END $$;

-- The deliberate differences that are rules on commits and reads (docs/differences.md): which one explains that our
-- answer is another than Delta's; NULL if none does.
CREATE FUNCTION corpus.scenario_difference(c corpus.scenario, delta text, ours corpus.answer) RETURNS text LANGUAGE sql AS $$
	SELECT CASE
		-- a rule that is stricter than Delta on purpose, and says so
		WHEN (ours.conflict).details->>'safety' IS NOT NULL THEN (ours.conflict).details->>'safety'
		WHEN delta = 'ok' AND ours.failure LIKE '%holds no action%'
			AND EXISTS (SELECT FROM json_array_elements(c.s->'winners') w WHERE corpus.commit_text(w) ~ '^\s*(\{\}\s*)*$') THEN 'a winner without any action'
		WHEN delta = 'ok' AND ours.failure LIKE '%checkpoint%' AND (c.s->'winners')::text ~ '"checkpointMetadata"|"sidecar"' THEN 'a checkpoint given as a commit'
		WHEN delta = 'error' AND ours.failure IS NULL AND c.r->>'errorClass' IS NULL
			AND EXISTS (SELECT FROM json_array_elements(c.s->'winners') w, json_array_elements(w) a WHERE a #>> '{}' !~ '\S') THEN 'blank lines'
		WHEN delta = 'error' AND ours.failure IS NULL AND c.r->>'exception' IN ('JsonParseException', 'JsonMappingException', 'MismatchedInputException')
			AND (c.s->'winners')::text ~ '\\ufeff|\ufeff|:NaN|"stats": *\{' THEN 'JSON that Delta''s checker can''t read'
		WHEN delta = 'error' AND ours.failure IS NULL AND c.r->>'exception' IN ('ClassCastException', 'InvalidFormatException', 'MismatchedInputException')
			AND EXISTS (SELECT FROM json_array_elements(c.s->'winners') w, json_array_elements(w) a
				WHERE json_typeof(a->'commitInfo'->'isBlindAppend') NOT IN ('boolean', 'null') OR json_typeof(a->'commitInfo'->'timestamp') NOT IN ('number', 'null') OR json_typeof(a->'commitInfo'->'tags') NOT IN ('object', 'null'))
			THEN 'a commitInfo that Delta can''t read'
		WHEN delta <> 'error' AND ours.failure LIKE '22P02%expected the end of the line%'
			AND (c.s->'winners')::text ~ '\} x"' THEN 'text after an action'
		WHEN delta = 'error' AND ours.failure IS NULL AND c.r->>'errorClass' = 'CAST_INVALID_INPUT'
			AND EXISTS (SELECT FROM json_array_elements(c.s->'winners') w, json_array_elements(w) a, json_each_text(a->'add'->'partitionValues') v WHERE v.value = '') THEN 'empty partition value'
		-- table features that Delta 4.4.0 doesn't know, and that touch nothing which a check looks at
		WHEN delta = 'error' AND ours.failure IS NULL AND c.r->>'errorClass' LIKE 'DELTA_UNSUPPORTED_FEATURES_FOR_%'
			AND (c.s->'winners')::text ~ '"(catalogOwned-preview|collations|collations-preview|icebergWriterCompatV1|icebergWriterCompatV3)"' THEN 'a table feature that does no harm'
		-- txn.filterFiles called directly extracts no partition part from under OR, SQL commands do: with that
		-- disjunction taken as TRUE our answer has to be Delta's
		WHEN delta LIKE 'ConcurrentAppendException%' AND ours.failure IS NULL
			AND ((ours.conflict).check_name IS DISTINCT FROM 'added_file' OR (ours.conflict).winning_version <> (c.r->>'conflict_version')::int)
			AND EXISTS (SELECT FROM json_array_elements(c.s->'current'->'reads') r WHERE r->>'filter' ~ '\mOR\M')
			AND (deltacc.first_conflict(corpus.snapshot_of(c),
				c.commits[(c.r->>'conflict_version')::int + 1]::deltacc.actions, ARRAY['true'],
				isolation => c.txn->>'isolation_used')).exception = 'ConcurrentAppendException'
			THEN 'extraction from OR' END $$;

-- Delta writes the partition as [col=value, ...].
CREATE FUNCTION corpus.facts_missing(c corpus.scenario, conflict deltacc.conflict) RETURNS text LANGUAGE sql AS $$
	SELECT nullif(concat_ws('; ',
		CASE WHEN p->>'operation' IS NOT NULL AND coalesce(conflict.winning_operation, 'null') <> p->>'operation' THEN 'operation' END,
		CASE WHEN p->>'version' IS NOT NULL AND conflict.winning_version::text <> p->>'version' THEN 'version' END,
		CASE WHEN p->>'version' IS NOT NULL AND conflict.message !~ format('\mversion %s\M', p->>'version') THEN 'version in the message' END,
		CASE WHEN p->>'partitionValues' IS NOT NULL AND strpos(conflict.message, p->>'partitionValues') = 0 THEN 'partition in the message' END,
		CASE WHEN p->>'partitionValues' IS DISTINCT FROM
				(SELECT '[' || string_agg(key || '=' || coalesce(value, 'null'), ', ' ORDER BY strpos(p->>'partitionValues', key || '=')) || ']'
				 FROM jsonb_each_text(conflict.partition_values))
			AND p->>'partitionValues' IS NOT NULL THEN 'partition_values' END,
		CASE WHEN p->>'tableName' IS NOT NULL AND strpos(conflict.message, c.r->>'table_path') = 0
			AND strpos(conflict.message, 'corpus:' || c.id) = 0 THEN 'table in the message' END,
		CASE WHEN p->>'conflictingCommit' LIKE '%{%' AND conflict.winning_operation IS DISTINCT FROM
				substring(p->>'conflictingCommit' FROM '\{.*\}')::json->>'operation' THEN 'operation of the commit' END), '')
	FROM (SELECT c.r->'messageParameters') x(p) $$;

-- More than four reads are a Scala HashSet, so that the order of hashes says which one hits first.
CREATE FUNCTION corpus.hash_order(c corpus.scenario) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT json_array_length(c.txn->'read_predicates') > 4 $$;

-- Does Delta, which extracts nothing from under OR here, name a file that our reads don't select?
CREATE FUNCTION corpus.extraction_names(c corpus.scenario) RETURNS boolean LANGUAGE sql AS $$
	SELECT EXISTS (SELECT FROM json_array_elements(c.s->'current'->'reads') r WHERE r->>'filter' ~ '\mOR\M')
		AND corpus.facts_missing(c, deltacc.first_conflict(corpus.snapshot_of(c), c.commits[(c.r->>'conflict_version')::int + 1]::deltacc.actions, ARRAY['true'],
			isolation => c.txn->>'isolation_used', winner_version => (c.r->>'conflict_version')::int, table_name => c.r->>'table_path')) IS NULL $$;

-- Does an ERROR of ours name what Delta failed with?
CREATE FUNCTION corpus.same_cause(r json, failure text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT strpos(failure, split_part(coalesce(r->>'errorClass', r->>'exception'), '.', 1)) > 0
		OR (r->>'exception' IN ('JsonParseException', 'JsonEOFException', 'MismatchedInputException') AND failure LIKE '22P02%is not a Delta action%')
		OR (r->>'exception' = 'ValueInstantiationException' AND failure LIKE '22023 the action % has no path%') $$;

CREATE FUNCTION corpus.record_verdict(question text, c corpus.scenario, want text, delta json, ours corpus.answer) RETURNS void LANGUAGE sql AS $$
	INSERT INTO corpus.result
	SELECT c.file || question, c.id, v,
		CASE WHEN v = 'miss' THEN format('Delta: %s, ours: %s', split_part(want, ' ', 1), split_part(got, ' ', 1)) END,
		CASE WHEN v = 'miss' THEN format('Delta: %s, ours: %s', want || coalesce(' ' || (delta->>'errorClass'), ' ' || (delta->>'exception'), ''), coalesce(ours.failure, got)) END
	FROM (SELECT got, CASE
			WHEN want = got AND (want <> 'error' OR corpus.same_cause(delta, ours.failure)) THEN 'agree'
			WHEN got <> 'internal error' AND corpus.scenario_difference(c, want, ours) IS NOT NULL THEN 'allowed'
			ELSE 'miss' END AS v
		  FROM corpus.verdict_text(ours) got) x $$;

-- What may differ between a rebased commit and the file that Delta wrote:
--   an empty map of tags, which Delta adds when it writes an action again
--   the order of keys within the JSON of a schemaString
CREATE FUNCTION corpus.normal_action(line text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE
		WHEN a->'add'->'tags' = '{}' THEN a #- '{add,tags}'
		WHEN a->'remove'->'tags' = '{}' THEN a #- '{remove,tags}'
		WHEN a->'metaData'->'schemaString' <> 'null' THEN jsonb_set(a, '{metaData,schemaString}', (a->'metaData'->>'schemaString')::jsonb)
		ELSE a END
	FROM (SELECT line::jsonb) x(a) $$;

CREATE FUNCTION corpus.normal_actions(lines text[]) RETURNS jsonb[] LANGUAGE sql IMMUTABLE AS $$
	SELECT ARRAY(SELECT corpus.normal_action(l) FROM unnest(lines) WITH ORDINALITY AS x(l, n) ORDER BY n) $$;

CREATE FUNCTION corpus.run_scenarios() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	c corpus.scenario;
	want text;
	a corpus.answer;
	chosen corpus.answer;
	probed corpus.answer;
	alone json;
	got text;
	wrong text;
	-- a winner that conflicts with every transaction at every level: it shows the level
	probe constant text := '{"metaData":{"id":"probe","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{}}}';
BEGIN
	FOR c IN SELECT * FROM corpus.scenario ORDER BY file, n LOOP
		PERFORM set_config('TimeZone', coalesce(c.s->'spark_conf'->>'spark.sql.session.timeZone', 'UTC'), false);
		PERFORM set_config('deltacc.widen_nondeterministic',
			CASE WHEN c.s->'spark_conf'->>'spark.databricks.delta.conflictDetection.partitionLevelConcurrency.widenNonDeterministicPredicates' IN ('off', 'logging')
				 THEN 'off' ELSE 'on' END, false);
		want := CASE c.r->>'outcome'
			WHEN 'conflict' THEN concat_ws(' ', c.r->>'exception', c.r->>'errorClass', c.r->>'sqlState', c.r->>'conflict_version')
			ELSE c.r->>'outcome' END;

		a := corpus.ask_catalog(c, c.txn->>'isolation_used');
		PERFORM corpus.record_verdict(' (through the catalog)', c, want, c.r, a);
		IF c.s->'current'->>'isolation' = 'default' THEN
			chosen := corpus.ask_catalog(c, NULL);
			probed := corpus.ask_winner(c, probe, 0, NULL);
			-- what fails in every check has no level
			IF probed.failure IS NULL AND want = corpus.verdict_text(chosen) AND (probed.conflict).isolation IS DISTINCT FROM c.txn->>'isolation_used' THEN
				INSERT INTO corpus.result VALUES (c.file || ' (isolation chosen)', c.id, 'miss', 'another level',
					format('Delta: %s, ours: %s', c.txn->>'isolation_used', (probed.conflict).isolation));
			ELSE
				PERFORM corpus.record_verdict(' (isolation chosen)', c, want, c.r, chosen);
			END IF;
		END IF;

		IF cardinality(c.commits) - 1 - c.read_version = 1 THEN
			a := corpus.ask_winner(c, c.commits[c.read_version + 2], c.read_version + 1, c.txn->>'isolation_used');
		ELSE
			FOR alone IN SELECT json_array_elements(c.r->'each_winner_alone') LOOP
				-- what Delta says of it is less: no SQLSTATE, the version is the winner's
				chosen := corpus.ask_winner(c, c.commits[(alone->>'version')::int + 1], (alone->>'version')::bigint, c.txn->>'isolation_used');
				PERFORM corpus.record_verdict(' (each winner alone)', c,
					CASE alone->>'outcome' WHEN 'conflict' THEN concat_ws(' ', alone->>'exception', alone->>'errorClass', '2D521', alone->>'version')
						ELSE alone->>'outcome' END, alone, chosen);
			END LOOP;
		END IF;
		PERFORM corpus.record_verdict('', c, want, c.r, a);

		IF c.r->>'outcome' = 'conflict' AND want = corpus.verdict_text(a) THEN
			wrong := corpus.facts_missing(c, a.conflict);
			INSERT INTO corpus.result VALUES (c.file || ' (facts)', c.id, CASE WHEN wrong IS NULL THEN 'agree'
				-- a file that only deltacc keeps may come first
				WHEN corpus.hash_order(c) OR corpus.extraction_names(c) OR (a.conflict).details->>'safety' IS NOT NULL THEN 'allowed' ELSE 'miss' END,
				wrong, CASE WHEN wrong IS NOT NULL THEN format('Delta: %s, ours: %s', c.r->'messageParameters', a.conflict) END);
		END IF;

		IF c.r->>'outcome' = 'ok' THEN
			got := corpus.ask_rebase(c);
			IF got LIKE 'ERROR %' THEN
				INSERT INTO corpus.result VALUES (c.file || ' (committed actions)', c.id,
					CASE WHEN corpus.verdict_text(a) <> 'ok' AND corpus.scenario_difference(c, want, a) IS NOT NULL THEN 'allowed' ELSE 'miss' END, 'an error', got);
			ELSIF corpus.normal_actions(string_to_array(got, E'\n')) =
				  corpus.normal_actions(ARRAY(SELECT json_array_elements(c.r->'committed_actions')::text)) THEN
				INSERT INTO corpus.result VALUES (c.file || ' (committed actions)', c.id, 'agree');
			ELSE
				INSERT INTO corpus.result VALUES (c.file || ' (committed actions)', c.id, 'miss', 'other actions',
					format('Delta: %s, ours: %s',
						(SELECT string_agg(x::text, ' ') FROM (SELECT unnest(corpus.normal_actions(ARRAY(SELECT json_array_elements(c.r->'committed_actions')::text))) EXCEPT ALL SELECT unnest(corpus.normal_actions(string_to_array(got, E'\n')))) d(x)),
						(SELECT string_agg(x::text, ' ') FROM (SELECT unnest(corpus.normal_actions(string_to_array(got, E'\n'))) EXCEPT ALL SELECT unnest(corpus.normal_actions(ARRAY(SELECT json_array_elements(c.r->'committed_actions')::text)))) d(x))));
			END IF;
		END IF;
		DELETE FROM deltacc.commits WHERE table_id IN (SELECT table_id FROM deltacc.tables WHERE name = 'corpus:' || c.id);
		DELETE FROM deltacc.tables WHERE name = 'corpus:' || c.id;
	END LOOP;
	RESET TimeZone;
	RESET deltacc.widen_nondeterministic;
END $$;

SELECT corpus.run_scenarios();
RESET deltacc.default_isolation_level;
