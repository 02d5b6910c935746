-- The type deltacc.actions: what it accepts, what it says about the rest, and
-- what can be read off it.
\pset null '(null)'

-- The text comes out exactly as it went in.
CREATE TABLE commits (id int PRIMARY KEY, note text, content text);
INSERT INTO commits VALUES
(1, 'nothing', ''),
(2, 'no final newline', '{"add":{"path":"a"}}'),
(3, 'CRLF and blank lines', E'{"commitInfo":{"isBlindAppend":true}}\r\n\r\n{"add":{"path":"a"}}\r\n \t\n'),
(4, 'byte order mark', E'\uFEFF{"add":{"path":"a"}}\n'),
(5, 'white space and odd order', E'  { "add" : { "size" : 1 , "path" : "a" } }  \n'),
(6, 'unknown actions and fields', '{"someFutureAction":[1,2]}
{"add":{"path":"a","futureField":{"x":[1.50,"\u00e9"]}}}'),
(7, 'two actions on a line', '{"add":{"path":"a"},"remove":{"path":"b"}}'),
(8, 'every key spelled out', '{"add":null,"remove":{"path":"r"},"commitInfo":null,"sidecar":null}'),
(9, 'NaN, infinities, NUL, lone surrogates', '{"commitInfo":{"a":NaN,"b":[Infinity,-Infinity],"c":"\u0000 \ud800 \udc00\ud800"}}'),
(10, 'duplicate keys: the last counts', '{"add":{"path":"a","dataChange":true,"path":"b","dataChange":false}}'),
(11, 'an empty object', '{}');

SELECT id, note, content::deltacc.actions::text = content AS lossless,
	(SELECT count(*) FROM deltacc.file_actions(content)) AS files,
	deltacc.is_blind_append(content)
FROM commits ORDER BY id;
SELECT path, data_change FROM deltacc.file_actions((SELECT content FROM commits WHERE id = 10)::deltacc.actions);
SELECT deltacc.commit_info(content) FROM commits WHERE id = 9;

-- What is no commit is an ERROR that says where and why.
SELECT 'not json'::deltacc.actions;
SELECT E'{"commitInfo":{}}\nnot json\n{"add":{"path":"a"}}'::deltacc.actions;
SELECT '[{"add":{"path":"a"}}]'::deltacc.actions;
SELECT '"add"'::deltacc.actions;
-- torn in the last line, torn in the middle, printed over several lines
SELECT E'{"commitInfo":{}}\n{"add":{"path":"part-0'::deltacc.actions;
SELECT E'{"commitInfo":\n{"add":{"path":"a"}}'::deltacc.actions;
SELECT E'{\n  "add": {\n    "path": "a"\n  }\n}\n'::deltacc.actions;
-- something after the action
SELECT '{"add":{"path":"a"}} {"remove":{"path":"b"}}'::deltacc.actions;
SELECT '{"add":{"path":"a"}},'::deltacc.actions;
-- COPY in text format has taken the backslashes
SELECT '{"add":{"path":"a","stats":"{"numRecords":1}"}}'::deltacc.actions;
-- no JSON (columns count characters)
SELECT '{"add":{"path":"été","size":01}}'::deltacc.actions;
SELECT '{"add":{"path":"a","size":1.}}'::deltacc.actions;
SELECT '{"add":{"path":"a","size":-}}'::deltacc.actions;
SELECT '{"add":{"path":"a","size":+1}}'::deltacc.actions;
SELECT '{"add":{"path":"a",}}'::deltacc.actions;
SELECT '{"add":{"path":''a''}}'::deltacc.actions;
SELECT '{add:{"path":"a"}}'::deltacc.actions;
SELECT '{"add":{"path":"a" "size":1}}'::deltacc.actions;
SELECT '{"add":{"path":"a","x":tru}}'::deltacc.actions;
SELECT '{"add":{"path":"a\q"}}'::deltacc.actions;
SELECT '{"add":{"path":"a\u12"}}'::deltacc.actions;
SELECT E'{"add":{"path":"a\tb"}}'::deltacc.actions;
SELECT '{"add":{"path":"a"} /* b */}'::deltacc.actions;
SELECT ('{"x":' || repeat('[', 1000) || repeat(']', 1000) || '}')::deltacc.actions;
SELECT length(('{"x":' || repeat('[', 999) || repeat(']', 999) || '}')::deltacc.actions::text);
-- JSON, but no action that Delta could read
SELECT '{"add":{"size":1}}'::deltacc.actions;
SELECT '{"remove":{"path":null}}'::deltacc.actions;
SELECT '{"cdc":{"path":5}}'::deltacc.actions;
SELECT '{"add":"a"}'::deltacc.actions;
SELECT '{"protocol":1}'::deltacc.actions;
SELECT '{"add":{"path":"a","partitionValues":["x"]}}'::deltacc.actions;
SELECT '{"add":{"path":"a","deletionVector":{"storageType":"u"}}}'::deltacc.actions;
SELECT '{"tableState":{"version":-1}}'::deltacc.actions;
-- not a commit
SELECT E'{"commitInfo":{}}\n{"checkpointMetadata":{"version":2}}'::deltacc.actions;
SELECT '{"sidecar":{"path":"x"}}'::deltacc.actions;

-- jsonb: one action or an array of them.
SELECT '{"add":{"path":"a"}}'::jsonb::deltacc.actions;
SELECT '[{"add":{"path":"a\nb"}},{"remove":{"path":"b"}}]'::jsonb::deltacc.actions;
SELECT '[]'::jsonb::deltacc.actions::text = '';
SELECT '[{"add":{"path":"a"}},5]'::jsonb::deltacc.actions;
SELECT '"a"'::jsonb::deltacc.actions;
SELECT '[{"add":{"path":"a"}},{"add":{}}]'::jsonb::deltacc.actions;

-- Text and jsonb are cast where actions are wanted; back only on assignment.
SELECT deltacc.is_blind_append(content), deltacc.is_blind_append(jsonb '{"commitInfo":{"isBlindAppend":true}}')
FROM commits WHERE id = 3;
CREATE TABLE texts (t text);
INSERT INTO texts SELECT content::deltacc.actions FROM commits WHERE id = 2 RETURNING t;

-- Equality is that of the text.
SELECT '{"add":{"path":"a"}}'::deltacc.actions OPERATOR(deltacc.=) '{"add":{"path":"a"}}' AS same,
	'{"add":{"path":"a"}}'::deltacc.actions OPERATOR(deltacc.=) '{"add":{"path":"a"}}
' AS no_newline,
	'{"add":{"path":"a"}}'::deltacc.actions OPERATOR(deltacc.<>) '{"add":{"path":"b"}}' AS different;
SELECT count(DISTINCT content::deltacc.actions::text),
	(SELECT count(*) FROM (SELECT content::deltacc.actions FROM commits
						   UNION SELECT content::deltacc.actions FROM commits) u)
FROM commits;
CREATE INDEX ON commits USING hash ((deltacc.actions(content)));

-- Files.
SELECT ordinal, action, path, partition_values, size, data_change, modification_time, deletion_timestamp
FROM deltacc.file_actions(
'{"commitInfo":{"timestamp":1}}
{"add":{"path":"p=1/a","partitionValues":{"p":"1","q":null},"size":18446744073709551616,"modificationTime":1796025939127,"dataChange":false}}
{"remove":{"path":"p=2/b","deletionTimestamp":1796025939128,"size":"5"}}
{"cdc":{"path":"_change_data/c","partitionValues":{},"size":7,"dataChange":false}}');
SELECT path, stats, deletion_vector, base_row_id, default_row_commit_version, tags
FROM deltacc.file_actions(
'{"add":{"path":"a","stats":"{\"numRecords\":1,\"minValues\":{\"x\":0.10}}","baseRowId":9223372036854775807,"defaultRowCommitVersion":3,"tags":{"k":"v"},"deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":6}}}
{"add":{"path":"b","stats":{"numRecords":2},"baseRowId":1e3,"deletionVector":null,"tags":null}}
{"add":{"path":"single quotes","stats":"{''numRecords'':3}"}}
{"add":{"path":"something behind","stats":"{\"numRecords\":4}x"}}
{"add":{"path":"NaN","stats":"{\"minValues\":{\"x\":NaN,\"y\":\"\\u0000\"}}"}}
{"add":{"path":"cut off","stats":"{\"numRecords\":5"}}
{"add":{"path":"empty","stats":""}}
{"add":{"path":"null","stats":null}}
{"add":{"path":"\u0000\ud800"}}');

-- The other accessors: NULL where the action is absent.
SELECT deltacc.commit_info(c), deltacc.protocol(c), deltacc.metadata(c), deltacc.is_blind_append(c)
FROM (VALUES
	('{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"1","schemaString":"{}"}}
{"commitInfo":{"operation":"WRITE","n":1e20,"isBlindAppend":true}}
{"commitInfo":{"isBlindAppend":false}}'::deltacc.actions),
	('{"commitInfo":{"isBlindAppend":"true"}}'),
	('{"commitInfo":{"isBlindAppend":null}}'),
	('{"commitInfo":{"isBlindAppend":false,"isBlindAppend":true}}'),
	(''),
	(NULL)) v(c);

-- What a value consists of: one column for each key of a statistic.
SELECT * FROM deltacc.actions_layout(
'{"commitInfo":{}}
{"add":{"path":"a","partitionValues":{"p":"1"},"stats":"{\"numRecords\":1,\"minValues\":{\"n\":1,\"s\":{\"x\":\"u\"}},\"maxValues\":{\"n\":2},\"nullCount\":{\"n\":0}}"}}
{"add":{"path":"b","partitionValues":{"p":"2"},"stats":"{\"numRecords\":1,\"minValues\":{\"n\":1},\"maxValues\":{\"n\":2},\"nullCount\":{\"n\":0}}"}}');
-- Statistics of which any part can't be read have none.
SELECT section, key FROM deltacc.actions_layout(
'{"add":{"path":"a","stats":"{\"minValues\":{\"n\":1},\"maxValues\":{\"n\":01}}"}}
{"add":{"path":"b","stats":"{\"minValues\":{\"n\":1},\"maxValues\":{\"n\":+1}}"}}
{"add":{"path":"c","stats":"{\"minValues\":{\"n\":1},maxValues:{\"n\":1}}"}}
{"add":{"path":"d","stats":"{\"minValues\":{\"n\":1}/**/}"}}
{"add":{"path":"e","stats":"{\"minValues\":{\"n\":\"\t\"}}"}}
{"add":{"path":"f","stats":"{\"minValues\":{\"n\":\"\\q\"}}"}}
{"add":{"path":"g","stats":"[{\"minValues\":{\"n\":1}}]"}}
{"add":{"path":"h","stats":"{\"minValues\":{\"n\":1}"}}
{"add":{"path":"i","stats":5}}');
SELECT * FROM deltacc.actions_layout('');

DROP TABLE commits, texts;
