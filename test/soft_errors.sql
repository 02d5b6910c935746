-- Input errors of both types are soft where PostgreSQL knows such (16 and
-- later): pg_input_is_valid says no, COPY … ON_ERROR goes on.  Before, the same
-- inputs are ordinary errors.
\ir data/begin.psql
SELECT plan(33);

CREATE TEMP TABLE bad (type text, input text, state text);
INSERT INTO bad VALUES
	('predicate', '', '42601'),
	('predicate', 'a <', '42601'),
	('predicate', 'a = ''open', '42601'),
	('predicate', 'a = `open', '42601'),
	('predicate', 'a = 1 /* open', '42601'),
	('predicate', '((a = 1)', '42601'),
	('predicate', 'a IN ()', '42601'),
	('predicate', E'a = \x01', '42601'),
	('predicate', 'a = 1; b = 2', '42601'),
	('actions', 'no json', '22P02'),
	('actions', '{"add":', '22P02'),
	('actions', '{"add":{"path":"a"}', '22P02'),
	('actions', '[]', '22P02'),
	('actions', '{"add":{}}', '22023'),
	('actions', '{"add":{"path":1}}', '22023'),
	('actions', repeat('[', 1001) || repeat(']', 1001), '22P02');

CREATE FUNCTION pg_temp.state(type text, input text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT %L::deltacc.%I', input, type);
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;

SELECT is(pg_temp.state(type, input), state, type || ' refuses: ' || left(input, 30)) FROM bad ORDER BY type, input COLLATE "C";

SELECT current_setting('server_version_num')::int >= 160000 AS soft \gset
\if :soft
SELECT is((SELECT sql_error_code FROM pg_input_error_info(input, 'deltacc.' || type)), state,
	type || ' refuses softly: ' || left(input, 30)) FROM bad ORDER BY type, input COLLATE "C";
SELECT ok(pg_input_is_valid('a < 1', 'deltacc.predicate') AND pg_input_is_valid('{"txn":{"appId":"a","version":1}}', 'deltacc.actions'),
	'what is valid is valid');
\else
SELECT skip('soft errors came with PostgreSQL 16', 17);
\endif

SELECT * FROM finish();
ROLLBACK;
