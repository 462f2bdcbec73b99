-- The repair loop: merge and pull requests that are tracked, and where each stands. Projections of the ledger.
CREATE TABLE caselore.changes (
  bank TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  url TEXT COLLATE "C" NOT NULL,
  project TEXT COLLATE "C" NOT NULL,
  iid TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  pipeline_fail_count BIGINT NOT NULL,
  max_attempts BIGINT NOT NULL,
  worker TEXT COLLATE "C" NOT NULL,
  head TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  document TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, id)
);
CREATE INDEX changes_by_state ON caselore.changes (bank, state, id);

-- Each CI attempt that was handled, once, and what was decided about it.
CREATE TABLE caselore.attempts (
  bank TEXT COLLATE "C" NOT NULL,
  change TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  place BIGINT NOT NULL,
  number BIGINT NOT NULL,
  delivered BIGINT NOT NULL,
  verdict TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  head TEXT COLLATE "C" NOT NULL,
  pipeline TEXT COLLATE "C" NOT NULL,
  at TEXT COLLATE "C" NOT NULL,
  decision TEXT COLLATE "C" NOT NULL,
  document TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, change, key)
);
CREATE INDEX attempts_by_place ON caselore.attempts (bank, change, place);

-- What leaves: written in the transaction that made it; it waits until it is taken.
CREATE TABLE caselore.outbox (
  bank TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  target TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  change TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  at TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  document TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, id, target)
);
CREATE INDEX outbox_waiting ON caselore.outbox (bank, seq) WHERE status = 'waiting';
CREATE INDEX outbox_by_change ON caselore.outbox (bank, change, seq);

-- Hints that something happened, which are looked at and forgotten; and who works on what. No part of the account.
CREATE TABLE caselore.inbox (
  bank TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  change TEXT COLLATE "C" NOT NULL,
  received_at TEXT COLLATE "C" NOT NULL,
  attended_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, source, key)
);
CREATE INDEX inbox_waiting ON caselore.inbox (bank, received_at) WHERE attended_at = '';

CREATE TABLE caselore.leases (
  bank TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  holder TEXT COLLATE "C" NOT NULL,
  fence BIGINT NOT NULL,
  until TEXT COLLATE "C" NOT NULL,
  tries BIGINT NOT NULL,
  PRIMARY KEY (bank, name)
);
