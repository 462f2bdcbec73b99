-- Names may be longer than an index entry of Postgres may be: indexes hold their digests, and queries compare both.
CREATE TABLE caselore.unscrubbed (
  name TEXT COLLATE "C" PRIMARY KEY
);

-- The account. It is the truth; every other table but payloads can be derived from it.
CREATE TABLE caselore.ledger (
  bank TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  at TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  role TEXT COLLATE "C" NOT NULL,
  action TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  commitment TEXT COLLATE "C" NOT NULL,
  previous TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, seq)
);
CREATE INDEX ledger_by_subject ON caselore.ledger (bank, subject, seq);
CREATE INDEX ledger_by_role ON caselore.ledger (bank, role) WHERE role = 'human';

-- What the entries are about, as JSON; a row goes when its content is erased.
CREATE TABLE caselore.payloads (
  bank TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  salt TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, seq)
);

-- From here on: projections of the two tables above.
CREATE TABLE caselore.cases (
  bank TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  service TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  branch TEXT COLLATE "C" NOT NULL,
  commit_id TEXT COLLATE "C" NOT NULL,
  deployment TEXT COLLATE "C" NOT NULL,
  stage TEXT COLLATE "C" NOT NULL,
  url TEXT COLLATE "C" NOT NULL,
  title TEXT COLLATE "C" NOT NULL,
  signature TEXT COLLATE "C" NOT NULL,
  family TEXT COLLATE "C" NOT NULL,
  tool TEXT COLLATE "C" NOT NULL,
  unit TEXT COLLATE "C" NOT NULL,
  generic BIGINT NOT NULL,
  log_digest TEXT COLLATE "C" NOT NULL,
  known_as TEXT COLLATE "C" NOT NULL,
  happened_at TEXT COLLATE "C" NOT NULL,
  recorded_at TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  beneath TEXT COLLATE "C" NOT NULL,
  counts BIGINT NOT NULL,
  verdict_seq BIGINT NOT NULL,
  outcome_seq BIGINT NOT NULL,
  result TEXT COLLATE "C" NOT NULL,
  fix TEXT COLLATE "C" NOT NULL,
  confirmed_by TEXT COLLATE "C" NOT NULL,
  confirmed_at TEXT COLLATE "C" NOT NULL,
  proposal_seq BIGINT NOT NULL,
  PRIMARY KEY (bank, id)
);
CREATE INDEX cases_by_time ON caselore.cases (bank, happened_at, id);
CREATE INDEX cases_by_known_as ON caselore.cases (bank, known_as) WHERE known_as <> '';
CREATE INDEX cases_by_deployment ON caselore.cases (bank, md5(deployment)) WHERE deployment <> '';
CREATE INDEX cases_by_signature ON caselore.cases (bank, md5(signature), status, happened_at, id);
CREATE INDEX cases_by_signature_service ON caselore.cases (bank, md5(signature), md5(service), status, happened_at, id);
CREATE INDEX cases_by_unit ON caselore.cases (bank, md5(unit), status, happened_at, id) WHERE unit <> '';
CREATE INDEX cases_by_family ON caselore.cases (bank, md5(family), md5(service), status, happened_at, id);

CREATE TABLE caselore.links (
  bank TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  place BIGINT NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  relation TEXT COLLATE "C" NOT NULL,
  target TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, seq, place)
);
CREATE INDEX links_by_subject ON caselore.links (bank, subject, seq, place);
CREATE INDEX links_by_target ON caselore.links (bank, md5(target), seq, place);
CREATE INDEX links_by_relation ON caselore.links (bank, relation, subject, md5(target));

CREATE TABLE caselore.held (
  bank TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, seq)
);

CREATE TABLE caselore.greens (
  bank TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  service TEXT COLLATE "C" NOT NULL,
  stage TEXT COLLATE "C" NOT NULL,
  label TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, seq)
);
CREATE INDEX greens_by_job ON caselore.greens (bank, md5(service), md5(stage), seq);

CREATE TABLE caselore.tokens (
  bank TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  role TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  created_by TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL,
  revoked_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, id)
);

CREATE TABLE caselore.erased (
  bank TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  known_as TEXT COLLATE "C" NOT NULL,
  erased_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (bank, id)
);
CREATE INDEX erased_by_known_as ON caselore.erased (bank, known_as);
