-- What lists and figures are made of: counts over many cases, never their texts.

-- name: groups
WITH joined(signature, name) AS (SELECT key COLLATE "C", value COLLATE "C" FROM jsonb_each_text(%(joined)s::jsonb))
SELECT coalesce(j.name, g.signature) AS cause, sum(g.times)::bigint, min(g.first), max(g.last), sum(g.worked)::bigint, sum(g.proposed)::bigint
FROM (
  SELECT signature, count(*) AS times, min(happened_at) AS first, max(happened_at) AS last,
         count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded') AS worked,
         count(*) FILTER (WHERE status = 'proposed') AS proposed
  FROM caselore.cases WHERE bank = %(bank)s
    AND (%(status)s = '' OR status = %(status)s)
    AND (%(service)s = '' OR service = %(service)s)
    AND (%(environment)s = '' OR environment = %(environment)s)
    AND (%(family)s = '' OR family = %(family)s)
  GROUP BY signature) g
LEFT JOIN joined j ON j.signature = g.signature
GROUP BY coalesce(j.name, g.signature)
HAVING max(g.last) <= %(before)s AND (max(g.last) < %(before)s OR coalesce(j.name, g.signature) > %(after)s)
  AND (%(novelty)s = ''
       OR (%(novelty)s = 'known' AND sum(g.worked) > 0)
       OR (%(novelty)s = 'new' AND sum(g.times) = 1 AND sum(g.worked) = 0)
       OR (%(novelty)s = 'recurring' AND sum(g.times) > 1 AND sum(g.worked) = 0))
ORDER BY max(g.last) DESC, coalesce(j.name, g.signature) LIMIT %(limit)s

-- name: newest_of
SELECT c.* FROM unnest(%(signatures)s::text[]) AS j(value)
JOIN caselore.cases c ON c.bank = %(bank)s AND md5(c.signature) = md5(j.value) AND c.signature = j.value AND c.happened_at = %(last)s
WHERE TRUE
  AND (%(status)s = '' OR c.status = %(status)s)
  AND (%(service)s = '' OR c.service = %(service)s)
  AND (%(environment)s = '' OR c.environment = %(environment)s)
  AND (%(family)s = '' OR c.family = %(family)s)
ORDER BY c.id LIMIT 1

-- name: of_signature
SELECT c.* FROM unnest(%(signatures)s::text[]) AS j(value)
JOIN caselore.cases c ON c.bank = %(bank)s AND md5(c.signature) = md5(j.value) AND c.signature = j.value
ORDER BY c.happened_at DESC, c.id LIMIT %(limit)s

-- name: facets
SELECT status, service, environment, family, times FROM caselore.facets WHERE bank = %(bank)s
ORDER BY status, service, environment, family

-- name: kept_novelties
WITH joined(signature, name) AS (SELECT key COLLATE "C", value COLLATE "C" FROM jsonb_each_text(%(joined)s::jsonb))
SELECT CASE WHEN worked > 0 THEN 'known' WHEN times > 1 THEN 'recurring' ELSE 'new' END AS novelty, sum(times) FROM (
  SELECT sum(g.times) AS times, sum(g.worked) AS worked FROM (
    SELECT signature, sum(times) AS times, sum(CASE WHEN status = 'confirmed' AND result = 'succeeded' THEN times ELSE 0 END) AS worked
    FROM caselore.tallies
    WHERE bank = %(bank)s AND status <> ''
      AND (%(status)s = '' OR status = %(status)s)
      AND (%(service)s = '' OR service = %(service)s)
    GROUP BY signature) g
  LEFT JOIN joined j ON j.signature = g.signature
  GROUP BY coalesce(j.name, g.signature)) AS causes
GROUP BY novelty

-- name: novelties
WITH joined(signature, name) AS (SELECT key COLLATE "C", value COLLATE "C" FROM jsonb_each_text(%(joined)s::jsonb))
SELECT CASE WHEN worked > 0 THEN 'known' WHEN times > 1 THEN 'recurring' ELSE 'new' END AS novelty, sum(times) FROM (
  SELECT sum(g.times) AS times, sum(g.worked) AS worked FROM (
    SELECT signature, count(*) AS times, count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded') AS worked
    FROM caselore.cases
    WHERE bank = %(bank)s
      AND (%(status)s = '' OR status = %(status)s)
      AND (%(service)s = '' OR service = %(service)s)
      AND (%(environment)s = '' OR environment = %(environment)s)
      AND (%(family)s = '' OR family = %(family)s)
    GROUP BY signature) g
  LEFT JOIN joined j ON j.signature = g.signature
  GROUP BY coalesce(j.name, g.signature)) AS causes
GROUP BY novelty

-- name: days
SELECT substr(happened_at, 1, 10), count(*) FROM caselore.cases
WHERE bank = %(bank)s AND happened_at >= %(since)s
GROUP BY substr(happened_at, 1, 10) ORDER BY substr(happened_at, 1, 10)

-- name: recurrence
WITH joined(signature, name) AS (SELECT key COLLATE "C", value COLLATE "C" FROM jsonb_each_text(%(joined)s::jsonb))
SELECT count(*),
  count(*) FILTER (WHERE EXISTS (SELECT 1 FROM caselore.cases d WHERE d.bank = c.bank AND md5(d.signature) = md5(c.signature) AND d.signature = c.signature
    AND d.happened_at < c.happened_at)
    OR EXISTS (SELECT 1 FROM joined a JOIN joined b ON b.name = a.name
    JOIN caselore.cases d ON d.bank = c.bank AND md5(d.signature) = md5(b.signature) AND d.signature = b.signature WHERE a.signature = c.signature
    AND d.happened_at < c.happened_at)),
  count(*) FILTER (WHERE EXISTS (SELECT 1 FROM caselore.cases d WHERE d.bank = c.bank AND md5(d.signature) = md5(c.signature) AND d.signature = c.signature
    AND d.status = 'confirmed' AND d.result = 'succeeded' AND d.confirmed_at < c.recorded_at AND d.id <> c.id)
    OR EXISTS (SELECT 1 FROM joined a JOIN joined b ON b.name = a.name
    JOIN caselore.cases d ON d.bank = c.bank AND md5(d.signature) = md5(b.signature) AND d.signature = b.signature WHERE a.signature = c.signature
    AND d.status = 'confirmed' AND d.result = 'succeeded' AND d.confirmed_at < c.recorded_at AND d.id <> c.id))
FROM caselore.cases c
WHERE c.bank = %(bank)s AND c.counts = 1 AND c.generic = 0 AND c.happened_at >= %(since)s
  AND c.status NOT IN ('quarantined', 'retracted')

-- name: said
SELECT action, count(*) FROM caselore.ledger WHERE bank = %(bank)s AND at >= %(since)s
  AND action IN ('observe', 'confirm', 'refute', 'unlike', 'propose', 'release', 'drop', 'refused')
GROUP BY action ORDER BY action

-- name: fixed
SELECT happened_at, confirmed_at FROM caselore.cases
WHERE bank = %(bank)s AND status = 'confirmed' AND result = 'succeeded' AND confirmed_at >= %(since)s
ORDER BY confirmed_at DESC LIMIT %(limit)s
