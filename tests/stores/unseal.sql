-- Makes a store of format 9 one of format 5, which has no checksums, so that it can be changed by SQL.
-- The next program that writes to it makes them. Definitions have to be those of format 5, to the blank.
DROP TABLE kernel;
DROP TABLE course;
DROP TABLE pair;
DROP TABLE configuration;
DROP TABLE total;
DROP INDEX result_course;
ALTER TABLE session DROP COLUMN sum;
ALTER TABLE device DROP COLUMN sum;
ALTER TABLE result DROP COLUMN sum;
ALTER TABLE result DROP COLUMN past;
ALTER TABLE result DROP COLUMN course;
ALTER TABLE tuning DROP COLUMN sum;
ALTER TABLE code DROP COLUMN sum;
CREATE INDEX result_name ON result (name, device, session, result, expectation, sha256, seed,  runs, failed_runs, no_progress_runs, stress, rule, first);
PRAGMA user_version = 5;
