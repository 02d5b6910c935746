-- The catalog as an administrator sees it, and the history of an odd log.
\getenv abs_srcdir PG_ABS_SRCDIR
SET client_min_messages = warning;
SET TimeZone = 'UTC';
SET search_path = public;
\set SHOW_CONTEXT never
\d deltacc.tables
\d deltacc.commits
\d deltacc.history
-- Slices of a value are read on their own, so it is never compressed.
SELECT attstorage FROM pg_attribute WHERE attrelid = 'deltacc.commits'::regclass AND attname = 'actions';
-- What a dump takes along.
SELECT c::regclass FROM pg_extension, unnest(extconfig) AS c WHERE extname = 'deltacc' ORDER BY 1;

SELECT deltacc.ingest('odd', :'abs_srcdir' || '/test/data/ingest/odd_info');
SELECT deltacc.ingest('odd', :'abs_srcdir' || '/test/data/ingest/odd_info');
-- A commitInfo is free JSON: nothing in it is an error.
\x on
SELECT * FROM deltacc.history WHERE table_name = 'odd' ORDER BY version;
\x off
SELECT path, ordinal FROM deltacc.live_files('odd');
SELECT count(*) FROM deltacc.live_files('odd', 0);
SELECT * FROM deltacc.live_files('odd', 17);
SELECT * FROM deltacc.live_files('none');
INSERT INTO deltacc.tables (name) VALUES ('bare');
SELECT * FROM deltacc.live_files('bare');

DELETE FROM deltacc.tables;
SELECT count(*) FROM deltacc.commits;
