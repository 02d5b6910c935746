-- The conflict check: what the rows look like, one kind after the other.
SET TimeZone = 'UTC';
SET deltacc.data_skipping = off;
\set snapshot '{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["appendOnly","invariants","domainMetadata"]}}\n{"metaData":{"id":"e","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[{\\"name\\":\\"event_date\\",\\"type\\":\\"date\\",\\"nullable\\":true,\\"metadata\\":{}},{\\"name\\":\\"id\\",\\"type\\":\\"long\\",\\"nullable\\":true,\\"metadata\\":{}}]}","partitionColumns":["event_date"],"configuration":{},"createdTime":1}}'
\x on

-- Added files: a job that works on one day, and a join that does not say so.
SELECT * FROM deltacc.check_conflicts(:'snapshot'::deltacc.actions,
	'{"commitInfo":{"timestamp":1,"operation":"MERGE","userName":"nobody@example.com","isBlindAppend":false}}
{"add":{"path":"event_date=2026-08-13/part-0007","partitionValues":{"event_date":"2026-08-13"},"size":10,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":3}"}}',
	ARRAY['s.id = t.id'],
	'{"remove":{"path":"event_date=2026-08-12/part-0001","partitionValues":{"event_date":"2026-08-12"},"deletionTimestamp":1,"dataChange":true}}',
	isolation => 'WriteSerializable', winner_version => 42, table_name => 'sales.events');

-- The condition that the hint gives is one that avoids it.
SELECT count(*) FROM deltacc.check_conflicts(:'snapshot'::deltacc.actions,
	'{"add":{"path":"event_date=2026-08-13/part-0007","partitionValues":{"event_date":"2026-08-13"},"size":10,"modificationTime":1,"dataChange":true}}',
	ARRAY['s.id = t.id AND event_date = DATE ''2026-08-12''']);

-- A file that both a read and our own remove are about: two reasons.
SELECT check_name, exception, error_class, sub_condition, sqlstate, path, partition_values, isolation, read_index, read_predicate, message, hint, details
FROM deltacc.check_conflicts(:'snapshot'::deltacc.actions,
	'{"commitInfo":{"timestamp":1,"operation":"OPTIMIZE","isBlindAppend":false}}
{"remove":{"path":"a","partitionValues":{"event_date":"2026-08-12"},"deletionTimestamp":1,"dataChange":false}}
{"add":{"path":"b","partitionValues":{"event_date":"2026-08-12"},"size":10,"modificationTime":1,"dataChange":false}}',
	ARRAY['event_date = ''2026-08-12'' AND id > 5'],
	'{"remove":{"path":"a","partitionValues":{"event_date":"2026-08-12"},"deletionTimestamp":1,"dataChange":true}}',
	isolation => 'Serializable', winner_version => 43);

-- Metadata, protocol, domains, application ids, in one commit: the order of the checks.
SELECT check_name, exception, error_class, path, message, hint, details
FROM deltacc.check_conflicts(:'snapshot'::deltacc.actions,
	'{"commitInfo":{"timestamp":1,"operation":"KITCHEN SINK"}}
{"txn":{"appId":"stream-1","version":7}}
{"domainMetadata":{"domain":"my.domain","configuration":"{}","removed":false}}
{"metaData":{"id":"e","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{"a":"b"},"createdTime":1}}
{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["appendOnly","domainMetadata"]}}',
	writes => '{"domainMetadata":{"domain":"my.domain","configuration":"{}","removed":false}}',
	read_app_ids => ARRAY['stream-1'], winner_version => 44, table_name => 'sales.events');

-- Nothing known but the winner.
SELECT check_name, path, isolation, message, hint FROM deltacc.check_conflicts(:'snapshot'::deltacc.actions,
	'{"remove":{"path":"a","deletionTimestamp":1,"dataChange":true}}');
\x off

-- The scalar form, for joins.
SELECT v.n, (c).exception, (c).path
FROM (VALUES (1, '{"add":{"path":"x","partitionValues":{"event_date":"2026-08-12"},"size":1,"modificationTime":1,"dataChange":true}}'),
			 (2, '{"add":{"path":"y","partitionValues":{"event_date":"2026-08-13"},"size":1,"modificationTime":1,"dataChange":true}}')) AS v(n, winner),
	 deltacc.first_conflict(:'snapshot'::deltacc.actions, v.winner::deltacc.actions, ARRAY['event_date = ''2026-08-12''']) AS c
ORDER BY n;

-- A rebase that is none.
SELECT deltacc.rebase(:'snapshot'::deltacc.actions,
	'{"commitInfo":{"operation":"DELETE"}}
{"remove":{"path":"a","partitionValues":{"event_date":"2026-08-12"},"deletionTimestamp":1,"dataChange":true}}
{"remove":{"path":"b","partitionValues":{"event_date":"2026-08-12"},"deletionTimestamp":1,"dataChange":true}}',
	writes => '{"remove":{"path":"a","deletionTimestamp":1,"dataChange":true}}
{"remove":{"path":"b","deletionTimestamp":1,"dataChange":true}}', winner_version => 45);

-- A partition value that is no date: Delta's check fails, and so does ours ...
SELECT * FROM deltacc.check_conflicts(:'snapshot'::deltacc.actions,
	'{"add":{"path":"bad","partitionValues":{"event_date":"2026-13-45"},"size":1,"modificationTime":1,"dataChange":true}}',
	ARRAY['event_date = ''2026-08-12''']);
-- ... unless there is a conflict before it.
SELECT path FROM deltacc.check_conflicts(:'snapshot'::deltacc.actions,
	'{"add":{"path":"good","partitionValues":{"event_date":"2026-08-12"},"size":1,"modificationTime":1,"dataChange":true}}
{"add":{"path":"bad","partitionValues":{"event_date":"2026-13-45"},"size":1,"modificationTime":1,"dataChange":true}}',
	ARRAY['event_date = ''2026-08-12''']);

-- What Delta can't read.
SELECT * FROM deltacc.check_conflicts(:'snapshot'::deltacc.actions,
	'{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["teleport"],"writerFeatures":["teleport"]}}', winner_version => 46);
SELECT * FROM deltacc.check_conflicts(:'snapshot'::deltacc.actions, '');
SELECT * FROM deltacc.check_conflicts(:'snapshot'::deltacc.actions, NULL);
SELECT * FROM deltacc.check_conflicts(:'snapshot'::deltacc.actions, '{"add":{"path":"x"}}', ARRAY['true', NULL]::deltacc.predicate[]);
SELECT * FROM deltacc.check_commit('no.such.table', 3);
