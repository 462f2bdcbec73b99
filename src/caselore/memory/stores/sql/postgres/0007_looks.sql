-- When a change is looked at next, though nobody hints at it. No part of the account.
CREATE TABLE caselore.looks (
  bank TEXT COLLATE "C" NOT NULL,
  change TEXT COLLATE "C" NOT NULL,
  due_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, change)
);

-- A step reads what may still matter of a change, however long its history is.
CREATE INDEX attempts_by_pipeline ON caselore.attempts (bank, change, pipeline);
CREATE INDEX attempts_delivered ON caselore.attempts (bank, change, place) WHERE delivered = 1;
CREATE INDEX outbox_open ON caselore.outbox (bank, change, seq) WHERE status = 'waiting';
