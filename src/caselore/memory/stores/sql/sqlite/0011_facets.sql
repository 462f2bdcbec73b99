-- How many cases share the facts that a list is narrowed by, kept so that no list counts a million.
CREATE TABLE facets (
  bank TEXT NOT NULL,
  status TEXT NOT NULL,
  service TEXT NOT NULL,
  environment TEXT NOT NULL,
  family TEXT NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (bank, status, service, environment, family)
) STRICT, WITHOUT ROWID;
INSERT INTO facets SELECT bank, status, service, environment, family, count(*) FROM cases
GROUP BY bank, status, service, environment, family;
