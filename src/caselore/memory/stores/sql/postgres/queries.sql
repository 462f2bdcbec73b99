-- name: head
SELECT seq, hash FROM caselore.ledger WHERE bank = %(bank)s ORDER BY seq DESC LIMIT 1

-- name: banks
SELECT DISTINCT bank FROM caselore.ledger ORDER BY bank

-- name: entries
SELECT l.*, p.salt, p.body FROM caselore.ledger l LEFT JOIN caselore.payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = %(bank)s ORDER BY l.seq

-- name: entries_of
SELECT l.*, p.salt, p.body FROM caselore.ledger l LEFT JOIN caselore.payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = %(bank)s AND l.subject = %(subject)s ORDER BY l.seq

-- name: spoken
SELECT l.*, p.salt, p.body FROM caselore.ledger l LEFT JOIN caselore.payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = %(bank)s AND l.seq > %(after)s AND l.action IN ('observe', 'confirm', 'erase', 'resign') ORDER BY l.seq

-- name: asked
SELECT l.*, p.salt, p.body FROM caselore.ledger l LEFT JOIN caselore.payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = %(bank)s AND l.action IN ('ask', 'asking') AND l.at >= %(since)s ORDER BY l.seq

-- name: hash_at
SELECT hash FROM caselore.ledger WHERE bank = %(bank)s AND seq = %(seq)s

-- name: bodies
SELECT p.seq, p.body FROM unnest(%(seqs)s::bigint[]) AS j(value)
JOIN caselore.payloads p ON p.bank = %(bank)s AND p.seq = j.value

-- name: subjects
SELECT l.seq, l.subject FROM unnest(%(seqs)s::bigint[]) AS j(value)
JOIN caselore.ledger l ON l.bank = %(bank)s AND l.seq = j.value

-- name: cases_of
SELECT c.* FROM unnest(%(ids)s::text[]) AS j(value)
JOIN caselore.cases c ON c.bank = %(bank)s AND c.id = j.value

-- name: person_acted
SELECT EXISTS (
    SELECT 1 FROM caselore.ledger WHERE bank = %(bank)s AND role = 'human'
    AND action IN ('confirm', 'refute', 'unlike', 'supersede', 'merge', 'split', 'single_out', 'retract', 'release', 'drop', 'erase', 'revoke'))
   OR EXISTS (SELECT 1 FROM caselore.tokens WHERE bank = %(bank)s AND role IN ('human', 'admin'))

-- name: case
SELECT * FROM caselore.cases WHERE bank = %(bank)s AND id = %(id)s

-- The case that is asked for, what it said, and whether anybody joined or told apart anything.
-- name: opened
SELECT c.*, p.body,
       EXISTS (SELECT 1 FROM caselore.links WHERE bank = %(bank)s AND relation = 'merged'),
       EXISTS (SELECT 1 FROM caselore.links WHERE bank = %(bank)s AND relation = 'unlike')
FROM caselore.cases c JOIN caselore.payloads p ON p.bank = c.bank AND p.seq = c.seq
WHERE c.bank = %(bank)s AND c.id = %(id)s

-- name: known
SELECT * FROM caselore.cases WHERE bank = %(bank)s AND known_as = %(known_as)s AND known_as <> '' ORDER BY seq LIMIT 1

-- name: recognised
SELECT c.known_as FROM unnest(%(names)s::text[]) AS j(value)
JOIN caselore.cases c ON c.bank = %(bank)s AND c.known_as = j.value AND c.known_as <> ''

-- name: known_among
SELECT c.* FROM unnest(%(names)s::text[]) AS j(value)
JOIN caselore.cases c ON c.bank = %(bank)s AND c.known_as = j.value AND c.known_as <> '' ORDER BY c.seq DESC

-- name: erased_among
SELECT e.* FROM unnest(%(names)s::text[]) AS j(value)
JOIN caselore.erased e ON e.bank = %(bank)s AND e.id = j.value
UNION
SELECT e.* FROM unnest(%(names)s::text[]) AS j(value)
JOIN caselore.erased e ON e.bank = %(bank)s AND e.known_as = j.value AND j.value <> ''

-- name: named
SELECT * FROM caselore.cases WHERE bank = %(bank)s AND id >= %(name)s AND id < %(beyond)s
UNION
SELECT * FROM caselore.cases WHERE bank = %(bank)s AND md5(deployment) = md5(%(name)s) AND deployment = %(name)s AND deployment <> ''
ORDER BY happened_at DESC, id LIMIT 50

-- name: cases
SELECT * FROM caselore.cases
WHERE bank = %(bank)s
  AND (%(status)s = '' OR status = %(status)s)
  AND (%(service)s = '' OR service = %(service)s)
  AND (%(environment)s = '' OR environment = %(environment)s)
  AND (%(branch)s = '' OR branch = %(branch)s)
  AND (%(commit_id)s = '' OR commit_id = %(commit_id)s)
  AND (%(signature)s = '' OR signature = %(signature)s)
  AND (%(family)s = '' OR family = %(family)s)
  AND (%(since)s = '' OR happened_at >= %(since)s)
  AND (%(until)s = '' OR happened_at <= %(until)s)
ORDER BY happened_at DESC, id

-- name: page
SELECT * FROM caselore.cases
WHERE bank = %(bank)s AND happened_at <= %(before)s AND (happened_at < %(before)s OR id > %(after)s)
  AND (%(status)s = '' OR status = %(status)s)
  AND (%(service)s = '' OR service = %(service)s)
  AND (%(environment)s = '' OR environment = %(environment)s)
  AND (%(branch)s = '' OR branch = %(branch)s)
  AND (%(signature)s = '' OR signature = %(signature)s)
  AND (%(family)s = '' OR family = %(family)s)
  AND (%(since)s = '' OR happened_at >= %(since)s)
  AND (%(until)s = '' OR happened_at <= %(until)s)
  AND (%(commit_id)s = '' OR commit_id = %(commit_id)s)
ORDER BY happened_at DESC, id LIMIT %(limit)s

-- name: entries_after
SELECT l.*, p.salt, p.body FROM caselore.ledger l LEFT JOIN caselore.payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = %(bank)s AND l.seq > %(seq)s AND (%(subject)s = '' OR l.subject = %(subject)s) ORDER BY l.seq LIMIT %(limit)s

-- name: entries_before
SELECT l.*, p.salt, p.body FROM caselore.ledger l LEFT JOIN caselore.payloads p ON p.bank = l.bank AND p.seq = l.seq
WHERE l.bank = %(bank)s AND l.seq < %(seq)s AND (%(subject)s = '' OR l.subject = %(subject)s) ORDER BY l.seq DESC LIMIT %(limit)s

-- The cases that are near in any way: `near` with one part for each way, in which {name} stands for a value.
-- name: near
SELECT * FROM caselore.cases WHERE ctid = ANY (ARRAY({parts}))

-- name: near_signature
SELECT way.ctid FROM unnest({statuses}::text[], {limits}::bigint[]) AS asked(status, most)
CROSS JOIN LATERAL (SELECT ctid FROM caselore.cases WHERE bank = %(bank)s AND md5(signature) = md5({signature}) AND signature = {signature} AND status = asked.status COLLATE "C"{only}
  ORDER BY happened_at DESC, id DESC LIMIT asked.most) AS way

-- name: near_signature_service
SELECT way.ctid FROM unnest({statuses}::text[], {limits}::bigint[]) AS asked(status, most)
CROSS JOIN LATERAL (SELECT ctid FROM caselore.cases WHERE bank = %(bank)s AND md5(signature) = md5({signature}) AND signature = {signature} AND md5(service) = md5({service}) AND service = {service} AND status = asked.status COLLATE "C"{only}
  ORDER BY happened_at DESC, id DESC LIMIT asked.most) AS way

-- name: near_unit
SELECT way.ctid FROM unnest({statuses}::text[], {limits}::bigint[]) AS asked(status, most)
CROSS JOIN LATERAL (SELECT ctid FROM caselore.cases WHERE bank = %(bank)s AND md5(unit) = md5({unit}) AND unit = {unit} AND unit <> '' AND status = asked.status COLLATE "C"{only}
  ORDER BY happened_at DESC, id DESC LIMIT asked.most) AS way

-- name: near_family_service
SELECT way.ctid FROM unnest({statuses}::text[], {limits}::bigint[]) AS asked(status, most)
CROSS JOIN LATERAL (SELECT ctid FROM caselore.cases WHERE bank = %(bank)s AND md5(family) = md5({family}) AND family = {family} AND md5(service) = md5({service}) AND service = {service} AND status = asked.status COLLATE "C"{only}
  ORDER BY happened_at DESC, id DESC LIMIT asked.most) AS way

-- name: near_only
AND (%(only_service)s = '' OR service = %(only_service)s)
  AND (%(only_environment)s = '' OR environment = %(only_environment)s)
  AND (%(only_branch)s = '' OR branch = %(only_branch)s)
  AND (%(only_family)s = '' OR family = %(only_family)s)
  AND (%(only_since)s = '' OR happened_at >= %(only_since)s)
  AND (%(only_until)s = '' OR happened_at <= %(only_until)s)
  AND (%(only_last)s = 0 OR seq <= %(only_last)s)

-- name: last_seq
SELECT coalesce((SELECT seq FROM caselore.ledger WHERE bank = %(bank)s AND (%(until)s = '' OR at <= %(until)s)
    ORDER BY seq DESC LIMIT 1), 0)

-- name: first_later
SELECT coalesce((SELECT seq FROM caselore.ledger WHERE bank = %(bank)s AND at > %(until)s ORDER BY seq LIMIT 1), 0)

-- name: cut
SELECT seq, agree FROM (
  SELECT seq, sum(CASE WHEN at <= %(until)s THEN 1 ELSE -1 END) OVER (ORDER BY seq) AS agree
  FROM caselore.ledger WHERE bank = %(bank)s AND seq BETWEEN %(first)s AND %(last)s) AS counted
ORDER BY agree DESC, seq DESC LIMIT 1

-- name: seen
WITH standing(status) AS (VALUES ('observed'), ('proposed'), ('confirmed'), ('refuted'), ('superseded')),
kept AS (SELECT status, result, times FROM caselore.tallies WHERE bank = %(bank)s
  AND md5(signature) = md5(%(signature)s) AND signature = %(signature)s AND counts = 1)
SELECT (SELECT coalesce(sum(times), 0)::bigint FROM kept WHERE status IN (SELECT status FROM standing)),
       (SELECT coalesce(min(at), '') FROM standing s CROSS JOIN LATERAL (SELECT happened_at AS at FROM caselore.cases c
          WHERE c.bank = %(bank)s AND md5(c.signature) = md5(%(signature)s) AND c.signature = %(signature)s
          AND c.status = s.status COLLATE "C" AND c.counts = 1 ORDER BY c.happened_at, c.id LIMIT 1) first),
       (SELECT coalesce(max(at), '') FROM standing s CROSS JOIN LATERAL (SELECT happened_at AS at FROM caselore.cases c
          WHERE c.bank = %(bank)s AND md5(c.signature) = md5(%(signature)s) AND c.signature = %(signature)s
          AND c.status = s.status COLLATE "C" AND c.counts = 1 ORDER BY c.happened_at DESC, c.id DESC LIMIT 1) last),
       (SELECT coalesce(sum(times), 0)::bigint FROM kept WHERE status = 'confirmed' AND result = 'succeeded'),
       CASE WHEN EXISTS (SELECT 1 FROM caselore.ledger WHERE bank = %(bank)s AND action = 'flake') THEN
         (SELECT count(*) FROM caselore.cases c
          WHERE c.bank = %(bank)s AND md5(c.signature) = md5(%(signature)s) AND c.signature = %(signature)s
          AND c.status IN (SELECT status COLLATE "C" FROM standing) AND c.counts = 1
          AND EXISTS (SELECT 1 FROM caselore.ledger l
            WHERE l.bank = %(bank)s AND l.subject = c.id AND l.action = 'flake')) ELSE 0 END

-- name: services
SELECT count(DISTINCT t.service) FROM unnest(%(signatures)s::text[]) AS j(value)
JOIN caselore.tallies t ON t.bank = %(bank)s AND md5(t.signature) = md5(j.value) AND t.signature = j.value
  AND t.counts = 1 AND t.service <> ''

-- name: tallies
SELECT t.signature, t.fix, t.result, t.confirmed_by, sum(t.times)::bigint FROM unnest(%(signatures)s::text[]) AS j(value)
JOIN caselore.tallies t ON t.bank = %(bank)s AND md5(t.signature) = md5(j.value) AND t.signature = j.value
  AND t.status = 'confirmed'
GROUP BY t.signature, t.fix, t.result, t.confirmed_by ORDER BY t.signature, t.fix, t.result, t.confirmed_by

-- name: newest_fixes
SELECT DISTINCT ON (c.fix) c.fix, c.confirmed_at, c.outcome_seq FROM unnest(%(signatures)s::text[]) AS j(value)
JOIN caselore.cases c ON c.bank = %(bank)s AND md5(c.signature) = md5(j.value) AND c.signature = j.value
  AND c.status = 'confirmed'
ORDER BY c.fix, c.confirmed_at DESC, c.outcome_seq DESC

-- What a case is put together from: entries of some records (0), links of or to them (1) in the same columns.
-- name: told_of
SELECT 0, l.*, p.salt, p.body FROM unnest(%(subjects)s::text[]) AS j(value)
JOIN caselore.ledger l ON l.bank = %(bank)s AND l.subject = j.value
LEFT JOIN caselore.payloads p ON p.bank = l.bank AND p.seq = l.seq
UNION ALL
SELECT 1, bank, seq, place::text, subject, relation, target, '', '', '', '', NULL, NULL FROM (
  SELECT l.* FROM unnest(%(names)s::text[]) AS j(value)
  JOIN caselore.links l ON l.bank = %(bank)s AND l.subject = j.value
  UNION
  SELECT l.* FROM unnest(%(names)s::text[]) AS j(value)
  JOIN caselore.links l ON l.bank = %(bank)s AND md5(l.target) = md5(j.value) AND l.target = j.value) AS linked

-- name: judged
SELECT l.*, p.salt, p.body FROM unnest(%(subjects)s::text[]) AS j(value)
JOIN caselore.ledger l ON l.bank = %(bank)s AND l.subject = j.value AND l.action <> 'observe'
LEFT JOIN caselore.payloads p ON p.bank = l.bank AND p.seq = l.seq

-- name: links_of
SELECT * FROM caselore.links WHERE bank = %(bank)s AND subject = %(subject)s ORDER BY seq, place

-- name: links_to
SELECT * FROM caselore.links WHERE bank = %(bank)s AND md5(target) = md5(%(target)s) AND target = %(target)s ORDER BY seq, place

-- name: related
SELECT * FROM caselore.links WHERE bank = %(bank)s AND relation = %(relation)s ORDER BY seq, place

-- How fixes fared: who confirmed them (place -1), and of each place how often the failure came back.
-- name: fared
SELECT -1::bigint, t.signature, t.fix, t.result, t.confirmed_by, sum(t.times)::bigint FROM unnest(%(signatures)s::text[]) AS j(value)
JOIN caselore.tallies t ON t.bank = %(bank)s AND md5(t.signature) = md5(j.value) AND t.signature = j.value
  AND t.status = 'confirmed'
GROUP BY t.signature, t.fix, t.result, t.confirmed_by
UNION ALL
SELECT j.place - 1, '', '', '', '', t.times FROM unnest(%(fixed)s::text[], %(services)s::text[], %(times)s::text[])
    WITH ORDINALITY AS j(signature, service, at, place)
CROSS JOIN LATERAL (SELECT count(*) AS times FROM (SELECT 1 FROM caselore.cases c
    WHERE c.bank = %(bank)s AND md5(c.signature) = md5(j.signature) AND c.signature = j.signature
    AND md5(c.service) = md5(j.service) AND c.service = j.service
    AND c.status IN ('observed', 'proposed', 'confirmed', 'refuted', 'superseded')
    AND c.happened_at > j.at COLLATE "C"
    AND c.counts = 1 AND c.id <> %(sought)s LIMIT 20) counted) t

-- name: touched
SELECT DISTINCT l.subject FROM unnest(%(ids)s::text[]) AS j(value)
JOIN caselore.ledger l ON l.bank = %(bank)s AND l.subject = j.value AND l.seq > %(after)s

-- name: signed_anew
SELECT DISTINCT subject FROM caselore.ledger
WHERE bank = %(bank)s AND seq > %(after)s AND action IN ('resign', 'single_out') ORDER BY subject

-- name: told_apart
WITH told AS MATERIALIZED (
  SELECT p.one, p.other, a.service AS a_service, a.deployment AS a_deployment, a.signature AS a_signature,
         b.service AS b_service, b.deployment AS b_deployment, b.signature AS b_signature
  FROM (SELECT subject AS one, target AS other FROM caselore.links WHERE bank = %(bank)s AND relation = 'unlike'
        UNION ALL SELECT target, subject FROM caselore.links WHERE bank = %(bank)s AND relation = 'unlike') p
  LEFT JOIN caselore.cases a ON a.bank = %(bank)s AND a.id = p.one
  LEFT JOIN caselore.cases b ON b.bank = %(bank)s AND b.id = p.other),
-- A failure of the same deployment of a service with the same signature is the same job, run again.
again AS MATERIALIZED (
  SELECT t.* FROM told t JOIN caselore.cases x ON x.bank = %(bank)s AND x.id = %(id)s
  WHERE (t.one = x.id OR t.a_deployment <> '')
    AND (t.a_service, t.a_deployment, t.a_signature) = (x.service, x.deployment, x.signature)
    AND NOT (t.one = t.other OR (t.a_deployment <> ''
      AND (t.a_service, t.a_deployment, t.a_signature) = (t.b_service, t.b_deployment, t.b_signature))))
SELECT other FROM told WHERE one = %(id)s OR (a_signature = %(signature)s AND b_signature <> %(signature)s)
UNION
SELECT other FROM again
UNION
SELECT y.id FROM again t JOIN caselore.cases y ON y.bank = %(bank)s AND md5(y.deployment) = md5(t.b_deployment) AND y.deployment = t.b_deployment AND y.deployment <> ''
  AND (y.service, y.signature) = (t.b_service, t.b_signature)

-- name: held
SELECT * FROM caselore.held WHERE bank = %(bank)s ORDER BY seq

-- name: held_of
SELECT * FROM caselore.held WHERE bank = %(bank)s AND subject = %(subject)s ORDER BY seq

-- name: greens
SELECT * FROM caselore.greens WHERE bank = %(bank)s AND md5(service) = md5(%(service)s) AND service = %(service)s AND md5(stage) = md5(%(stage)s) AND stage = %(stage)s ORDER BY seq DESC

-- name: tokens
SELECT * FROM caselore.tokens WHERE bank = %(bank)s ORDER BY created_at, id

-- name: tombstone
SELECT * FROM caselore.erased WHERE bank = %(bank)s AND id = %(name)s
UNION
SELECT * FROM caselore.erased WHERE bank = %(bank)s AND known_as = %(name)s AND known_as <> ''
LIMIT 1

-- name: add_entry
INSERT INTO caselore.ledger VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)

-- name: add_payload
INSERT INTO caselore.payloads VALUES (%s, %s, %s, %s)

-- name: put_cases
INSERT INTO caselore.cases VALUES
  (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (bank, id) DO UPDATE SET
  seq = EXCLUDED.seq, kind = EXCLUDED.kind, service = EXCLUDED.service,
  environment = EXCLUDED.environment, branch = EXCLUDED.branch, commit_id = EXCLUDED.commit_id,
  deployment = EXCLUDED.deployment, stage = EXCLUDED.stage, url = EXCLUDED.url,
  title = EXCLUDED.title, signature = EXCLUDED.signature, family = EXCLUDED.family,
  tool = EXCLUDED.tool, unit = EXCLUDED.unit, generic = EXCLUDED.generic,
  log_digest = EXCLUDED.log_digest, known_as = EXCLUDED.known_as, happened_at = EXCLUDED.happened_at,
  recorded_at = EXCLUDED.recorded_at, actor = EXCLUDED.actor, status = EXCLUDED.status,
  beneath = EXCLUDED.beneath, counts = EXCLUDED.counts, verdict_seq = EXCLUDED.verdict_seq,
  outcome_seq = EXCLUDED.outcome_seq, result = EXCLUDED.result, fix = EXCLUDED.fix,
  confirmed_by = EXCLUDED.confirmed_by, confirmed_at = EXCLUDED.confirmed_at, proposal_seq = EXCLUDED.proposal_seq

-- name: put_links
INSERT INTO caselore.links VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (bank, seq, place) DO UPDATE SET
  subject = EXCLUDED.subject, relation = EXCLUDED.relation, target = EXCLUDED.target

-- name: put_held
INSERT INTO caselore.held VALUES (%s, %s, %s)
ON CONFLICT (bank, seq) DO UPDATE SET
  subject = EXCLUDED.subject

-- name: put_greens
INSERT INTO caselore.greens VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (bank, seq) DO UPDATE SET
  service = EXCLUDED.service, stage = EXCLUDED.stage, label = EXCLUDED.label

-- name: put_tokens
INSERT INTO caselore.tokens VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (bank, id) DO UPDATE SET
  seq = EXCLUDED.seq, name = EXCLUDED.name, role = EXCLUDED.role,
  hash = EXCLUDED.hash, created_at = EXCLUDED.created_at, created_by = EXCLUDED.created_by,
  expires_at = EXCLUDED.expires_at, revoked_at = EXCLUDED.revoked_at

-- name: put_erased
INSERT INTO caselore.erased VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (bank, id) DO UPDATE SET
  seq = EXCLUDED.seq, known_as = EXCLUDED.known_as, erased_at = EXCLUDED.erased_at

-- name: put_tallies
INSERT INTO caselore.tallies VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (bank, md5(signature), status, counts, fix, result, md5(confirmed_by), md5(service))
DO UPDATE SET times = tallies.times + EXCLUDED.times

-- name: forget_tallies
DELETE FROM caselore.tallies WHERE bank = %s AND md5(signature) = md5(%s) AND status = %s AND counts = %s
  AND fix = %s AND result = %s AND md5(confirmed_by) = md5(%s) AND md5(service) = md5(%s) AND times = 0

-- name: put_facets
INSERT INTO caselore.facets VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (bank, status, md5(service), md5(environment), md5(family))
DO UPDATE SET times = facets.times + EXCLUDED.times

-- name: forget_facets
DELETE FROM caselore.facets WHERE bank = %s AND status = %s AND md5(service) = md5(%s)
  AND md5(environment) = md5(%s) AND md5(family) = md5(%s) AND times = 0

-- name: forget_held
DELETE FROM caselore.held WHERE bank = %(bank)s AND subject = %(subject)s

-- name: forget_cases
DELETE FROM caselore.cases WHERE bank = %(bank)s AND id = %(subject)s

-- name: forget_links
DELETE FROM caselore.links WHERE bank = %(bank)s AND subject = %(subject)s

-- name: forget_payloads
DELETE FROM caselore.payloads WHERE bank = %(bank)s AND seq <> %(seq)s
  AND seq IN (SELECT seq FROM caselore.ledger WHERE bank = %(bank)s AND subject = %(subject)s)

-- name: forget_payload
DELETE FROM caselore.payloads WHERE bank = %(bank)s AND seq = %(seq)s

-- name: forget_green
DELETE FROM caselore.greens WHERE bank = %(bank)s AND seq = %(seq)s

-- name: all_cases
SELECT * FROM caselore.cases ORDER BY bank, id

-- name: all_links
SELECT * FROM caselore.links ORDER BY bank, seq, place

-- name: all_held
SELECT * FROM caselore.held ORDER BY bank, seq

-- name: all_greens
SELECT * FROM caselore.greens ORDER BY bank, seq

-- name: all_tokens
SELECT * FROM caselore.tokens ORDER BY bank, id

-- name: all_erased
SELECT * FROM caselore.erased ORDER BY bank, id

-- name: all_tallies
SELECT * FROM caselore.tallies ORDER BY bank, signature, status, counts, fix, result, confirmed_by, service

-- name: all_facets
SELECT * FROM caselore.facets ORDER BY bank, status, service, environment, family

-- name: stray_payloads
SELECT bank, seq FROM caselore.payloads p
WHERE NOT EXISTS (SELECT 1 FROM caselore.ledger l WHERE l.bank = p.bank AND l.seq = p.seq)

-- name: clear_cases
DELETE FROM caselore.cases WHERE bank = %(bank)s

-- name: clear_links
DELETE FROM caselore.links WHERE bank = %(bank)s

-- name: clear_held
DELETE FROM caselore.held WHERE bank = %(bank)s

-- name: clear_greens
DELETE FROM caselore.greens WHERE bank = %(bank)s

-- name: clear_tokens
DELETE FROM caselore.tokens WHERE bank = %(bank)s

-- name: clear_erased
DELETE FROM caselore.erased WHERE bank = %(bank)s

-- name: clear_tallies
DELETE FROM caselore.tallies WHERE bank = %(bank)s

-- name: clear_facets
DELETE FROM caselore.facets WHERE bank = %(bank)s
