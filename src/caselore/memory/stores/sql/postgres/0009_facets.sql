-- How many cases share the facts that a list is narrowed by, kept so that no list counts a million.
CREATE TABLE caselore.facets (
  bank TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  service TEXT COLLATE "C" NOT NULL,
  environment TEXT COLLATE "C" NOT NULL,
  family TEXT COLLATE "C" NOT NULL,
  times BIGINT NOT NULL
);
CREATE UNIQUE INDEX facets_once
  ON caselore.facets (bank, status, md5(service), md5(environment), md5(family));
INSERT INTO caselore.facets SELECT bank, status, service, environment, family, count(*)
FROM caselore.cases GROUP BY bank, status, service, environment, family;
