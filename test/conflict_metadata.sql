-- MetadataChangedException: the winner changed the metadata, and the change is
-- not one of the few that are taken over.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();

-- A table with the given features, and a winner that only writes a metaData.
CREATE FUNCTION pg_temp.changed(before text, after text, features text[] DEFAULT '{}', info text DEFAULT '{"commitInfo":{"operation":"SET TBLPROPERTIES"}}', writes text DEFAULT NULL) RETURNS text
LANGUAGE sql AS $$
	SELECT coalesce((deltacc.first_conflict(
		pg_temp.commit_of(pg_temp.protocol_of(1, 7, features), pg_temp.metadata_of(before)),
		pg_temp.commit_of(info, pg_temp.metadata_of(after)),
		'{}', coalesce(writes, pg_temp.add_of('mine'))::deltacc.actions)).exception, '')
$$;

SELECT is(pg_temp.changed('{}', '{}'), '', 'the same metadata again');
SELECT is(pg_temp.changed('{"a":"1","b":"2"}', '{"b":"2","a":"1"}'), '', 'the order of keys does not matter');
SELECT is(pg_temp.changed('{}', '{"a":"1"}'), 'MetadataChangedException', 'a property added');
SELECT is(pg_temp.changed('{"a":"1"}', '{"a":"2"}'), 'MetadataChangedException', 'a property changed');
SELECT is(pg_temp.changed('{"a":"1"}', '{}'), 'MetadataChangedException', 'a property unset');

-- Any other field: as it stands, white space in the schema too.
SELECT is(coalesce((deltacc.first_conflict(pg_temp.table_of(), pg_temp.commit_of(replace(pg_temp.metadata_of(), old, new)), '{}', pg_temp.commit_of(pg_temp.add_of('mine')))).exception, ''),
	'MetadataChangedException', what)
FROM (VALUES ('"id":"t"', '"id":"u"', 'id'), ('"createdTime":1', '"createdTime":2', 'createdTime'), (',"createdTime":1', '', 'createdTime absent'),
	('"format":', '"description":"d","format":', 'description'), ('"format":', '"name":"n","format":', 'name'),
	('"partitionColumns":[]', '"partitionColumns":["p"]', 'partition columns'), ('"options":{}', '"options":{"a":"b"}', 'format options'),
	('{\"type\":\"struct\"', '{ \"type\":\"struct\"', 'white space in the schema')) v(old, new, what);

-- The allow-list: the feature must be in the protocol, and nothing is unset.
SELECT is(pg_temp.changed(before, after, features), expected, format('%s -> %s with %s', before, after, features))
FROM (VALUES
	('{}', '{"delta.enableDeletionVectors":"true"}', '{deletionVectors}'::text[], ''),
	('{}', '{"delta.enableDeletionVectors":"TRUE"}', '{deletionVectors}', ''),
	('{}', '{"delta.enableDeletionVectors":"true"}', '{}', 'MetadataChangedException'),
	('{}', '{"delta.enableDeletionVectors":"false"}', '{deletionVectors}', 'MetadataChangedException'),
	('{}', '{"delta.enableDeletionVectors":"true","a":"b"}', '{deletionVectors}', 'MetadataChangedException'),
	('{"a":"b"}', '{"delta.enableDeletionVectors":"true"}', '{deletionVectors}', 'MetadataChangedException'),
	('{}', '{"delta.checkpointPolicy":"v2"}', '{v2Checkpoint}', ''),
	('{"delta.checkpointPolicy":"v2"}', '{"delta.checkpointPolicy":"classic"}', '{v2Checkpoint}', 'MetadataChangedException'),
	('{}', '{"delta.enableRowTracking":"true","delta.rowTracking.materializedRowIdColumnName":"r"}', '{rowTracking,domainMetadata}', ''),
	('{}', '{"delta.rowTracking.materializedRowIdColumnName":"r"}', '{rowTracking,domainMetadata}', 'MetadataChangedException'),
	('{"delta.enableRowTracking":"true"}', '{"delta.enableRowTracking":"false"}', '{rowTracking,domainMetadata}', 'MetadataChangedException'),
	('{}', '{"delta.columnMapping.mode":"name","delta.columnMapping.maxColumnId":"3"}', '{columnMapping}', ''),
	('{}', '{"delta.columnMapping.mode":"id"}', '{columnMapping}', 'MetadataChangedException'),
	('{}', '{"delta.columnMapping.maxColumnId":"3"}', '{}', ''),
	('{}', '{"delta.enableInCommitTimestamps":"true","delta.inCommitTimestampEnablementVersion":"3","delta.inCommitTimestampEnablementTimestamp":"9"}', '{inCommitTimestamp}', ''),
	('{"delta.inCommitTimestampEnablementVersion":"3"}', '{"delta.inCommitTimestampEnablementVersion":"4"}', '{inCommitTimestamp}', 'MetadataChangedException'),
	('{}', '{"io.unitycatalog.tableId":"i"}', '{}', ''),
	('{"io.unitycatalog.tableId":"i"}', '{"io.unitycatalog.tableId":"j"}', '{catalogManaged}', 'MetadataChangedException')) v(before, after, features, expected);
SELECT throws_ok($$SELECT pg_temp.changed('{}', '{"delta.enableDeletionVectors":"yes"}', '{deletionVectors}')$$, '22023', NULL,
	'a boolean that is none is an ERROR, as in Delta');

SELECT throws_ok($$SELECT pg_temp.changed('{}', '{"delta.enableDeletionVectors":"false","delta.enableRowTracking":"yes"}', '{deletionVectors}')$$, '22023', NULL,
	'... beside a change that is not allowed, too');
SELECT is(pg_temp.changed('{}', '{"a":"b","delta.enableDeletionVectors":"yes"}', '{deletionVectors}'), 'MetadataChangedException', '... but not beside a property that may not change at all');

-- The feature may come with the same commit.
SELECT is((deltacc.first_conflict(pg_temp.table_of(protocol => '{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["appendOnly","invariants"]}'),
	pg_temp.commit_of(pg_temp.protocol_of(1, 7, '{appendOnly,invariants,deletionVectors}'), pg_temp.metadata_of('{"delta.enableDeletionVectors":"true"}')),
	'{}', pg_temp.commit_of(pg_temp.add_of('mine')))).exception, NULL, 'feature and property in one commit');

-- Both write a metaData: always a conflict, equal or not.
SELECT is(pg_temp.changed('{}', '{}', writes => pg_temp.metadata_of()), 'MetadataChangedException', 'both write the same metaData');

-- Identity columns: the winner's tag is believed, unless we change metadata too.
\set identity '\'{"commitInfo":{"operation":"WRITE","tags":{"delta.identity.schemaUpdate":"true"}}}\''
SELECT is(pg_temp.changed('{}', '{"a":"1"}', info => :identity), '', 'identity only');
SELECT is(pg_temp.changed('{}', '{"a":"1"}', info => :identity, writes => pg_temp.metadata_of()), 'MetadataChangedException', 'identity only, and we change metadata');

SELECT is(pg_temp.changed('{}', '{"a":"1"}', info => format('{"commitInfo":{"operation":"WRITE","tags":{"delta.identity.schemaUpdate":%s}}}', tag)), expected, 'identity tag ' || tag)
FROM (VALUES ('"TRUE"', ''), ('true', ''), ('"false"', 'MetadataChangedException'), ('false', 'MetadataChangedException')) v(tag, expected);
SELECT throws_ok($$SELECT pg_temp.changed('{}', '{"a":"1"}', info => '{"commitInfo":{"operation":"WRITE","tags":{"delta.identity.schemaUpdate":"perhaps"}}}')$$, '22023', NULL,
	'a tag that is no boolean is an ERROR, as in Delta');
SELECT throws_ok($$SELECT deltacc.first_conflict(pg_temp.commit_of(pg_temp.protocol_of(1, 7, '{appendOnly}'), pg_temp.metadata_of()),
	pg_temp.commit_of('{"commitInfo":{"operation":"WRITE","tags":{"delta.identity.schemaUpdate":"perhaps"}}}', pg_temp.protocol_of(1, 7, '{}')), '{}', pg_temp.commit_of(pg_temp.add_of('mine')))$$, '22023', NULL,
	'... which comes before anything is compared');
SELECT throws_ok($$SELECT pg_temp.changed('{}', '{"delta.columnMapping.mode":"maybe"}', '{columnMapping}')$$, '22023', NULL, 'an unknown column mapping mode is an ERROR, as in Delta');

-- Only the first metaData of the winner is compared.
SELECT is((deltacc.first_conflict(pg_temp.table_of(), pg_temp.commit_of(pg_temp.metadata_of(), pg_temp.metadata_of('{"a":"1"}')), '{}', pg_temp.commit_of(pg_temp.add_of('mine')))).exception,
	NULL, 'two metaData: the first counts');

-- What the row says.
SELECT results_eq($$SELECT check_name, error_class, sub_condition, sqlstate, details ->> 'changed'
	FROM deltacc.check_conflicts(pg_temp.table_of(), pg_temp.commit_of(pg_temp.metadata_of('{"a":"1"}')), '{}', pg_temp.commit_of(pg_temp.add_of('mine')))$$,
	$$VALUES ('metadata', 'DELTA_METADATA_CHANGED', NULL::text, '2D521', 'property a = 1')$$, 'the row names what changed');

SELECT * FROM finish();
ROLLBACK;
