-- The 39 statements that Delta aborted over the three shipped logs: the first
-- conflict that deltacc finds is the one in Delta's message.
\ir data/begin.psql
SELECT deltacc.ingest(t, :'data' || '/logs/' || t) > 0 AS ingested FROM unnest(ARRAY['orders', 'events', 'accounts']) t \g /dev/null
\ir ../tools/failed_jobs.sql
SELECT plan(39 + 6);

CREATE TEMP TABLE answers AS
SELECT j.job_id, j.message AS error, j.exception AS delta_exception, a.*, 'data skipping' = ANY (avoided_by) AS avoided
FROM failed_jobs j JOIN deltacc.aborted_conflicts a USING (table_name, started_at);

-- A MetadataChangedException names no version but shows the winner's commitInfo: compare its txnId.
SELECT is(
	concat_ws(' ', exception, coalesce(
		CASE WHEN error ~ 'Conflicting commit' THEN
			(SELECT h.txn_id FROM deltacc.history h WHERE h.table_name = a.table_name AND h.version = winning_version)
		ELSE winning_version::text END)),
	concat_ws(' ', delta_exception, coalesce(substring(error FROM 'committed at version (\d+)'), substring(error FROM '"txnId":"([^"]+)"'))),
	format('%s, %s at %s', table_name, job_name, started_at))
FROM answers a ORDER BY job_id;

SELECT is(bool_and(agrees), true, 'the view says that each of them is what Delta said') FROM answers;
SELECT is(count(*) FILTER (WHERE avoided), 9::bigint, '9 of the 16 of orders would have committed with data skipping')
FROM answers WHERE table_name = 'orders' HAVING count(*) = 16;
SELECT is(count(*) FILTER (WHERE avoided AND operation = 'MERGE'), 0::bigint, 'no MERGE would: s.order_id = t.order_id is a join')
FROM answers;
SELECT is(count(*) FILTER (WHERE avoided), 0::bigint, 'none of accounts: its files hold every id')
FROM answers WHERE table_name = 'accounts' HAVING count(*) = 16;
SELECT is(count(*) FILTER (WHERE NOT avoided AND winning_version IS NULL), 0::bigint, 'data skipping never finds a conflict that released Delta does not')
FROM answers;
SELECT is(count(*) FILTER (WHERE message IS NULL OR advice IS NULL), 0::bigint, 'every conflict says what happened and what to do')
FROM answers;

SELECT * FROM finish();
ROLLBACK;
