-- What a conflict's hint says: one test per kind of advice, with the names and
-- values of that very conflict.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();
SET LOCAL deltacc.data_skipping = off;
SET LOCAL deltacc.default_isolation_level = 'Serializable';

-- events (event_date date, customer_id bigint, name string), partitioned by event_date or not at all.
CREATE FUNCTION pg_temp.events(partition_columns text DEFAULT '["event_date"]', VARIADIC files text[] DEFAULT '{}') RETURNS deltacc.actions LANGUAGE sql AS $$
	SELECT concat_ws(E'\n', '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}', json_build_object('metaData', json_build_object(
		'id', 't', 'format', json_build_object('provider', 'parquet', 'options', '{}'::json),
		'schemaString', '{"type":"struct","fields":[{"name":"event_date","type":"date","nullable":true,"metadata":{}},{"name":"customer_id","type":"long","nullable":true,"metadata":{}},{"name":"name","type":"string","nullable":true,"metadata":{}}]}',
		'partitionColumns', partition_columns::json, 'configuration', '{}'::json, 'createdTime', 1))::text,
		nullif(array_to_string(files, E'\n'), ''))::deltacc.actions $$;

CREATE FUNCTION pg_temp.event_add(path text, event_date text DEFAULT NULL, low int DEFAULT NULL, high int DEFAULT NULL, data_change boolean DEFAULT true) RETURNS text LANGUAGE sql AS $$
	SELECT json_build_object('add', json_strip_nulls(json_build_object('path', path,
		'partitionValues', CASE WHEN event_date IS NULL THEN '{}'::json ELSE json_build_object('event_date', event_date) END,
		'size', 1, 'modificationTime', 1, 'dataChange', data_change,
		'stats', CASE WHEN low IS NOT NULL THEN format('{"numRecords":10,"minValues":{"customer_id":%s},"maxValues":{"customer_id":%s},"nullCount":{"customer_id":0}}', low, high) END)))::text $$;

CREATE FUNCTION pg_temp.event_remove(path text, event_date text DEFAULT NULL, data_change boolean DEFAULT true) RETURNS text LANGUAGE sql AS $$
	SELECT json_build_object('remove', json_strip_nulls(json_build_object('path', path,
		'partitionValues', CASE WHEN event_date IS NOT NULL THEN json_build_object('event_date', event_date) END, 'deletionTimestamp', 1, 'dataChange', data_change)))::text $$;

CREATE FUNCTION pg_temp.conflict(state deltacc.actions, winner deltacc.actions, reads deltacc.predicate[], writes deltacc.actions, skipping text DEFAULT 'off',
	operation text DEFAULT 'MERGE', read_files text[] DEFAULT NULL, whole boolean DEFAULT false, app_ids text[] DEFAULT '{}') RETURNS deltacc.conflict LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('deltacc.data_skipping', skipping, true);
	RETURN deltacc.first_conflict(state, winner, reads, writes, NULL, whole, read_files, app_ids, operation, 7, 'events');
END $$;

-- Each of these has a text of its own; everything else about the hint may grow.
CREATE FUNCTION pg_temp.says(c deltacc.conflict, sentence text, why text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN strpos(c.hint, sentence) > 0 THEN pass(why) ELSE fail(why) || E'\n' || diag(c.exception || ': ' || coalesce(c.hint, 'no hint')) END $$;
CREATE FUNCTION pg_temp.is_silent(c deltacc.conflict, sentence text, why text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN c.hint IS NOT NULL AND strpos(c.hint, sentence) = 0 THEN pass(why) ELSE fail(why) || E'\n' || diag(coalesce(c.hint, 'no conflict')) END $$;

\set merge_12 'pg_temp.commit_of(pg_temp.event_remove(\'event_date=2026-08-12/old\', \'2026-08-12\'), pg_temp.event_add(\'event_date=2026-08-12/new\', \'2026-08-12\', 1, 9))'
\set wrote_13 'pg_temp.commit_of(pg_temp.info_of(\'MERGE\'), pg_temp.event_add(\'event_date=2026-08-13/part-0007.parquet\', \'2026-08-13\', 0, 99))'

-- A literal on the partition column would have kept the two apart, and it was tried.
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['s.event_date = t.event_date'], :merge_12),
	'The winner''s files hold only event_date = DATE ''2026-08-13'', the transaction''s own files event_date = DATE ''2026-08-12'': narrow the read by event_date = DATE ''2026-08-12'', and none of them conflicts (tested on this commit).',
	'narrow by the partition that the transaction wrote');
SELECT is((pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['s.event_date = t.event_date'], :merge_12)).details->>'narrow_by', 'event_date = DATE ''2026-08-12''', '... and for a program');
SELECT is((pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['s.event_date = t.event_date AND event_date = DATE ''2026-08-12'''], :merge_12)).exception, NULL, '... which is true');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(), pg_temp.commit_of(pg_temp.info_of('MERGE'), pg_temp.event_add('a', '2026-08-13'), pg_temp.event_add('b', '2026-08-20')), ARRAY['customer_id = 5'],
	pg_temp.commit_of(pg_temp.event_remove('c', '2026-08-12'), pg_temp.event_add('d', '2026-08-11'))),
	'narrow the read by event_date IN (DATE ''2026-08-12'', DATE ''2026-08-11'')', 'a few partitions are listed');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['customer_id = 5'],
	(SELECT string_agg(pg_temp.event_add('d' || n, '2026-08-0' || n), E'\n') FROM generate_series(1, 6) n)::deltacc.actions),
	'narrow the read by event_date BETWEEN DATE ''2026-08-01'' AND DATE ''2026-08-06''', 'more than a few are a range');

-- No advice where it would not help.
SELECT pg_temp.is_silent(pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['customer_id = 5'], pg_temp.commit_of(pg_temp.event_add('n', '2026-08-13', 1, 9))), 'event_date =',
	'no advice to narrow where both work in the same partition');
SELECT pg_temp.is_silent(pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['event_date = DATE ''2026-08-13'''], :merge_12), 'narrow',
	'... nor where the read asks for the winner''s partition');

-- Where nothing is known of the transaction, the winner's partition can be left out.
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['customer_id = 5'], NULL),
	'The winner''s files hold only event_date = DATE ''2026-08-13'': if the transaction needs none of it, add event_date <> DATE ''2026-08-13'' to the read', 'leave out the winner''s partition');

SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['s.event_date = t.event_date'], NULL),
	'add event_date <> DATE ''2026-08-13'' to the read', '... a join on the column is no condition on it');
SELECT pg_temp.is_silent(pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['event_date > DATE ''2026-08-01'''], NULL), '<>', '... but not where the read has its own');

-- Where only the files are known that the transaction read, those say what it needs.
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('["event_date"]', pg_temp.event_add('mine', '2026-08-12', 1, 9)), :wrote_13, ARRAY['customer_id = 5'], NULL, read_files => '{mine}'),
	'The winner''s files hold only event_date = DATE ''2026-08-13'', the files that the transaction read event_date = DATE ''2026-08-12'': narrow the read by event_date = DATE ''2026-08-12''', 'narrow by the partition that the transaction read');

-- No condition would have kept them apart: what the read does instead.
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['customer_id < 5'], pg_temp.commit_of(pg_temp.event_add('n', '2026-08-13', 1, 9))),
	'The read has no condition on the partition column event_date, so that every partition counts.', 'no condition on the partition column');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['event_date >= DATE ''2026-08-01'''], pg_temp.commit_of(pg_temp.event_add('n', '2026-08-13', 1, 9))),
	'The read selects partition [event_date=2026-08-13], to which the winner wrote: jobs on the same partition have to run one after the other.', 'both work in the same partition');

-- A range of a column with statistics; released Delta needs data skipping for it.
\set wrote_1000 'pg_temp.commit_of(pg_temp.info_of(\'MERGE\'), pg_temp.event_add(\'part-0007.parquet\', NULL, 1000, 1099), pg_temp.event_add(\'part-0008.parquet\', NULL, 1100, 1199))'
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), :wrote_1000, ARRAY['s.customer_id = t.customer_id'], pg_temp.commit_of(pg_temp.event_add('n', NULL, 1, 9)), 'on'),
	'The winner''s files hold only customer_id from 1000 to 1199, the transaction''s own files customer_id from 1 to 9: narrow the read by customer_id BETWEEN 1 AND 9, and none of them conflicts (tested on this commit).',
	'narrow by the range of keys that the transaction wrote');
SELECT is((pg_temp.conflict(pg_temp.events('[]'), :wrote_1000, ARRAY['s.customer_id = t.customer_id AND customer_id BETWEEN 1 AND 9'], pg_temp.commit_of(pg_temp.event_add('n', NULL, 1, 9)), 'on')).exception, NULL, '... which is true');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), :wrote_1000, ARRAY['s.customer_id = t.customer_id'], pg_temp.commit_of(pg_temp.event_add('n', NULL, 1, 9))),
	'That takes data skipping at conflict time (deltacc.data_skipping = on); released Delta compares partitions only.', '... and says what it takes');
SELECT pg_temp.is_silent(pg_temp.conflict(pg_temp.events('[]'), :wrote_1000, ARRAY['s.customer_id = t.customer_id'], pg_temp.commit_of(pg_temp.event_add('n', NULL, 1, 1050)), 'on'),
	'BETWEEN', 'no range where the ranges overlap');

-- What a condition does not do.
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), :wrote_1000, ARRAY['s.customer_id = t.customer_id'], pg_temp.commit_of(pg_temp.event_add('n'))),
	'The condition s.customer_id = t.customer_id is a join with another relation, and filters no file: add a condition with literals on the table''s own columns.', 'a join condition filters nothing');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), :wrote_1000, ARRAY['s.customer_id = t.customer_id AND s.name = t.name'], pg_temp.commit_of(pg_temp.event_add('n'))),
	'The conditions s.customer_id = t.customer_id and s.name = t.name are joins with another relation, and filter no file', '... nor do two');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), :wrote_1000, ARRAY['customer_id + 1 < 5'], pg_temp.commit_of(pg_temp.event_add('n')), 'on'),
	'The condition customer_id + 1 < 5 filters no file: customer_id + 1 is computed, and statistics know columns only. Compare the column itself with a constant', 'a computed column filters nothing');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), :wrote_1000, ARRAY['customer_id IN (SELECT id FROM s)'], pg_temp.commit_of(pg_temp.event_add('n')), 'on'),
	'filters no file: it holds a subquery', 'a subquery filters nothing');

SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(tbl), w, ARRAY['rand() < 0.5'], NULL, 'on'),
	'The condition rand() < 0.5D filters no file: it holds a non-deterministic function, which may give another value each time. Compute the value first', 'chance filters nothing' || why)
FROM (VALUES ('[]', :wrote_1000, ''), ('["event_date"]', :wrote_13, ', nor does it with partitions')) v(tbl, w, why);
SELECT pg_temp.is_silent(pg_temp.conflict(pg_temp.events(), :wrote_13, ARRAY['event_date > current_date()'], NULL), 'filters no file', '... but a condition on partitions does');

-- Statistics: they would have told, they are missing, they overlap.
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), :wrote_1000, ARRAY['customer_id < 50'], pg_temp.commit_of(pg_temp.event_add('n'))),
	'With data skipping at conflict time (deltacc.data_skipping = on) this would be no conflict: MIN(customer_id) = 1000 >= 50.', 'data skipping would have avoided it');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), :wrote_1000, ARRAY['customer_id < 50'], pg_temp.commit_of(pg_temp.event_add('n'))),
	'The table is not partitioned, so that released Delta compares no condition at all.', '... and why released Delta did not');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), pg_temp.commit_of(pg_temp.info_of('MERGE'), pg_temp.event_add('d/part-0007.parquet')), ARRAY['customer_id < 50'], pg_temp.commit_of(pg_temp.event_add('n')), 'on'),
	'Statistics of customer_id are missing in part-0007.parquet', 'missing statistics: the column and the file');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), pg_temp.commit_of(pg_temp.info_of('MERGE'), pg_temp.event_add('f', NULL, 20, 60)), ARRAY['customer_id < 50'], pg_temp.commit_of(pg_temp.event_add('n')), 'on'),
	'By its statistics the file may hold rows that the read asks for (MIN(customer_id) = 20 < 50): the conflict is likely to be real.', 'statistics that overlap');
SELECT pg_temp.is_silent(pg_temp.conflict(pg_temp.events('[]'), pg_temp.commit_of(pg_temp.info_of('MERGE'), pg_temp.event_add('f', NULL, 20, 60)), ARRAY['customer_id < 50'], pg_temp.commit_of(pg_temp.event_add('n'))),
	'not partitioned', '... and what released Delta compares does not matter then');

-- A file that comes back with a deletion vector stays, whatever its statistics say.
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.event_remove('f'), regexp_replace(pg_temp.event_add('f', NULL, 20, 60),
		'\}\}$', ',"deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":6}}}')),
	ARRAY['customer_id < 5'], pg_temp.commit_of(pg_temp.event_add('n')), data_skipping),
	'By its statistics the file holds no row that the read asks for (MIN(customer_id) = 20 >= 5); but data skipping never leaves out a file that comes back under its path with a deletion vector.',
	'a file that came back, data skipping ' || data_skipping) FROM unnest(ARRAY['off', 'on', 'sharp']) data_skipping;

-- Who the winner was.
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(), pg_temp.commit_of(pg_temp.info_of('OPTIMIZE'), pg_temp.event_remove('a', '2026-08-12', false), pg_temp.event_add('b', '2026-08-12', 0, 9, false)),
	ARRAY['event_date = DATE ''2026-08-12'''], :merge_12),
	'The OPTIMIZE at version 7 changed no row, it only wrote rows into other files: a retry finds the same data. Run it when no job writes here, or let it leave out what is being written: OPTIMIZE ... WHERE event_date <> DATE ''2026-08-12''.',
	'the winner was an OPTIMIZE that changed no row');
SELECT pg_temp.is_silent(pg_temp.conflict(pg_temp.events('[]'), pg_temp.commit_of(pg_temp.info_of('OPTIMIZE'), pg_temp.event_remove('a', NULL, false), pg_temp.event_add('b', NULL, 0, 9, false)), ARRAY['customer_id < 5'], :merge_12, 'on'),
	'likely to be real', '... which makes no conflict real');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), pg_temp.commit_of(pg_temp.info_of('COMPUTE STATS'), pg_temp.event_add('b', NULL, 0, 9, false)), ARRAY['true'], :merge_12),
	'The COMPUTE STATS at version 7 changed no row, it only wrote anew what the log says of files', '... or a COMPUTE STATS');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), pg_temp.commit_of(pg_temp.info_of('WRITE', true), pg_temp.event_add('b')), ARRAY['true'], :merge_12),
	'The WRITE at version 7 only appended rows and read nothing: under WriteSerializable it would be no conflict. Retry this transaction, which reads, not the append, which is committed.',
	'retry the reader, not the appender');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), pg_temp.commit_of(pg_temp.info_of('WRITE', true), pg_temp.event_add('b')), '{}', pg_temp.commit_of(pg_temp.event_remove('c')), whole => true),
	'A transaction that reads the whole table conflicts with every file added: read it with a condition.', 'the whole table was read');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), pg_temp.commit_of(pg_temp.info_of('WRITE', true), pg_temp.event_add('b')), '{}', pg_temp.commit_of(pg_temp.event_remove('c'))),
	'pass the conditions that the transaction read with', 'no read was told');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), pg_temp.commit_of(pg_temp.info_of('WRITE', true), pg_temp.event_add('b')), ARRAY['true'], :merge_12),
	'Read the table again, at version 7 or later, and run the transaction anew; committing the same files again can''t succeed.', 'where a retry starts');

-- Removed files.
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('["event_date"]', pg_temp.event_add('gone', '2026-08-13', 0, 99)), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.event_remove('gone')),
	ARRAY['customer_id = 5'], pg_temp.commit_of(pg_temp.event_add('n', '2026-08-12'))),
	'The removed file holds only event_date = DATE ''2026-08-13'', the transaction''s own files event_date = DATE ''2026-08-12'': narrow the read by event_date = DATE ''2026-08-12'', and the file is not read (tested on this commit).',
	'a condition that would not have read the removed file');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('["event_date"]', pg_temp.event_add('gone', '2026-08-13', 0, 99)), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.event_remove('gone')),
	'{}', pg_temp.commit_of(pg_temp.event_add('n', '2026-08-12')), read_files => '{gone}'),
	'narrow what it reads by event_date = DATE ''2026-08-12'', and the file is not read (tested on this commit).', '... where only the read files are known');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events('[]'), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.event_remove('gone')), '{}', pg_temp.commit_of(pg_temp.event_add('n')), read_files => '{gone}'),
	'The transaction read this file and leaves it as it is', 'a file that was only read');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.event_remove('f')), '{}', pg_temp.commit_of(pg_temp.event_remove('f')), read_files => '{}'),
	'Both changed the same file, and no condition keeps two writers of one file apart', 'both changed the same file');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(), pg_temp.commit_of(pg_temp.info_of('OPTIMIZE'), pg_temp.event_remove('f', NULL, false)), '{}', pg_temp.commit_of(pg_temp.event_remove('f', NULL, false)), 'off', 'OPTIMIZE', '{}'),
	'Two OPTIMIZE runs rewrote the same file: one of them is enough.', 'two OPTIMIZE runs');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.events(), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.event_remove('f')), '{}', NULL),
	'Pass the reads, the read files or the writes of the transaction', 'nothing is known of the transaction');

-- Metadata: what changed, and when to change it.
SELECT pg_temp.says(pg_temp.conflict(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('SET TBLPROPERTIES'), pg_temp.metadata_of('{"owner":"x"}')), '{}', pg_temp.commit_of(pg_temp.add_of('n'))),
	'Schedule DDL away from the writers: every SET TBLPROPERTIES stops each transaction that is under way.', 'schedule DDL away from the writers');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('MERGE'), pg_temp.metadata_of('{"owner":"x"}')), '{}', pg_temp.commit_of(pg_temp.add_of('n'))),
	'The MERGE at version 7 changed the metadata while it wrote rows', '... and not into them');
SELECT matches((pg_temp.conflict(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('SET TBLPROPERTIES'), pg_temp.metadata_of('{"owner":"x"}')), '{}', pg_temp.commit_of(pg_temp.add_of('n')))).message,
	'property owner = x', 'the property and its value');
SELECT matches((pg_temp.conflict(pg_temp.events(), pg_temp.commit_of(pg_temp.info_of('ADD COLUMNS'), replace(pg_temp.metadata_of(partition_columns => '["event_date"]'), '\"id\"', '\"event_date\"')), '{}',
	pg_temp.commit_of(pg_temp.event_add('n')))).message, 'column x added, column p added, column customer_id dropped, column name dropped', 'the columns that came and went');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('SET TBLPROPERTIES'), pg_temp.metadata_of('{"delta.enableDeletionVectors":"true"}')), '{}', pg_temp.commit_of(pg_temp.add_of('n'))),
	'The change would not have stopped it if the table had supported deletionVectors before', 'a property that only lacks its table feature');
SELECT pg_temp.is_silent(pg_temp.conflict(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('SET TBLPROPERTIES'), pg_temp.metadata_of('{"delta.enableDeletionVectors":"true","owner":"x"}')), '{}', pg_temp.commit_of(pg_temp.add_of('n'))),
	'had supported', '... and not where that would not do');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('X'), pg_temp.metadata_of('{"a":"b"}')), '{}', pg_temp.commit_of(pg_temp.metadata_of('{"c":"d"}'))),
	'Two jobs change the schema or the properties at the same time', 'both change the metadata');

-- What text can't hold ends neither the path nor the message.
SELECT is(concat_ws('|', c.path, c.message), E'a\uFFFDb|The MERGE at version 7 added file a\uFFFDb in partition [event_date=x\uFFFDy] to events, which may hold rows of read 1 (customer_id = 5).', 'a NUL in a path and in a partition value')
FROM pg_temp.conflict(replace(pg_temp.events()::text, '\"type\":\"date\"', '\"type\":\"string\"')::deltacc.actions,
	pg_temp.commit_of(pg_temp.info_of('MERGE'), '{"add":{"path":"a\u0000b","partitionValues":{"event_date":"x\u0000y"},"size":1,"modificationTime":1,"dataChange":true}}'), ARRAY['customer_id = 5'], NULL) c;

-- Application ids, domains, protocols.
SELECT pg_temp.says(pg_temp.conflict(pg_temp.table_of(), '{"txn":{"appId":"nightly","version":4}}'::deltacc.actions, '{}', pg_temp.commit_of(pg_temp.add_of('n')), app_ids => ARRAY['nightly']),
	'Two queries share the application id nightly', 'two queries share an application id');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.table_of(), '{"domainMetadata":{"domain":"my.domain","configuration":"","removed":false}}'::deltacc.actions, '{}',
	'{"domainMetadata":{"domain":"my.domain","configuration":"","removed":false}}'::deltacc.actions), 'read the domain my.domain again, and write it only if it still has to change', 'both write a domain');
SELECT pg_temp.says(pg_temp.conflict(pg_temp.table_of(protocol => '{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["appendOnly","changeDataFeed"]}'),
	pg_temp.commit_of(pg_temp.protocol_of(1, 7, '{appendOnly}')), '{}', pg_temp.commit_of(pg_temp.add_of('n'))), 'Drop features when no job writes to the table.', 'a dropped feature');

-- More of the same file by file costs nothing more: the advice that takes evaluating ends, the rows don't.
SELECT is((SELECT count(*) || ' ' || count(*) FILTER (WHERE hint LIKE '%narrow the read%') FROM deltacc.check_conflicts(pg_temp.events(),
		pg_temp.info_of('MERGE')::deltacc.actions::text || E'\n' || (SELECT string_agg(pg_temp.event_add('f' || n, '2026-08-13'), E'\n') FROM generate_series(1, 40) n), ARRAY['true'], :merge_12)), '40 16',
	'every conflict has its row, the first ones the long advice');

SELECT * FROM finish();
ROLLBACK;
