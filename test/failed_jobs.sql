-- The 39 statements that Delta aborted over the three shipped logs: the first
-- conflict that deltacc finds is the one in Delta's message.
\set ON_ERROR_STOP 1
\pset tuples_only on
\pset format unaligned
\pset pager off
\getenv data DELTACC_TEST_DATA
BEGIN;
SET LOCAL client_min_messages = warning;
SET LOCAL TimeZone = 'UTC';
SELECT deltacc.ingest(t, :'data' || '/logs/' || t) > 0 AS ingested FROM unnest(ARRAY['orders', 'events', 'accounts']) t \g /dev/null
\ir ../tools/failed_jobs.sql
SELECT plan(39 + 5);

CREATE TEMP TABLE answers AS
SELECT j.*, pg_temp.read_version(j) AS read_version, released, skipping
FROM failed_jobs j
LEFT JOIN LATERAL (SELECT c AS released FROM pg_temp.conflicts_of(j, 'off') c LIMIT 1) r ON true
LEFT JOIN LATERAL (SELECT c AS skipping FROM pg_temp.conflicts_of(j, 'on') c LIMIT 1) s ON true;

-- A MetadataChangedException names no version but shows the winner's commitInfo: compare its txnId.
SELECT is(
	concat_ws(' ', (released).exception, coalesce(
		CASE WHEN message ~ 'Conflicting commit' THEN
			(SELECT h.txn_id FROM deltacc.history h WHERE h.table_name = a.table_name AND h.version = (released).winning_version)
		ELSE (released).winning_version::text END)),
	concat_ws(' ', exception, coalesce(substring(message FROM 'committed at version (\d+)'), substring(message FROM '"txnId":"([^"]+)"'))),
	format('%s, %s at %s', table_name, job, started_at))
FROM answers a ORDER BY job_id;

SELECT is(count(*) FILTER (WHERE skipping IS NULL), 9::bigint, '9 of the 16 of orders would have committed with data skipping')
FROM answers WHERE table_name = 'orders' HAVING count(*) = 16;
SELECT is(count(*) FILTER (WHERE skipping IS NULL AND statement ~ '^MERGE'), 0::bigint, 'no MERGE would: s.order_id = t.order_id is a join')
FROM answers;
SELECT is(count(*) FILTER (WHERE skipping IS NULL), 0::bigint, 'none of accounts: its files hold every id')
FROM answers WHERE table_name = 'accounts' HAVING count(*) = 16;
SELECT is(count(*), 0::bigint, 'data skipping never finds a conflict that released Delta does not')
FROM answers WHERE NOT skipping IS NULL AND released IS NULL;
SELECT is(count(*) FILTER (WHERE (released).message IS NULL OR (released).hint IS NULL), 0::bigint, 'every conflict says what happened and what to do')
FROM answers;

SELECT * FROM finish();
ROLLBACK;
