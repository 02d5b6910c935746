-- What the corpus run showed.  psql variable: misses, how many to show of each kind.
\pset footer off
\pset border 1

CREATE VIEW corpus.verdict AS
SELECT coalesce(r.file, c.file) AS file,
	   coalesce(asked, 0) AS asked, coalesce(agreed, 0) AS agree, coalesce(allowed, 0) AS safer_than_delta,
	   coalesce(missed, 0) AS missed, c.agree AS recorded,
	   coalesce(agreed + allowed >= c.agree, false) AS passed
FROM (SELECT file, count(*) AS asked, count(*) FILTER (WHERE verdict = 'agree') AS agreed,
			 count(*) FILTER (WHERE verdict = 'allowed') AS allowed, count(*) FILTER (WHERE verdict = 'miss') AS missed
	  FROM corpus.result GROUP BY file) r
FULL JOIN corpus.recorded c USING (file);

\echo
\echo 'What the real Delta decided, and deltacc:'
SELECT file, asked, agree, safer_than_delta AS "safer on purpose", missed, recorded, round(100.0 * (agree + safer_than_delta) / nullif(asked, 0), 2) AS "%",
	   CASE WHEN passed THEN 'ok' ELSE 'FAILED' END AS test
FROM corpus.verdict ORDER BY file;

\echo 'Known misses, by kind:'
SELECT r.file, r.kind, count(*), coalesce(k.reason, 'no reason recorded') AS reason
FROM corpus.result r LEFT JOIN corpus.known k USING (file, kind)
WHERE verdict = 'miss' GROUP BY r.file, r.kind, k.reason ORDER BY r.file, count(*) DESC;

\echo 'The first of them:'
\pset tuples_only on
\pset format unaligned
\pset fieldsep ' | '
SELECT file, kind, left(id, 160), left(detail, 300)
FROM (SELECT *, row_number() OVER (PARTITION BY file, kind ORDER BY id) AS n FROM corpus.result WHERE verdict = 'miss') x
WHERE n <= :misses ORDER BY file, kind, n;
SELECT format('%s known misses', count(*)) FROM corpus.result WHERE verdict = 'miss';
