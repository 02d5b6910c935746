-- Which files a predicate selects: the rewrite, who decided, and why.
\set ON_ERROR_STOP 0
SET TimeZone = 'UTC';

CREATE TEMP TABLE t (snapshot deltacc.actions, files deltacc.actions);
INSERT INTO t VALUES (
'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"00000000-0000-4000-8000-000000000001","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"customer_id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"amount\",\"type\":\"decimal(10,2)\",\"nullable\":true,\"metadata\":{}},{\"name\":\"name\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},{\"name\":\"code\",\"type\":\"string\",\"nullable\":true,\"metadata\":{\"__CHAR_VARCHAR_TYPE_STRING\":\"char(5)\"}},{\"name\":\"at\",\"type\":\"timestamp\",\"nullable\":true,\"metadata\":{}},{\"name\":\"flag\",\"type\":\"boolean\",\"nullable\":true,\"metadata\":{}},{\"name\":\"tiny\",\"type\":\"byte\",\"nullable\":true,\"metadata\":{}},{\"name\":\"tags\",\"type\":{\"type\":\"array\",\"elementType\":\"string\",\"containsNull\":true},\"nullable\":true,\"metadata\":{}},{\"name\":\"late\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}},{\"name\":\"region\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},{\"name\":\"day\",\"type\":\"date\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":["region","day"],"configuration":{"delta.dataSkippingNumIndexedCols":"8"},"createdTime":1700000000000}}',
'{"add":{"path":"low","partitionValues":{"region":"eu","day":"2026-08-12"},"size":1,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":10,\"minValues\":{\"customer_id\":1,\"amount\":1.50,\"name\":\"ada\",\"code\":\"a\",\"at\":\"2026-08-12T08:00:00.000Z\",\"tiny\":1},\"maxValues\":{\"customer_id\":749,\"amount\":99.99,\"name\":\"bob\",\"code\":\"m\",\"at\":\"2026-08-12T09:00:00.123Z\",\"tiny\":9},\"nullCount\":{\"customer_id\":0,\"amount\":0,\"name\":0,\"code\":0,\"at\":0,\"flag\":0,\"tiny\":0}}"}}
{"add":{"path":"high","partitionValues":{"region":"us","day":"2026-08-13"},"size":1,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":10,\"minValues\":{\"customer_id\":900000,\"amount\":0.01,\"name\":\"yan\",\"code\":\"x\",\"at\":\"2026-08-13T08:00:00.000Z\",\"tiny\":128},\"maxValues\":{\"customer_id\":901000,\"amount\":12345678.90,\"name\":\"zoe\",\"code\":\"z\",\"at\":\"2026-08-13T09:00:00.000Z\",\"tiny\":200},\"nullCount\":{\"customer_id\":3,\"amount\":0,\"name\":0,\"code\":0,\"at\":0,\"flag\":4,\"tiny\":0}}"}}
{"add":{"path":"nulls","partitionValues":{"region":null,"day":"2026-08-13"},"size":1,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":10,\"minValues\":{},\"maxValues\":{},\"nullCount\":{\"customer_id\":10,\"amount\":10,\"name\":10,\"code\":10,\"at\":10,\"flag\":10,\"tiny\":10}}"}}
{"add":{"path":"bare","partitionValues":{"region":"","day":"2026-08-14"},"size":1,"modificationTime":1,"dataChange":true}}
{"add":{"path":"torn","partitionValues":{"day":"2026-08-14"},"size":1,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":10,\"minVal"}}
{"remove":{"path":"gone","deletionTimestamp":1,"dataChange":true}}');

CREATE FUNCTION pg_temp.filter(deltacc.predicate, OUT path text, OUT kept boolean, OUT decided_by text, OUT reason text)
RETURNS SETOF record LANGUAGE sql AS
$$ SELECT f.* FROM t, deltacc.filter_files(t.snapshot, $1, t.files) f $$;

-- the rewrite
SELECT p, deltacc.skip_expression(snapshot, p::deltacc.predicate)
FROM t, unnest(ARRAY[
	'customer_id = 5', 'customer_id <> 5', 'customer_id < 5', '5 < customer_id', 'customer_id >= 5',
	'NOT customer_id > 5', 'customer_id BETWEEN 1 AND 9', 'customer_id IN (3, 1, 2, NULL)', 'customer_id NOT IN (1, 2)',
	'customer_id NOT IN (1)', 'customer_id IS NULL', 'customer_id IS NOT NULL', 'customer_id <=> 5', 'NOT (customer_id <=> 5)',
	'name LIKE ''ab%''', 'name LIKE ''%ab''', 'name NOT LIKE ''ab%''', 'flag', 'flag IS NULL', 'tags IS NULL',
	'customer_id = 5 AND upper(name) = ''A''', 'customer_id = 5 OR upper(name) = ''A''',
	'NOT (customer_id = 5 OR name = ''a'')', '(customer_id = 5) IS NULL', 'late = 5', 'customer_id = tiny',
	'code = ''m''', 'code IS NOT NULL', 'region = ''eu''', 'customer_id = 5 OR region = ''eu''',
	'at = TIMESTAMP ''2026-08-12 09:00:00''', 'amount > 3']) WITH ORDINALITY AS x(p, n)
ORDER BY n;

-- who decided, and why
SELECT * FROM pg_temp.filter('customer_id >= 900000');
SELECT * FROM pg_temp.filter('customer_id < 1 OR customer_id BETWEEN 800 AND 900');
SELECT * FROM pg_temp.filter('name LIKE ''c%''');
SELECT * FROM pg_temp.filter('customer_id IS NULL');
SELECT * FROM pg_temp.filter('at > TIMESTAMP ''2026-08-12 09:00:00.123500'' AND at < TIMESTAMP ''2026-08-13''');
SELECT * FROM pg_temp.filter('region = ''eu''');
SELECT * FROM pg_temp.filter('region IS NULL');
SELECT * FROM pg_temp.filter('region = '''' AND day > DATE ''2026-08-13''');
SELECT * FROM pg_temp.filter('(region = ''eu'' AND customer_id < 10) OR (region = ''us'' AND customer_id < 10)');
SELECT * FROM pg_temp.filter('day = DATE ''2026-08-12'' AND upper(name) = ''ADA''');
SELECT * FROM pg_temp.filter('true');
SELECT * FROM pg_temp.filter('false');
-- the safety rules
SELECT * FROM pg_temp.filter('code >= ''n''');
SELECT * FROM pg_temp.filter('tiny = 50');

-- off: statistics are not looked at
SET deltacc.data_skipping = off;
SELECT * FROM pg_temp.filter('customer_id >= 900000 AND region = ''eu''');
SELECT * FROM pg_temp.filter('customer_id >= 900000');
RESET deltacc.data_skipping;

-- what each conjunct can do
\x on
SELECT e.* FROM t, deltacc.explain_predicate(t.snapshot,
	'region = ''eu'' AND customer_id = 5 AND s.id = t.customer_id AND late > 3 AND rand() < 0.5 AND upper(name) = ''A''
	 AND flag AND (customer_id = 3 OR tags IS NULL) AND CAST(customer_id AS STRING) = ''5'' AND nosuch(name) = 1 AND code = ''x''
	 AND customer_id IN (SELECT id FROM u) AND customer_id = tiny') e;
\x off

-- a failing partition value, a literal that is no condition, NULL arguments, no table yet
SELECT * FROM t, deltacc.filter_files(t.snapshot, 'day = DATE ''2026-08-12''',
	'{"add":{"path":"x","partitionValues":{"region":"eu","day":"yesterday"},"size":1,"modificationTime":1,"dataChange":true}}');
SELECT * FROM pg_temp.filter('5');
SELECT * FROM pg_temp.filter('NULL');
SELECT kept, decided_by, reason FROM pg_temp.filter('name') LIMIT 1;
SELECT * FROM deltacc.filter_files(NULL, 'true', '');
SELECT * FROM deltacc.filter_files('', NULL, '');
SELECT * FROM deltacc.filter_files('', 'true', NULL);
SELECT deltacc.skip_expression('', NULL);
SELECT * FROM deltacc.explain_predicate(NULL, 'true');
SELECT * FROM deltacc.filter_files('', 'true', '{"add":{"path":"x","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}');
SELECT * FROM deltacc.filter_files('', 'a = 1', '');
