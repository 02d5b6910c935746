-- Real SQL commands racing each other: race-verdicts.jsonl.
SET deltacc.data_skipping = off;
SET TimeZone = 'UTC';

CREATE TABLE corpus.race AS SELECT pg_read_file(:'data' || '/corpus/race-transactions.json')::json AS doc;

CREATE TABLE corpus.race_layout AS
SELECT key AS layout, json_array_length(value) - 1 AS read_version,
	   (SELECT deltacc.reconcile((v - 1)::bigint, corpus.commit_text(c)::deltacc.actions)
		FROM json_array_elements(value) WITH ORDINALITY AS h(c, v)) AS snapshot
FROM corpus.race, json_each(doc->'history');

CREATE TABLE corpus.race_winner AS
SELECT w->>'layout' AS layout, w->>'winner' AS winner,
	   ARRAY(SELECT corpus.commit_text(c)::deltacc.actions FROM json_array_elements(w->'commits') c) AS commits
FROM corpus.race, json_array_elements(doc->'winners') w;

CREATE TABLE corpus.race_loser AS
SELECT l->>'layout' AS layout, l->>'loser' AS loser, l->>'operation' AS operation,
	   ((l->'prepared_commit_info')::text || E'\n' || corpus.commit_text(l->'prepared_actions'))::deltacc.actions AS writes,
	   (l->>'read_whole_table')::boolean AS read_whole_table,
	   corpus.texts(l->'read_files') AS read_files, corpus.texts(l->'read_app_ids') AS read_app_ids,
	   ARRAY(
			SELECT coalesce((SELECT string_agg(
					CASE part WHEN 'UDF(partitionValues)' THEN
						-- dynamic partition overwrite: the partitions of the transaction's own adds
						'(' || (SELECT string_agg(DISTINCT
									(SELECT string_agg(format('%s <=> %s', key, coalesce(quote_literal(value), 'NULL')), ' AND ')
									 FROM json_each_text(a->'add'->'partitionValues')), ' OR ')
								FROM json_array_elements(l->'prepared_actions') a WHERE a->'add' IS NOT NULL) || ')'
					ELSE part END, ' AND ')
				FROM (SELECT json_array_elements_text(r->'partition') UNION ALL SELECT json_array_elements_text(r->'data')) p(part)), 'true')
			FROM json_array_elements(l->'read_predicates') r)::deltacc.predicate[] AS reads
FROM corpus.race, json_array_elements(doc->'losers') l;

-- Winners of more than one commit go through the catalog.
INSERT INTO deltacc.tables (name, location) SELECT format('race:%s:%s', layout, winner), '/race' FROM corpus.race_winner WHERE cardinality(commits) > 1;
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, (v - 1)::bigint, c
FROM corpus.race_winner w
JOIN deltacc.tables t ON t.name = format('race:%s:%s', w.layout, w.winner)
CROSS JOIN corpus.race
CROSS JOIN LATERAL unnest(ARRAY(SELECT corpus.commit_text(h)::deltacc.actions FROM json_array_elements(doc->'history'->w.layout) h) || w.commits)
	WITH ORDINALITY AS u(c, v);

-- inferred: deltacc is not told which files the loser read, and finds it out by its reads.
CREATE FUNCTION corpus.run_race(corpus_file text, inferred boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	v record;
	conflict deltacc.conflict;
	read_files text[];
	want text;
	got text;
	failure text;
BEGIN
	FOR v IN
		SELECT line, w.commits, l.*, y.snapshot, y.read_version
		FROM corpus.line
		JOIN corpus.race_winner w ON w.layout = line->>'layout' AND w.winner = line->>'winner'
		JOIN corpus.race_loser l ON l.layout = line->>'layout' AND l.loser = line->>'loser'
		JOIN corpus.race_layout y ON y.layout = line->>'layout'
		WHERE file = 'race-verdicts' ORDER BY n
	LOOP
		conflict := NULL; failure := NULL;
		read_files := CASE WHEN NOT inferred THEN v.read_files END;
		BEGIN
			IF cardinality(v.commits) = 1 THEN
				conflict := deltacc.first_conflict(v.snapshot, v.commits[1], v.reads, v.writes, v.line->>'isolation_used',
					v.read_whole_table, read_files, v.read_app_ids, v.operation, v.read_version + 1);
			ELSE
				SELECT c.* INTO conflict FROM deltacc.check_commit(format('race:%s:%s', v.layout, v.line->>'winner'), v.read_version,
					v.reads, v.writes, v.line->>'isolation_used', v.read_whole_table, read_files, v.read_app_ids, v.operation) c LIMIT 1;
			END IF;
		EXCEPTION WHEN OTHERS THEN
			failure := SQLSTATE || ' ' || SQLERRM;
		END;
		want := concat_ws(' ', coalesce(v.line->>'exception', v.line->>'outcome'), v.line->>'errorClass');
		got := CASE WHEN failure IS NOT NULL THEN 'error' WHEN conflict IS NULL THEN 'ok'
			ELSE concat_ws(' ', conflict.exception, concat_ws('.', conflict.error_class, conflict.sub_condition)) END;
		IF want = got THEN
			INSERT INTO corpus.result VALUES (corpus_file, format('%s/%s/%s/%s', v.layout, v.line->>'isolation_used', v.loser, v.line->>'winner'), 'agree');
		ELSE
			INSERT INTO corpus.result VALUES (corpus_file, format('%s/%s/%s/%s', v.layout, v.line->>'isolation_used', v.loser, v.line->>'winner'), 'miss',
				format('Delta: %s, ours: %s', split_part(want, ' ', 1), split_part(got, ' ', 1)), format('Delta: %s, ours: %s', want, coalesce(failure, got)));
		END IF;
	END LOOP;
	IF (SELECT count(*) FROM corpus.result WHERE file = corpus_file) <> (SELECT count(*) FROM corpus.line WHERE file = 'race-verdicts') THEN
		RAISE EXCEPTION 'some race verdicts have no loser, winner or layout';
	END IF;
END $$;

SELECT corpus.run_race('race-verdicts', false), corpus.run_race('race-verdicts (read files inferred)', true);
DELETE FROM deltacc.commits WHERE table_id IN (SELECT table_id FROM deltacc.tables WHERE name LIKE 'race:%');
DELETE FROM deltacc.tables WHERE name LIKE 'race:%';
