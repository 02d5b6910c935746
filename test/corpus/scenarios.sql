-- The conflict check, scenario by scenario: conflict-scenarios.jsonl.
SET deltacc.data_skipping = off;

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

-- Lines that fail outside the check, and settings that deltacc does not offer.
CREATE FUNCTION corpus.scenario_asked(s json) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT s->'result'->'txn'->'prepared_actions' IS NOT NULL
	   AND s->>'id' NOT IN ('Q:max_attempts_zero', 'C:value/date_garbage/ansi_false', 'C:value/decimal_overflow/ansi_false',
							'H:allow/killswitch_off', 'H:allow/rowtracking_enable_legacy_path') $$;

-- The deliberate differences that are rules on commits and reads (docs/differences.md): which one explains that our
-- answer is another than Delta's; NULL if none does.
CREATE FUNCTION corpus.scenario_difference(s json, delta text, ours text, failure text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE
		WHEN delta = 'ok' AND failure LIKE '%holds no action'
			AND EXISTS (SELECT FROM json_array_elements(s->'winners') w WHERE corpus.commit_text(w) !~ '\S') THEN 'a winner without any action'
		WHEN delta = 'ok' AND failure LIKE '%checkpoint%' AND (s->'winners')::text ~ '"checkpointMetadata"|"sidecar"' THEN 'a checkpoint given as a commit'
		WHEN delta = 'error' AND failure IS NULL AND s->'result'->>'errorClass' IS NULL
			AND EXISTS (SELECT FROM json_array_elements(s->'winners') w, json_array_elements(w) a WHERE a #>> '{}' !~ '\S') THEN 'blank lines'
		-- txn.filterFiles called directly extracts no partition part from under OR, SQL commands do: with that
		-- disjunction taken as TRUE our answer has to be Delta's
		WHEN delta = 'ConcurrentAppendException' AND ours = 'ok'
			AND EXISTS (SELECT FROM json_array_elements(s->'current'->'reads') r WHERE r->>'filter' ~ '\mOR\M')
			AND (deltacc.first_conflict(
				(SELECT deltacc.reconcile(v - 1, corpus.commit_text(c)::deltacc.actions)
				 FROM json_array_elements(s->'history') WITH ORDINALITY AS h(c, v) WHERE v - 1 <= (s->>'read_version')::int),
				corpus.commit_text(s->'winners'->0)::deltacc.actions, ARRAY['true'], isolation => s->'result'->'txn'->>'isolation_used')).exception = delta
			THEN 'extraction from OR' END $$;

CREATE FUNCTION corpus.run_scenarios() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	s json;
	r json;
	txn json;
	read_version int;
	commits json[];
	writes text;
	conflict deltacc.conflict;
	want text;
	got text;
	failure text;
	conf json;
BEGIN
	FOR s IN SELECT line FROM corpus.line l WHERE l.file = 'conflict-scenarios' AND corpus.scenario_asked(line) ORDER BY n LOOP
		r := s->'result'; txn := r->'txn'; conf := s->'spark_conf';
		read_version := (s->>'read_version')::int;
		commits := ARRAY(SELECT json_array_elements(s->'history')) || ARRAY(SELECT json_array_elements(s->'winners'));
		writes := (txn->'prepared_commit_info')::text || E'\n' || corpus.commit_text(txn->'prepared_actions');
		PERFORM set_config('TimeZone', coalesce(conf->>'spark.sql.session.timeZone', 'UTC'), false);
		PERFORM set_config('deltacc.widen_nondeterministic',
			CASE WHEN conf->>'spark.databricks.delta.conflictDetection.partitionLevelConcurrency.widenNonDeterministicPredicates' IN ('off', 'logging')
				 THEN 'off' ELSE 'on' END, false);
		conflict := NULL; failure := NULL;
		BEGIN
			IF cardinality(commits) - 1 - read_version = 1 THEN
				conflict := deltacc.first_conflict(
					CASE WHEN read_version < 0 THEN ''::deltacc.actions
						 ELSE (SELECT deltacc.reconcile(v, corpus.commit_text(commits[v + 1])::deltacc.actions)
							   FROM generate_series(0, read_version) v) END,
					corpus.commit_text(commits[read_version + 2])::deltacc.actions,
					corpus.scenario_reads(s->'current'->'reads')::deltacc.predicate[], writes::deltacc.actions,
					txn->>'isolation_used', (txn->>'read_whole_table')::boolean, corpus.texts(txn->'read_files'),
					corpus.texts(txn->'read_app_ids'), txn->>'operation', read_version + 1, r->>'table_path');
			ELSE
				INSERT INTO deltacc.tables (name, location) VALUES ('corpus:' || (s->>'id'), r->>'table_path');
				INSERT INTO deltacc.commits (table_id, version, actions)
				SELECT table_id, v, corpus.commit_text(commits[v + 1])::deltacc.actions
				FROM deltacc.tables, generate_series(0, cardinality(commits) - 1) v WHERE name = 'corpus:' || (s->>'id');
				SELECT c.* INTO conflict
				FROM deltacc.check_commit('corpus:' || (s->>'id'), read_version,
					corpus.scenario_reads(s->'current'->'reads')::deltacc.predicate[], writes::deltacc.actions,
					txn->>'isolation_used', (txn->>'read_whole_table')::boolean, corpus.texts(txn->'read_files'),
					corpus.texts(txn->'read_app_ids'), txn->>'operation') c LIMIT 1;
			END IF;
		EXCEPTION WHEN OTHERS THEN
			failure := SQLSTATE || ' ' || SQLERRM;
		END;
		want := CASE r->>'outcome'
			WHEN 'conflict' THEN concat_ws(' ', r->>'exception', r->>'errorClass', r->>'sqlState', r->>'conflict_version')
			ELSE r->>'outcome' END;
		got := CASE WHEN failure IS NOT NULL THEN 'error'
			WHEN conflict IS NULL THEN 'ok'
			ELSE concat_ws(' ', conflict.exception, concat_ws('.', conflict.error_class, conflict.sub_condition), conflict.sqlstate, conflict.winning_version) END;
		IF want = got AND failure NOT LIKE 'XX%' IS NOT FALSE THEN
			INSERT INTO corpus.result VALUES ('conflict-scenarios', s->>'id', 'agree');
		ELSIF conflict.check_name IS NOT NULL AND conflict.details->>'safety' IS NOT NULL
			OR failure NOT LIKE 'XX%' IS NOT FALSE
			AND corpus.scenario_difference(s, split_part(want, ' ', 1), split_part(got, ' ', 1), failure) IS NOT NULL THEN
			-- a rule that is stricter than Delta on purpose, and says so
			INSERT INTO corpus.result VALUES ('conflict-scenarios', s->>'id', 'allowed');
		ELSE
			INSERT INTO corpus.result VALUES ('conflict-scenarios', s->>'id', 'miss',
				format('Delta: %s, ours: %s', split_part(want, ' ', 1), CASE WHEN failure LIKE 'XX%' THEN 'internal error' ELSE split_part(got, ' ', 1) END),
				format('Delta: %s, ours: %s', want || coalesce(' ' || (r->>'errorClass'), ''), coalesce(failure, got)));
		END IF;
	END LOOP;
	DELETE FROM deltacc.commits WHERE table_id IN (SELECT table_id FROM deltacc.tables WHERE name LIKE 'corpus:%');
	DELETE FROM deltacc.tables WHERE name LIKE 'corpus:%';
	RESET TimeZone;
	RESET deltacc.widen_nondeterministic;
END $$;

SELECT corpus.run_scenarios();
