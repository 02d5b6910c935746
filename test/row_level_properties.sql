-- Row-level concurrency never loses an update.  Random tables, random DELETEs and UPDATEs,
-- played through the checker and rebase: whenever no conflict is reported, the rows that
-- are live in the end are those of some serial order.  psql variables: seed and rounds
-- (tools/soak.sh sets them).
\ir data/begin.psql
\if :{?seed}
\else
\set seed 0.6
\endif
\if :{?rounds}
\else
\set rounds 250
\endif
\ir data/conflict_helpers.psql
SELECT plan(5);
SET LOCAL deltacc.row_level = on;
SET LOCAL deltacc.data_skipping = on;
SELECT setseed(:seed) \g /dev/null

-- What is in which file, by position; a row keeps its id.
CREATE TEMP TABLE content (path text, pos bigint, id int, x int, PRIMARY KEY (path, pos));
CREATE TEMP TABLE outcome (round int, conflict boolean, off_conflict boolean, rows_lost boolean, what text);

-- A state of the table: the deleted positions of each live file.
CREATE FUNCTION pg_temp.deleted(state jsonb, path text) RETURNS bigint[] LANGUAGE sql AS
$$ SELECT coalesce(array_agg(e::bigint ORDER BY e::bigint), '{}') FROM jsonb_array_elements_text(state->path) e $$;
CREATE FUNCTION pg_temp.live_rows(state jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(id || ':' || x, ' ' ORDER BY id, x)
	FROM jsonb_object_keys(state) AS k JOIN content c ON c.path = k
	WHERE NOT c.pos = ANY (pg_temp.deleted(state, k))
$$;
CREATE FUNCTION pg_temp.file_add(path text, deleted bigint[]) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('add', jsonb_strip_nulls(jsonb_build_object('path', $1, 'partitionValues', '{}'::jsonb, 'size', 1, 'modificationTime', 1, 'dataChange', true,
		'stats', json_build_object('numRecords', count(*), 'minValues', json_build_object('id', min(id), 'x', min(x)), 'maxValues', json_build_object('id', max(id), 'x', max(x)),
			'nullCount', json_build_object('id', 0, 'x', 0), 'tightBounds', $2 = '{}')::text,
		'deletionVector', CASE WHEN $2 <> '{}' THEN deltacc.dv_of($2) END)))
	FROM content c WHERE c.path = $1
$$;

-- A statement on a state: its commit, and the state after it.  Images go to a file of that name.
CREATE FUNCTION pg_temp.run(state jsonb, operation text, condition text, step int, image text, OUT commit text, OUT after jsonb) LANGUAGE plpgsql AS $$
DECLARE
	f text;
	before bigint[];
	hit bigint[];
	n int;
	actions jsonb[] := '{}';
BEGIN
	after := state;
	DELETE FROM content WHERE path = image;
	FOR f IN SELECT k FROM jsonb_object_keys(state) k ORDER BY k LOOP
		before := pg_temp.deleted(state, f);
		EXECUTE format('SELECT coalesce(array_agg(pos), ''{}'') FROM content WHERE path = $1 AND NOT pos = ANY ($2) AND (%s)', condition) INTO hit USING f, before;
		CONTINUE WHEN hit = '{}';
		IF operation = 'UPDATE' THEN
			INSERT INTO content SELECT image, (SELECT count(*) FROM content WHERE path = image) + row_number() OVER (ORDER BY pos) - 1, id, x + step
				FROM content WHERE path = f AND pos = ANY (hit);
		END IF;
		actions := actions || jsonb_build_object('remove', jsonb_strip_nulls(jsonb_build_object('path', f, 'deletionTimestamp', 1, 'dataChange', true,
			'deletionVector', CASE WHEN before <> '{}' THEN deltacc.dv_of(before) END)));
		SELECT count(*) INTO n FROM content WHERE path = f;
		IF n = cardinality(before) + cardinality(hit) THEN
			after := after - f;
		ELSE
			after := jsonb_set(after, ARRAY[f], to_jsonb(before || hit));
			actions := actions || pg_temp.file_add(f, ARRAY(SELECT unnest(before || hit) ORDER BY 1));
		END IF;
	END LOOP;
	IF EXISTS (SELECT FROM content WHERE path = image) THEN
		after := jsonb_set(after, ARRAY[image], '[]');
		actions := actions || pg_temp.file_add(image, '{}');
	END IF;
	commit := pg_temp.info_of(operation) || coalesce((SELECT string_agg(E'\n' || a::text, '') FROM unnest(actions) a), '');
END $$;

-- A state after a commit as it is written.
CREATE FUNCTION pg_temp.apply(state jsonb, commit deltacc.actions) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	f record;
	base bigint[];
BEGIN
	FOR f IN SELECT * FROM deltacc.file_actions(commit) WHERE action = 'remove' LOOP
		-- A remove of what is not there removes nothing: the vector has to be that of the live file.
		base := ARRAY(SELECT deltacc.dv_rows(f.deletion_vector));
		IF state ? f.path AND pg_temp.deleted(state, f.path) = base THEN
			state := state - f.path;
		END IF;
	END LOOP;
	FOR f IN SELECT * FROM deltacc.file_actions(commit) WHERE action = 'add' LOOP
		IF state ? f.path THEN
			RAISE EXCEPTION 'file % is live twice', f.path;
		END IF;
		state := jsonb_set(state, ARRAY[f.path], to_jsonb(ARRAY(SELECT deltacc.dv_rows(f.deletion_vector))));
	END LOOP;
	RETURN state;
END $$;

CREATE FUNCTION pg_temp.pick(VARIADIC anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS $$ SELECT $1[1 + floor(random() * cardinality($1))::int] $$;
CREATE FUNCTION pg_temp.some_condition() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT pg_temp.pick(format('id = %s', a), format('id IN (%s, %s, %s)', a, b, a + 5), format('x BETWEEN %s AND %s', a, a + 3), format('x = %s OR x = %s', a, b),
		format('id BETWEEN %s AND %s', a, a + 4), format('x %% 9 = %s AND id > %s', a % 9, b), format('NOT (x > %s) OR id = %s', a % 4, b))
	FROM (SELECT floor(random() * 40)::int, floor(random() * 40)::int) r(a, b)
$$;

CREATE FUNCTION pg_temp.play(round int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	tid bigint;
	start jsonb := '{}';
	states jsonb[];				-- after so many winners
	operations text[] := '{}';
	conditions text[] := '{}';
	steps int[] := '{}';
	nwinners int := 1 + floor(random() * 2)::int;
	r record;
	own text;
	lines text := pg_temp.table_of()::text;
	conflict boolean;
	off_conflict boolean;
	final jsonb;
	found_rows text;
	serial text[] := '{}';
	s jsonb;
BEGIN
	DELETE FROM content;
	DELETE FROM deltacc.tables WHERE name = 'properties';
	INSERT INTO deltacc.tables (name) VALUES ('properties') RETURNING table_id INTO tid;
	FOR f IN 1 .. 1 + floor(random() * 2)::int LOOP
		INSERT INTO content SELECT 'f' || f, i, f * 20 - 20 + i, floor(random() * 40) FROM generate_series(0, 19) i;
		start := jsonb_set(start, ARRAY['f' || f], CASE WHEN random() < 0.5 THEN '[]' ELSE to_jsonb(ARRAY(SELECT i FROM generate_series(0, 18) i WHERE random() < 0.2)) END);
		lines := lines || E'\n' || pg_temp.file_add('f' || f, pg_temp.deleted(start, 'f' || f));
	END LOOP;
	INSERT INTO deltacc.commits (table_id, version, actions) VALUES (tid, 0, lines::deltacc.actions);
	-- The winners come first, the transaction last.
	FOR i IN 1 .. nwinners + 1 LOOP
		operations := operations || pg_temp.pick('DELETE'::text, 'UPDATE');
		conditions := conditions || pg_temp.some_condition();
		steps := steps || pg_temp.pick(0, 1, 7, 100, 200);
	END LOOP;
	states := ARRAY[start];
	FOR i IN 1 .. nwinners LOOP
		SELECT * INTO r FROM pg_temp.run(states[i], operations[i], conditions[i], steps[i], 'w' || i);
		INSERT INTO deltacc.commits (table_id, version, actions) VALUES (tid, i, r.commit::deltacc.actions);
		states := states || r.after;
	END LOOP;
	SELECT commit INTO own FROM pg_temp.run(start, operations[nwinners + 1], conditions[nwinners + 1], steps[nwinners + 1], 't');

	PERFORM set_config('deltacc.row_level', 'off', true);
	off_conflict := EXISTS (SELECT FROM deltacc.check_commit('properties', 0, ARRAY[conditions[nwinners + 1]], own, 'Serializable', operation => operations[nwinners + 1]));
	PERFORM set_config('deltacc.row_level', 'on', true);
	conflict := EXISTS (SELECT FROM deltacc.check_commit('properties', 0, ARRAY[conditions[nwinners + 1]], own, 'Serializable', operation => operations[nwinners + 1]));
	IF NOT conflict THEN
		final := pg_temp.apply(states[nwinners + 1], deltacc.rebase_commit('properties', 0, ARRAY[conditions[nwinners + 1]], own, 'Serializable', operation => operations[nwinners + 1]));
		found_rows := coalesce(pg_temp.live_rows(final), '');
		-- Every serial order: the transaction after so many winners.
		FOR k IN 0 .. nwinners LOOP
			s := states[k + 1];
			SELECT after INTO s FROM pg_temp.run(s, operations[nwinners + 1], conditions[nwinners + 1], steps[nwinners + 1], 't' || k);
			FOR i IN k + 1 .. nwinners LOOP
				SELECT after INTO s FROM pg_temp.run(s, operations[i], conditions[i], steps[i], format('w%s after %s', i, k));
			END LOOP;
			serial := serial || coalesce(pg_temp.live_rows(s), '');
		END LOOP;
	END IF;
	INSERT INTO outcome VALUES (round, conflict, off_conflict, NOT conflict AND NOT found_rows = ANY (serial),
		format('%s; transaction %s', (SELECT string_agg(concat_ws(' ', operations[i], conditions[i], steps[i]), '; ') FROM generate_series(1, nwinners) i),
			concat_ws(' ', operations[nwinners + 1], conditions[nwinners + 1], steps[nwinners + 1])));
END $$;

SELECT pg_temp.play(i) FROM generate_series(1, :rounds) i \g /dev/null

SELECT is((SELECT string_agg(format('round %s: %s', round, what), E'\n') FROM outcome WHERE rows_lost), NULL, 'whatever passes equals a serial order');
SELECT cmp_ok(count(*) FILTER (WHERE NOT conflict), '>', (:rounds / 5)::bigint, 'many pass') FROM outcome;
SELECT cmp_ok(count(*) FILTER (WHERE conflict), '>', (:rounds / 5)::bigint, 'many conflict') FROM outcome;
SELECT cmp_ok(count(*) FILTER (WHERE off_conflict AND NOT conflict), '>', (:rounds / 20)::bigint, 'some pass that do not with row_level = off') FROM outcome;
SELECT is(count(*) FILTER (WHERE conflict AND NOT off_conflict), 0::bigint, 'none conflicts that passes with row_level = off') FROM outcome;

SELECT * FROM finish();
ROLLBACK;
