-- ProtocolChangedException: both write a protocol, or the winner drops a feature.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();

CREATE FUNCTION pg_temp.hit(before text, after text, writes text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce((SELECT concat_ws(' ', exception, details ->> 'dropped_features')
		FROM deltacc.check_conflicts(pg_temp.commit_of(before, pg_temp.metadata_of()), after::deltacc.actions, '{}',
			coalesce(writes, pg_temp.add_of('mine'))::deltacc.actions) LIMIT 1), '') $$;

SELECT is(pg_temp.hit(before, after), expected, format('%s -> %s', before, after))
FROM (VALUES
	(pg_temp.protocol_of(1, 2), pg_temp.protocol_of(1, 2), ''),
	(pg_temp.protocol_of(1, 2), pg_temp.protocol_of(1, 4), ''),
	(pg_temp.protocol_of(1, 2), pg_temp.protocol_of(1, 7, '{appendOnly,invariants}'), ''),
	(pg_temp.protocol_of(1, 2), pg_temp.protocol_of(3, 7, '{appendOnly,invariants,deletionVectors}'), ''),
	(pg_temp.protocol_of(1, 7, '{appendOnly,invariants}'), pg_temp.protocol_of(1, 2), ''),
	(pg_temp.protocol_of(1, 4), pg_temp.protocol_of(1, 2), 'ProtocolChangedException checkConstraints, changeDataFeed, generatedColumns'),
	(pg_temp.protocol_of(1, 2), pg_temp.protocol_of(1, 7, '{appendOnly}'), 'ProtocolChangedException invariants'),
	(pg_temp.protocol_of(1, 7, '{rowTracking,domainMetadata}'), pg_temp.protocol_of(1, 7, '{domainMetadata}'), 'ProtocolChangedException rowTracking'),
	(pg_temp.protocol_of(2, 5), pg_temp.protocol_of(1, 5), 'ProtocolChangedException columnMapping')) v(before, after, expected);

SELECT is(pg_temp.hit(pg_temp.protocol_of(1, 2), pg_temp.protocol_of(1, 2), pg_temp.protocol_of(1, 2)), 'ProtocolChangedException', 'both write one, even the same');
SELECT is((deltacc.first_conflict('', pg_temp.commit_of(pg_temp.protocol_of(1, 2), pg_temp.metadata_of()), '{}',
	pg_temp.commit_of(pg_temp.protocol_of(1, 2), pg_temp.metadata_of()))).exception, 'ProtocolChangedException', 'two jobs create the table');
SELECT is((deltacc.first_conflict('', pg_temp.commit_of(pg_temp.protocol_of(1, 2), pg_temp.metadata_of()), '{}', NULL)).exception,
	'MetadataChangedException', 'a table that was not there, and nothing known of the writes');

-- What Delta can't read is no row.
SELECT throws_ok(format('SELECT pg_temp.hit(%L, %L)', pg_temp.protocol_of(1, 2), after), '0A000', NULL, why)
FROM (VALUES
	('{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["timeTravelBackwards"],"writerFeatures":["timeTravelBackwards"]}}', 'an unknown reader feature'),
	('{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["appendOnly","invariants","noSuchThing"]}}', 'an unknown writer feature'),
	('{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["appendOnly"],"writerFeatures":["appendOnly","invariants"]}}', 'a writer feature asked of readers'),
	('{"protocol":{"minReaderVersion":99,"minWriterVersion":7,"writerFeatures":[]}}', 'an unknown reader version'),
	('{"protocol":{"minReaderVersion":4,"minWriterVersion":7,"readerFeatures":[],"writerFeatures":[]}}', 'an unknown reader version with its list'),
	('{"protocol":{"minReaderVersion":0,"minWriterVersion":2}}', 'reader version 0'),
	('{"protocol":{"minReaderVersion":-1,"minWriterVersion":2}}', 'a negative version'),
	('{"protocol":{"minReaderVersion":1,"minWriterVersion":8}}', 'an unknown writer version')) v(after, why);
SELECT throws_like(format('SELECT pg_temp.hit(%L, %L)', pg_temp.protocol_of(1, 2),
	'{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["noSuchThing"]}}'), '%DELTA_UNSUPPORTED_FEATURES_FOR_WRITE%noSuchThing%', 'the message names the feature');

SELECT throws_ok(format('SELECT pg_temp.hit(%L, %L)', pg_temp.protocol_of(1, 2), format('{"protocol":%s}', after)), '22023', NULL, after)
FROM unnest(ARRAY['{"minReaderVersion":3,"minWriterVersion":7,"writerFeatures":[]}', '{"minReaderVersion":1,"minWriterVersion":7}',
	'{"minReaderVersion":1,"minWriterVersion":2,"writerFeatures":[]}', '{"minReaderVersion":3,"minWriterVersion":6,"readerFeatures":[]}']) after;

-- A transaction that drops a feature: some can't be dropped.
SELECT throws_like($$SELECT deltacc.first_conflict(pg_temp.table_of(protocol => '{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["appendOnly"]}'),
	pg_temp.commit_of(pg_temp.add_of('f')), '{}', pg_temp.commit_of(pg_temp.protocol_of(1, 7, '{}')))$$, '%DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE%appendOnly%', 'appendOnly can''t be dropped');

-- ... and others the table still needs.
SELECT throws_like($$SELECT deltacc.first_conflict(pg_temp.table_of(protocol => '{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["checkConstraints"]}'),
	pg_temp.commit_of(pg_temp.info_of('ADD CONSTRAINT'), pg_temp.metadata_of('{"delta.constraints.c":"x > 0"}')), '{}',
	pg_temp.commit_of(pg_temp.protocol_of(1, 7, '{}')))$$, '%DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL%', 'dropping checkConstraints while a constraint is added');

-- A feature that left its traces: domains that live at the winner's version, what is in the schema.
CREATE FUNCTION pg_temp.drop_of(feature text, before text, winner deltacc.actions DEFAULT pg_temp.commit_of(pg_temp.add_of('f'))) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	RETURN coalesce((deltacc.first_conflict((pg_temp.protocol_of(1, 7, ARRAY[feature]) || E'\n' || before)::deltacc.actions, winner,
		'{}', pg_temp.commit_of(pg_temp.protocol_of(1, 7, '{}')))).exception, 'ok');
EXCEPTION WHEN transaction_rollback THEN
	RETURN split_part(SQLERRM, ':', 1);
END $$;
CREATE FUNCTION pg_temp.domain_of(name text, removed boolean DEFAULT false) RETURNS text LANGUAGE sql AS $$
	SELECT json_build_object('domainMetadata', json_build_object('domain', name, 'configuration', '1', 'removed', removed))::text $$;

SELECT is(pg_temp.drop_of(feature, before, winner), expected, why)
FROM (SELECT 'DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL', pg_temp.metadata_of(), pg_temp.metadata_of() || E'\n' || pg_temp.domain_of('d'),
		pg_temp.commit_of(pg_temp.add_of('f'))) c(fails, plain, lives, append),
	LATERAL (VALUES
		('domainMetadata', plain, append, 'ok', 'no domain'),
		('domainMetadata', lives, append, fails, 'a domain lives'),
		('domainMetadata', lives, pg_temp.commit_of(pg_temp.domain_of('d', true)), 'ok', 'the winner removes the last one'),
		('domainMetadata', lives, pg_temp.commit_of(pg_temp.domain_of('D', true)), fails, 'the winner removes another one'),
		('domainMetadata', plain, pg_temp.commit_of(pg_temp.domain_of('d')), fails, 'the winner adds one'),
		('columnMapping', plain, append, 'ok', 'nothing mapped'),
		('columnMapping', replace(plain, '\"name\":\"x\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{', '\"name\":\"x\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{\"delta.columnMapping.id\":2'), append, fails, 'a field with an id'),
		('typeWidening', replace(plain, '\"name\":\"x\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{', '\"name\":\"x\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{\"delta.typeChanges\": []'), append, fails, 'a field that was widened'),
		('typeWidening', replace(plain, '\"name\":\"x\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{', '\"name\":\"x\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{\"comment\":\"delta.typeChanges\"'), append, 'ok', 'a comment that says so'),
		('checkConstraints', pg_temp.metadata_of('{"delta.Constraints.c":"x > 0"}'), append, fails, 'a constraint in other letters'),
		('inCommitTimestamp', pg_temp.metadata_of('{"delta.inCommitTimestampEnablementVersion":"1"}'), append, fails, 'since which version'),
		('inCommitTimestamp', pg_temp.metadata_of('{"delta.inCommitTimestampEnablementOther":"1"}'), append, 'ok', 'another property')
	) v(feature, before, winner, expected, why);

-- A remove whose partition values were all null: Delta writes none, and names the partition.
SELECT is((deltacc.first_conflict(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.remove_of('f')), '{}',
		('{"remove":{"path":"f","dataChange":true' || own || '}}')::deltacc.actions, read_files => '{}')).sub_condition, expected, own)
FROM (VALUES
	('', 'WITHOUT_HINT'), (',"partitionValues":{}', 'WITHOUT_HINT'), (',"extendedFileMetadata":true,"partitionValues":{}', 'WITH_PARTITION_HINT'),
	(',"extendedFileMetadata":true', 'WITHOUT_HINT'), (',"partitionValues":{"p":null}', 'WITH_PARTITION_HINT')) v(own, expected);

SELECT * FROM finish();
ROLLBACK;
