-- hash() of every type: what Spark 4.1.4 gave.
\ir data/begin.psql
SELECT no_plan();

SELECT ok(may_true AND NOT may_false AND NOT may_null AND NOT may_error, expression) FROM (VALUES
	('hash(''Spark'')', 228093765),
	('hash('''')', 142593372),
	('hash(''abc'')', 1322437556),
	('hash(''abcdé日本'')', 1855597732),
	('hash(1)', -559580957),
	('hash(-1)', -1604776387),
	('hash(2Y)', 1765031574),
	('hash(-7S)', -1618159745),
	('hash(5L)', 1607884268),
	('hash(-9223372036854775808L)', -853646085),
	('hash(1.5D)', 1290763749),
	('hash(-0.0D)', -1670924195),
	('hash(double(''NaN''))', -1281358385),
	('hash(1.5F)', -221251528),
	('hash(-0.0F)', 933211791),
	('hash(float(''NaN''))', -349261430),
	('hash(12.34BD)', -1028144669),
	('hash(CAST(12.34 AS DECIMAL(38,10)))', -1579334800),
	('hash(CAST(-12.34 AS DECIMAL(38,2)))', -378694793),
	('hash(CAST(-1.28 AS DECIMAL(20,2)))', 775851899),
	('hash(CAST(0 AS DECIMAL(38,0)))', -783713497),
	('hash(CAST(''99999999999999999999999999999999999999'' AS DECIMAL(38,0)))', -817514053),
	('hash(DATE ''2024-03-01'')', 260758936),
	('hash(TIMESTAMP ''2024-03-01 10:00:00.123456'')', -1313597097),
	('hash(TIMESTAMP_NTZ ''2024-03-01 10:00:00.123456'')', -1313597097),
	('hash(true)', -559580957),
	('hash(X''00ff7f80'')', 207073834),
	('hash(NULL)', 42),
	('hash(NULL, 1)', -559580957),
	('hash(1, ''x'', NULL, 2.5D)', -1397093485),
	('hash(INTERVAL ''3'' MONTH)', -1823081949),
	('hash(INTERVAL ''3'' DAY)', 2038746747)
) h(expression, value), LATERAL deltacc.evaluate(
	E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[{\\"name\\":\\"p\\",\\"type\\":\\"string\\",\\"nullable\\":true,\\"metadata\\":{}}]}","partitionColumns":["p"],"configuration":{}}}',
	format('%s = %s', expression, value)::deltacc.predicate, '{"add":{"path":"f","partitionValues":{"p":"x"},"size":1,"modificationTime":1,"dataChange":true}}');

SELECT * FROM finish();
ROLLBACK;
