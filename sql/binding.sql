-- From names and literals to a table's columns and Spark's types.
\set ON_ERROR_STOP 0
\pset format unaligned
\pset tuples_only on
SET TimeZone = 'UTC';

CREATE TEMP TABLE t AS SELECT
'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"00000000-0000-4000-8000-000000000002","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}},{\"name\":\"big\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"tiny\",\"type\":\"byte\",\"nullable\":true,\"metadata\":{}},{\"name\":\"f\",\"type\":\"float\",\"nullable\":true,\"metadata\":{}},{\"name\":\"d\",\"type\":\"double\",\"nullable\":true,\"metadata\":{}},{\"name\":\"amount\",\"type\":\"decimal(10,2)\",\"nullable\":true,\"metadata\":{}},{\"name\":\"name\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},{\"name\":\"code\",\"type\":\"string\",\"nullable\":true,\"metadata\":{\"__CHAR_VARCHAR_TYPE_STRING\":\"char(5)\"}},{\"name\":\"event_date\",\"type\":\"date\",\"nullable\":true,\"metadata\":{}},{\"name\":\"at\",\"type\":\"timestamp\",\"nullable\":true,\"metadata\":{}},{\"name\":\"local\",\"type\":\"timestamp_ntz\",\"nullable\":true,\"metadata\":{}},{\"name\":\"flag\",\"type\":\"boolean\",\"nullable\":true,\"metadata\":{}},{\"name\":\"bin\",\"type\":\"binary\",\"nullable\":true,\"metadata\":{}},{\"name\":\"st\",\"type\":{\"type\":\"struct\",\"fields\":[{\"name\":\"x\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}},{\"name\":\"in ner\",\"type\":{\"type\":\"struct\",\"fields\":[{\"name\":\"y\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]},\"nullable\":true,\"metadata\":{}}]},\"nullable\":true,\"metadata\":{}},{\"name\":\"tags\",\"type\":{\"type\":\"array\",\"elementType\":\"integer\",\"containsNull\":true},\"nullable\":true,\"metadata\":{}},{\"name\":\"dot.ted\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"region\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":["region"],"configuration":{},"createdTime":1}}'::deltacc.actions AS snapshot;

-- each conjunct as it is bound and optimized, with its kind unless it is data
CREATE FUNCTION pg_temp.conjuncts(p text) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(CASE kind WHEN 'data' THEN '' ELSE kind || ': ' END || conjunct, '; ' ORDER BY n)
   FROM t, deltacc.explain_predicate(t.snapshot, p::deltacc.predicate) WITH ORDINALITY AS e(conjunct, kind, usable, skip_expression, reason, advice, n) $$;
CREATE FUNCTION pg_temp.show(VARIADIC text[]) RETURNS SETOF text LANGUAGE sql AS
$$ SELECT p || '   ->   ' || pg_temp.conjuncts(p) FROM unnest($1) WITH ORDINALITY AS x(p, n) ORDER BY n $$;

-- names: any letter case, fields, dots, backticks
SELECT pg_temp.show('ID = 3', 'st.x = 3', 'ST.`In Ner`.Y = ''a''', 'st[''x''] = 3', '(st).x = 3', '`dot.ted` = 3', 'region = ''eu''',
	'region = ''eu'' AND id = 3', 'region = ''eu'' OR id = 3');

-- qualifiers: t and target unless something unknown is about, s and source never
SELECT pg_temp.show('t.id = 3', 'target.id = 3', 't.st.x = 3', 's.id = t.id AND t.id = 3', 's.id = 3', 'source.id = 3',
	'id = s.id AND status = ''x''', 'x.id = t.id AND t.id = 3', 's.event_date = t.event_date',
	't.event_date = DATE ''2026-08-12''', 's.event_date = DATE ''2026-08-12''',
	'st.x = 3 AND s.id = id', 'st.x = 3', 'dot.ted = 3', 'id.x = 3');
SET deltacc.target_alias = 'm';
SELECT pg_temp.show('m.id = 3', 'M.st.x = 3', 't.id = 3', 't.id = m.id AND m.id = 3');
RESET deltacc.target_alias;

-- what takes no part in data skipping
SELECT pg_temp.show('rand() < 0.5', 'uuid() = name AND id = 1', 'id IN (SELECT 1)', 'EXISTS (SELECT 1) AND id = 1',
	'_metadata.file_name = ''a''', 'input_file_name() LIKE ''a%''', 'event_date = current_date', 'event_date >= current_date()',
	'at < now()', 'event_date = DATE ''today''', 'exists(tags, x -> x > id)', 'tags[0] = 1', 'nosuch(id) = 1 AND id = 2',
	'(id, name) IN ((1, ''a''))', 'name COLLATE UTF8_LCASE = ''A''', 'id', 'name');

-- CHAR(n): only null checks are computed
SELECT pg_temp.show('code = ''a''', 'code <> ''a'' AND id = 1', 'code IS NOT NULL', 'code <=> NULL', 'NOT (code LIKE ''a%'')',
	'code NOT IN (''a'', ''b'')', 'upper(code) = ''A''');

-- types: strings become the other side's, numbers widen
SELECT pg_temp.show('id = ''3''', 'id = '' 3 ''', 'd = ''1.5''', 'name = 5', 'name = 5.5', 'name = DATE ''2026-01-01''', 'flag = ''true''',
	'event_date = ''2026''', 'at > ''2026-08-12T10:00:00+02:00''', 'bin = ''ab''', 'id = big', 'tiny = id', 'id = amount', 'f = d',
	'big = f', 'amount = d', 'at = local', 'event_date = at', 'id = 3 AND name IN (''a'', ''b'')', 'id IN (1, 2L, ''3'')',
	'event_date IN (DATE ''2026-01-01'', TIMESTAMP ''2026-01-01 12:00:00'')', 'coalesce(tiny, 5) = 7', 'if(flag, 1, 2.5) = id');

-- literals
SELECT pg_temp.show('id = 3Y', 'big = 9223372036854775807', 'big = -9223372036854775808', 'id = -(-3)', 'amount = 1e2BD', 'amount = .5',
	'd = 1.5e3', 'd = 9007199254740993D', 'f = 0.1F', 'bin = X''abc''', 'event_date = DATE ''epoch''', 'at = TIMESTAMP ''2026-01-01 00:00:00+02:00''',
	'local = TIMESTAMP_NTZ ''2026-01-01 00:00:00+02:00''', 'event_date > DATE ''2026-01-31'' + INTERVAL 1 MONTH',
	'event_date > DATE ''2026-01-31'' - INTERVAL ''1'' DAY', 'event_date > DATE ''2026-01-31'' + INTERVAL 1 DAY 12 HOURS',
	'at > TIMESTAMP ''2026-01-31 00:00:00'' + INTERVAL ''1 02:03:04.5'' DAY TO SECOND',
	'INTERVAL ''1-2'' YEAR TO MONTH = INTERVAL 14 MONTHS', 'INTERVAL ''1 day 2 hours'' = INTERVAL 26 HOURS',
	'INTERVAL -1 MONTH < INTERVAL ''0'' MONTH');

-- forms that stand for others
SELECT pg_temp.show('id BETWEEN 3 AND 5', 'id NOT BETWEEN 3 AND 5', 'flag IS TRUE', 'flag IS NOT FALSE', 'flag IS UNKNOWN',
	'id IS DISTINCT FROM 3', 'id IS NOT DISTINCT FROM 3', 'nvl(id, 0) = 3', 'ifnull(id, 0) = 3', 'nvl2(id, 1, 2) = 1', 'nullif(id, 3) = 4',
	'CASE id WHEN 3 THEN ''a'' ELSE ''b'' END = ''a''', 'date(at) = ''2026-01-01''', 'to_date(at) = ''2026-01-01''', 'bigint(id) = 3',
	'name ILIKE ''A%''', 'name LIKE ANY (''a%'', ''b%'')', 'name NOT LIKE ALL (''a%'', ''b%'')', 'isnull(id)', 'not(flag)', 'id = 3 AS z',
	'extract(YEAR FROM event_date) = 2026', 'equal_null(id, 3)');

-- errors: what is wrong, where, and what was meant
SELECT pg_temp.conjuncts('id = 1 AND evnt_date = 1');
SELECT pg_temp.conjuncts('st.z = 1');
SELECT pg_temp.conjuncts('t.st.`in ner`.z = 1');
SELECT pg_temp.conjuncts('t.nope = 1');
SELECT pg_temp.conjuncts('evetn_date = DATE ''2026-01-01''');
SELECT pg_temp.conjuncts('`Big ` = 1');
SELECT pg_temp.conjuncts('nothing_like_it = 1');
SELECT pg_temp.conjuncts('X = 1');
SELECT pg_temp.conjuncts('t.st.`inner` = 1');
SELECT pg_temp.conjuncts('event_date > 19000');
SELECT pg_temp.conjuncts('id IN (1, true)');
SELECT pg_temp.conjuncts('flag = 1');
SELECT pg_temp.conjuncts('id AND flag');
SELECT pg_temp.conjuncts('CASE WHEN flag THEN 1 ELSE DATE ''2026-01-01'' END = 1');
SELECT pg_temp.conjuncts('CAST(event_date AS INT) = 1');
SELECT pg_temp.conjuncts('event_date = DATE ''2026-02-30''');
SELECT pg_temp.conjuncts('at = TIMESTAMP ''yesterday at noon''');
SELECT pg_temp.conjuncts('id = 300Y');
SELECT pg_temp.conjuncts('amount = 123456789012345678901234567890123456789.0');
SELECT pg_temp.conjuncts('d = 1e400');
SELECT pg_temp.conjuncts('event_date > DATE ''2026-01-01'' + INTERVAL ''1 fortnight''');
SELECT pg_temp.conjuncts('NULL');
SELECT pg_temp.conjuncts('5');

-- operators that Spark has for no such types
CREATE FUNCTION pg_temp.refuse(VARIADIC texts text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	t text; state text; message text; detail text; hint text;
BEGIN
	FOREACH t IN ARRAY texts LOOP
		BEGIN
			RETURN NEXT format('%s  BINDS: %s', t, pg_temp.conjuncts(t));
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
			RETURN NEXT concat_ws(' | ', state, message, detail, nullif(hint, ''));
		END;
	END LOOP;
END $$;
SELECT pg_temp.refuse('at + 0 > local', 'id = 1 AND ''a'' * event_date > 1', 'flag + id = 1', 'event_date + big > event_date', 'event_date + ''1'' > event_date', 'at - 1 > at', 'name + name = 1', 'name * NULL = 1', 'id / flag = 1',
	'id % at = 1', 'd DIV 2 = 1', 'amount & 1 = 1', 'flag | true', 'd ^ 1 = 1', 'event_date << 1 = 1', 'bin + 1 = 1', '- flag = 1', '+ at = at', '~ name = 1', '~ d = 1', 'INTERVAL 1 DAY + 1 > INTERVAL 1 DAY', 'INTERVAL 1 DAY > INTERVAL 1 MONTH');
SELECT pg_temp.refuse('NOT 5', 'NOT id', 'name AND name', 'name OR NULL', 'tags AND flag', 'NOT st', 'at IS TRUE', 'CASE WHEN name THEN true END', 'if(name, true, false)', 'tags = 1', 'tags = name', 'st = 1', 'tags IN (1, 2)', 'tags BETWEEN 1 AND 2', 'tags LIKE ''a%''', 'name LIKE tags',
	'tags || ''a'' = name', 'coalesce(tags, 1) IS NULL', 'CASE WHEN flag THEN st ELSE tags END IS NULL', 'CAST(tags AS INT) = 1', 'CAST(id AS array<int>) IS NULL', 'id[0] = 1', 'tags[''a''] = 1', '(id + 1).x = 1', 'st[''z''] = 1', 'st[1] = 1', 'st[name] = 1');
-- and such as it has
SELECT pg_temp.refuse('event_date + 1 > event_date', '1 + event_date > event_date', 'event_date - at > INTERVAL 1 DAY', 'at - ''2026-01-01'' > INTERVAL 1 DAY', 'at + INTERVAL 1 DAY > at', 'name + INTERVAL 1 DAY IS NULL', 'at - NULL IS NULL', 'id + ''1'' = 2', 'name * 2 = 4', 'INTERVAL 1 DAY * 2 > INTERVAL 1 DAY', 'id & ''1'' = 1',
	'name << 1 = 2', 'id DIV amount = 1', 'NOT name', 'name AND flag', 'flag AND name AND name', 'NULL AND NULL', 'id IS UNKNOWN', 'at IS NOT UNKNOWN', 'tags = tags', 'tags <=> NULL', 'st = NULL', 'tags || tags = tags', 'id || at = name', 'at LIKE ''2026%''', '- name = 1', 'CAST(tags AS STRING) = name', 'coalesce(tags, NULL) = tags', 'nosuch(id) + at = 1', 'tags[id] = 1');
