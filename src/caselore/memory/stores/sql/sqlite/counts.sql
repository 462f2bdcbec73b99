-- What lists and figures are made of: counts over many cases, never their texts.

-- name: groups
SELECT signature, count(*), min(happened_at), max(happened_at),
       count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded'),
       count(*) FILTER (WHERE status = 'proposed')
FROM cases
WHERE bank = :bank
  AND (:status = '' OR status = :status)
  AND (:service = '' OR service = :service)
  AND (:environment = '' OR environment = :environment)
  AND (:family = '' OR family = :family)
GROUP BY signature
HAVING max(happened_at) <= :before AND (max(happened_at) < :before OR signature > :after)
  AND (:novelty = ''
       OR (:novelty = 'known' AND count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded') > 0)
       OR (:novelty = 'new' AND count(*) = 1
           AND count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded') = 0)
       OR (:novelty = 'recurring' AND count(*) > 1
           AND count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded') = 0))
ORDER BY max(happened_at) DESC, signature LIMIT :limit

-- name: newest_of
SELECT * FROM cases
WHERE bank = :bank AND signature = :signature AND happened_at = :last
  AND (:status = '' OR status = :status)
  AND (:service = '' OR service = :service)
  AND (:environment = '' OR environment = :environment)
  AND (:family = '' OR family = :family)
ORDER BY id LIMIT 1

-- name: of_signature
SELECT * FROM cases WHERE bank = :bank AND signature = :signature
ORDER BY happened_at DESC, id LIMIT :limit

-- name: facets
SELECT status, service, environment, family, count(*) FROM cases WHERE bank = :bank
GROUP BY status, service, environment, family

-- name: days
SELECT substr(happened_at, 1, 10), count(*) FROM cases
WHERE bank = :bank AND happened_at >= :since
GROUP BY substr(happened_at, 1, 10) ORDER BY substr(happened_at, 1, 10)

-- name: recurrence
SELECT count(*),
  count(*) FILTER (WHERE EXISTS (SELECT 1 FROM cases d WHERE d.bank = c.bank AND d.signature = c.signature
    AND d.happened_at < c.happened_at)),
  count(*) FILTER (WHERE EXISTS (SELECT 1 FROM cases d WHERE d.bank = c.bank AND d.signature = c.signature
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
