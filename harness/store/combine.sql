-- SPDX-License-Identifier: Apache-2.0
-- One session out of several of the same file: the shards of a run, or separate sessions whose
-- counts are added (combine.c). A line "--- NAME" begins a part. Queries of which the result is a
-- sentence say why something is refused, or a note; no row means that nothing is wrong.

--- tables
-- The sessions that are combined, in order; and what the new session names as its members: of a
-- sum, those that it is the sum of.
CREATE TEMP TABLE piece (place INTEGER PRIMARY KEY, session INTEGER UNIQUE);
CREATE TEMP TABLE member (place INTEGER PRIMARY KEY, uuid TEXT, seed TEXT, shard INTEGER,
                          session INTEGER);
-- The session that is made; its devices; every shard, by the run that it is a part of; and the
-- sessions that came in.
CREATE TEMP TABLE made (session INTEGER);
CREATE TEMP TABLE chosen AS SELECT * FROM device WHERE false;
CREATE TEMP TABLE shard (session INTEGER PRIMARY KEY, run TEXT);
CREATE TEMP TABLE arrived (uuid TEXT, path TEXT, number INTEGER, version TEXT, shard TEXT,
                           finished INTEGER, options TEXT);
-- The sessions that may be parts of a plan, by the plan; and results of the pieces that do not
-- count, since another piece has a better one, or the same.
CREATE TEMP TABLE planned (session INTEGER PRIMARY KEY, plan TEXT);
CREATE TEMP TABLE left_out (result INTEGER PRIMARY KEY);

-- The members of each session that was combined from others, out of its options.
CREATE TEMP VIEW membership AS
SELECT session.id AS combined, finished, json_extract(options, '$.joined.kind') AS kind,
       key AS place, json_extract(options, fullkey || '.uuid') AS uuid,
       json_extract(options, fullkey || '.seed') AS seed
FROM session, json_each(iif(json_valid(options), options, '{}'), '$.joined.members');

-- The sessions of the file, and with negative numbers those that came in.
CREATE TEMP VIEW known AS
SELECT id AS session, version, options FROM session
UNION ALL SELECT -rowid, version, options FROM arrived;

-- The options that are kept (recorded.c), as JSON; and what the parts of a plan have in common.
CREATE TEMP VIEW kept AS
SELECT session, key, options -> ('$.' || key) AS value
FROM known, json_each(iif(json_valid(options), options, '{}'))
WHERE key IN ('caselist', 'first', 'max_runs', 'patterns', 'runs', 'seed', 'shuffle', 'simt', 'skips',
              'stress', 'thorough', 'until', 'validation', 'timeout')
ORDER BY session, key;

CREATE TEMP VIEW common AS
SELECT session, key, value FROM kept WHERE key NOT IN ('caselist', 'patterns')
UNION ALL SELECT session, 'version', json_quote(version) FROM known
UNION ALL SELECT session, 'catalogue', options -> '$.build.catalogue' FROM known
          WHERE json_valid(options);

-- The results of the pieces; with those of the same configuration and device, and the result that
-- is made of them.
CREATE TEMP VIEW found AS
SELECT result.*, place, shard, shard_index, shard_count, started,
       result NOT IN ('pass', 'fail', 'no-progress') AS broken,
       EXISTS (SELECT 1 FROM failure WHERE failure.result = result.id) AS fails
FROM piece JOIN session ON session.id = piece.session JOIN result ON result.session = session.id
WHERE result.id NOT IN (SELECT result FROM left_out);

CREATE TEMP VIEW source AS
SELECT found.*, target.id AS target,
       row_number() OVER (PARTITION BY target.id ORDER BY broken DESC, place) AS nth,
       min(iif(fails, place, NULL)) OVER (PARTITION BY target.id) AS first_failing
FROM found JOIN made
     JOIN result AS target ON target.session = made.session AND target.device = found.device
          AND target.name = found.name;

--- relation
-- Of a session with options ?1 and uuid ?2, which stands for itself if it was not combined: the
-- first finished session that was combined from some of the same, and whether all of its own are in
-- it (1), all of that one's in it (2), or neither (3).
WITH own (uuid) AS (SELECT json_extract(?1, fullkey || '.uuid')
                    FROM json_each(iif(json_valid(?1), ?1, '{}'), '$.joined.members')),
     mine AS (SELECT uuid FROM own UNION SELECT ?2 WHERE NOT EXISTS (SELECT 1 FROM own))
SELECT combined, CASE count(*) WHEN (SELECT count(*) FROM mine) THEN 1
       WHEN (SELECT count(*) FROM membership AS m WHERE m.combined = membership.combined) THEN 2
       ELSE 3 END
FROM membership JOIN mine USING (uuid)
WHERE finished AND combined NOT IN (SELECT id FROM session WHERE uuid = ?2)
GROUP BY combined ORDER BY combined LIMIT 1

--- members
DELETE FROM member;
INSERT INTO member
SELECT row_number() OVER (ORDER BY place, number), uuid, seed, shard, session
FROM (SELECT piece.place, membership.place AS number, uuid, seed, 0 AS shard, session
      FROM piece JOIN membership ON combined = session
      WHERE kind = 'sum' OR session IN (SELECT session FROM planned)
      UNION ALL
      SELECT place, 0, uuid, seed, shard_index, session.id
      FROM piece JOIN session ON session.id = piece.session
      WHERE session.id NOT IN (SELECT combined FROM membership
                               WHERE kind = 'sum' OR combined IN (SELECT session FROM planned)));

--- shards
-- What was combined from shards that have become part of another session meanwhile goes.
DELETE FROM session WHERE id IN (SELECT combined FROM membership WHERE NOT finished
                                 AND uuid NOT IN (SELECT uuid FROM session));
INSERT INTO shard
SELECT id, printf('%s of %d, seed %s, %d runs, %s, %s', shard, shard_count, seed, runs, version,
                  (SELECT json_group_object(key, json(value)) FROM kept
                   WHERE kept.session = session.id))
FROM session WHERE shard <> '';

--- runs
SELECT min(session) FROM shard GROUP BY run ORDER BY run

--- unfinished
SELECT printf('session %d: shard %d of %d (%s, seed %s) is not finished: kept by itself until it is',
              id, shard_index, shard_count, shard, seed)
FROM shard JOIN session ON session.id = session
WHERE run = (SELECT run FROM shard WHERE session = ?1) AND NOT finished ORDER BY shard_index

--- pieces of a run
INSERT INTO piece (session)
SELECT session FROM shard JOIN session ON session.id = session
WHERE run = (SELECT run FROM shard WHERE session = ?1) AND finished
ORDER BY shard_index, started, uuid

--- plans
-- What was run from caselists with one seed, and else alike; and what was put together of such.
DELETE FROM planned;
INSERT INTO planned
SELECT id, (SELECT json_group_object(key, json(value))
            FROM (SELECT key, value FROM common WHERE common.session = session.id ORDER BY key))
FROM session
WHERE shard = '' AND json_valid(options) AND options -> '$.caselist' IS NOT NULL
      AND (options -> '$.joined' IS NULL OR (finished AND options ->> '$.joined.kind' = 'tests'));
DELETE FROM planned WHERE plan IN (SELECT plan FROM planned GROUP BY plan HAVING count(*) < 2);
-- While they are put side by side they are shards of tests.
UPDATE session SET shard = 'tests',
  shard_index = (SELECT count(*) FROM planned AS p JOIN planned AS q USING (plan)
                 WHERE p.session = session.id AND q.session < p.session),
  shard_count = (SELECT count(*) FROM planned AS p JOIN planned AS q USING (plan)
                 WHERE p.session = session.id)
WHERE id IN (SELECT session FROM planned);

--- plans end
UPDATE session SET shard = '', shard_index = 0, shard_count = 0
WHERE id IN (SELECT session FROM planned);
DELETE FROM planned;
DELETE FROM left_out;

--- every plan
SELECT min(session) FROM planned GROUP BY plan ORDER BY plan

--- pieces of a plan
INSERT INTO piece (session)
SELECT session FROM planned JOIN session ON session.id = session
WHERE plan = (SELECT plan FROM planned WHERE session = ?1) ORDER BY started, uuid

--- left out
-- Of several pieces that have a configuration on devices of one kind (dev_facts_alike) only one
-- counts: the first that did not pass, else the first that measured it. One piece may have it on
-- several such devices.
DELETE FROM left_out;
INSERT INTO left_out
WITH r AS (SELECT result.id, result.session,
                  first_value(result.session) OVER (
                    PARTITION BY result.name, device.name, vendor, product, driver_name,
                                 driver_version
                    ORDER BY CASE WHEN failed_runs > 0 THEN 0
                                  WHEN result IN ('partial', 'harness-error') THEN 4
                                  WHEN result = 'skip' THEN 3 WHEN result = 'pass' THEN 2
                                  WHEN result = 'no-progress' THEN 1 ELSE 0 END, place) AS best
           FROM piece JOIN result USING (session)
                JOIN device ON device.session = result.session AND device.id = result.device)
SELECT id FROM r WHERE session <> best;

--- plan
-- What it was to do is what all were, of their lists whole where their patterns differ.
UPDATE session SET options = json_set(options, '$.caselist', (
    SELECT json_group_array(value)
    FROM (SELECT DISTINCT value FROM piece JOIN session AS s ON s.id = piece.session,
          json_each(s.options, '$.caselist'))),
  '$.patterns', (
    SELECT iif(count(DISTINCT s.options -> '$.patterns') = 1,
               json(min(s.options -> '$.patterns')), json('[]'))
    FROM piece JOIN session AS s ON s.id = piece.session))
WHERE id = (SELECT session FROM made)

--- plan ends
-- Whether it is finished (?1). As long as it is not, its members are the sessions beside it.
UPDATE session SET finished = ?1, options = iif(?1, options, json_set(options, '$.joined.members', (
  SELECT json_group_array(json_object('index', shard_index, 'seed', seed, 'uuid', uuid))
  FROM (SELECT s.* FROM piece JOIN session AS s ON s.id = piece.session ORDER BY place))))
WHERE id = (SELECT session FROM made)

--- plan note
SELECT printf('session %d: %d parts of a plan (seed %s), %d configuration%s%s%s', session.id,
              (SELECT count(*) FROM piece), seed,
              (SELECT count(DISTINCT name) FROM result WHERE session = session.id),
              iif((SELECT count(DISTINCT name) FROM result WHERE session = session.id) = 1, '', 's'),
              iif((SELECT count(*) FROM left_out) = 0, '', printf(
                  '; left out, as another part has it: %d', (SELECT count(*) FROM left_out))),
              iif(finished, '', '; not finished: see litmus plan --missing'))
FROM made JOIN session ON session.id = made.session

--- pieces of a sum
INSERT INTO piece (session)
SELECT id FROM session
WHERE shard = '' AND finished
      AND (uuid IN (SELECT uuid FROM arrived)
           OR id IN (SELECT combined FROM membership WHERE uuid IN (SELECT uuid FROM arrived)))
ORDER BY started, uuid

--- check shards
SELECT printf('two sessions are shard %d of %d of the same run (%s, seed %s): those of %s and %s;'
              || ' give each run its own seed, or merge them into different files',
              shard_index, shard_count, shard, seed, min(started), max(started))
FROM piece JOIN session ON session.id = piece.session
GROUP BY shard_index HAVING count(*) > 1 LIMIT 1

--- check sum
WITH s AS (SELECT session.*, place,
                  (SELECT json_group_object(key, json(value)) FROM kept
                   WHERE kept.session = session.id AND key NOT IN ('seed', 'runs', 'patterns'))
                  AS wanted
           FROM piece JOIN session ON session.id = piece.session),
     pairs AS (SELECT a.started AS first, b.started AS second,
                      CASE WHEN EXISTS (SELECT 1 FROM member AS x JOIN member AS y USING (seed)
                                        WHERE x.session = a.id AND y.session = b.id)
                           THEN 'the same seed, so that it is the same experiment twice'
                           WHEN a.system <> b.system THEN 'they are of different systems'
                           WHEN a.wanted <> b.wanted THEN 'their options differ' END AS why
               FROM s AS a JOIN s AS b ON a.place < b.place)
SELECT printf('the sessions of %s and %s cannot be added: %s', first, second, why)
FROM pairs WHERE why IS NOT NULL LIMIT 1

--- check devices
SELECT printf('shards of runs were made on different devices or drivers: %s, driver %s (%s) is in'
              || ' %d of %d', name, driver_version, device.id, count(*),
              (SELECT count(*) FROM piece))
FROM piece JOIN device USING (session) JOIN session ON session.id = piece.session
WHERE shard = 'runs'
GROUP BY device.id HAVING count(*) < (SELECT count(*) FROM piece) LIMIT 1

--- check results
-- Results of one configuration and device that make adding them senseless.
WITH b AS (SELECT *, lag(id) OVER (PARTITION BY device, name ORDER BY place) AS before FROM found),
     checked AS (SELECT b.*, CASE
       WHEN shard = 'tests' THEN 'it is in another shard too'
       WHEN a.sha256 <> b.sha256
       THEN printf('module %s and %s', iif(a.sha256 = '', '(none)', substr(a.sha256, 1, 12) || '...'),
                   iif(b.sha256 = '', '(none)', substr(b.sha256, 1, 12) || '...'))
       WHEN a.stress <> b.stress
       THEN printf('stress %.60s and %.60s', coalesce(nullif(a.stress, ''), '(none)'),
                   coalesce(nullif(b.stress, ''), '(none)'))
       WHEN a.expectation <> b.expectation
       THEN printf('expectation %s and %s', a.expectation, b.expectation)
       WHEN a.rule <> '' OR b.rule <> ''
       THEN printf('was measured until a rule was met (%s): such runs cannot be added',
                   iif(a.rule <> '', a.rule, b.rule))
       WHEN (a.result = 'skip') <> (b.result = 'skip')
       THEN printf('was skipped in one (%.120s) and ran in the other',
                   iif(a.result = 'skip', a.reason, b.reason))
       WHEN a.checked_as <> b.checked_as
            OR EXISTS (SELECT place, name, fails FROM choice WHERE choice.result = a.id
                       EXCEPT SELECT place, name, fails FROM choice WHERE choice.result = b.id)
            OR EXISTS (SELECT place, name, fails FROM choice WHERE choice.result = b.id
                       EXCEPT SELECT place, name, fails FROM choice WHERE choice.result = a.id)
       THEN 'the outcomes have other names'
       WHEN shard = 'runs' AND a.seed <> b.seed THEN printf('seed %s and %s', a.seed, b.seed)
       END AS why FROM b JOIN result AS a ON a.id = b.before)
SELECT printf('%s cannot be added to those before it: %s (device %s): %s',
              iif(shard = '', 'the session of ' || started,
                  printf('shard %d of %d', shard_index, shard_count)), name, device, why)
FROM checked WHERE why IS NOT NULL ORDER BY place LIMIT 1

--- check runs
WITH b AS (SELECT *, lag(id) OVER (PARTITION BY device, name, seed ORDER BY first, place) AS before
           FROM found WHERE runs > 0)
SELECT printf('%s cannot be added: %s (device %s): runs %d-%d and %d-%d of the same seed: the same'
              || ' experiment twice',
              iif(shard = '', 'the session of ' || started,
                  printf('shard %d of %d', shard_index, shard_count)), b.name, b.device,
              a.first, a.first + a.runs - 1, b.first, b.first + b.runs - 1)
FROM b JOIN result AS a ON a.id = b.before
WHERE a.runs > b.first - a.first ORDER BY place LIMIT 1

--- uuid
-- The identity of what is combined: that of its members alone, in any order.
SELECT litmus_identity(iif(shard = '', 'sum', shard) || char(0)
                       || (SELECT group_concat(uuid, char(0))
                           FROM (SELECT uuid FROM member ORDER BY uuid)))
FROM session WHERE id = (SELECT session FROM piece ORDER BY place LIMIT 1)

--- combine
INSERT INTO session (version, command, started, system, seed, runs, finished, options, uuid)
WITH s AS (SELECT session.*, place FROM piece JOIN session ON session.id = piece.session)
SELECT (SELECT group_concat(version, ', ') FROM (SELECT version FROM s GROUP BY version
                                                 ORDER BY min(place))),
       litmus_command(command), (SELECT min(started) FROM s),
       (SELECT group_concat(system, ', ') FROM (SELECT system FROM s GROUP BY system
                                                ORDER BY min(place))),
       seed, iif(shard = '', (SELECT sum(runs) FROM s), runs),
       shard = '' OR (SELECT count(*) FROM s) = shard_count,
       json_set((SELECT json_group_object(key, json(value)) FROM kept WHERE kept.session = s.id),
                '$.build', json(coalesce(options -> '$.build', '{}')), '$.joined', json_object('count', shard_count, 'kind', iif(shard = '', 'sum', shard),
                  'members', (SELECT json_group_array(json_object('index', shard, 'seed', seed,
                                                                  'uuid', uuid))
                              FROM (SELECT * FROM member ORDER BY place)))),
       ''
FROM s ORDER BY place LIMIT 1;
DELETE FROM made;
INSERT INTO made SELECT last_insert_rowid();

-- What is said of drivers beside all results is said of it.
UPDATE session SET options = json_set(options, '$.drivers', (
    SELECT json_group_array(DISTINCT value)
    FROM piece JOIN session AS s ON s.id = piece.session, json_each(s.options, '$.drivers')),
  '$.unclosed', (SELECT sum(coalesce(s.options ->> '$.unclosed', 0))
                 FROM piece JOIN session AS s ON s.id = piece.session))
WHERE id = (SELECT session FROM made)
      AND EXISTS (SELECT 1 FROM piece JOIN session AS s ON s.id = piece.session
                  WHERE json_valid(s.options) AND s.options -> '$.drivers' IS NOT NULL);

-- Devices. Their numbers stay as they are if they differ.
DELETE FROM chosen;
INSERT INTO chosen
SELECT device.* FROM piece JOIN device USING (session)
WHERE place = (SELECT min(place) FROM piece JOIN device AS other USING (session)
               WHERE other.id = device.id)
ORDER BY place, number;
UPDATE chosen SET number = (SELECT count(*) FROM chosen AS c WHERE c.rowid <= chosen.rowid)
WHERE (SELECT count(*) > count(DISTINCT number) FROM chosen);
UPDATE chosen SET session = (SELECT session FROM made);
INSERT INTO device SELECT * FROM chosen;
UPDATE session SET options = json_set(options, '$.devices', json((
  SELECT json_group_array(json_object('id', id, 'name', name, 'number', number))
  FROM (SELECT * FROM chosen ORDER BY number))))
WHERE id = (SELECT session FROM made);

-- Results. What is not a count is that of the first piece that has it, but:
-- - the result is the first that is no verdict (hang, crash...), with its reason and evidence, else
--   the verdict over the sum;
-- - whether the first run failed is said by the one with the lowest number, of sums by any;
-- - failures are the first 16 by number of run; of sums those of the first piece that has any, whose
--   seed becomes the result's, so that they can be run again.
-- Shards of tests interleave: their order is that of names. Else each piece has all of them.
INSERT INTO result (session, device, name, result, expectation, sha256, seed, runs, failed_runs,
                    no_progress_runs, stress, rule, first, reason, headline, checked_as,
                    first_run_failed, instances, failed_instances, seconds)
WITH w AS (SELECT *, row_number() OVER (g ORDER BY broken DESC, place) AS nth,
                  sum(runs) OVER g AS all_runs, sum(failed_runs) OVER g AS all_failed,
                  sum(no_progress_runs) OVER g AS all_waiting, min(first) OVER g AS least,
                  sum(instances) OVER g AS all_units, sum(failed_instances) OVER g AS all_wrong,
                  sum(seconds) OVER g AS all_seconds,
                  iif(shard = '', max(first_run_failed) OVER g,
                      first_value(first_run_failed) OVER (g ORDER BY first, place)) AS first_failed,
                  first_value(seed) OVER (g ORDER BY fails DESC, place) AS failing_seed,
                  min(place) OVER g AS first_place,
                  first_value(id) OVER (g ORDER BY place) AS first_id
           FROM found WINDOW g AS (PARTITION BY device, name))
SELECT made.session, device, w.name,
       CASE WHEN broken THEN result WHEN all_failed > 0 THEN 'fail'
            WHEN all_waiting > 0 THEN 'no-progress' ELSE 'pass' END,
       expectation, sha256, failing_seed, all_runs, all_failed, all_waiting, stress, rule, least,
       reason, headline, checked_as, first_failed, all_units, all_wrong, all_seconds
FROM w JOIN made JOIN chosen ON chosen.id = device WHERE nth = 1
ORDER BY iif(shard = 'tests', 0, first_place), number, iif(shard = 'tests', w.name, ''), first_id;

INSERT INTO outcome SELECT target, outcome, sum(outcome.instances)
FROM source JOIN outcome ON outcome.result = source.id GROUP BY target, outcome;

INSERT INTO failure
WITH f AS (SELECT target, failure.*, row_number() OVER (PARTITION BY target ORDER BY run,
                                                        source.place, failure.number) - 1 AS nth
           FROM source JOIN failure ON failure.result = source.id
           WHERE shard <> '' OR source.place = first_failing)
SELECT target, nth, run, instance, word, place, outcome, got, want FROM f WHERE nth < 16;

INSERT INTO choice SELECT target, choice.place, choice.name, choice.fails
FROM source JOIN choice ON choice.result = source.id WHERE nth = 1;

INSERT INTO evidence SELECT target, kind, text
FROM source JOIN evidence ON evidence.result = source.id WHERE nth = 1;

-- Parts stand one behind the other with the processes apart; beyond 64, neighbours are put together.
-- None if those of a result with runs are not known.
INSERT INTO part
WITH unknown AS (SELECT target FROM source
                 WHERE runs > 0 AND NOT EXISTS (SELECT 1 FROM part WHERE part.result = source.id)),
     width AS (SELECT id, sum(1 + (SELECT max(process) FROM part WHERE part.result = source.id))
                          OVER (PARTITION BY target ORDER BY place
                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
               FROM source),
     q AS (SELECT target, part.*, part.process + coalesce(before, 0) AS number_of_process,
                  row_number() OVER (PARTITION BY target ORDER BY place, part.number) - 1 AS nth,
                  count(*) OVER (PARTITION BY target) AS parts
           FROM source JOIN width USING (id) JOIN part ON part.result = source.id
           WHERE target NOT IN unknown)
SELECT target, iif(parts > 64, nth * 64 / parts, nth), min(number_of_process), sum(runs),
       sum(failed_runs), sum(no_progress_runs)
FROM q GROUP BY 1, 2;

INSERT INTO tuning (session, device, name, sha256, stress, runs, failed_runs, no_progress_runs,
                    seconds)
SELECT made.session, device, name, sha256, stress, sum(runs), sum(failed_runs),
       sum(no_progress_runs), sum(seconds)
FROM piece JOIN tuning USING (session) JOIN made WHERE true
GROUP BY device, name, stress, sha256 ORDER BY min(place), min(id) ON CONFLICT DO NOTHING;

INSERT INTO code (session, device, name, sha256, digest, packed)
SELECT made.session, device, name, sha256, digest, packed
FROM piece JOIN code USING (session) JOIN made WHERE true
ORDER BY place, id ON CONFLICT DO NOTHING;

INSERT INTO kernel (session, name, packed)
SELECT made.session, name, packed FROM piece JOIN kernel USING (session) JOIN made WHERE true
ORDER BY place, id ON CONFLICT DO NOTHING;

--- shards note
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n
                         WHERE i < (SELECT 64 + count(*) FROM member))
SELECT printf('session %d: shards %s of %d (%s, seed %s)%s', made.session,
              (SELECT group_concat(shard, ', ') FROM (SELECT shard FROM member ORDER BY 1 LIMIT 64)),
              shard_count, shard, seed,
              iif(shard_count > (SELECT count(*) FROM piece), '; not finished: missing ' || (
                  SELECT group_concat(i, ', ')
                  FROM (SELECT i FROM n WHERE i < shard_count
                        AND i NOT IN (SELECT shard FROM member) LIMIT 64)), ''))
FROM made JOIN session ON session.id = (SELECT max(session) FROM piece)

--- sum note
SELECT printf('session %d: the sum of %d sessions', session, (SELECT count(*) FROM member))
FROM made

--- stale
-- What was combined from some of the members before goes; and the pieces, when all are there.
DELETE FROM session WHERE id IN (SELECT combined FROM membership
                                 WHERE NOT finished AND kind <> 'sum'
                                       AND combined NOT IN (SELECT session FROM made)
                                 GROUP BY combined
                                 HAVING min(uuid IN (SELECT uuid FROM member UNION SELECT uuid FROM piece
                                                     JOIN session ON id = session)));
DELETE FROM session WHERE id IN (SELECT session FROM piece)
                          AND (SELECT finished FROM session JOIN made ON id = session);

--- apart
-- Of the sessions that came in, those that are not in the newest, which is what is read where no
-- session is named; of a merge that was not told to put them together (?1: 2 parts, 1 a sum, 0) only
-- shards that no finished session has, where the newest is finished.
WITH newest AS (SELECT * FROM session ORDER BY id DESC LIMIT 1),
     inside AS (SELECT uuid FROM newest
                UNION SELECT membership.uuid FROM membership JOIN newest ON combined = newest.id),
     whole AS (SELECT uuid FROM membership WHERE finished)
SELECT printf('%s: session %d is not in session %d, which gate and report read: %s', path, number,
              newest.id,
  CASE WHEN ?1 = 0 THEN 'shards of its run are missing or not finished'
       WHEN arrived.shard <> '' THEN 'it is a shard'
       WHEN ?1 = 1 AND NOT arrived.finished THEN 'it is not finished'
       WHEN ?1 = 2 AND arrived.options -> '$.caselist' IS NULL THEN 'it was not run from a caselist'
       ELSE coalesce(
         (SELECT group_concat(printf('%s %s, not %s', key, coalesce(trim(a, '"'), 'not given'),
                                     coalesce(trim(b, '"'), 'not given')), '; ')
          FROM (SELECT key, max(iif(session < 0, value, NULL)) AS a,
                       max(iif(session > 0, value, NULL)) AS b
                FROM common WHERE session IN (-arrived.rowid, newest.id)
                GROUP BY key HAVING a IS NOT b ORDER BY key)),
         'they were not run from caselists of one plan') END)
FROM arrived JOIN newest
WHERE arrived.uuid NOT IN inside
      AND NOT (SELECT count(*) > 0 AND min((value ->> '$.uuid') IN inside)
               FROM json_each(iif(json_valid(arrived.options), arrived.options, '{}'), '$.joined.members'))
      AND (?1 > 0 OR (arrived.shard <> '' AND newest.finished AND arrived.uuid NOT IN whole))
ORDER BY arrived.rowid
