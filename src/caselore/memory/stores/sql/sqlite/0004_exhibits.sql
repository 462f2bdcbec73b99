-- Records that are no incidents: pages, events, strategies, predictions, briefings.
CREATE TABLE exhibits (
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  label TEXT NOT NULL,
  known_as TEXT NOT NULL,
  title TEXT NOT NULL,
  url TEXT NOT NULL,
  happened_at TEXT NOT NULL,
  known_at TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  actor TEXT NOT NULL,
  impact INTEGER NOT NULL,
  private INTEGER NOT NULL,
  status TEXT NOT NULL,
  beneath TEXT NOT NULL,
  counts INTEGER NOT NULL,
  trusted INTEGER NOT NULL,
  origins INTEGER NOT NULL,
  reports INTEGER NOT NULL,
  verdict_seq INTEGER NOT NULL,
  said_seq INTEGER NOT NULL,
  PRIMARY KEY (bank, id)
) STRICT;
CREATE INDEX exhibits_by_known_as ON exhibits (bank, known_as) WHERE known_as <> '';
CREATE INDEX exhibits_by_seq ON exhibits (bank, seq);
CREATE INDEX exhibits_by_time ON exhibits (bank, kind, subject, happened_at, seq);
CREATE INDEX exhibits_by_label ON exhibits (bank, kind, label, happened_at, seq);
-- holds all that a profile counts, so that no row is read for it
CREATE INDEX exhibits_to_count
  ON exhibits (bank, kind, subject, label, status, counts, trusted, impact, origins, happened_at, known_at);

CREATE TABLE words (
  bank TEXT NOT NULL,
  word TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (bank, word, seq)
) STRICT, WITHOUT ROWID;
