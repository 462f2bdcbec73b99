-- The repair loop: merge and pull requests that are tracked, and where each stands. Projections of the ledger.
CREATE TABLE changes (
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  url TEXT NOT NULL,
  project TEXT NOT NULL,
  iid TEXT NOT NULL,
  state TEXT NOT NULL,
  pipeline_fail_count INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  worker TEXT NOT NULL,
  head TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (bank, id)
) STRICT;
CREATE INDEX changes_by_state ON changes (bank, state, id);

-- Each CI attempt that was handled, once, and what was decided about it.
CREATE TABLE attempts (
  bank TEXT NOT NULL,
  change TEXT NOT NULL,
  key TEXT NOT NULL,
  seq INTEGER NOT NULL,
  place INTEGER NOT NULL,
  number INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  kind TEXT NOT NULL,
  head TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  at TEXT NOT NULL,
  decision TEXT NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (bank, change, key)
) STRICT;
CREATE INDEX attempts_by_place ON attempts (bank, change, place);

-- What leaves: written in the transaction that made it; it waits until it is taken.
CREATE TABLE outbox (
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  target TEXT NOT NULL,
  seq INTEGER NOT NULL,
  change TEXT NOT NULL,
  type TEXT NOT NULL,
  at TEXT NOT NULL,
  status TEXT NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (bank, id, target)
) STRICT;
CREATE INDEX outbox_waiting ON outbox (bank, seq) WHERE status = 'waiting';
CREATE INDEX outbox_by_change ON outbox (bank, change, seq);

-- Hints that something happened, which are looked at and forgotten; and who works on what. No part of the account.
CREATE TABLE inbox (
  bank TEXT NOT NULL,
  source TEXT NOT NULL,
  key TEXT NOT NULL,
  change TEXT NOT NULL,
  received_at TEXT NOT NULL,
  attended_at TEXT NOT NULL,
  PRIMARY KEY (bank, source, key)
) STRICT;
CREATE INDEX inbox_waiting ON inbox (bank, received_at) WHERE attended_at = '';

CREATE TABLE leases (
  bank TEXT NOT NULL,
  name TEXT NOT NULL,
  holder TEXT NOT NULL,
  fence INTEGER NOT NULL,
  until TEXT NOT NULL,
  tries INTEGER NOT NULL,
  PRIMARY KEY (bank, name)
) STRICT;
