-- How many cases share a signature, a standing and a fix, kept so that nobody counts a million; '' is a service's own count.
CREATE TABLE tallies (
  bank TEXT NOT NULL,
  signature TEXT NOT NULL,
  status TEXT NOT NULL,
  counts INTEGER NOT NULL,
  fix TEXT NOT NULL,
  result TEXT NOT NULL,
  confirmed_by TEXT NOT NULL,
  service TEXT NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (bank, signature, status, counts, fix, result, confirmed_by, service)
) STRICT, WITHOUT ROWID;
INSERT INTO tallies SELECT bank, signature, status, counts, fix, result, confirmed_by, service, count(*) FROM cases
GROUP BY bank, signature, status, counts, fix, result, confirmed_by, service;
INSERT INTO tallies SELECT bank, '', '', counts, '', '', '', service, count(*) FROM cases GROUP BY bank, counts, service;

-- The counts replace this one, and these two tell what counts without a look at the cases.
DROP INDEX cases_by_fix;
DROP INDEX cases_by_signature;
DROP INDEX cases_by_signature_service;
CREATE INDEX cases_by_signature ON cases (bank, signature, status, happened_at, id, counts);
CREATE INDEX cases_by_signature_service ON cases (bank, signature, service, status, happened_at, id, counts);
CREATE INDEX ledger_flakes ON ledger (bank, subject) WHERE action = 'flake';
