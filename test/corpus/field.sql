-- Small cases from public reports: field.jsonl.
SET TimeZone = 'UTC';

CREATE FUNCTION corpus.run_field_skip() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	t json;
	ours text[];
	sharp text[];
	delta text[];
	failure text;
BEGIN
	SET LOCAL deltacc.data_skipping = on;
	FOR t IN SELECT line FROM corpus.line WHERE file = 'field' AND line->>'kind' = 'skip' ORDER BY n LOOP
		failure := NULL; ours := NULL; sharp := NULL;
		delta := corpus.texts(t->'expected'->'delta_kept');
		PERFORM set_config('TimeZone', coalesce(t->>'timezone', 'UTC'), true);
		BEGIN
			SELECT coalesce(array_agg(path) FILTER (WHERE kept), '{}') INTO ours
			FROM deltacc.filter_files(
				corpus.snapshot_text((t->'schema')::text, t->'partitionColumns', t->'configuration')::deltacc.actions,
				(t->>'predicate')::deltacc.predicate,
				(SELECT corpus.raw(string_agg('{"add":' || a || '}', E'\n' ORDER BY o))
				 FROM json_array_elements(t->'adds') WITH ORDINALITY AS x(a, o))::deltacc.actions);
		EXCEPTION WHEN OTHERS THEN
			failure := SQLSTATE || ' ' || SQLERRM;
		END;
		-- sharp may keep less, but what any safe tool keeps
		PERFORM set_config('deltacc.data_skipping', 'sharp', true);
		IF failure IS NULL THEN
			SELECT coalesce(array_agg(path) FILTER (WHERE kept), '{}') INTO sharp
			FROM deltacc.filter_files(
				corpus.snapshot_text((t->'schema')::text, t->'partitionColumns', t->'configuration')::deltacc.actions,
				(t->>'predicate')::deltacc.predicate,
				(SELECT corpus.raw(string_agg('{"add":' || a || '}', E'\n' ORDER BY o))
				 FROM json_array_elements(t->'adds') WITH ORDINALITY AS x(a, o))::deltacc.actions);
		END IF;
		PERFORM set_config('deltacc.data_skipping', 'on', true);
		INSERT INTO corpus.result SELECT 'field (sharp)', t->>'id', v,
			CASE v WHEN 'miss' THEN 'skip: more than on keeps, or less than is safe' END,
			CASE v WHEN 'miss' THEN format('on: %s, sharp: %s, to be kept: %s', ours, sharp, t->'expected'->'must_keep') END
		FROM (SELECT CASE WHEN failure IS NOT NULL OR (sharp <@ ours AND sharp @> corpus.texts(t->'expected'->'must_keep'))
						  THEN 'agree' ELSE 'miss' END) x(v);

		INSERT INTO corpus.result SELECT 'field', t->>'id', v,
			CASE v WHEN 'miss' THEN 'skip: another set than Delta''s' END,
			CASE v WHEN 'miss' THEN format('Delta: %s, ours: %s', delta, coalesce(failure, ours::text)) END
		FROM (SELECT CASE WHEN ours @> delta AND ours <@ delta AND ours @> corpus.texts(t->'expected'->'must_keep')
						  THEN 'agree' ELSE 'miss' END) x(v);
	END LOOP;
END $$;

-- history is a flat list at version 0 without protocol and metaData; removes and adds of the transaction are paths.
CREATE FUNCTION corpus.run_field_conflict() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	t json;
	c json;
	snapshot text;
	writes text;
	partition_values text;
	rules record;
	first deltacc.conflict;
	got text;
	want text;
	wrong text;
BEGIN
	FOR t IN SELECT line FROM corpus.line WHERE file = 'field' AND line->>'kind' = 'conflict' ORDER BY n LOOP
		c := t->'current'; wrong := NULL;
		-- the level is the table's, so that it is downgraded where Delta does
		snapshot := corpus.snapshot_text((t->'schema')::text, t->'partitionColumns',
				(coalesce((t->'configuration')::jsonb, '{}') || jsonb_build_object('delta.isolationLevel', c->>'isolationLevel'))::json)
			|| E'\n' || corpus.commit_text(t->'history');
		SELECT concat_ws(E'\n', json_build_object('commitInfo', json_build_object('operation', c->>'operation', 'isBlindAppend', (c->>'blindAppend')::boolean))::text,
			CASE WHEN (c->>'protocolChanged')::boolean THEN split_part(snapshot, E'\n', 1) END,
			CASE WHEN (c->>'metadataChanged')::boolean THEN jsonb_set(split_part(snapshot, E'\n', 2)::jsonb, '{metaData,configuration,x.y}', '"z"')::text END,
			(SELECT string_agg(json_build_object('domainMetadata', json_build_object('domain', d, 'configuration', '{}', 'removed', false))::text, E'\n')
			 FROM json_array_elements_text(c->'domains') d),
			(SELECT string_agg(json_build_object('remove', json_build_object('path', p, 'deletionTimestamp', 1, 'dataChange', t->>'noDataChange' IS NULL))::text, E'\n')
			 FROM json_array_elements_text(c->'removes') p),
			(SELECT string_agg(json_build_object('add', json_build_object('path', p, 'partitionValues',
				coalesce((SELECT h->'add'->'partitionValues' FROM json_array_elements(t->'history') h WHERE h->'add' IS NOT NULL LIMIT 1), '{}'::json),
				'size', 1, 'modificationTime', 1, 'dataChange', t->>'noDataChange' IS NULL))::text, E'\n')
			 FROM json_array_elements_text(c->'adds') p)) INTO writes;
		FOR rules IN SELECT * FROM (VALUES ('off', 'delta'), ('on', 'with_data_skipping'), ('sharp', 'precise')) r(setting, key) LOOP
			CONTINUE WHEN t->'expected'->rules.key IS NULL;
			PERFORM set_config('deltacc.data_skipping', rules.setting, true);
			want := t->'expected'->>rules.key;
			BEGIN
				first := deltacc.first_conflict(snapshot::deltacc.actions, corpus.commit_text(t->'winners'->0)::deltacc.actions,
					corpus.texts(c->'readPredicates')::deltacc.predicate[], writes::deltacc.actions, NULL,
					(c->>'readWholeTable')::boolean, coalesce(corpus.texts(t->'readFilesOnly'), corpus.texts(c->'removes')),
					corpus.texts(c->'readAppIds'), c->>'operation', 1);
				got := replace(first.exception, 'Exception', '');
			EXCEPTION WHEN OTHERS THEN
				got := SQLSTATE || ' ' || SQLERRM;
			END;
			IF got IS DISTINCT FROM want THEN
				wrong := concat_ws('; ', wrong, format('%s: expected %s, got %s', rules.setting, coalesce(want, 'no conflict'), coalesce(got, 'no conflict')));
			END IF;
		END LOOP;
		INSERT INTO corpus.result VALUES ('field', t->>'id', CASE WHEN wrong IS NULL THEN 'agree' ELSE 'miss' END,
			CASE WHEN wrong IS NOT NULL THEN 'conflict: another verdict' END, wrong);
	END LOOP;
END $$;

CREATE FUNCTION corpus.run_field_ingest() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	t json;
	e json;
	got text;
	kinds text[];
	ok boolean;
BEGIN
	FOR t IN SELECT line FROM corpus.line WHERE file = 'field' AND line->>'kind' = 'ingest' ORDER BY n LOOP
		e := t->'expected'; kinds := NULL; got := NULL;
		BEGIN
			kinds := ARRAY(SELECT a.action FROM deltacc.file_actions(
				CASE WHEN json_typeof(t->'text') = 'object' THEN convert_from(decode(t->'text'->>'bytes_hex', 'hex'), 'UTF8')
					 ELSE t->>'text' END::deltacc.actions) a ORDER BY ordinal);
			got := array_to_string(kinds, ',');
		EXCEPTION WHEN OTHERS THEN
			got := 'error';
		END;
		ok := CASE WHEN e->>'error' IS NOT NULL OR e->>'error_or_conflict' IS NOT NULL THEN got = 'error'
				   ELSE kinds = ARRAY(SELECT a FROM json_array_elements_text(e->'actions') a WHERE a IN ('add', 'remove', 'cdc')) END;
		INSERT INTO corpus.result VALUES ('field', t->>'id', CASE WHEN ok THEN 'agree' ELSE 'miss' END,
			CASE WHEN NOT ok THEN 'ingest: read otherwise' END, CASE WHEN NOT ok THEN format('expected %s, got %s', e, got) END);
	END LOOP;
END $$;

SELECT corpus.run_field_skip();
SELECT corpus.run_field_conflict();
SELECT corpus.run_field_ingest();

-- What people want to read.  Two cases refer to a conflict case that is not part of these files.
WITH judged(id, ok, got) AS (
	-- which file and which column lacks statistics
	SELECT e.line->>'id', c.path = e.line->'expected'->>'file' AND c.hint LIKE '%tatistics%' AND c.hint LIKE '%' || (e.line->'expected'->>'column') || '%', c.hint
	FROM corpus.line e
	JOIN corpus.line g ON g.file = 'field' AND g.line->>'id' = e.line->'given'->>'case'
	LEFT JOIN LATERAL deltacc.first_conflict(
		(corpus.snapshot_text((g.line->'schema')::text, g.line->'partitionColumns', g.line->'configuration') || E'\n' || corpus.commit_text(g.line->'history'))::deltacc.actions,
		corpus.commit_text(g.line->'winners'->0)::deltacc.actions, corpus.texts(g.line->'current'->'readPredicates')::deltacc.predicate[]) c ON true
	WHERE e.file = 'field' AND e.line->>'kind' = 'explain' AND e.line->'expected'->>'reason' = 'stats missing'
	UNION ALL
	-- a predicate as the log prints it
	SELECT line->>'id', p.exact AND (p.predicate)::text = 'id > 6 AND id < 9', (p.predicate)::text
	FROM corpus.line
	LEFT JOIN LATERAL deltacc.logged_predicates(
		corpus.snapshot_text('{"type":"struct","fields":[{"name":"id","type":"integer","nullable":true,"metadata":{}}]}', '[]', '{}')::deltacc.actions,
		json_build_object('commitInfo', json_build_object('operation', 'DELETE', 'operationParameters', json_build_object('predicate', line->'given'->>'predicate_from_log')))::text::deltacc.actions) p ON true
	WHERE file = 'field' AND line->>'kind' = 'explain' AND line->'given'->>'predicate_from_log' IS NOT NULL)
INSERT INTO corpus.result
SELECT 'field', id, CASE WHEN ok THEN 'agree' ELSE 'miss' END, CASE WHEN ok IS NOT TRUE THEN 'explain: says something else' END, CASE WHEN ok IS NOT TRUE THEN got END
FROM judged
UNION ALL
SELECT 'field', line->>'id', 'miss', 'explain: its case is not here', line->>'why'
FROM corpus.line e
WHERE file = 'field' AND line->>'kind' = 'explain' AND line->'given'->>'case' IS NOT NULL
	AND NOT EXISTS (SELECT FROM corpus.line g WHERE g.file = 'field' AND g.line->>'id' = e.line->'given'->>'case');
