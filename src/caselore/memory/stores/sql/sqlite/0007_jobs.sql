-- Work that is to be done later, and the last due time of each schedule. No part of the account: what is to be done
-- follows from the account, and is put here anew where it is missing.
CREATE TABLE jobs (
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  lock TEXT NOT NULL,
  once TEXT NOT NULL,
  place TEXT NOT NULL,
  about TEXT NOT NULL,
  due_at TEXT NOT NULL,
  state TEXT NOT NULL,
  tries INTEGER NOT NULL,
  holder TEXT NOT NULL,
  until TEXT NOT NULL,
  error TEXT NOT NULL,
  PRIMARY KEY (bank, id)
) STRICT;
CREATE INDEX jobs_in_order ON jobs (bank, seq);
CREATE INDEX jobs_by_lock ON jobs (bank, lock, seq) WHERE lock <> '' AND state <> 'failed';
CREATE INDEX jobs_once ON jobs (bank, once) WHERE once <> '' AND state = 'waiting';
CREATE INDEX jobs_waiting ON jobs (bank, due_at) WHERE state = 'waiting';
CREATE INDEX jobs_running ON jobs (bank, until) WHERE state = 'running';

CREATE TABLE schedules (
  bank TEXT NOT NULL,
  name TEXT NOT NULL,
  last_at TEXT NOT NULL,
  PRIMARY KEY (bank, name)
) STRICT;
