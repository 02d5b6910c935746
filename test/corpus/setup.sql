-- The corpora into a schema of their own, one JSON object a row.
-- psql variable: data, the absolute path of test/data.
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS corpus CASCADE;
CREATE SCHEMA corpus;

CREATE TABLE corpus.line (file text, n int, line json, PRIMARY KEY (file, n));

-- One row per question that a corpus asks.
CREATE TABLE corpus.result (
	file    text NOT NULL,
	id      text NOT NULL,
	verdict text NOT NULL CHECK (verdict IN ('agree', 'allowed', 'miss')),
	kind    text,    -- what is wrong, the same text for all of a kind
	detail  text     -- this very case
);

INSERT INTO corpus.line
SELECT f, n, replace(replace(l, '\u0000', '\ue0f0'), '\ud800', '\ue0f1')::json
FROM unnest(ARRAY['skip-delta-suite', 'skip-generated', 'skip-spec', 'skip-truth', 'skip-more', 'partition-like',
                  'conflict-scenarios', 'conflict-more', 'race-verdicts', 'field']) AS f,
     regexp_split_to_table(pg_read_file(:'data' || '/corpus/' || f || '.jsonl'), E'\n') WITH ORDINALITY AS t(l, n)
WHERE l <> '';

-- PostgreSQL's json operators refuse \u0000 and lone surrogates, which some of
-- the statistics hold: the lines carry stand-ins for them, put back here.
CREATE FUNCTION corpus.raw(text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT replace(replace($1, '\ue0f0', '\u0000'), '\ue0f1', '\ud800') $$;

-- The same where the stand-in is a character already: a predicate.
CREATE FUNCTION corpus.raw_predicate(text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT replace($1, U&'\E0F0', '\u0000') $$;

-- Lines of other session time zones (skip-more).
CREATE FUNCTION corpus.session_zone(line json) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT coalesce(line->'confs'->>'spark.sql.session.timeZone', 'UTC') $$;

-- A text[] from a JSON array; NULL from NULL.
CREATE FUNCTION corpus.texts(json) RETURNS text[] LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN json_typeof($1) = 'array' THEN ARRAY(SELECT json_array_elements_text($1)) END $$;

-- A list of actions as commit text: objects one JSON a line, strings as they stand.
CREATE FUNCTION corpus.commit_text(actions json) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(string_agg(CASE WHEN json_typeof(a) = 'string' THEN a #>> '{}' ELSE a::text END, E'\n' ORDER BY n), '')
	FROM json_array_elements(actions) WITH ORDINALITY AS t(a, n) $$;

-- The protocol and metaData of a table that only its schema describes.
CREATE FUNCTION corpus.snapshot_text(schema_string text, partition_columns json, configuration json)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT '{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["columnMapping","deletionVectors","timestampNtz"],"writerFeatures":["columnMapping","deletionVectors","timestampNtz","domainMetadata","rowTracking","clustering","changeDataFeed"]}}'
	|| E'\n' || json_build_object('metaData', json_build_object(
		'id', '11111111-2222-4333-8444-555555555555', 'format', json_build_object('provider', 'parquet', 'options', '{}'::json),
		'schemaString', schema_string, 'partitionColumns', coalesce(partition_columns, '[]'::json),
		'configuration', coalesce(configuration, '{}'::json), 'createdTime', 1700000000000))::text $$;
