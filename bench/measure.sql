-- Measuring: medians, both sides of a ratio in turn.

-- What has been measured.  ours, rival: in milliseconds, or in words.
CREATE TABLE bench.results (
	n int GENERATED ALWAYS AS IDENTITY,
	point int,
	what text,
	items text,
	ours text,
	rival text,
	theirs text,
	ratio numeric,
	target text,
	met boolean
);

-- The time of one run in milliseconds, out of so many.  A statement may have
-- settings in front, one after the other: 'SET x = 1; SELECT ...'.
CREATE FUNCTION bench.once(statement text, repeats int DEFAULT 1) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	parts text[] := string_to_array(statement, '; ');
	started timestamptz;
BEGIN
	FOR i IN 1..cardinality(parts) - 1 LOOP
		EXECUTE parts[i];
	END LOOP;
	-- Who has just used up his share of a busy processor doesn't get it again at once.
	PERFORM pg_sleep(0.005);
	started := clock_timestamp();
	FOR i IN 1..repeats LOOP
		EXECUTE parts[cardinality(parts)];
	END LOOP;
	RETURN extract(epoch FROM clock_timestamp() - started) * 1000 / repeats;
END $$;

-- The medians of so many runs of each statement, taken in turn, after one that
-- warms up.  A short statement is run as often as the longest one takes, up to
-- fifty times: alone it would mostly tell how fast a processor wakes up.
CREATE FUNCTION bench.medians(statements text[], runs int) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	warm float8[] := '{}';
	longest float8;
	took float8[] := '{}';
BEGIN
	FOR s IN 1..cardinality(statements) LOOP
		PERFORM bench.once(statements[s], 1);
		warm := warm || bench.once(statements[s], 1);
	END LOOP;
	longest := (SELECT GREATEST(max(w), 10) FROM unnest(warm) AS w);
	FOR run IN 1..runs LOOP
		FOR s IN 1..cardinality(statements) LOOP
			took := took || bench.once(statements[s], LEAST(50, GREATEST(1, longest / warm[s]))::int);
		END LOOP;
	END LOOP;
	RETURN (
		SELECT array_agg(median ORDER BY s)
		FROM (
			SELECT (i - 1) % cardinality(statements) + 1 AS s, percentile_cont(0.5) WITHIN GROUP (ORDER BY t) AS median
			FROM unnest(took) WITH ORDINALITY AS u(t, i) GROUP BY 1
		) AS m);
END $$;

CREATE FUNCTION bench.shown(ms float8) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE WHEN ms >= 1000 THEN round((ms / 1000)::numeric, 2) || ' s' WHEN ms >= 10 THEN round(ms::numeric, 1) || ' ms' ELSE round(ms::numeric, 2) || ' ms' END;

-- Three digits that count.
CREATE FUNCTION bench.rounded(x float8) RETURNS numeric LANGUAGE sql IMMUTABLE
RETURN round(x::numeric, GREATEST(0, 2 - floor(log(GREATEST(x, 1e-9)))::int));

-- Times ours against a rival's and enters the ratio; mfiles: files that have to be
-- done in a second, in millions.
CREATE FUNCTION bench.compare(point int, what text, items bigint, ours text, rival text, theirs text, at_most numeric,
	runs int, mfiles numeric DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	took float8[] := bench.medians(ARRAY[ours, theirs], runs);
	speed float8 := items / took[1] / 1000;
BEGIN
	INSERT INTO bench.results (point, what, items, ours, rival, theirs, ratio, target, met)
	VALUES (point, what, to_char(items, 'FM999,999,999'),
		bench.shown(took[1]) || CASE WHEN mfiles IS NULL THEN '' ELSE format(' (%s M files/s)', bench.rounded(speed)) END,
		rival, bench.shown(took[2]), bench.rounded(took[1] / took[2]),
		'≤ ' || at_most || CASE WHEN mfiles IS NULL THEN '' ELSE format(', ≥ %s M files/s', mfiles) END,
		took[1] / took[2] <= at_most AND (mfiles IS NULL OR speed >= mfiles));
END $$;

-- Enters a ratio that was measured elsewhere; at_most NULL: nothing is asked of it.
CREATE FUNCTION bench.enter(point int, what text, items bigint, ours float8, rival text, theirs float8, at_most numeric) RETURNS void LANGUAGE sql AS $$
	INSERT INTO bench.results (point, what, items, ours, rival, theirs, ratio, target, met)
	VALUES (point, what, to_char(items, 'FM999,999,999'), bench.shown(ours), rival, bench.shown(theirs), bench.rounded(ours / theirs),
		'≤ ' || at_most, ours / theirs <= at_most)
$$;

-- Times ours alone.
CREATE FUNCTION bench.clock(point int, what text, items bigint, ours text, at_most_ms float8, runs int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	took float8[] := bench.medians(ARRAY[ours], runs);
BEGIN
	INSERT INTO bench.results (point, what, items, ours, target, met)
	VALUES (point, what, to_char(items, 'FM999,999,999'), bench.shown(took[1]), '≤ ' || bench.shown(at_most_ms), took[1] <= at_most_ms);
END $$;

-- Times a statement of the form '... %s ...' at 1x, 10x and 100x: what one of the
-- items takes at most must not grow.
CREATE FUNCTION bench.growth(what text, unit bigint, statement text, runs int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	took float8[] := bench.medians(ARRAY[format(statement, 1), format(statement, 10), format(statement, 100)], runs);
BEGIN
	INSERT INTO bench.results (point, what, items, ours, rival, theirs, ratio, target, met)
	VALUES (5, what, to_char(unit, 'FM999,999,999') || ' ×1, ×10, ×100', format('%s, %s, %s', bench.shown(took[1]), bench.shown(took[2]), bench.shown(took[3])),
		'linear from ×10 to ×100', bench.shown(took[2] * 10), bench.rounded(took[3] / took[2] / 10), '≤ 2', took[3] / took[2] / 10 <= 2);
END $$;

-- What Delta itself takes for filesForScan over the raw commit, with its log
-- still to be read or with the snapshot at hand.
CREATE FUNCTION bench.delta(how text, theirs float8, files bigint, columns int, runs int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	read text := 'long_1 > 5 AND double_2 < 3';
	check_it text := format('SELECT deltacc.first_conflict(bench.table_lines(%s)::deltacc.actions, %%s, ARRAY[%L]) FROM %%s', columns, read);
BEGIN
	-- Where Delta has the snapshot at hand, it is a stored commit that compares.
	PERFORM bench.enter(6, 'raw text to deltacc.actions and check', files, (bench.medians(ARRAY[format(check_it, 'body::deltacc.actions', 'bench.raw_text')], runs))[1],
		format('Delta, %s: filesForScan', how), theirs, CASE how WHEN 'cold' THEN 0.2 END);
	PERFORM bench.enter(6, 'check of the stored commit', files, (bench.medians(ARRAY[format(check_it, 'actions', 'bench.raw_stored')], runs))[1],
		format('Delta, %s: filesForScan', how), theirs, 0.005);
END $$;
