-- What lists and figures are made of: counts over many cases, never their texts.

-- name: groups
WITH joined(signature, name) AS (SELECT DISTINCT key, value FROM json_each(:joined))
SELECT coalesce(j.name, g.signature) AS cause, sum(g.times), min(g.first), max(g.last), sum(g.worked), sum(g.proposed)
FROM (
  SELECT signature, count(*) AS times, min(happened_at) AS first, max(happened_at) AS last,
         count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded') AS worked,
         count(*) FILTER (WHERE status = 'proposed') AS proposed
  FROM cases WHERE bank = :bank
    AND (:status = '' OR status = :status)
    AND (:service = '' OR service = :service)
    AND (:environment = '' OR environment = :environment)
    AND (:family = '' OR family = :family)
  GROUP BY signature) g
LEFT JOIN joined j ON j.signature = g.signature
GROUP BY coalesce(j.name, g.signature)
HAVING max(g.last) <= :before AND (max(g.last) < :before OR coalesce(j.name, g.signature) > :after)
  AND (:novelty = ''
       OR (:novelty = 'known' AND sum(g.worked) > 0)
       OR (:novelty = 'new' AND sum(g.times) = 1 AND sum(g.worked) = 0)
       OR (:novelty = 'recurring' AND sum(g.times) > 1 AND sum(g.worked) = 0))
ORDER BY max(g.last) DESC, coalesce(j.name, g.signature) LIMIT :limit

-- name: newest_of
SELECT c.* FROM json_each(:signatures) j
CROSS JOIN cases c ON c.bank = :bank AND c.signature = j.value AND c.happened_at = :last
WHERE TRUE
  AND (:status = '' OR c.status = :status)
  AND (:service = '' OR c.service = :service)
  AND (:environment = '' OR c.environment = :environment)
  AND (:family = '' OR c.family = :family)
ORDER BY c.id LIMIT 1

-- name: of_signature
SELECT c.* FROM json_each(:signatures) j
CROSS JOIN cases c ON c.bank = :bank AND c.signature = j.value
ORDER BY c.happened_at DESC, c.id LIMIT :limit

-- name: facets
SELECT status, service, environment, family, times FROM facets WHERE bank = :bank
ORDER BY status, service, environment, family

-- name: kept_novelties
WITH joined(signature, name) AS (SELECT DISTINCT key, value FROM json_each(:joined))
SELECT CASE WHEN worked > 0 THEN 'known' WHEN times > 1 THEN 'recurring' ELSE 'new' END AS novelty, sum(times) FROM (
  SELECT sum(g.times) AS times, sum(g.worked) AS worked FROM (
    SELECT signature, sum(times) AS times, sum(CASE WHEN status = 'confirmed' AND result = 'succeeded' THEN times ELSE 0 END) AS worked
    FROM tallies
    WHERE bank = :bank AND status <> ''
      AND (:status = '' OR status = :status)
      AND (:service = '' OR service = :service)
    GROUP BY signature) g
  LEFT JOIN joined j ON j.signature = g.signature
  GROUP BY coalesce(j.name, g.signature)) AS causes
GROUP BY novelty

-- name: novelties
WITH joined(signature, name) AS (SELECT DISTINCT key, value FROM json_each(:joined))
SELECT CASE WHEN worked > 0 THEN 'known' WHEN times > 1 THEN 'recurring' ELSE 'new' END AS novelty, sum(times) FROM (
  SELECT sum(g.times) AS times, sum(g.worked) AS worked FROM (
    SELECT signature, count(*) AS times, count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded') AS worked
    FROM cases
    WHERE bank = :bank
      AND (:status = '' OR status = :status)
      AND (:service = '' OR service = :service)
      AND (:environment = '' OR environment = :environment)
      AND (:family = '' OR family = :family)
    GROUP BY signature) g
  LEFT JOIN joined j ON j.signature = g.signature
  GROUP BY coalesce(j.name, g.signature)) AS causes
GROUP BY novelty

-- name: days
SELECT substr(happened_at, 1, 10), count(*) FROM cases
WHERE bank = :bank AND happened_at >= :since
GROUP BY substr(happened_at, 1, 10) ORDER BY substr(happened_at, 1, 10)

-- name: recurrence
WITH joined(signature, name) AS (SELECT DISTINCT key, value FROM json_each(:joined))
SELECT count(*),
  count(*) FILTER (WHERE EXISTS (SELECT 1 FROM cases d WHERE d.bank = c.bank AND d.signature = c.signature
    AND d.happened_at < c.happened_at)
    OR EXISTS (SELECT 1 FROM joined a CROSS JOIN joined b ON b.name = a.name
    CROSS JOIN cases d ON d.bank = c.bank AND d.signature = b.signature WHERE a.signature = c.signature
    AND d.happened_at < c.happened_at)),
  count(*) FILTER (WHERE EXISTS (SELECT 1 FROM cases d WHERE d.bank = c.bank AND d.signature = c.signature
    AND d.status = 'confirmed' AND d.result = 'succeeded' AND d.confirmed_at < c.recorded_at AND d.id <> c.id)
    OR EXISTS (SELECT 1 FROM joined a CROSS JOIN joined b ON b.name = a.name
    CROSS JOIN cases d ON d.bank = c.bank AND d.signature = b.signature WHERE a.signature = c.signature
    AND d.status = 'confirmed' AND d.result = 'succeeded' AND d.confirmed_at < c.recorded_at AND d.id <> c.id))
FROM cases c
WHERE c.bank = :bank AND c.counts = 1 AND c.generic = 0 AND c.happened_at >= :since
  AND c.status NOT IN ('quarantined', 'retracted')

-- name: said
SELECT action, count(*) FROM ledger WHERE bank = :bank AND at >= :since
  AND action IN ('observe', 'confirm', 'refute', 'unlike', 'propose', 'release', 'drop', 'refused')
GROUP BY action ORDER BY action

-- name: fixed
SELECT happened_at, confirmed_at FROM cases
WHERE bank = :bank AND status = 'confirmed' AND result = 'succeeded' AND confirmed_at >= :since
ORDER BY confirmed_at DESC LIMIT :limit
