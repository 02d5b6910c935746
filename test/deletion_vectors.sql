-- Deletion vectors: descriptors, bytes, rows; and input that is none.
\ir data/begin.psql
SELECT no_plan();
\set accounts '\'' :data '/logs/accounts\''

-- What CRoaring wrote, in every form of container and in both formats.
CREATE TEMP TABLE roaring AS
SELECT n, j->>'note' AS note, j->'dv' AS dv, (j->>'rows')::bigint AS rows, j->>'md5' AS md5
FROM regexp_split_to_table(pg_read_file(:'data' || '/deletion-vectors.jsonl'), E'\n') WITH ORDINALITY AS l(line, n)
CROSS JOIN LATERAL (SELECT nullif(line, '')::jsonb) AS x(j)
WHERE line <> '';
SELECT is((SELECT format('%s %s', count(*), md5(coalesce(string_agg(r::text, ',' ORDER BY r), ''))) FROM deltacc.dv_rows(dv) AS r),
	format('%s %s', rows, md5), 'rows of: ' || note)
FROM roaring ORDER BY n;
SELECT is(deltacc.dv_cardinality(dv), rows, 'cardinality of: ' || note) FROM roaring ORDER BY n;
-- Written again they hold the same rows, and are no longer than the best that CRoaring does.
SELECT is((SELECT md5(coalesce(string_agg(r::text, ',' ORDER BY r), '')) FROM deltacc.dv_rows(deltacc.dv_union(dv, NULL)) AS r), md5, 'written again: ' || note)
FROM roaring ORDER BY n;
SELECT cmp_ok((deltacc.dv_union(dv, NULL)->>'sizeInBytes')::int, '<=', (dv->>'sizeInBytes')::int, 'not longer: ' || note)
FROM roaring WHERE note LIKE 'portable%run-optimized' ORDER BY n;

-- Set algebra, over every pair.
SELECT is(count(*), 0::bigint, 'union, minus and overlap agree with SQL over every pair') FROM (
	SELECT a.note, b.note
	FROM roaring a, roaring b
	CROSS JOIN LATERAL (SELECT array_agg(r ORDER BY r) FROM deltacc.dv_rows(a.dv) r) AS x(ra)
	CROSS JOIN LATERAL (SELECT array_agg(r ORDER BY r) FROM deltacc.dv_rows(b.dv) r) AS y(rb)
	WHERE a.rows + b.rows < 30000 AND a.n % 3 = 0 AND b.n % 2 = 0
	AND NOT (
		ARRAY(SELECT deltacc.dv_rows(deltacc.dv_union(a.dv, b.dv))) = ARRAY(SELECT unnest(ra) UNION SELECT unnest(rb) ORDER BY 1)
		AND ARRAY(SELECT deltacc.dv_rows(deltacc.dv_minus(a.dv, b.dv))) = ARRAY(SELECT unnest(ra) EXCEPT SELECT unnest(rb) ORDER BY 1)
		AND deltacc.dv_overlap(a.dv, b.dv) = (SELECT count(*) FROM (SELECT unnest(ra) INTERSECT SELECT unnest(rb)) i))) wrong;
SELECT is(deltacc.dv_cardinality(deltacc.dv_union(dv, dv)), rows, 'united with itself: ' || note) FROM roaring WHERE n % 5 = 0 ORDER BY n;

-- NULL is the vector without rows.
SELECT is_empty('SELECT deltacc.dv_rows(NULL)', 'no rows of NULL');
SELECT is_empty('SELECT deltacc.dv_rows(''null'')', 'nor of a JSON null');
SELECT is(deltacc.dv_cardinality(NULL), 0::bigint, 'cardinality of NULL');
SELECT is(deltacc.dv_overlap(NULL, dv), 0::bigint, 'NULL overlaps nothing') FROM roaring WHERE note = 'portable, ends';
SELECT is(ARRAY(SELECT deltacc.dv_rows(deltacc.dv_minus(dv, NULL))), ARRAY[0, 65535, 65536, 4294967295], 'minus NULL') FROM roaring WHERE note = 'portable, ends';
SELECT is(deltacc.dv_minus(NULL, NULL), '{"storageType":"i","pathOrInlineDv":"^Bg9^0000000000","sizeInBytes":12,"cardinality":0}', 'an empty result is an inline vector of no rows');
SELECT is(deltacc.dv_cardinality('{"storageType":"i","pathOrInlineDv":"","sizeInBytes":0,"cardinality":0}'), 0::bigint, 'Delta''s own empty vector');

-- Files of a real table: what the vectors hold is what the log says.
CREATE TEMP TABLE vector AS
SELECT DISTINCT f.deletion_vector AS dv
FROM generate_series(0, 24) v, deltacc.file_actions(pg_read_file(format('%s/_delta_log/%s.json', :accounts, lpad(v::text, 20, '0')))::deltacc.actions) f
WHERE f.deletion_vector IS NOT NULL;
SELECT is(count(*), 26::bigint, 'accounts has 26 vectors') FROM vector;
SELECT is(count(*), 0::bigint, 'each holds as many rows as the log says') FROM vector WHERE deltacc.dv_cardinality(dv, :accounts) <> (dv->>'cardinality')::bigint;
SELECT is(ARRAY(SELECT deltacc.dv_rows('{"storageType":"u","pathOrInlineDv":"I?7uGgxH7KVrO$&U2!=.","offset":1,"sizeInBytes":46,"cardinality":7}', 'file:' || :accounts || '/')),
	ARRAY[0, 7, 14, 21, 28, 35, 542]::bigint[], 'a location may be a URI');
SELECT is(ARRAY(SELECT deltacc.dv_rows(jsonb_build_object('storageType', 'p', 'offset', 1, 'sizeInBytes', 46, 'cardinality', 7,
	'pathOrInlineDv', s || :accounts || '/deletion%5Fvector_8b80f1d6-3302-47b1-b25c-2d61ae5759de.bin'))),
	ARRAY[0, 7, 14, 21, 28, 35, 542]::bigint[], format('an absolute path: "%s..."', s))
FROM unnest(ARRAY['', 'file:', 'file://']) s;
SELECT is((p).path, '/t/ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin', 'a random prefix is a directory')
FROM (SELECT deltacc.dv_place('{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":6}', '/t') p) x;
SELECT is((p).id, 'uab^-aqEH.-t@S}K{vb[*k^@4', 'the unique id is Delta''s')
FROM (SELECT deltacc.dv_place('{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":6}') p) x;
SELECT is(deltacc.dv_bytes('{"storageType":"i","pathOrInlineDv":"x","sizeInBytes":1,"cardinality":1}'), NULL::bytea, 'an inline vector needs no bytes');

-- Descriptors that are none, and vectors that can't be had.
SELECT throws_ok(format('SELECT deltacc.dv_cardinality(%L, ''/nowhere'')', dv), state, NULL, what)
FROM (VALUES
	('3', '22023', 'a number'),
	('{}', '22023', 'an empty object'),
	('{"storageType":"x","pathOrInlineDv":"","sizeInBytes":1,"cardinality":1}', '22023', 'an unknown storage type'),
	('{"storageType":"i","sizeInBytes":1,"cardinality":1}', '22023', 'no pathOrInlineDv'),
	('{"storageType":"i","pathOrInlineDv":"00000","cardinality":1}', '22023', 'no size'),
	('{"storageType":"i","pathOrInlineDv":"00000","sizeInBytes":4}', '22023', 'no cardinality'),
	('{"storageType":"i","pathOrInlineDv":"00000","sizeInBytes":4,"cardinality":-1}', '22023', 'a negative cardinality'),
	('{"storageType":"i","pathOrInlineDv":"00000","sizeInBytes":-4,"cardinality":1}', '22023', 'a negative size'),
	('{"storageType":"i","pathOrInlineDv":"00000","sizeInBytes":99999999999999,"cardinality":1}', '22023', 'a size out of range'),
	('{"storageType":"i","pathOrInlineDv":"0000","sizeInBytes":4,"cardinality":1}', '22023', 'Z85 of the wrong length'),
	('{"storageType":"i","pathOrInlineDv":"00\"00","sizeInBytes":4,"cardinality":1}', '22023', 'no letter of Z85'),
	('{"storageType":"i","pathOrInlineDv":"%nSc1","sizeInBytes":4,"cardinality":1}', '22023', 'a block past 32 bits'),
	('{"storageType":"u","pathOrInlineDv":"short","offset":1,"sizeInBytes":4,"cardinality":1}', '22023', 'no uuid'),
	('{"storageType":"u","pathOrInlineDv":"../..^-aqEH.-t@S}K{vb[*k^","offset":1,"sizeInBytes":4,"cardinality":1}', '22023', 'a prefix that leads out of the table'),
	('{"storageType":"u","pathOrInlineDv":"^-aqEH.-t@S}K{vb[*k^","offset":1,"sizeInBytes":4,"cardinality":1}', '58P01', 'a file that is not there'),
	('{"storageType":"u","pathOrInlineDv":"^-aqEH.-t@S}K{vb[*k^","offset":-1,"sizeInBytes":4,"cardinality":1}', '22023', 'a negative offset'),
	('{"storageType":"p","pathOrInlineDv":"s3://bucket/x.bin","offset":1,"sizeInBytes":4,"cardinality":1}', '22023', 'an object store'),
	('{"storageType":"p","pathOrInlineDv":"file:/%00","offset":1,"sizeInBytes":4,"cardinality":1}', '22023', 'a NUL in a path'),
	('{"storageType":"p","pathOrInlineDv":"relative","offset":1,"sizeInBytes":4,"cardinality":1}', '22023', 'a relative path as an absolute one')
) v(dv, state, what);
SELECT throws_ok('SELECT deltacc.dv_rows(''{"storageType":"u","pathOrInlineDv":"^-aqEH.-t@S}K{vb[*k^","offset":1,"sizeInBytes":4,"cardinality":1}'')', '22023', NULL, 'the location has to be known');

-- One wrong byte anywhere in a file is found: the checksum covers the data.
\set seven '\'{"storageType":"u","pathOrInlineDv":"I?7uGgxH7KVrO$&U2!=.","offset":1,"sizeInBytes":46,"cardinality":7}\'::jsonb'
CREATE FUNCTION pg_temp.refused(dv jsonb, bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN deltacc.dv_cardinality_from(dv, bytes)::text;
EXCEPTION WHEN invalid_parameter_value THEN
	RETURN 'refused';
END $$;
SELECT is((SELECT string_agg(DISTINCT pg_temp.refused(:seven, set_byte(b, i, get_byte(b, i) # 1)), ' ') FROM generate_series(0, length(b) - 1) i), 'refused', 'a wrong byte')
FROM deltacc.dv_bytes(:seven, :accounts) b;
SELECT is((SELECT string_agg(DISTINCT pg_temp.refused(:seven, substr(b, 1, i)), ' ') FROM generate_series(0, length(b) - 1) i), 'refused', 'a truncated one')
FROM deltacc.dv_bytes(:seven, :accounts) b;
SELECT is(pg_temp.refused(:seven, b || '\x00'), 'refused', 'a byte too many') FROM deltacc.dv_bytes(:seven, :accounts) b;
SELECT is(pg_temp.refused(:seven, NULL), 'refused', 'no bytes');
SELECT is(pg_temp.refused(:seven || '{"cardinality":6}', b), 'refused', 'another cardinality') FROM deltacc.dv_bytes(:seven, :accounts) b;
SELECT is(pg_temp.refused(:seven, b), '7', 'and the right ones') FROM deltacc.dv_bytes(:seven, :accounts) b;

-- ingest keeps the bytes; then no file is needed.
SELECT is(deltacc.ingest('dv_accounts', :accounts), 25::bigint, 'ingest');
SELECT is((SELECT count(*) FROM deltacc.deletion_vectors), 26::bigint, 'every vector is kept');
UPDATE deltacc.tables SET location = '/lake/accounts' WHERE name = 'dv_accounts';
SELECT is(ARRAY(SELECT deltacc.dv_rows(:seven, '/lake/accounts')), ARRAY[0, 7, 14, 21, 28, 35, 542]::bigint[], 'from the catalog');
SELECT is(deltacc.keep_deletion_vectors('dv_accounts'), 0::bigint, 'there is no more to keep');
DELETE FROM deltacc.deletion_vectors WHERE id LIKE 'u%@1';
SELECT is(deltacc.keep_deletion_vectors('dv_accounts'), 0::bigint, 'files that are not there are left out');
SELECT is(deltacc.keep_deletion_vectors('dv_accounts', :accounts), 19::bigint, 'from where they are');
SELECT is(deltacc.keep_deletion_vectors('dv_accounts', :accounts, 24), 0::bigint, 'of the newest commits only');
SELECT throws_ok('SELECT deltacc.keep_deletion_vectors(''nowhere'')', '42704', NULL, 'of a table that is not there');
-- Who may not read the server's files may use what is inline.
CREATE ROLE deltacc_dv_reader;
GRANT USAGE ON SCHEMA deltacc TO deltacc_dv_reader;
SELECT dv::text AS ends FROM roaring WHERE note = 'portable, ends' \gset
SET LOCAL ROLE deltacc_dv_reader;
SELECT is(deltacc.dv_cardinality(:'ends'), 4::bigint, 'an inline vector takes no privilege');
SELECT throws_ok(format('SELECT deltacc.dv_rows(%L, %L)', :seven, :accounts), '42501', NULL, 'a file takes the right to read it');
RESET ROLE;

-- What reads a file is STABLE; what is handed the bytes, IMMUTABLE.
SELECT is(string_agg(DISTINCT provolatile::text || proparallel::text, ' '), 'is', 'marks of the functions that take bytes')
FROM pg_proc WHERE pronamespace = 'deltacc'::regnamespace AND (proname LIKE 'dv\_%\_from' OR proname IN ('dv_of', 'dv_place'));
SELECT is(string_agg(DISTINCT provolatile::text || proparallel::text, ' '), 'ss', 'marks of those that read files')
FROM pg_proc WHERE pronamespace = 'deltacc'::regnamespace AND proname IN ('dv_rows', 'dv_cardinality', 'dv_union', 'dv_minus', 'dv_overlap', 'dv_bytes', 'explain_row_level');
SELECT is(provolatile::text || proparallel::text, 'vu', 'marks of keep_deletion_vectors')
FROM pg_proc WHERE pronamespace = 'deltacc'::regnamespace AND proname = 'keep_deletion_vectors';
SELECT is(ARRAY(SELECT deltacc.dv_rows(deltacc.dv_of('{5, 3, 70000, 3, 4294967296}'))), '{3, 5, 70000, 4294967296}', 'dv_of sorts, and forgets what is there twice');
SELECT throws_ok('SELECT deltacc.dv_of(''{-1}'')', '22003', NULL, 'no negative rows');
SELECT throws_ok('SELECT deltacc.dv_of(''{9223372036854775807}'')', '22003', NULL, 'none that Delta has no place for');
SELECT throws_ok('SELECT deltacc.dv_of(''{1, NULL}'')', '22004', NULL, 'no NULL');

-- Hostile bytes: whatever they are, an answer or an ordinary ERROR.
CREATE TEMP TABLE outcome (state text);
CREATE FUNCTION pg_temp.try(statement text, dv jsonb, bytes bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement USING dv, bytes;
	INSERT INTO outcome VALUES ('answered');
EXCEPTION WHEN OTHERS THEN
	INSERT INTO outcome VALUES (SQLSTATE);
END $$;
-- The data framed with a checksum that is right, so that the bitmaps are what is judged.
CREATE FUNCTION pg_temp.crc32(b bytea) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	crc bigint := 4294967295;
BEGIN
	FOR i IN 0 .. length(b) - 1 LOOP
		crc := crc # get_byte(b, i);
		FOR k IN 1 .. 8 LOOP
			crc := (crc >> 1) # ((crc & 1) * 3988292384);
		END LOOP;
	END LOOP;
	RETURN crc # 4294967295;
END $$;
CREATE FUNCTION pg_temp.frame(b bytea) RETURNS bytea LANGUAGE sql AS
$$ SELECT int4send(length(b)) || b || int4send((CASE WHEN c > 2147483647 THEN c - 4294967296 ELSE c END)::int) FROM pg_temp.crc32(b) c $$;
SELECT is(pg_temp.frame(substr(b, 5, length(b) - 8)), b, 'the checksum is the usual CRC-32') FROM deltacc.dv_bytes(:seven, :accounts) b;
SELECT setseed(0.25) \g /dev/null
DO $$
DECLARE
	-- a magic number alone, an array, runs with offsets, the native format
	good bytea[] := ARRAY[
		'\xd1d33964'::bytea,
		decode('d1d33964010000000000000000000000' || '3a30000001000000' || '0000070010000000' || '000007000e0015001c00230031001e02', 'hex'),
		decode('d1d33964010000000000000000000000' || '3b3003000f' || '00000200' || '01000200' || '02000200' || '03000200' || '25000000' || '2b000000' || '31000000' || '37000000' ||
			'010000000200' || '010000000200' || '010000000200' || '010000000200', 'hex'),
		decode('d0d3396401000000' || '12000000' || '3a30000001000000' || '0000000010000000' || '0500', 'hex')];
	b bytea;
	n int;
BEGIN
	FOR round IN 1 .. 4000 LOOP
		b := good[1 + round % 4];
		FOR k IN 1 .. 1 + floor(random() * 3)::int LOOP
			n := length(b);
			CASE floor(random() * 5)
				WHEN 0 THEN b := substr(b, 1, floor(random() * (n + 1))::int);
				WHEN 1 THEN b := b || substr(b, 1 + floor(random() * n)::int, 8);
				WHEN 2 THEN IF n > 0 THEN b := set_byte(b, floor(random() * n)::int, (ARRAY[0, 1, 127, 128, 255])[1 + floor(random() * 5)::int]); END IF;
				WHEN 3 THEN IF n > 0 THEN b := set_byte(b, floor(random() * n)::int, floor(random() * 256)::int); END IF;
				ELSE IF n > 8 THEN b := overlay(b PLACING '\xffffffff' FROM 1 + floor(random() * (n - 4))::int); END IF;
			END CASE;
		END LOOP;
		PERFORM pg_temp.try('SELECT count(*) FROM deltacc.dv_rows_from($1, $2)',
			jsonb_build_object('storageType', 'u', 'pathOrInlineDv', 'x', 'offset', 1, 'sizeInBytes', length(b), 'cardinality', (ARRAY[1, 8, 12, 1])[1 + round % 4]), pg_temp.frame(b));
		IF round % 10 = 0 THEN
			PERFORM pg_temp.try(q, jsonb_build_object('storageType', 'u', 'pathOrInlineDv', 'x', 'offset', 1, 'sizeInBytes', length(b), 'cardinality', 5), pg_temp.frame(b))
			FROM unnest(ARRAY['SELECT deltacc.dv_cardinality_from($1, $2)', 'SELECT deltacc.dv_union_from($1, $2, $1, $2)',
				'SELECT deltacc.dv_minus_from($1, $2, $1, $2)', 'SELECT deltacc.dv_overlap_from($1, $2, $1, $2)']) q;
		END IF;
	END LOOP;
END $$;
SELECT is(count(*), 0::bigint, 'no other ERROR than 22023') FROM outcome WHERE state NOT IN ('answered', '22023');
SELECT cmp_ok(count(*) FILTER (WHERE state = 'answered'), '>', 20::bigint, 'some are vectors still') FROM outcome;
SELECT cmp_ok(count(*) FILTER (WHERE state <> 'answered'), '>', 3000::bigint, 'most are refused') FROM outcome;

SELECT * FROM finish();
ROLLBACK;
