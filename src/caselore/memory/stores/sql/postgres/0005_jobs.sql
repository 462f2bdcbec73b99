-- Work that is to be done later, and the last due time of each schedule. No part of the account: what is to be done
-- follows from the account, and is put here anew where it is missing.
CREATE TABLE caselore.jobs (
  bank TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  lock TEXT COLLATE "C" NOT NULL,
  once TEXT COLLATE "C" NOT NULL,
  place TEXT COLLATE "C" NOT NULL,
  about TEXT COLLATE "C" NOT NULL,
  due_at TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  tries BIGINT NOT NULL,
  holder TEXT COLLATE "C" NOT NULL,
  until TEXT COLLATE "C" NOT NULL,
  error TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, id)
);
CREATE INDEX jobs_in_order ON caselore.jobs (bank, seq);
CREATE INDEX jobs_by_lock ON caselore.jobs (bank, lock, seq) WHERE lock <> '' AND state <> 'failed';
CREATE INDEX jobs_once ON caselore.jobs (bank, once) WHERE once <> '' AND state = 'waiting';
CREATE INDEX jobs_waiting ON caselore.jobs (bank, due_at) WHERE state = 'waiting';
CREATE INDEX jobs_running ON caselore.jobs (bank, until) WHERE state = 'running';

CREATE TABLE caselore.schedules (
  bank TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  last_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, name)
);
