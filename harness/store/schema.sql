-- SPDX-License-Identifier: Apache-2.0
-- The tables of format 1 (docs/store.md). Never changed once released.
--
-- 64-bit values that use all their bits (seeds, feature sets) are hexadecimal text, because SQLite's
-- integers are signed; counts are integers and never reach 2^63. Each `sum` is a checksum (sum.c).

CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  version TEXT NOT NULL,
  command TEXT NOT NULL,
  started TEXT NOT NULL,
  system TEXT NOT NULL,
  seed TEXT NOT NULL,
  runs INTEGER NOT NULL CHECK (runs >= 0),
  finished INTEGER NOT NULL CHECK (finished IN (0, 1)),
  options TEXT NOT NULL,
  uuid TEXT NOT NULL UNIQUE,
  shard TEXT NOT NULL DEFAULT '' CHECK (shard IN ('', 'tests', 'runs')),
  shard_index INTEGER NOT NULL DEFAULT 0 CHECK (shard_index >= 0),
  shard_count INTEGER NOT NULL DEFAULT 0 CHECK (shard_count >= 0),
  sum INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE device (
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 1),
  id TEXT NOT NULL,
  checker TEXT NOT NULL,
  name TEXT NOT NULL,
  driver_name TEXT NOT NULL,
  driver_info TEXT NOT NULL,
  driver_version TEXT NOT NULL,
  device_uuid BLOB NOT NULL CHECK (length(device_uuid) = 16),
  driver_uuid BLOB NOT NULL CHECK (length(driver_uuid) = 16),
  driver_id INTEGER NOT NULL,
  vendor INTEGER NOT NULL,
  product INTEGER NOT NULL,
  api INTEGER NOT NULL,
  driver_raw INTEGER NOT NULL,
  cpu INTEGER NOT NULL CHECK (cpu IN (0, 1)),
  type TEXT NOT NULL,
  subgroup INTEGER NOT NULL,
  subgroup_min INTEGER NOT NULL,
  subgroup_max INTEGER NOT NULL,
  subgroup_control INTEGER NOT NULL CHECK (subgroup_control IN (0, 1)),
  max_workgroup INTEGER NOT NULL,
  max_workgroups INTEGER NOT NULL,
  max_shared INTEGER NOT NULL,
  max_storage_buffer INTEGER NOT NULL,
  features TEXT NOT NULL,
  loader TEXT NOT NULL,
  sum INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session, number),
  UNIQUE (session, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX device_driver ON device (driver_name, driver_version);

-- The parts of each configuration's name (model/configuration.h), for whoever asks by axes.
CREATE TABLE configuration (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  test TEXT NOT NULL
) STRICT;
CREATE TABLE pair (
  configuration INTEGER NOT NULL REFERENCES configuration (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 0),
  role TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (configuration, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX pair_value ON pair (key, value);

-- The results of a configuration under a driver: how many there are in all sessions. Histories find
-- them by its number, and read `past`, which has all that they tell of a result (history.c).
CREATE TABLE course (
  id INTEGER PRIMARY KEY,
  configuration INTEGER NOT NULL REFERENCES configuration (id) ON DELETE CASCADE,
  device TEXT NOT NULL,
  members INTEGER NOT NULL,
  UNIQUE (configuration, device)
) STRICT;

CREATE TABLE result (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  device TEXT NOT NULL,
  name TEXT NOT NULL,
  result TEXT NOT NULL,
  reason TEXT NOT NULL,
  expectation TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  headline TEXT NOT NULL,
  seed TEXT NOT NULL,
  checked_as TEXT NOT NULL,
  runs INTEGER NOT NULL CHECK (runs >= 0),
  failed_runs INTEGER NOT NULL CHECK (failed_runs BETWEEN 0 AND runs),
  no_progress_runs INTEGER NOT NULL CHECK (no_progress_runs BETWEEN 0 AND runs),
  first_run_failed INTEGER NOT NULL CHECK (first_run_failed IN (0, 1)),
  instances INTEGER NOT NULL CHECK (instances >= 0),
  failed_instances INTEGER NOT NULL CHECK (failed_instances BETWEEN 0 AND instances),
  seconds REAL NOT NULL CHECK (seconds >= 0),
  stress TEXT NOT NULL DEFAULT '',
  rule TEXT NOT NULL DEFAULT '',
  first INTEGER NOT NULL DEFAULT 0 CHECK (first >= 0),
  course INTEGER NOT NULL DEFAULT 0,
  past BLOB NOT NULL DEFAULT x'',
  sum INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session, device, name),
  FOREIGN KEY (session, device) REFERENCES device (session, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX result_course ON result (course, past);
CREATE INDEX result_device ON result (device, session);

CREATE TABLE outcome (
  result INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,
  outcome INTEGER NOT NULL,
  instances INTEGER NOT NULL CHECK (instances > 0),
  PRIMARY KEY (result, outcome)
) STRICT, WITHOUT ROWID;

-- What a test's alternatives are called, and which of them fail (enum cat_check, CHOICE and STATE).
CREATE TABLE choice (
  result INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,
  place INTEGER NOT NULL CHECK (place BETWEEN 0 AND 28),
  name TEXT NOT NULL,
  fails INTEGER NOT NULL CHECK (fails IN (0, 1)),
  PRIMARY KEY (result, place)
) STRICT, WITHOUT ROWID;

-- The first failing words, in the order in which they were seen.
CREATE TABLE failure (
  result INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  run INTEGER NOT NULL,
  instance INTEGER NOT NULL,
  word INTEGER NOT NULL,
  place TEXT NOT NULL,
  outcome INTEGER NOT NULL,
  got INTEGER NOT NULL,
  want INTEGER NOT NULL,
  PRIMARY KEY (result, number)
) STRICT, WITHOUT ROWID;

-- A result's runs in pieces, in the order in which they ran: a piece is of one worker process
-- and one pipeline.
CREATE TABLE part (
  result INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  process INTEGER NOT NULL CHECK (process >= 0),
  runs INTEGER NOT NULL CHECK (runs > 0),
  failed_runs INTEGER NOT NULL CHECK (failed_runs BETWEEN 0 AND runs),
  no_progress_runs INTEGER NOT NULL CHECK (no_progress_runs BETWEEN 0 AND runs),
  PRIMARY KEY (result, number)
) STRICT, WITHOUT ROWID;

-- What was found around a crash, a hang or a lost device (enum eng_evidence).
CREATE TABLE evidence (
  result INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (result, kind)
) STRICT, WITHOUT ROWID;

-- What a search for stress has tried.
CREATE TABLE tuning (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  device TEXT NOT NULL,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  stress TEXT NOT NULL,
  runs INTEGER NOT NULL CHECK (runs >= 0),
  failed_runs INTEGER NOT NULL CHECK (failed_runs BETWEEN 0 AND runs),
  no_progress_runs INTEGER NOT NULL CHECK (no_progress_runs BETWEEN 0 AND runs),
  seconds REAL NOT NULL CHECK (seconds >= 0),
  sum INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session, device, name, stress),
  FOREIGN KEY (session, device) REFERENCES device (session, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX tuning_name ON tuning (device, name);

-- What drivers made of configurations: what isa_pack makes, as one zstd frame. digest: of the
-- machine code, or of the lowest representation that there is; '' for none.
CREATE TABLE code (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  device TEXT NOT NULL,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  digest TEXT NOT NULL,
  packed BLOB NOT NULL,
  sum INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session, device, name),
  FOREIGN KEY (session, device) REFERENCES device (session, id) ON DELETE CASCADE
) STRICT;

-- What kernels from outside are (catalogue/package.h), for whoever has not their files.
CREATE TABLE kernel (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  packed BLOB NOT NULL,
  sum INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session, name)
) STRICT;

-- Which rows each session has of a table, and as session 0 which sessions, courses and definitions
-- there are.
CREATE TABLE total (
  session INTEGER NOT NULL,
  kind TEXT NOT NULL,
  members INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (session, kind)
) STRICT, WITHOUT ROWID;

PRAGMA application_id = 1279874125; -- STORE_APPLICATION, LITM
PRAGMA user_version = 1; -- STORE_VERSION
