-- When a change is looked at next, though nobody hints at it. No part of the account.
CREATE TABLE looks (
  bank TEXT NOT NULL,
  change TEXT NOT NULL,
  due_at TEXT NOT NULL,
  PRIMARY KEY (bank, change)
) STRICT;

-- A step reads what may still matter of a change, however long its history is.
CREATE INDEX attempts_by_pipeline ON attempts (bank, change, pipeline);
CREATE INDEX attempts_delivered ON attempts (bank, change, place) WHERE delivered = 1;
CREATE INDEX outbox_open ON outbox (bank, change, seq) WHERE status = 'waiting';
