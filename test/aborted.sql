-- Failed jobs: what a statement read, what an error says, what beat a job.  (The
-- 39 real ones are in failed_jobs.sql.)
\ir data/begin.psql
SELECT no_plan();

-- ----- statements -----
CREATE FUNCTION pg_temp.said(statement text) RETURNS text LANGUAGE sql AS
$$ SELECT concat_ws(' ', operation, target, reads::text) FROM deltacc.statement_reads(statement) $$;
SELECT is(pg_temp.said(s), want, left(s, 80))
FROM (VALUES
	('UPDATE orders SET x = 1 WHERE a = 1', 'UPDATE orders {"a = 1"}'),
	('update a.b.orders as o set x = 1 where o.a = 1;', 'UPDATE a.b.orders {"t.a = 1"}'),
	('UPDATE orders SET x = ''WHERE'' WHERE b = "it''s; WHERE"', $$UPDATE orders {"b = 'it\\'s; WHERE'"}$$),
	('UPDATE orders SET x = (SELECT max(y) FROM z WHERE z.a = 1)', 'UPDATE orders {TRUE}'),
	('UPDATE orders SET x = (SELECT max(y) FROM z WHERE z.a = 1) WHERE a = 2', 'UPDATE orders {"a = 2"}'),
	(E'DELETE FROM orders -- WHERE a = 1\n WHERE /* a = 2 AND */ b = 3', 'DELETE orders {"b = 3"}'),
	('DELETE FROM delta.`/lake/orders` WHERE orders.a = 1', 'DELETE delta.`/lake/orders` {"orders.a = 1"}'),
	('DELETE FROM orders WHERE orders.a = 1', 'DELETE orders {"t.a = 1"}'),
	('DELETE FROM orders', 'DELETE orders {TRUE}'),
	('DELETE FROM orders WHERE id IN (SELECT id FROM orders)', 'DELETE orders {TRUE}'),
	('DELETE FROM orders WHERE id IN (SELECT id FROM gone)', 'DELETE orders {"id IN (SELECT id FROM gone)"}'),
	('MERGE INTO orders USING src ON orders.id = src.id AND orders.c = 1 WHEN MATCHED THEN DELETE', 'MERGE orders {"t.id = s.id AND t.c = 1"}'),
	('MERGE INTO orders t USING (SELECT * FROM a WHERE b ON c) s ON s.id = t.id AND t.c = 1 WHEN MATCHED THEN UPDATE SET *', 'MERGE orders {"s.id = t.id AND t.c = 1"}'),
	-- what is called t need not be the target
	('MERGE INTO orders AS x USING src AS t ON x.id = t.id AND t.c = 1 AND x.d = 2 WHEN NOT MATCHED THEN INSERT *', 'MERGE orders {"t.id = s.id AND s.c = 1 AND t.d = 2"}'),
	('MERGE WITH SCHEMA EVOLUTION INTO orders o USING src ON o.id = src.id WHEN MATCHED THEN DELETE', 'MERGE orders {"t.id = s.id"}'),
	('MERGE INTO orders t USING src s ON s.id = t.id WHEN NOT MATCHED BY SOURCE THEN DELETE', 'MERGE orders {TRUE}'),
	('MERGE INTO orders t USING (SELECT * FROM orders) s ON s.id = t.id AND t.c = 1 WHEN MATCHED THEN DELETE', 'MERGE orders {TRUE}'),
	('INSERT INTO orders SELECT * FROM staging', 'WRITE orders {}'),
	('INSERT INTO TABLE orders (a, b) VALUES (1, 2)', 'WRITE orders {}'),
	('INSERT INTO orders SELECT * FROM ORDERS', 'WRITE orders {TRUE}'),
	('INSERT OVERWRITE orders SELECT 1', 'WRITE orders {TRUE}'),
	('INSERT INTO orders REPLACE WHERE d = 1 SELECT * FROM x', 'WRITE orders {"d = 1"}'),
	('INSERT INTO orders REPLACE WHERE d = 1 SELECT * FROM orders', 'WRITE orders {TRUE}'),
	('INSERT INTO orders REPLACE USING (d) SELECT * FROM x', 'WRITE orders {TRUE}'),
	('OPTIMIZE orders WHERE d = 1', 'OPTIMIZE orders {TRUE}'),
	('TRUNCATE TABLE orders', 'TRUNCATE orders {TRUE}'),
	('ALTER TABLE orders ADD COLUMNS (x int)', 'ALTER {TRUE}'),
	-- common table expressions, which may read the target, too
	('WITH c AS (SELECT 1), d (k, l) AS (SELECT 2, 3) MERGE INTO orders o USING c ON o.id = c.id AND o.c < 4 WHEN MATCHED THEN DELETE', 'MERGE orders {"t.id = s.id AND t.c < 4"}'),
	('WITH c (SELECT 1 AS a) UPDATE orders SET x = 1 WHERE b = 2', 'UPDATE orders {"b = 2"}'),
	('WITH c AS (SELECT * FROM staging) INSERT INTO orders SELECT * FROM c', 'WRITE orders {}'),
	('WITH c AS (SELECT * FROM orders WHERE b = 1) INSERT INTO orders SELECT * FROM c', 'WRITE orders {TRUE}'),
	('WITH c AS (SELECT * FROM x.`orders`) DELETE FROM orders WHERE b = 1 AND a IN (SELECT a FROM c)', 'DELETE orders {TRUE}'),
	('WITH c AS (SELECT 1) SELECT * FROM c', 'WITH {TRUE}'),
	('WITH c AS SELECT 1 UPDATE orders SET x = 1', 'WITH {TRUE}'),
	('WITH c AS (SELECT 1', 'WITH {TRUE}'),
	('WITH', 'WITH {TRUE}'),
	('DELETE FROM orders WHERE (', 'DELETE orders {TRUE}'),
	('DELETE FROM orders WHERE', 'DELETE orders {TRUE}'),
	('UPDATE', 'UPDATE {TRUE}'),
	('MERGE INTO', 'MERGE {TRUE}'),
	('', '{TRUE}'),
	('''unclosed', '{TRUE}'),
	('/* unclosed', '{TRUE}'),
	(repeat('(', 100000), '{TRUE}')) v(s, want);
SELECT is(deltacc.statement_reads(NULL)::text, NULL, 'no statement says nothing');
SELECT is((SELECT count(*) FROM unnest(ARRAY['DELETE FROM o', 'INSERT INTO o SELECT * FROM o', 'x', 'OPTIMIZE o', 'MERGE INTO o USING s ON (']) s
	JOIN LATERAL deltacc.statement_reads(s) r ON r.note IS NULL), 0::bigint, 'what reads everything says why');

-- ----- errors -----
CREATE TEMP TABLE error (id int, source text, message text);
INSERT INTO error VALUES
	(1, 'Delta 4.4', 'io.delta.exceptions.ConcurrentAppendException: [DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT] Transaction conflict detected. a concurrent WRITE added data to table delta.`file:/lake/events` committed at version 11. The concurrent operation modified data in the partition [event_date=2026-08-17] that should have been read by this operation. Please retry the operation. Refer to https://docs.delta.io/latest/concurrency-control.html for more information.'),
	(2, 'Delta 4.1', 'io.delta.exceptions.ConcurrentDeleteReadException: [DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT] Transaction conflict detected, a concurrent CREATE OR REPLACE TABLE deleted data from table db.orders (committed at version 1200) that this transaction read. The concurrent operation deleted data that was read by this operation. Please retry the operation.'),
	(3, 'Delta 4.1', E'org.apache.spark.SparkException: Job aborted\n\tat x.y.Z(Z.scala:1)\nCaused by: io.delta.exceptions.ConcurrentDeleteDeleteException: [DELTA_CONCURRENT_DELETE_DELETE.WITH_PARTITION_HINT] Transaction conflict detected, a concurrent DELETE deleted data from table orders (committed at version 7) that this transaction attempted to delete. The concurrent operation deleted data in the partition [country=DE, city=a, b=c] that was read by this operation.\n\tat a.b'),
	(4, 'Delta 3', E'io.delta.exceptions.ConcurrentAppendException: Files were added to partition [colC=1] by a concurrent update. Please try the operation again.\nConflicting commit: {"timestamp":1728639379364,"operation":"WRITE","operationParameters":{"mode":Append},"readVersion":4,"isolationLevel":"Serializable","isBlindAppend":true,"operationMetrics":{"numFiles":"3"},"engineInfo":"Apache-Spark/3.5.0 Delta-Lake/3.1.0","txnId":"27fd66c8-5027-4e2e-b5e7-5611887b2f73"}\nRefer to https://docs.delta.io/latest/concurrency-control.html for more details.'),
	(5, 'Delta 3', E'io.delta.exceptions.ConcurrentAppendException: Files were added to the root of the table by a concurrent update. Please try the operation again.\nConflicting commit: {"timestamp":1,"operation":"MERGE","operationParameters":{"predicate":["(a = b)"]},"txnId":"t-5"}\nRefer to https://docs.delta.io/x for more details.'),
	(6, 'Delta 3', E'io.delta.exceptions.ConcurrentDeleteReadException: This transaction attempted to read one or more files that were deleted (for example part-00000-6e1d.c000.snappy.parquet in partition [d=1]) by a concurrent update. Please try the operation again.\nConflicting commit: {"timestamp":1,"operation":"DELETE","txnId":"t-6"}\nRefer to x'),
	(7, 'Delta 1', E'org.apache.spark.sql.delta.ConcurrentDeleteDeleteException: This transaction attempted to delete one or more files that were deleted (for example p=a/x.parquet) by a concurrent update. Please try the operation again.\nConflicting commit: {"version":12,"timestamp":1,"operation":"OPTIMIZE"}\nRefer to x'),
	(8, 'Delta 4.4', E'io.delta.exceptions.MetadataChangedException: [DELTA_METADATA_CHANGED] MetadataChangedException: The metadata of the Delta table delta.`file:/lake/events` has been changed by a concurrent update. Please try the operation again.\nConflicting commit: {"timestamp":1796026153855,"operation":"ADD COLUMNS","txnId":"6b87ad36"}\nRefer to x'),
	(9, 'Delta 4.0', 'io.delta.exceptions.ProtocolChangedException: The protocol version of the Delta table has been changed by a concurrent update. Please try the operation again.'),
	(10, 'Delta 3', 'io.delta.exceptions.ConcurrentTransactionException: This error occurs when multiple streaming queries are using the same checkpoint to write into this table. Did you run multiple instances of the same streaming query at the same time?'),
	(11, 'Databricks', 'com.databricks.sql.transaction.tahoe.ConcurrentAppendException: [DELTA_CONCURRENT_APPEND.ROW_LEVEL_CHANGES] Transaction conflict detected. A concurrent MERGE added data to table main.sales.orders committed at version 81234. The concurrent operation modified the same rows that this transaction attempted to modify. Please retry the operation. SQLSTATE: 2D521'),
	(12, 'Databricks', '[DELTA_CONCURRENT_DELETE_READ.WHOLE_TABLE_READ] Transaction conflict detected, a concurrent OPTIMIZE deleted data from table x (committed at version 5) that this transaction read. SQLSTATE: 2D521'),
	(13, 'Databricks', '[DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT] Transaction conflict detected. A concurrent UPDATE added data to table x committed at version 6. The concurrent operation added data to the partition [event_date=2026-08-12], please narrow. SQLSTATE: 2D521'),
	(14, 'cut off', 'Files were added to partition [a=b] by a concurrent update. Please try'),
	(15, 'something else', 'java.lang.OutOfMemoryError: Java heap space'),
	(16, 'something else', '');
SELECT is(concat_ws('|', e.exception, e.error_class, e.sub_condition, e.sqlstate, e.winning_version, e.winning_operation, e.winning_txn_id, e.partition, e.partition_values, e.path, e.is_databricks), want, format('%s: %s', source, left(message, 90)))
FROM (VALUES
	(1, 'ConcurrentAppendException|DELTA_CONCURRENT_APPEND|WITH_PARTITION_HINT|2D521|11|WRITE|[event_date=2026-08-17]|{"event_date": "2026-08-17"}|f'),
	(2, 'ConcurrentDeleteReadException|DELTA_CONCURRENT_DELETE_READ|WITHOUT_HINT|2D521|1200|CREATE OR REPLACE TABLE|f'),
	(3, 'ConcurrentDeleteDeleteException|DELTA_CONCURRENT_DELETE_DELETE|WITH_PARTITION_HINT|2D521|7|DELETE|[country=DE, city=a, b=c]|{"b": "c", "city": "a", "country": "DE"}|f'),
	(4, 'ConcurrentAppendException|DELTA_CONCURRENT_APPEND|2D521|WRITE|27fd66c8-5027-4e2e-b5e7-5611887b2f73|[colC=1]|{"colC": "1"}|f'),
	(5, 'ConcurrentAppendException|DELTA_CONCURRENT_APPEND|2D521|MERGE|t-5|f'),
	(6, 'ConcurrentDeleteReadException|DELTA_CONCURRENT_DELETE_READ|2D521|DELETE|t-6|[d=1]|{"d": "1"}|part-00000-6e1d.c000.snappy.parquet|f'),
	(7, 'ConcurrentDeleteDeleteException|DELTA_CONCURRENT_DELETE_DELETE|2D521|12|OPTIMIZE|p=a/x.parquet|f'),
	(8, 'MetadataChangedException|DELTA_METADATA_CHANGED|2D521|ADD COLUMNS|6b87ad36|f'),
	(9, 'ProtocolChangedException|DELTA_PROTOCOL_CHANGED|2D521|f'),
	(10, 'ConcurrentTransactionException|DELTA_CONCURRENT_TRANSACTION|2D521|f'),
	(11, 'ConcurrentAppendException|DELTA_CONCURRENT_APPEND|ROW_LEVEL_CHANGES|2D521|81234|MERGE|t'),
	(12, 'ConcurrentDeleteReadException|DELTA_CONCURRENT_DELETE_READ|WHOLE_TABLE_READ|2D521|5|OPTIMIZE|t'),
	(13, 'ConcurrentAppendException|DELTA_CONCURRENT_APPEND|WITH_PARTITION_HINT|2D521|6|UPDATE|[event_date=2026-08-12]|{"event_date": "2026-08-12"}|t'),
	(14, 'ConcurrentAppendException|DELTA_CONCURRENT_APPEND|2D521|[a=b]|{"a": "b"}|f'),
	(15, 'f'),
	(16, 'f')) v(id, want)
JOIN error USING (id) CROSS JOIN LATERAL deltacc.parse_error(message) e ORDER BY id;

-- As they come out of logs, tracebacks and tickets.
CREATE TEMP TABLE wrapped (id int, source text, message text, want text);
INSERT INTO wrapped VALUES
	(1, 'a trace of open-source Delta, which names Databricks', E'io.delta.exceptions.ConcurrentAppendException: Files were added to the root of the table by a concurrent update. Please try the operation again.\nConflicting commit: {"timestamp":1728639379364,"operation":"WRITE","operationParameters":{"mode":Append},"readVersion":4,"txnId":"t-1"}\nRefer to https://docs.delta.io/latest/concurrency-control.html for more details.\n| at org.apache.spark.sql.delta.DeltaErrorsBase.concurrentAppendException(DeltaErrors.scala:2300)\n| at com.databricks.spark.util.DatabricksLogging.recordOperation(DatabricksLogging.scala:77)',
		'ConcurrentAppendException||WRITE|t-1|||f'),
	(2, 'a trace of Databricks 13', E'Caused by: io.delta.exceptions.ConcurrentDeleteDeleteException: This transaction attempted to delete one or more files that were deleted (for example org=15/part-0.parquet) by a concurrent update. Please try the operation again.\nConflicting commit: {"timestamp":1709258840126,"operation":"OPTIMIZE","operationParameters":{"predicate":[],"auto":false},"readVersion":274,"engineInfo":"Databricks-Runtime/13.3.x-scala2.12","txnId":"t-2"}\n\tat com.databricks.sql.transaction.tahoe.DeltaErrorsBase.concurrentDeleteDeleteException(DeltaErrors.scala:2339)',
		'ConcurrentDeleteDeleteException||OPTIMIZE|t-2||org=15/part-0.parquet|t'),
	(3, 'Databricks, on one line', '[DELTA_CONCURRENT_APPEND] ConcurrentAppendException: Files were added to partition [data_day=20260811] by a concurrent update. Please try the operation again. Conflicting commit: {"timestamp":1,"userId":"2","userName":"u","operation":"Manual Update","operationParameters":{},"notebook":{"notebookId":"3"},"readVersion":8,"txnId":"t-3"} Refer to https://docs.databricks.com/delta/concurrency-control.html for more details.',
		'ConcurrentAppendException||Manual Update|t-3|[data_day=20260811]||t'),
	(4, 'through Hive and JDBC', 'Operation failed with error: [org.apache.hive.service.cli.HiveSQLException: Error running query: [DELTA_CONCURRENT_APPEND] io.delta.exceptions.ConcurrentAppendException: [DELTA_CONCURRENT_APPEND] ConcurrentAppendException: Files were added to the root of the table by a concurrent update. Please try the operation again.`',
		'ConcurrentAppendException||||||f'),
	(5, 'wrapped lines', E'[DELTA_CONCURRENT_APPEND.WITHOUT_HINT] Transaction conflict detected. A concurrent UPDATE added\n  data to table main.ai.run_log committed at version\n3. Please retry the operation.', 'ConcurrentAppendException|3|UPDATE||||f'),
	(6, 'wrapped lines', E'io.delta.exceptions.ConcurrentAppendException:\r\nFiles were added to partition [year=2026, month=3]\r\nby a concurrent update. Please try', 'ConcurrentAppendException||||[year=2026, month=3]||f'),
	(7, 'a line of a JSON log', '{"level":"ERROR","exception":"io.delta.exceptions.ConcurrentDeleteReadException: This transaction attempted to read one or more files that were deleted (for example part-1.parquet in partition [d=2026-08-11]) by a concurrent update. Please try the operation again.\nConflicting commit: {\"timestamp\":1,\"operation\":\"MERGE\",\"operationParameters\":{\"predicate\":\"[\\\"(id#1 = id#2)\\\"]\"},\"txnId\":\"t-7\"}\nRefer to x"}',
		'ConcurrentDeleteReadException||MERGE|t-7|[d=2026-08-11]|part-1.parquet|f'),
	(8, 'py4j', E'Traceback (most recent call last):\n  File "job.py", line 12, in <module>\n    spark.sql(q)\npy4j.protocol.Py4JJavaError: An error occurred while calling o45.sql.\n: io.delta.exceptions.ConcurrentAppendException: [DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT] Transaction conflict detected. a concurrent UPDATE added data to table delta.`s3://lake/orders` committed at version 912. The concurrent operation modified data in the partition [country=DE] that should have been read by this operation. Please retry the operation.\n\tat com.databricks.spark.util.DatabricksLogging.recordOperation(DatabricksLogging.scala:128)',
		'ConcurrentAppendException|912|UPDATE||[country=DE]||f'),
	(9, 'Spark Connect', '(io.delta.exceptions.ConcurrentAppendException) [DELTA_CONCURRENT_APPEND.ROW_LEVEL_CHANGES] Transaction conflict detected. A concurrent MERGE added data to table main.s.o committed at version 55. The concurrent operation modified the same rows that this transaction attempted to modify. Please retry the operation. SQLSTATE: 2D521',
		'ConcurrentAppendException|55|MERGE||||t'),
	(10, 'pytest', E'E       delta.connect.exceptions.ConcurrentAppendException: Files were added to the root of the table by a concurrent update. Please try the operation again.\nE       Conflicting commit: {"timestamp":1710859844174,"operation":"CREATE OR REPLACE TABLE AS SELECT","operationParameters":{"partitionBy":[]},"readVersion":840,"txnId":"t-10"}\nE       Refer to https://docs.microsoft.com/azure/databricks/delta/concurrency-control for more details.',
		'ConcurrentAppendException||CREATE OR REPLACE TABLE AS SELECT|t-10|||t'),
	(11, 'old Databricks', 'Error in SQL statement: ExecutionException: com.databricks.sql.transaction.tahoe.MetadataChangedException: The metadata of the Delta table has been changed by a concurrent update. Please try the operation again. Conflicting commit: {"version":17,"timestamp":5,"userId":"1","operation":"SET TBLPROPERTIES","operationParameters":{"properties":{"a":"true"}},"readVersion":16}',
		'MetadataChangedException|17|SET TBLPROPERTIES||||t'),
	(12, 'Delta Standalone', E'io.delta.standalone.exceptions.MetadataChangedException: The metadata of the Delta table has been changed by a concurrent update. Please try the operation again.\nConflicting commit: {"timestamp":1652425436731,"operation":"UPDATE SCHEMA"', 'MetadataChangedException||UPDATE SCHEMA||||f'),
	(13, 'through a driver', 'Error from server: error code: ''0'' error message: ''Error running query: io.delta.exceptions.ProtocolChangedException: The protocol version of the Delta table has been changed by a concurrent update. This happens when', 'ProtocolChangedException||||||f'),
	(14, 'a sub-condition of a protocol change', '[DELTA_PROTOCOL_CHANGED.WRITE_TO_EMPTY_DIRECTORY] ProtocolChangedException: The protocol version of the Delta table has been changed by a concurrent update. Conflicting commit: {"version":0,"timestamp":1,"operation":"WRITE","operationParameters":{}}', 'ProtocolChangedException|0|WRITE||||f'),
	(15, 'a version that is a parameter', 'io.delta.exceptions.ConcurrentAppendException: Files were added to partition [a=1] by a concurrent update. Conflicting commit: {"timestamp":1,"operation":"RESTORE","operationParameters":{"version":5,"timestamp":null},"readVersion":9,"txnId":"t-15"}', 'ConcurrentAppendException||RESTORE|t-15|[a=1]||f'),
	(16, 'a value with a comma, a NULL', '[DELTA_CONCURRENT_DELETE_READ.WITH_PARTITION_HINT] Transaction conflict detected, a concurrent DELETE deleted data from table t (committed at version 12) that this transaction read. The concurrent operation deleted data in the partition [d=null, e=x, y] that was read by this operation.', 'ConcurrentDeleteReadException|12|DELETE||[d=null, e=x, y]||f'),
	(17, 'a value with a bracket', 'ConcurrentAppendException: Files were added to partition [p=a], q=[1]] by a concurrent update. Please try', 'ConcurrentAppendException||||[p=a], q=[1]]||f'),
	(18, 'cut off', E'ConcurrentDeleteReadException: This transaction attempted to read one or more\nfiles that were deleted (for example /path/x.parq', 'ConcurrentDeleteReadException||||||f'),
	(19, 'cut off', 'conflict detected. A concurrent MERGE added data to table main.sales.orders committed at version 81234. The concurr', 'ConcurrentAppendException|81234|MERGE||||f'),
	(20, 'Spark''s JSON', '{"errorClass":"DELTA_CONCURRENT_DELETE_DELETE.WITH_PARTITION_HINT","sqlState":"2D521","messageParameters":{"operation":"MERGE","partitionValues":"[d=1]","tableName":"x","version":"7"}}', 'ConcurrentDeleteDeleteException|7|MERGE||[d=1]||f'),
	(21, 'an external log store', 'io.delta.exceptions.ConcurrentWriteException: A concurrent transaction has written new data since the current transaction read the table. Please try the operation again.', 'ConcurrentWriteException||||||f'),
	(22, 'another error of Delta', '[DELTA_TABLE_NOT_FOUND] Delta table `x` doesn''t exist. SQLSTATE: 42P01', '||||||t');
SELECT is(concat(e.exception, '|', e.winning_version, '|', e.winning_operation, '|', e.winning_txn_id, '|', e.partition, '|', e.path, '|', e.is_databricks), want, format('%s: %s', id, source))
FROM wrapped CROSS JOIN LATERAL deltacc.parse_error(message) e ORDER BY id;
SELECT is(e.partition_values, '{"d": null, "e": "x, y"}', 'partition values') FROM wrapped, deltacc.parse_error(message) e WHERE id = 16;
SELECT is(concat_ws(' ', e.error_class, e.sub_condition, e.sqlstate), v.want, 'condition of ' || id)
FROM (VALUES (5, 'DELTA_CONCURRENT_APPEND WITHOUT_HINT 2D521'), (9, 'DELTA_CONCURRENT_APPEND ROW_LEVEL_CHANGES 2D521'), (14, 'DELTA_PROTOCOL_CHANGED WRITE_TO_EMPTY_DIRECTORY 2D521'),
	(20, 'DELTA_CONCURRENT_DELETE_DELETE WITH_PARTITION_HINT 2D521'), (21, 'DELTA_CONCURRENT_WRITE 2D521'), (22, '42P01')) v(id, want)
JOIN wrapped USING (id) CROSS JOIN LATERAL deltacc.parse_error(message) e ORDER BY id;

-- ----- the read version -----
SELECT deltacc.ingest(t, :'data' || '/logs/' || t) > 0 FROM unnest(ARRAY['orders', 'events', 'accounts']) t \g /dev/null
CREATE FUNCTION pg_temp.at(name text, v bigint) RETURNS timestamptz LANGUAGE sql AS
$$ SELECT committed_at FROM deltacc.commits JOIN deltacc.tables USING (table_id) WHERE tables.name = at.name AND version = v $$;
SELECT is(deltacc.aborted_read_version('orders', pg_temp.at('orders', 12)), 12::bigint, 'the newest commit at the start');
SELECT is(deltacc.aborted_read_version('orders', pg_temp.at('orders', 12) - interval '1 millisecond'), 11::bigint, 'not one that came later');
SELECT is(deltacc.aborted_read_version('orders', pg_temp.at('orders', 12), 'committed at version 14'), 12::bigint, 'a later winner changes nothing');
SELECT is(deltacc.aborted_read_version('orders', pg_temp.at('orders', 12), 'committed at version 12'), 11::bigint, 'a winner was not seen');
SELECT is(deltacc.aborted_read_version('orders', NULL, 'committed at version 12'), 11::bigint, 'without a start: the version before the winner');
SELECT is(deltacc.aborted_read_version('events', pg_temp.at('events', 33) + interval '1 hour', E'Conflicting commit: {"txnId":"' || txn_id || '"}'), 31::bigint, 'a winner may be named by its txnId')
FROM deltacc.history WHERE table_name = 'events' AND version = 32;
SELECT is(deltacc.aborted_read_version('orders', pg_temp.at('orders', 0) - interval '1 second'), -1::bigint, 'before the first commit there was no table');
SELECT is(deltacc.aborted_read_version('orders', NULL), NULL, 'nothing known: no version');
SELECT is(deltacc.aborted_read_version('nosuch', now()), NULL, 'no table: no version');

-- ----- the view: one bad row must not hide the others -----
INSERT INTO deltacc.aborted_transactions (table_name, job_name, statement, reads, read_version, started_at, failed_at, isolation, error) VALUES
	('orders', 'plain', NULL, ARRAY['customer_id BETWEEN 900000 AND 901000']::deltacc.predicate[], 10, NULL, pg_temp.at('orders', 12), NULL, NULL),
	('orders', 'unknown column', 'DELETE FROM orders WHERE nosuch = 3', NULL, 10, NULL, pg_temp.at('orders', 11), NULL, NULL),
	('orders', 'no read version', 'DELETE FROM orders WHERE customer_id = 3', NULL, NULL, NULL, NULL, NULL, NULL),
	('orders', 'a version to come', NULL, NULL, 1000, NULL, NULL, NULL, NULL),
	('nosuch', 'no log', 'DELETE FROM nosuch', NULL, 1, NULL, NULL, NULL, NULL),
	('orders', 'write serializable', NULL, ARRAY['customer_id = 1']::deltacc.predicate[], 11, NULL, pg_temp.at('orders', 12), 'WriteSerializable', NULL),
	('orders', 'of databricks', 'UPDATE orders SET x = 1 WHERE customer_id = 1', NULL, NULL, NULL, NULL, NULL, (SELECT replace(message, '81234', '13') FROM error WHERE id = 11)),
	('orders', 'nothing else known', NULL, NULL, 10, NULL, pg_temp.at('orders', 11), NULL, NULL),
	('orders', 'another error', NULL, ARRAY['customer_id = 1']::deltacc.predicate[], 12, NULL, pg_temp.at('orders', 12), NULL, (SELECT message FROM error WHERE id = 1)),
	('orders', 'optimize', 'OPTIMIZE orders', NULL, 11, NULL, pg_temp.at('orders', 12), NULL, NULL),
	('orders', 'before the table', 'INSERT INTO orders SELECT 1', NULL, -1, NULL, pg_temp.at('orders', 0), NULL, NULL);
SELECT is(concat_ws('|', read_version, last_version, winning_version, exception, agrees, real_overlap, reads::text, note), want, job_name)
FROM (VALUES
	('plain', '10|12|11|ConcurrentAppendException|no|{"customer_id BETWEEN 900000 AND 901000"}'),
	('unknown column', '10|11|11|ConcurrentAppendException|not excluded|{TRUE}|the condition does not fit the table: column nosuch does not exist in the table'),
	('no read version', '26|{"customer_id = 3"}|the version that it read is not known: give read_version, started_at or the error'),
	('a version to come', '1000|26|{TRUE}|version 1000 is not held'),
	('no log', '{TRUE}|table "nosuch" is not in deltacc.tables'),
	('write serializable', '11|12|{"customer_id = 1"}|no commit that it raced conflicts with what is known of it'),
	('of databricks', '12|13|13|ConcurrentAppendException|t|no|{"customer_id = 1"}'),
	('nothing else known', '10|11|11|ConcurrentAppendException|not excluded|{TRUE}|neither statement nor reads: it may have read everything'),
	('another error', '12|12|f|{"customer_id = 1"}|no commit that it raced conflicts with what is known of it'),
	('optimize', '11|12|{TRUE}|OPTIMIZE reads everything'),
	('before the table', '-1|0|0|MetadataChangedException|not about rows|{}')) v(job_name, want)
LEFT JOIN deltacc.aborted_conflicts a USING (job_name);
SELECT is(avoided_by, ARRAY['data skipping', 'sharp', 'row level'], 'what would have avoided it') FROM deltacc.aborted_conflicts WHERE job_name = 'plain';
SELECT ok(advice IS NOT NULL AND message IS NOT NULL AND path IS NOT NULL AND read_predicate IS NOT NULL AND winning_at IS NOT NULL, 'with the file, the read, the advice') FROM deltacc.aborted_conflicts WHERE job_name = 'plain';

-- The error knows better which winner it was.
DELETE FROM deltacc.aborted_transactions;
INSERT INTO deltacc.aborted_transactions (table_name, job_name, reads, read_version, failed_at, isolation, error) VALUES
	('orders', 'a later winner', ARRAY['true']::deltacc.predicate[], 10, pg_temp.at('orders', 13), 'Serializable', '[DELTA_CONCURRENT_APPEND.WITHOUT_HINT] Transaction conflict detected. a concurrent WRITE added data to table orders committed at version 12.'),
	('orders', 'a winner that is none', ARRAY['true']::deltacc.predicate[], 11, pg_temp.at('orders', 12), 'WriteSerializable', '[DELTA_CONCURRENT_APPEND] Transaction conflict detected. a concurrent WRITE added data to table orders committed at version 12.'),
	('orders', 'a winner to come', ARRAY['true']::deltacc.predicate[], 23, NULL, NULL, '[DELTA_CONCURRENT_APPEND] Transaction conflict detected. a concurrent WRITE added data to table orders committed at version 99.'),
	-- the UPDATE at version 11 was of other customers, the OPTIMIZE at 15 moved all
	('orders', 'a false winner, a real one later', ARRAY['customer_id BETWEEN 900000 AND 901000']::deltacc.predicate[], 10, pg_temp.at('orders', 16), NULL, NULL);
SELECT is(concat_ws('|', winning_version, winning_operation, winning_at = pg_temp.at('orders', winning_version), exception, agrees, real_overlap, note), want, job_name)
FROM (VALUES
	('a later winner', '12|WRITE|t|ConcurrentAppendException|t|not excluded|it read less than that: version 11, too, would have beaten it'),
	('a winner that is none', '12|WRITE|t|f|no commit that it raced conflicts with what is known of it'),
	('a winner to come', 'version 99, which the error names, is not held: the newest is 26'),
	('a false winner, a real one later', '11|UPDATE|t|ConcurrentAppendException|no')) v(job_name, want)
LEFT JOIN deltacc.aborted_conflicts a USING (job_name);
SELECT is(avoided_by, '{}', '... which nothing would have avoided') FROM deltacc.aborted_conflicts WHERE job_name = 'a false winner, a real one later';

-- The partition that the error names is the one that is shown.
INSERT INTO deltacc.tables (name) VALUES ('parts');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, v, a::deltacc.actions FROM deltacc.tables t, (VALUES
	(0, E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[{\\"name\\":\\"d\\",\\"type\\":\\"string\\",\\"nullable\\":true,\\"metadata\\":{}}]}","partitionColumns":["d"],"configuration":{},"createdTime":1}}'),
	(1, (SELECT E'{"commitInfo":{"operation":"MERGE"}}\n' || string_agg(format('{"add":{"path":"%s","partitionValues":{"d":"%s"},"size":1,"modificationTime":1,"dataChange":true}}', d, d), E'\n') FROM unnest(ARRAY['a', 'b', 'c']) d))) v(v, a) WHERE t.name = 'parts';
INSERT INTO deltacc.aborted_transactions (table_name, job_name, reads, read_version, error) VALUES
	('parts', 'of b', ARRAY['true']::deltacc.predicate[], 0, '[DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT] Transaction conflict detected. a concurrent MERGE added data to table parts committed at version 1. The concurrent operation modified data in the partition [d=b] that should have been read by this operation.'),
	('parts', 'of c, old', ARRAY['true']::deltacc.predicate[], 0, 'ConcurrentAppendException: Files were added to partition [d=c] by a concurrent update.'),
	('parts', 'of x', ARRAY['true']::deltacc.predicate[], 0, 'ConcurrentAppendException: Files were added to partition [d=x] by a concurrent update.');
SELECT is(concat_ws('|', winning_version, path, agrees, error_partition), want, job_name)
FROM (VALUES ('of b', '1|b|t|[d=b]'), ('of c, old', '1|c|t|[d=c]'), ('of x', '1|a|t|[d=x]')) v(job_name, want)
LEFT JOIN deltacc.aborted_conflicts a USING (job_name);
DELETE FROM deltacc.tables WHERE name = 'parts';

-- An INSERT that reads nothing is beaten by no rows.
INSERT INTO deltacc.aborted_transactions (table_name, job_name, statement, read_version) VALUES
	('orders', 'a blind append', 'INSERT INTO orders SELECT * FROM staging', 10),
	('orders', 'no blind append', 'INSERT INTO orders SELECT * FROM orders', 10),
	('events', 'a blind append, and ADD COLUMNS', 'INSERT INTO events SELECT * FROM staging', 30);
SELECT is(concat_ws('|', winning_version, exception, note), want, job_name)
FROM (VALUES
	('a blind append', 'no commit that it raced conflicts with what is known of it'),
	('no blind append', '11|ConcurrentAppendException|the statement names its target twice: it may read all of it'),
	('a blind append, and ADD COLUMNS', '33|MetadataChangedException')) v(job_name, want)
LEFT JOIN deltacc.aborted_conflicts a USING (job_name);

-- A row that would be no argument of a check is refused where it is entered.
SELECT throws_ok($$INSERT INTO deltacc.aborted_transactions (table_name, reads) VALUES ('orders', ARRAY['a = 1', NULL]::deltacc.predicate[])$$, '23514');

-- The file's name ends before what is said of its partition; a number past all versions is none.
SELECT is(path, 'part-00003-9d5.snappy.parquet', 'a file of an unpartitioned table') FROM deltacc.parse_error(
	'com.databricks.sql.transaction.tahoe.ConcurrentDeleteReadException: This transaction attempted to read one or more files that were deleted (for example part-00003-9d5.snappy.parquet in the root of the table) by a concurrent update. Please try the operation again.');
SELECT is(winning_version, NULL, 'a version of 19 digits') FROM deltacc.parse_error(
	'[DELTA_CONCURRENT_APPEND.WITHOUT_HINT] Transaction conflict detected. a concurrent UPDATE added data to table t committed at version 9223372036854775807.');

-- It can't have failed before it read; an error without a version means the first winner that raises its exception, in its partition.
DELETE FROM deltacc.aborted_transactions;
INSERT INTO deltacc.aborted_transactions (table_name, job_name, reads, read_version, failed_at, error) VALUES
	('orders', 'failed long before', ARRAY['customer_id = 5']::deltacc.predicate[], 10, '2000-01-01', NULL),
	('orders', 'failed before there was anything', ARRAY['customer_id = 5']::deltacc.predicate[], -1, '2000-01-01', NULL),
	('orders', 'reads a version that its winner precedes', ARRAY['customer_id = 5']::deltacc.predicate[], 10, NULL, '[DELTA_CONCURRENT_APPEND] a concurrent WRITE added data to table orders committed at version 5.'),
	('events', 'metadata', ARRAY['true']::deltacc.predicate[], 8, NULL, 'io.delta.exceptions.MetadataChangedException: The metadata of the Delta table has been changed by a concurrent update. Please try the operation again.'),
	('events', 'a partition', ARRAY['true']::deltacc.predicate[], 8, NULL, 'io.delta.exceptions.ConcurrentAppendException: Files were added to partition [event_date=2026-08-17] by a concurrent update. Please try the operation again.');
SELECT is(concat_ws('|', winning_version, exception, agrees, partition_values ->> 'event_date', note), want, job_name)
FROM (VALUES
	('failed long before', 'it can''t have read version 10: by its error or failed_at it was over before that one was committed'),
	('failed before there was anything', 'it was over before the first commit that is held'),
	('reads a version that its winner precedes', 'it can''t have read version 10: by its error or failed_at it was over before that one was committed'),
	('metadata', '33|MetadataChangedException|t|it read less than that: version 9, too, would have beaten it'),
	('a partition', '10|ConcurrentAppendException|t|2026-08-17|it read less than that: version 9, too, would have beaten it')) v(job_name, want)
LEFT JOIN deltacc.aborted_conflicts a USING (job_name);

-- The level.
SELECT is(coalesce(deltacc.aborted_isolation(isolation, state::deltacc.actions, databricks, operation), 'its own'), want, concat_ws(', ', isolation, left(state, 3), databricks, operation))
FROM (VALUES
	(NULL, '', false, 'UPDATE', 'its own'), (NULL, '', true, 'UPDATE', 'WriteSerializable'), (NULL, '', true, 'OPTIMIZE', 'SnapshotIsolation'), ('Serializable', '', true, 'UPDATE', 'Serializable'),
	(NULL, '{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{}","partitionColumns":[],"configuration":{"delta.isolationLevel":"Serializable"}}}', true, 'UPDATE', 'its own'))
	v(isolation, state, databricks, operation, want);
SELECT throws_ok($$INSERT INTO deltacc.aborted_transactions (table_name, isolation) VALUES ('orders', 'none')$$, '23514');

-- A winner whose commitInfo has no transaction id is known by its time, if that is unique.
SELECT is(deltacc.aborted_read_version('orders', NULL, format('ConcurrentAppendException: Files were added to the root of the table by a concurrent update. Conflicting commit: {"timestamp":%s,"operation":"WRITE"',
	deltacc.commit_info(actions) ->> 'timestamp')), 11::bigint, 'a winner may be named by its time') FROM deltacc.commits JOIN deltacc.tables USING (table_id) WHERE name = 'orders' AND version = 12;

-- Many of them are explained in parallel.
CREATE TEMP TABLE plan (line text);
DO $$ DECLARE l text; BEGIN
	INSERT INTO deltacc.aborted_transactions (table_name, reads, read_version) SELECT 'orders', ARRAY['customer_id = 5']::deltacc.predicate[], 25 FROM generate_series(1, 100);
	ANALYZE deltacc.aborted_transactions;
	FOR l IN EXPLAIN SELECT count(*) FROM deltacc.aborted_conflicts WHERE agrees LOOP INSERT INTO plan VALUES (l); END LOOP;
END $$;
SELECT ok(EXISTS (SELECT FROM plan WHERE line ~ 'Workers Planned'), 'the view is planned in parallel');
SELECT is(count(*) FILTER (WHERE winning_version = 26), 100::bigint, '... with the same result') FROM deltacc.aborted_conflicts WHERE read_version = 25 AND job_name IS NULL;

-- What stands in one log is a note in its rows, not the end of the view.
INSERT INTO deltacc.tables (name) VALUES ('odd'), ('headless');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, v, a::deltacc.actions FROM deltacc.tables t JOIN (VALUES
	('odd', 0, E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[{\\"name\\":\\"d\\",\\"type\\":\\"date\\",\\"nullable\\":true,\\"metadata\\":{}}]}","partitionColumns":["d"],"configuration":{},"createdTime":1}}'),
	('odd', 1, E'{"commitInfo":{"operation":"WRITE"}}\n{"add":{"path":"a","partitionValues":{"d":"nonsense"},"size":1,"modificationTime":1,"dataChange":true}}'),
	('odd', 2, '{"protocol":{"minReaderVersion":9,"minWriterVersion":99}}'),
	('headless', 7, '{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'),
	('headless', 8, '{"add":{"path":"b","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}')) v(name, v, a) USING (name);
DELETE FROM deltacc.aborted_transactions;
INSERT INTO deltacc.aborted_transactions (table_name, job_name, reads, read_version) VALUES
	('odd', 'a value that is no date', ARRAY['d = DATE ''2026-08-11''']::deltacc.predicate[], 0),
	('odd', 'a protocol of tomorrow', ARRAY['d IS NULL']::deltacc.predicate[], 1),
	('headless', 'a log without beginning', ARRAY['x = 1']::deltacc.predicate[], 7),
	('headless', 'long before', ARRAY['x = 1']::deltacc.predicate[], 3);
SELECT matches(note, want, job_name)
FROM (VALUES
	('a value that is no date', 'nonsense'),
	('a protocol of tomorrow', 'protocol|version|feature'),
	('a log without beginning', '^what the table was at version 7 is not known: .*its log begins with version 7'),
	('long before', '^version 3 is not held any more')) v(job_name, want)
LEFT JOIN deltacc.aborted_conflicts a USING (job_name);
DELETE FROM deltacc.tables WHERE name IN ('odd', 'headless');

SELECT volatility_is('deltacc', 'statement_reads', ARRAY['text'], 'immutable');
SELECT volatility_is('deltacc', 'parse_error', ARRAY['text'], 'immutable');
SELECT is(bool_and(proparallel = 's'), true, 'all of it is parallel safe') FROM pg_proc
WHERE pronamespace = 'deltacc'::regnamespace AND proname IN ('statement_reads', 'parse_error', 'aborted_read_version', 'explain_abort', 'fit_reads', 'compare_commit', 'app_ids');

SELECT * FROM finish();
ROLLBACK;
