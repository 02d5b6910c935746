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

SELECT * FROM finish();
ROLLBACK;
