-- Records that are no incidents: pages, events, strategies, predictions, briefings.
CREATE TABLE caselore.exhibits (
  bank TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  label TEXT COLLATE "C" NOT NULL,
  known_as TEXT COLLATE "C" NOT NULL,
  title TEXT COLLATE "C" NOT NULL,
  url TEXT COLLATE "C" NOT NULL,
  happened_at TEXT COLLATE "C" NOT NULL,
  known_at TEXT COLLATE "C" NOT NULL,
  recorded_at TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  impact BIGINT NOT NULL,
  private BIGINT NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  beneath TEXT COLLATE "C" NOT NULL,
  counts BIGINT NOT NULL,
  trusted BIGINT NOT NULL,
  origins BIGINT NOT NULL,
  reports BIGINT NOT NULL,
  verdict_seq BIGINT NOT NULL,
  said_seq BIGINT NOT NULL,
  PRIMARY KEY (bank, id)
);
CREATE INDEX exhibits_by_known_as ON caselore.exhibits (bank, known_as) WHERE known_as <> '';
CREATE INDEX exhibits_by_seq ON caselore.exhibits (bank, seq);
CREATE INDEX exhibits_by_time ON caselore.exhibits (bank, kind, md5(subject), happened_at, seq);
CREATE INDEX exhibits_by_label ON caselore.exhibits (bank, kind, md5(label), happened_at, seq);

CREATE TABLE caselore.words (
  bank TEXT COLLATE "C" NOT NULL,
  word TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (bank, word, seq)
);
