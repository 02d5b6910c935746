-- deltacc.data_skipping = sharp over the skipping corpora: it keeps a subset of
-- what on keeps, never drops a file with a matching row, spares false keeps (files
-- that Delta keeps and that hold no matching row), and reaches Delta's
-- partition-like filters without their threshold.
SET TimeZone = 'UTC';

-- What the predicate leaves of the files with a setting; NULL after an error.
CREATE FUNCTION corpus.kept(setting text, snapshot text, predicate text, files text) RETURNS text[] LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('deltacc.data_skipping', setting, true);
	RETURN ARRAY(SELECT path FROM deltacc.filter_files(snapshot::deltacc.actions, predicate::deltacc.predicate, files::deltacc.actions) WHERE kept);
EXCEPTION WHEN OTHERS THEN
	IF SQLSTATE LIKE 'XX%' THEN
		RAISE;
	END IF;
	RETURN NULL;
END $$;

CREATE FUNCTION corpus.run_sharp(corpus_file text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	t json;
	p json;
	snapshot text;
	files text;
	id text;
	every text[];
	broad text[];
	sharp text[];
	delta text[];
	matching text[];
	wrong text[];
BEGIN
	FOR t IN SELECT line FROM corpus.line l WHERE l.file = corpus_file ORDER BY n LOOP
		PERFORM set_config('TimeZone', corpus.session_zone(t), true);
		snapshot := corpus.snapshot_text(t->>'schemaString', t->'partitionColumns', t->'configuration');
		files := (SELECT corpus.raw(coalesce(string_agg('{"add":' || a || '}', E'\n' ORDER BY o), ''))
				  FROM json_array_elements(t->'adds') WITH ORDINALITY AS x(a, o));
		every := ARRAY(SELECT a->>'path' FROM json_array_elements(t->'adds') a);
		FOR p IN SELECT json_array_elements(t->'predicates') LOOP
			id := format('%s: %s', t->>'id', p->>'sql');
			broad := corpus.kept('on', snapshot, corpus.raw_predicate(p->>'sql'), files);
			sharp := corpus.kept('sharp', snapshot, corpus.raw_predicate(p->>'sql'), files);
			delta := corpus.texts(p->'kept');
			matching := corpus.texts(p->'matching');

			-- an error of ours is one either way
			wrong := ARRAY(SELECT unnest(sharp) EXCEPT SELECT unnest(broad));
			INSERT INTO corpus.result SELECT corpus_file || ' (sharp: within on)', id, v,
				CASE v WHEN 'miss' THEN 'keeps what on drops' END, format('kept %s', wrong)
			FROM (SELECT CASE WHEN wrong = '{}' AND (sharp IS NULL) = (broad IS NULL) THEN 'agree' ELSE 'miss' END) x(v);

			IF matching IS NOT NULL AND sharp IS NOT NULL THEN
				wrong := ARRAY(SELECT unnest(matching) EXCEPT SELECT unnest(sharp));
				INSERT INTO corpus.result SELECT corpus_file || ' (sharp: matching rows kept)', id, v,
					CASE v WHEN 'miss' THEN 'drops a file with a matching row' END, format('dropped %s', wrong)
				FROM (SELECT CASE WHEN wrong = '{}' THEN 'agree' ELSE 'miss' END) x(v);
			END IF;

			-- Delta failed before it looked at a file: nothing is concluded.  Evaluating it on the rows failed, which
			-- partition-like filters do too: the file with that row is kept, whichever it is.
			IF p->>'error' IS NOT NULL OR p->>'matchingError' IS NOT NULL THEN
				INSERT INTO corpus.result SELECT corpus_file || ' (sharp: failing questions)', id, v,
					CASE v WHEN 'miss' THEN 'drops a file where the statement fails' END, format('on: %s, sharp: %s', broad, sharp)
				FROM (SELECT CASE WHEN sharp IS NULL OR sharp @> every OR sharp @> broad
									   OR (sharp <> '{}' AND (p->>'matchingError' IS NOT NULL OR corpus_file = 'partition-like')) THEN 'agree' ELSE 'miss' END) x(v);
			ELSIF corpus_file = 'partition-like' AND sharp IS NOT NULL THEN
				wrong := ARRAY(SELECT unnest(sharp) EXCEPT SELECT unnest(delta));
				INSERT INTO corpus.result SELECT corpus_file || ' (sharp: within Delta''s)', id, v,
					CASE v WHEN 'miss' THEN 'keeps what partition-like filters drop' END, format('kept %s of %s', wrong, delta)
				FROM (SELECT CASE WHEN wrong = '{}' THEN 'agree' ELSE 'miss' END) x(v);
			END IF;

			-- the false keeps of Delta's reader, one by one
			IF corpus_file = 'skip-truth' AND p->>'error' IS NULL AND p->>'matchingError' IS NULL AND sharp IS NOT NULL THEN
				INSERT INTO corpus.result
				SELECT 'skip-truth (sharp: false keeps spared)', id || ' / ' || path,
					CASE WHEN path = ANY (sharp) THEN 'miss' ELSE 'agree' END,
					CASE WHEN path = ANY (sharp) THEN 'statistics can''t tell, or we don''t' END, NULL
				FROM (SELECT unnest(delta) EXCEPT SELECT unnest(matching)) f(path);
			END IF;
		END LOOP;
	END LOOP;
END $$;

SELECT corpus.run_sharp(f) FROM unnest(ARRAY['skip-delta-suite', 'skip-generated', 'skip-spec', 'skip-truth', 'skip-more', 'partition-like']) f;

INSERT INTO corpus.result
SELECT 'skip-truth (sharp: half of the false keeps)', 'all of them', v, CASE v WHEN 'miss' THEN 'less than half is spared' END, format('%s of %s', spared, asked)
FROM (SELECT count(*) FILTER (WHERE verdict = 'agree') AS spared, count(*) AS asked FROM corpus.result WHERE file = 'skip-truth (sharp: false keeps spared)') n,
	LATERAL (SELECT CASE WHEN spared * 2 >= asked THEN 'agree' ELSE 'miss' END) x(v);
