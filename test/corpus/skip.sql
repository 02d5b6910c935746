-- Data skipping, file for file: the skip-*.jsonl corpora.  skip-more.jsonl holds what our own runs of Delta's reader answered:
-- every type against every kind of literal, casts, lists, LIKE, nested conditions, odd statistics, names, time zones.
--
-- A question agrees if our set of files equals Delta's; it is allowed if ours
-- has more, and one of the safety rules (docs/differences.md) names each file
-- that is too many.  Where Delta answers with an error, an error of ours is
-- right and so is keeping every file.
SET deltacc.data_skipping = on;
SET TimeZone = 'UTC';

CREATE FUNCTION corpus.run_skip(corpus_file text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	t json;
	p json;
	snapshot deltacc.actions;
	files deltacc.actions;
	ours text[];
	named text[];       -- kept by a safety rule
	every text[];
	delta text[];
	failure text;
	id text;
BEGIN
	FOR t IN SELECT line FROM corpus.line l WHERE l.file = corpus_file ORDER BY n LOOP
		PERFORM set_config('TimeZone', corpus.session_zone(t), true);
		snapshot := corpus.snapshot_text(t->>'schemaString', t->'partitionColumns', t->'configuration');
		files := (SELECT corpus.raw(coalesce(string_agg('{"add":' || a || '}', E'\n' ORDER BY o), ''))
				  FROM json_array_elements(t->'adds') WITH ORDINALITY AS x(a, o));
		-- PostgreSQL's json can't give back \u0000 and lone surrogates, which some of the statistics hold
		every := ARRAY(SELECT a->>'path' FROM json_array_elements(t->'adds') a);
		FOR p IN SELECT json_array_elements(t->'predicates') LOOP
			id := format('%s: %s', t->>'id', p->>'sql');
			failure := NULL; ours := NULL; named := NULL;
			delta := corpus.texts(p->'kept');
			BEGIN
				SELECT array_agg(path) FILTER (WHERE kept),
					   array_agg(path) FILTER (WHERE kept AND decided_by LIKE 'safety:%')
				INTO ours, named
				FROM deltacc.filter_files(snapshot, corpus.raw_predicate(p->>'sql')::deltacc.predicate, files);
				ours := coalesce(ours, '{}'); named := coalesce(named, '{}');
			EXCEPTION WHEN OTHERS THEN
				failure := SQLSTATE || ' ' || SQLERRM;
			END;

			IF failure LIKE 'XX%' THEN
				INSERT INTO corpus.result VALUES (corpus_file, id, 'miss', 'internal error', failure);
			ELSIF p->>'error' IS NOT NULL OR p->>'matchingError' IS NOT NULL THEN
				IF failure IS NOT NULL OR ours @> every OR (ours @> delta AND ours <@ delta) THEN
					INSERT INTO corpus.result VALUES (corpus_file, id, 'agree');
				ELSIF p->>'error' = 'CAST_INVALID_INPUT' AND p->>'errorPhase' = 'scan' AND EXISTS (
						SELECT FROM json_array_elements(t->'adds') a, json_each_text(a->'partitionValues') v WHERE v.value = '') THEN
					-- an empty partition value is NULL by the protocol, where Delta fails on it (docs/differences.md)
					INSERT INTO corpus.result VALUES (corpus_file, id, 'allowed');
				ELSE
					INSERT INTO corpus.result VALUES (corpus_file, id, 'miss', 'drops a file where Delta fails',
						format('Delta: %s, ours: %s', coalesce(p->>'error', p->>'matchingError'), ours));
				END IF;
			ELSIF failure IS NOT NULL THEN
				INSERT INTO corpus.result VALUES (corpus_file, id, 'miss', 'an error where Delta answers', failure);
			ELSIF NOT ours @> delta THEN
				INSERT INTO corpus.result VALUES (corpus_file, id, 'miss', 'drops a file that Delta keeps',
					format('dropped %s, optimized %s', ARRAY(SELECT unnest(delta) EXCEPT SELECT unnest(ours)), p->>'optimized'));
			ELSIF ours <@ delta THEN
				INSERT INTO corpus.result VALUES (corpus_file, id, 'agree');
			ELSIF ours <@ (delta || named) THEN
				INSERT INTO corpus.result VALUES (corpus_file, id, 'allowed');
			ELSE
				INSERT INTO corpus.result VALUES (corpus_file, id, 'miss', 'keeps a file that Delta drops',
					format('kept %s, optimized %s', ARRAY(SELECT unnest(ours) EXCEPT SELECT unnest(delta)), p->>'optimized'));
			END IF;

			-- The promise that stands above agreement: a file that holds a matching row is never dropped.
			IF p->'matching' IS NOT NULL AND failure IS NULL AND NOT ours @> corpus.texts(p->'matching') THEN
				INSERT INTO corpus.result VALUES (corpus_file || ' (matching rows kept)', id, 'miss', 'drops a file with a matching row',
					format('dropped %s', ARRAY(SELECT json_array_elements_text(p->'matching') EXCEPT SELECT unnest(ours))));
			ELSIF p->'matching' IS NOT NULL THEN
				INSERT INTO corpus.result VALUES (corpus_file || ' (matching rows kept)', id, 'agree');
			END IF;
		END LOOP;
	END LOOP;
END $$;

SELECT corpus.run_skip(f) FROM unnest(ARRAY['skip-delta-suite', 'skip-generated', 'skip-spec', 'skip-truth', 'skip-more']) f;
