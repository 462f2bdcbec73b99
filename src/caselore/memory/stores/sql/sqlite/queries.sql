-- name: head
SELECT seq, hash FROM ledger WHERE bank = :bank ORDER BY seq DESC LIMIT 1

-- name: banks
SELECT DISTINCT bank FROM ledger ORDER BY bank

-- name: entries
SELECT l.*, p.salt, p.body FROM ledger l LEFT JOIN payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = :bank ORDER BY l.seq

-- name: entries_of
SELECT l.*, p.salt, p.body FROM ledger l LEFT JOIN payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = :bank AND l.subject = :subject ORDER BY l.seq

-- name: spoken
SELECT l.*, p.salt, p.body FROM ledger l LEFT JOIN payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = :bank AND l.seq > :after AND l.action IN ('observe', 'confirm', 'erase', 'resign') ORDER BY l.seq

-- name: asked
SELECT l.*, p.salt, p.body FROM ledger l LEFT JOIN payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = :bank AND l.action IN ('ask', 'asking') AND l.at >= :since ORDER BY l.seq

-- name: hash_at
SELECT hash FROM ledger WHERE bank = :bank AND seq = :seq

-- name: bodies
SELECT p.seq, p.body FROM json_each(:seqs) j  -- CROSS JOIN: begin with these few, not with the bank
CROSS JOIN payloads p ON p.bank = :bank AND p.seq = j.value

-- name: subjects
SELECT l.seq, l.subject FROM json_each(:seqs) j
CROSS JOIN ledger l ON l.bank = :bank AND l.seq = j.value

-- name: cases_of
SELECT c.* FROM json_each(:ids) j
CROSS JOIN cases c ON c.bank = :bank AND c.id = j.value

-- name: person_acted
SELECT EXISTS (
    SELECT 1 FROM ledger WHERE bank = :bank AND role = 'human'
    AND action IN ('confirm', 'refute', 'unlike', 'supersede', 'merge', 'split', 'single_out', 'retract', 'release', 'drop', 'erase', 'revoke'))
   OR EXISTS (SELECT 1 FROM tokens WHERE bank = :bank AND role IN ('human', 'admin'))

-- name: case
SELECT * FROM cases WHERE bank = :bank AND id = :id

-- The case that is asked for, what it said, and whether anybody joined or told apart anything.
-- name: opened
SELECT c.*, p.body,
       EXISTS (SELECT 1 FROM links WHERE bank = :bank AND relation = 'merged'),
       EXISTS (SELECT 1 FROM links WHERE bank = :bank AND relation = 'unlike')
FROM cases c JOIN payloads p ON p.bank = c.bank AND p.seq = c.seq
WHERE c.bank = :bank AND c.id = :id

-- name: known
SELECT * FROM cases WHERE bank = :bank AND known_as = :known_as AND known_as <> '' ORDER BY seq LIMIT 1

-- name: recognised
SELECT c.known_as FROM json_each(:names) j
CROSS JOIN cases c ON c.bank = :bank AND c.known_as = j.value AND c.known_as <> ''

-- name: known_among
SELECT c.* FROM json_each(:names) j
CROSS JOIN cases c ON c.bank = :bank AND c.known_as = j.value AND c.known_as <> '' ORDER BY c.seq DESC

-- name: erased_among
SELECT e.* FROM json_each(:names) j CROSS JOIN erased e ON e.bank = :bank AND e.id = j.value
UNION
SELECT e.* FROM json_each(:names) j CROSS JOIN erased e ON e.bank = :bank AND e.known_as = j.value
WHERE j.value <> ''

-- name: named
SELECT * FROM cases WHERE bank = :bank AND id >= :name AND id < :beyond
UNION
SELECT * FROM cases WHERE bank = :bank AND deployment = :name AND deployment <> ''
ORDER BY happened_at DESC, id LIMIT 50

-- name: cases
SELECT * FROM cases
WHERE bank = :bank
  AND (:status = '' OR status = :status)
  AND (:service = '' OR service = :service)
  AND (:environment = '' OR environment = :environment)
  AND (:branch = '' OR branch = :branch)
  AND (:signature = '' OR signature = :signature)
  AND (:family = '' OR family = :family)
  AND (:since = '' OR happened_at >= :since)
  AND (:until = '' OR happened_at <= :until)
  AND (:commit_id = '' OR commit_id = :commit_id)
ORDER BY happened_at DESC, id

-- name: page
SELECT * FROM cases
WHERE bank = :bank AND happened_at <= :before AND (happened_at < :before OR id > :after)
  AND (:status = '' OR status = :status)
  AND (:service = '' OR service = :service)
  AND (:environment = '' OR environment = :environment)
  AND (:branch = '' OR branch = :branch)
  AND (:signature = '' OR signature = :signature)
  AND (:family = '' OR family = :family)
  AND (:since = '' OR happened_at >= :since)
  AND (:until = '' OR happened_at <= :until)
  AND (:commit_id = '' OR commit_id = :commit_id)
ORDER BY happened_at DESC, id LIMIT :limit

-- name: entries_after
SELECT l.*, p.salt, p.body FROM ledger l LEFT JOIN payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = :bank AND l.seq > :seq AND (:subject = '' OR l.subject = :subject) ORDER BY l.seq LIMIT :limit

-- name: entries_before
SELECT l.*, p.salt, p.body FROM ledger l LEFT JOIN payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = :bank AND l.seq < :seq AND (:subject = '' OR l.subject = :subject) ORDER BY l.seq DESC LIMIT :limit

-- The cases that are near in any way: `near` with one part for each way and status, in which {name} stands for a value.
-- name: near
SELECT * FROM cases WHERE rowid IN ({parts})

-- name: near_signature
SELECT rowid FROM (SELECT rowid FROM cases WHERE bank = :bank AND signature = {signature} AND status = {status}{only}
  ORDER BY happened_at DESC, id DESC LIMIT {limit})

-- name: near_signature_service
SELECT rowid FROM (SELECT rowid FROM cases WHERE bank = :bank AND signature = {signature} AND service = {service} AND status = {status}{only}
  ORDER BY happened_at DESC, id DESC LIMIT {limit})

-- name: near_unit
SELECT rowid FROM (SELECT rowid FROM cases WHERE bank = :bank AND unit = {unit} AND unit <> '' AND status = {status}{only}
  ORDER BY happened_at DESC, id DESC LIMIT {limit})

-- name: near_family_service
SELECT rowid FROM (SELECT rowid FROM cases WHERE bank = :bank AND family = {family} AND service = {service} AND status = {status}{only}
  ORDER BY happened_at DESC, id DESC LIMIT {limit})

-- name: near_only
AND (:only_service = '' OR service = :only_service)
  AND (:only_environment = '' OR environment = :only_environment)
  AND (:only_branch = '' OR branch = :only_branch)
  AND (:only_family = '' OR family = :only_family)
  AND (:only_since = '' OR happened_at >= :only_since)
  AND (:only_until = '' OR happened_at <= :only_until)
  AND (:only_last = 0 OR seq <= :only_last)

-- name: last_seq
SELECT coalesce((SELECT seq FROM ledger WHERE bank = :bank AND (:until = '' OR at <= :until)
    ORDER BY seq DESC LIMIT 1), 0)

-- name: first_later
SELECT coalesce((SELECT seq FROM ledger WHERE bank = :bank AND at > :until ORDER BY seq LIMIT 1), 0)

-- name: cut
SELECT seq, agree FROM (
  SELECT seq, sum(CASE WHEN at <= :until THEN 1 ELSE -1 END) OVER (ORDER BY seq) AS agree
  FROM ledger WHERE bank = :bank AND seq BETWEEN :first AND :last) AS counted
ORDER BY agree DESC, seq DESC LIMIT 1

-- name: seen
WITH standing(status) AS (VALUES ('observed'), ('proposed'), ('confirmed'), ('refuted'), ('superseded'))
SELECT (SELECT coalesce(sum(times), 0) FROM standing s CROSS JOIN tallies t
          ON t.bank = :bank AND t.signature = :signature AND t.status = s.status AND t.counts = 1),
       (SELECT coalesce(min(at), '') FROM (SELECT (SELECT happened_at FROM cases c INDEXED BY cases_by_signature
          WHERE c.bank = :bank AND c.signature = :signature AND c.status = s.status AND c.counts = 1
          ORDER BY c.happened_at LIMIT 1) AS at FROM standing s)),
       (SELECT coalesce(max(at), '') FROM (SELECT (SELECT happened_at FROM cases c INDEXED BY cases_by_signature
          WHERE c.bank = :bank AND c.signature = :signature AND c.status = s.status AND c.counts = 1
          ORDER BY c.happened_at DESC LIMIT 1) AS at FROM standing s)),
       (SELECT coalesce(sum(times), 0) FROM tallies
          WHERE bank = :bank AND signature = :signature AND status = 'confirmed' AND counts = 1 AND result = 'succeeded'),
       (SELECT count(*) FROM standing s CROSS JOIN cases c INDEXED BY cases_by_signature
          ON c.bank = :bank AND c.signature = :signature AND c.status = s.status AND c.counts = 1
          WHERE EXISTS (SELECT 1 FROM ledger INDEXED BY ledger_flakes WHERE bank = :bank AND action = 'flake')
          AND EXISTS (SELECT 1 FROM ledger l INDEXED BY ledger_flakes
            WHERE l.bank = :bank AND l.subject = c.id AND l.action = 'flake'))

-- name: services
SELECT count(DISTINCT t.service) FROM json_each(:signatures) j
CROSS JOIN tallies t ON t.bank = :bank AND t.signature = j.value AND t.counts = 1 AND t.service <> ''

-- name: tallies
SELECT t.signature, t.fix, t.result, t.confirmed_by, sum(t.times) FROM json_each(:signatures) j
CROSS JOIN tallies t ON t.bank = :bank AND t.signature = j.value AND t.status = 'confirmed'
GROUP BY t.signature, t.fix, t.result, t.confirmed_by ORDER BY t.signature, t.fix, t.result, t.confirmed_by

-- name: newest_fixes
SELECT fix, confirmed_at, outcome_seq FROM (
  SELECT c.fix, c.confirmed_at, c.outcome_seq,
         row_number() OVER (PARTITION BY c.fix ORDER BY c.confirmed_at DESC, c.outcome_seq DESC) AS place
  FROM json_each(:signatures) j
  CROSS JOIN cases c ON c.bank = :bank AND c.signature = j.value AND c.status = 'confirmed')
WHERE place = 1 ORDER BY fix

-- What a case is put together from: entries of some records (0), links of or to them (1) in the same columns.
-- name: told_of
SELECT 0, l.*, p.salt, p.body FROM json_each(:subjects) j
CROSS JOIN ledger l ON l.bank = :bank AND l.subject = j.value
LEFT JOIN payloads p ON p.bank = l.bank AND p.seq = l.seq
UNION ALL
SELECT 1, bank, seq, place, subject, relation, target, '', '', '', '', NULL, NULL FROM (
  SELECT l.* FROM json_each(:names) j CROSS JOIN links l ON l.bank = :bank AND l.subject = j.value
  UNION
  SELECT l.* FROM json_each(:names) j CROSS JOIN links l ON l.bank = :bank AND l.target = j.value)

-- name: judged
SELECT l.*, p.salt, p.body FROM json_each(:subjects) j
CROSS JOIN ledger l ON l.bank = :bank AND l.subject = j.value AND l.action <> 'observe'
LEFT JOIN payloads p ON p.bank = l.bank AND p.seq = l.seq

-- name: links_of
SELECT * FROM links WHERE bank = :bank AND subject = :subject ORDER BY seq, place

-- name: links_to
SELECT * FROM links WHERE bank = :bank AND target = :target ORDER BY seq, place

-- name: related
SELECT * FROM links WHERE bank = :bank AND relation = :relation ORDER BY seq, place

-- How fixes fared: who confirmed them (place -1), and of each place how often the failure came back.
-- name: fared
SELECT -1, t.signature, t.fix, t.result, t.confirmed_by, sum(t.times) FROM json_each(:signatures) j
CROSS JOIN tallies t ON t.bank = :bank AND t.signature = j.value AND t.status = 'confirmed'
GROUP BY t.signature, t.fix, t.result, t.confirmed_by
UNION ALL
SELECT j.key, '', '', '', '', (SELECT count(*) FROM (SELECT 1 FROM cases c WHERE c.bank = :bank AND c.signature = j.value
    AND c.service = json_extract(:services, '$[' || j.key || ']')
    AND c.status IN ('observed', 'proposed', 'confirmed', 'refuted', 'superseded')
    AND c.happened_at > json_extract(:times, '$[' || j.key || ']')
    AND c.counts = 1 AND c.id <> :sought LIMIT 20))
FROM json_each(:fixed) j

-- name: touched
SELECT DISTINCT l.subject FROM json_each(:ids) j
CROSS JOIN ledger l ON l.bank = :bank AND l.subject = j.value AND l.seq > :after

-- name: signed_anew
SELECT DISTINCT subject FROM ledger
WHERE bank = :bank AND seq > :after AND action IN ('resign', 'single_out') ORDER BY subject

-- name: told_apart
WITH told AS MATERIALIZED (
  SELECT p.one, p.other, a.service AS a_service, a.deployment AS a_deployment, a.signature AS a_signature,
         b.service AS b_service, b.deployment AS b_deployment, b.signature AS b_signature
  FROM (SELECT subject AS one, target AS other FROM links WHERE bank = :bank AND relation = 'unlike'
        UNION ALL SELECT target, subject FROM links WHERE bank = :bank AND relation = 'unlike') p
  LEFT JOIN cases a ON a.bank = :bank AND a.id = p.one
  LEFT JOIN cases b ON b.bank = :bank AND b.id = p.other),
-- A failure of the same deployment of a service with the same signature is the same job, run again.
again AS MATERIALIZED (
  SELECT t.* FROM told t CROSS JOIN cases x ON x.bank = :bank AND x.id = :id
  WHERE (t.one = x.id OR t.a_deployment <> '')
    AND (t.a_service, t.a_deployment, t.a_signature) = (x.service, x.deployment, x.signature)
    AND NOT (t.one = t.other OR (t.a_deployment <> ''
      AND (t.a_service, t.a_deployment, t.a_signature) = (t.b_service, t.b_deployment, t.b_signature))))
SELECT other FROM told WHERE one = :id OR (a_signature = :signature AND b_signature <> :signature)
UNION
SELECT other FROM again
UNION
SELECT y.id FROM again t CROSS JOIN cases y ON y.bank = :bank AND y.deployment = t.b_deployment AND y.deployment <> ''
  AND (y.service, y.signature) = (t.b_service, t.b_signature)

-- name: held
SELECT * FROM held WHERE bank = :bank ORDER BY seq

-- name: held_of
SELECT * FROM held WHERE bank = :bank AND subject = :subject ORDER BY seq

-- name: greens
SELECT * FROM greens WHERE bank = :bank AND service = :service AND stage = :stage ORDER BY seq DESC

-- name: tokens
SELECT * FROM tokens WHERE bank = :bank ORDER BY created_at, id

-- name: tombstone
SELECT * FROM erased WHERE bank = :bank AND id = :name
UNION
SELECT * FROM erased WHERE bank = :bank AND known_as = :name AND known_as <> ''
LIMIT 1

-- name: add_entry
INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: add_payload
INSERT INTO payloads VALUES (?, ?, ?, ?)

-- name: put_cases
INSERT OR REPLACE INTO cases VALUES
  (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_links
INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?, ?, ?)

-- name: put_held
INSERT OR REPLACE INTO held VALUES (?, ?, ?)

-- name: put_greens
INSERT OR REPLACE INTO greens VALUES (?, ?, ?, ?, ?)

-- name: put_tokens
INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_erased
INSERT OR REPLACE INTO erased VALUES (?, ?, ?, ?, ?)

-- name: put_tallies
INSERT INTO tallies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET times = times + excluded.times

-- name: forget_tallies
DELETE FROM tallies WHERE bank = ? AND signature = ? AND status = ? AND counts = ? AND fix = ? AND result = ?
  AND confirmed_by = ? AND service = ? AND times = 0

-- name: put_facets
INSERT INTO facets VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET times = times + excluded.times

-- name: forget_facets
DELETE FROM facets WHERE bank = ? AND status = ? AND service = ? AND environment = ? AND family = ? AND times = 0

-- name: forget_held
DELETE FROM held WHERE bank = :bank AND subject = :subject

-- name: forget_cases
DELETE FROM cases WHERE bank = :bank AND id = :subject

-- name: forget_links
DELETE FROM links WHERE bank = :bank AND subject = :subject

-- name: forget_payloads
DELETE FROM payloads WHERE bank = :bank AND seq <> :seq
  AND seq IN (SELECT seq FROM ledger WHERE bank = :bank AND subject = :subject)

-- name: forget_payload
DELETE FROM payloads WHERE bank = :bank AND seq = :seq

-- name: forget_green
DELETE FROM greens WHERE bank = :bank AND seq = :seq

-- name: all_cases
SELECT * FROM cases ORDER BY bank, id

-- name: all_links
SELECT * FROM links ORDER BY bank, seq, place

-- name: all_held
SELECT * FROM held ORDER BY bank, seq

-- name: all_greens
SELECT * FROM greens ORDER BY bank, seq

-- name: all_tokens
SELECT * FROM tokens ORDER BY bank, id

-- name: all_erased
SELECT * FROM erased ORDER BY bank, id

-- name: all_tallies
SELECT * FROM tallies ORDER BY bank, signature, status, counts, fix, result, confirmed_by, service

-- name: all_facets
SELECT * FROM facets ORDER BY bank, status, service, environment, family

-- name: stray_payloads
SELECT bank, seq FROM payloads p
WHERE NOT EXISTS (SELECT 1 FROM ledger l WHERE l.bank = p.bank AND l.seq = p.seq)

-- name: clear_cases
DELETE FROM cases WHERE bank = :bank

-- name: clear_links
DELETE FROM links WHERE bank = :bank

-- name: clear_held
DELETE FROM held WHERE bank = :bank

-- name: clear_greens
DELETE FROM greens WHERE bank = :bank

-- name: clear_tokens
DELETE FROM tokens WHERE bank = :bank

-- name: clear_erased
DELETE FROM erased WHERE bank = :bank

-- name: clear_tallies
DELETE FROM tallies WHERE bank = :bank

-- name: clear_facets
DELETE FROM facets WHERE bank = :bank
