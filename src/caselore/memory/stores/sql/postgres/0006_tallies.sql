-- How many cases share a signature, a standing and a fix, kept so that nobody counts a million; '' is a service's own count.
CREATE TABLE caselore.tallies (
  bank TEXT COLLATE "C" NOT NULL,
  signature TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  counts BIGINT NOT NULL,
  fix TEXT COLLATE "C" NOT NULL,
  result TEXT COLLATE "C" NOT NULL,
  confirmed_by TEXT COLLATE "C" NOT NULL,
  service TEXT COLLATE "C" NOT NULL,
  times BIGINT NOT NULL
);
CREATE UNIQUE INDEX tallies_once
  ON caselore.tallies (bank, md5(signature), status, counts, fix, result, md5(confirmed_by), md5(service));
INSERT INTO caselore.tallies SELECT bank, signature, status, counts, fix, result, confirmed_by, service, count(*)
FROM caselore.cases GROUP BY bank, signature, status, counts, fix, result, confirmed_by, service;
INSERT INTO caselore.tallies SELECT bank, '', '', counts, '', '', '', service, count(*)
FROM caselore.cases GROUP BY bank, counts, service;

-- These two tell what counts without a look at the cases.
DROP INDEX caselore.cases_by_signature;
DROP INDEX caselore.cases_by_signature_service;
CREATE INDEX cases_by_signature ON caselore.cases (bank, md5(signature), status, happened_at, id, counts);
CREATE INDEX cases_by_signature_service ON caselore.cases (bank, md5(signature), md5(service), status, happened_at, id, counts);
CREATE INDEX ledger_flakes ON caselore.ledger (bank, subject) WHERE action = 'flake';
