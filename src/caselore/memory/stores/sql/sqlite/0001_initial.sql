-- The account. It is the truth; every other table but payloads can be derived from it.
CREATE TABLE ledger (
  bank TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  actor TEXT NOT NULL,
  role TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  commitment TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (bank, seq)
) STRICT;
CREATE INDEX ledger_by_subject ON ledger (bank, subject, seq);
CREATE INDEX ledger_by_role ON ledger (bank, role) WHERE role = 'human';

-- What the entries are about, as JSON; a row goes when its content is erased.
CREATE TABLE payloads (
  bank TEXT NOT NULL,
  seq INTEGER NOT NULL,
  salt TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (bank, seq)
) STRICT;

-- From here on: projections of the two tables above.
CREATE TABLE cases (
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  service TEXT NOT NULL,
  environment TEXT NOT NULL,
  branch TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  deployment TEXT NOT NULL,
  stage TEXT NOT NULL,
  url TEXT NOT NULL,
  title TEXT NOT NULL,
  signature TEXT NOT NULL,
  family TEXT NOT NULL,
  tool TEXT NOT NULL,
  unit TEXT NOT NULL,
  generic INTEGER NOT NULL,
  log_digest TEXT NOT NULL,
  known_as TEXT NOT NULL,
  happened_at TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  actor TEXT NOT NULL,
  status TEXT NOT NULL,
  beneath TEXT NOT NULL,
  counts INTEGER NOT NULL,
  verdict_seq INTEGER NOT NULL,
  outcome_seq INTEGER NOT NULL,
  result TEXT NOT NULL,
  fix TEXT NOT NULL,
  confirmed_by TEXT NOT NULL,
  confirmed_at TEXT NOT NULL,
  proposal_seq INTEGER NOT NULL,
  PRIMARY KEY (bank, id)
) STRICT;
CREATE INDEX cases_by_time ON cases (bank, happened_at, id);
CREATE INDEX cases_by_known_as ON cases (bank, known_as) WHERE known_as <> '';
CREATE INDEX cases_by_deployment ON cases (bank, deployment) WHERE deployment <> '';
CREATE INDEX cases_by_signature ON cases (bank, signature, status, happened_at, id);
CREATE INDEX cases_by_signature_service ON cases (bank, signature, service, status, happened_at, id);
CREATE INDEX cases_by_unit ON cases (bank, unit, status, happened_at, id) WHERE unit <> '';
CREATE INDEX cases_by_family ON cases (bank, family, service, status, happened_at, id);

CREATE TABLE links (
  bank TEXT NOT NULL,
  seq INTEGER NOT NULL,
  place INTEGER NOT NULL,
  subject TEXT NOT NULL,
  relation TEXT NOT NULL,
  target TEXT NOT NULL,
  PRIMARY KEY (bank, seq, place)
) STRICT;
CREATE INDEX links_by_subject ON links (bank, subject, seq, place);
CREATE INDEX links_by_target ON links (bank, target, seq, place);
CREATE INDEX links_by_relation ON links (bank, relation, subject, target);

CREATE TABLE held (
  bank TEXT NOT NULL,
  seq INTEGER NOT NULL,
  subject TEXT NOT NULL,
  PRIMARY KEY (bank, seq)
) STRICT;

CREATE TABLE greens (
  bank TEXT NOT NULL,
  seq INTEGER NOT NULL,
  service TEXT NOT NULL,
  stage TEXT NOT NULL,
  label TEXT NOT NULL,
  PRIMARY KEY (bank, seq)
) STRICT;
CREATE INDEX greens_by_job ON greens (bank, service, stage, seq);

CREATE TABLE tokens (
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  hash TEXT NOT NULL,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked_at TEXT NOT NULL,
  PRIMARY KEY (bank, id)
) STRICT;

CREATE TABLE erased (
  bank TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  known_as TEXT NOT NULL,
  erased_at TEXT NOT NULL,
  PRIMARY KEY (bank, id)
) STRICT;
CREATE INDEX erased_by_known_as ON erased (bank, known_as);

CREATE TABLE terms (
  bank TEXT NOT NULL,
  term INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (bank, term, seq)
) STRICT, WITHOUT ROWID;
