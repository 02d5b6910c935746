-- rebase: what would be committed on top of the winner.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();

\set winner 'pg_temp.commit_of(pg_temp.info_of(\'WRITE\', true), pg_temp.add_of(\'theirs\'))'
\set row_tracking '{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["domainMetadata","rowTracking"]}'

-- Nothing to change: the very same text.
SELECT is(deltacc.rebase(pg_temp.table_of(), :winner, '{}', E'{"commitInfo":{"operation":"WRITE", "readVersion":1}}\n{"add":{"path":"f" ,"partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}')::text,
	E'{"commitInfo":{"operation":"WRITE", "readVersion":1}}\n{"add":{"path":"f" ,"partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}', 'untouched actions keep their text');

-- A conflict is an ERROR with Delta's SQLSTATE.
SELECT throws_ok($$SELECT deltacc.rebase(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f')), '{}', pg_temp.commit_of(pg_temp.remove_of('f')))$$,
	'2D521', NULL, 'a conflict');
SELECT throws_ok($$SELECT deltacc.rebase(pg_temp.table_of(), pg_temp.commit_of(pg_temp.add_of('f')))$$, '22004', NULL, 'writes NULL');

-- Row tracking: ids above the winner's high-water mark, in the order of the actions.
\set state 'pg_temp.commit_of(pg_temp.table_of(protocol => :\'row_tracking\')::text, \'{"domainMetadata":{"domain":"delta.rowTracking","configuration":"{\\"rowIdHighWaterMark\\":19}","removed":false}}\')'
\set theirs 'pg_temp.commit_of(pg_temp.info_of(\'WRITE\', true), \'{"add":{"path":"w","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"baseRowId":20,"defaultRowCommitVersion":2}}\', \'{"domainMetadata":{"domain":"delta.rowTracking","configuration":"{\\"rowIdHighWaterMark\\":29}","removed":false}}\')'
\set ours 'E\'{"commitInfo":{"operation":"WRITE"}}\\n{"add":{"path":"old","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"baseRowId":5,"defaultRowCommitVersion":1,"stats":"{\\\\"numRecords\\\\":3}"}}\\n{"add":{"path":"new","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"baseRowId":20,"defaultRowCommitVersion":2,"stats":"{\\\\"numRecords\\\\":4}"}}\\n{"domainMetadata":{"domain":"delta.rowTracking","configuration":"{\\\\"rowIdHighWaterMark\\\\":23}","removed":false}}\'::deltacc.actions'
SELECT is(array_to_string(ARRAY(SELECT coalesce(l::json->'add'->>'path' || ' ' || (l::json->'add'->>'baseRowId') || ' ' || (l::json->'add'->>'defaultRowCommitVersion'),
		l::json->'domainMetadata'->>'configuration', 'commitInfo')
	FROM regexp_split_to_table(deltacc.rebase(:state, :theirs, '{}', :ours, winner_version => 2)::text, E'\n') l), '; '),
	'commitInfo; {"rowIdHighWaterMark":33,"domainName":"delta.rowTracking"}; old 5 1; new 30 3', 'ids assigned anew, old ones kept, the domain in front');
SELECT throws_ok(format('SELECT deltacc.rebase(%L, %L, ''{}'', %L)', :state::text, :theirs::text, :ours::text), '22004', NULL, 'the winner''s version is needed');
SELECT throws_ok(format('SELECT deltacc.rebase(%L, %L, ''{}'', %L, winner_version => 2)', :state::text, :theirs::text, pg_temp.add_of('f')), '22000', NULL, 'no numRecords, no ids');

-- Row tracking enabled by the winner: the commit does not preserve it.
SELECT is(deltacc.commit_info(deltacc.rebase(pg_temp.commit_of(pg_temp.table_of(protocol => :'row_tracking')::text),
	pg_temp.commit_of(pg_temp.metadata_of('{"delta.enableRowTracking":"true"}')), '{}', :ours, winner_version => 2)) -> 'tags',
	'{"delta.rowTracking.preserved": "false"}'::jsonb, 'the tag delta.rowTracking.preserved');

-- In-commit timestamps: one after the winner's at least.
SELECT is(deltacc.commit_info(deltacc.rebase(pg_temp.table_of(configuration => '{"delta.enableInCommitTimestamps":"true"}'),
	format('{"commitInfo":{"inCommitTimestamp":%s,"operation":"WRITE","isBlindAppend":true}}', theirs)::deltacc.actions, '{}',
	'{"commitInfo":{"inCommitTimestamp":100,"operation":"WRITE"}}', winner_version => 2)) ->> 'inCommitTimestamp', expected, format('%s and 100', theirs))
FROM (VALUES (50, '100'), (99, '100'), (100, '101'), (500, '501')) v(theirs, expected);

-- A transaction that enables them itself says since when: the version and the time move with it.
SELECT is(deltacc.metadata(deltacc.rebase(pg_temp.table_of(protocol => '{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["inCommitTimestamp"]}'),
	'{"commitInfo":{"operation":"WRITE","timestamp":500,"isBlindAppend":true}}', '{}',
	pg_temp.commit_of('{"commitInfo":{"operation":"SET TBLPROPERTIES","inCommitTimestamp":100}}',
		pg_temp.metadata_of('{"delta.enableInCommitTimestamps":"true","delta.inCommitTimestampEnablementVersion":"2","delta.inCommitTimestampEnablementTimestamp":"100"}')), winner_version => 2)) -> 'configuration',
	'{"delta.enableInCommitTimestamps":"true","delta.inCommitTimestampEnablementVersion":"3","delta.inCommitTimestampEnablementTimestamp":"501"}'::jsonb, 'enabling in-commit timestamps');

-- Type widening: a change that was to be made in the winner's version is made in the next.
SELECT is((deltacc.metadata(deltacc.rebase(pg_temp.table_of(configuration => '{"delta.enableTypeWidening":"true"}', protocol => '{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["typeWidening"],"writerFeatures":["typeWidening"]}'),
	:winner, '{}', pg_temp.commit_of(pg_temp.info_of('CHANGE COLUMN'),
		replace(pg_temp.metadata_of('{"delta.enableTypeWidening":"true"}'), '\"integer\",\"nullable\":true,\"metadata\":{}', format('\"long\",\"nullable\":true,\"metadata\":{\"delta.typeChanges\":[{\"fromType\":\"integer\",\"toType\":\"long\",\"tableVersion\":%s}]}', version))), winner_version => 2))
	->> 'schemaString')::jsonb #>> '{fields,1,metadata,delta.typeChanges,0,tableVersion}', expected, 'a type change of version ' || version)
FROM (VALUES (2, '3'), (1, '1')) v(version, expected);

-- REPLACE TABLE: a clustering that the winner brought is taken away again.
SELECT is(array_to_string(ARRAY(SELECT coalesce(l::json->'domainMetadata'->>'removed', split_part(l, '"', 2))
	FROM regexp_split_to_table(deltacc.rebase(pg_temp.table_of(protocol => '{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["domainMetadata","clustering"]}'),
		'{"domainMetadata":{"domain":"delta.clustering","configuration":"{}","removed":false}}', '{}',
		pg_temp.commit_of(pg_temp.info_of('REPLACE TABLE'), pg_temp.metadata_of(), pg_temp.remove_of('f')), operation => operation)::text, E'\n') l), ' '), expected, operation || ' and the winner''s clustering')
FROM (VALUES ('REPLACE TABLE', 'commitInfo metaData remove true'), ('WRITE', 'commitInfo metaData remove')) v(operation, expected);

-- A transaction that drops a feature which readers know protects the checkpoints before its own version.
SELECT is(deltacc.metadata(deltacc.rebase(pg_temp.table_of(protocol => format('{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors","checkConstraints","%s"]}', protection)),
	:winner, '{}', pg_temp.commit_of(pg_temp.info_of('DROP FEATURE'), format('{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":%s,"writerFeatures":%s}}', readers, writers),
		pg_temp.metadata_of('{"delta.requireCheckpointProtectionBeforeVersion":"2"}')), winner_version => 6)) -> 'configuration' ->> 'delta.requireCheckpointProtectionBeforeVersion', expected, what)
FROM (VALUES ('checkpointProtection', '[]', '["checkConstraints","checkpointProtection"]', '7', 'the dropped feature is one of readers'),
	('checkpointProtection', '["deletionVectors"]', '["deletionVectors","checkpointProtection"]', '2', 'the dropped feature is one of writers'),
	('appendOnly', '[]', '["checkConstraints","appendOnly"]', '2', 'no checkpointProtection')) v(protection, readers, writers, expected, what);

-- Several winners, through the log.
INSERT INTO deltacc.tables (name) VALUES ('conflict_rebase');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT table_id, v, a FROM deltacc.tables, (VALUES (0, :state), (1, :theirs),
	(2, '{"domainMetadata":{"domain":"delta.rowTracking","configuration":"{\"rowIdHighWaterMark\":99}","removed":false}}'::deltacc.actions)) c(v, a)
WHERE name = 'conflict_rebase';
SELECT is((SELECT array_agg(l::json->'add'->>'baseRowId') FROM regexp_split_to_table(deltacc.rebase_commit('conflict_rebase', 0, '{}', :ours)::text, E'\n') l WHERE l LIKE '{"add"%'),
	ARRAY['5', '100'], 'rebase_commit goes over every winner');

SELECT * FROM finish();
ROLLBACK;
