-- What lists and figures are made of: counts over many cases, never their texts.

-- name: groups
SELECT signature, count(*), min(happened_at), max(happened_at),
       count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded'),
       count(*) FILTER (WHERE status = 'proposed')
FROM caselore.cases
WHERE bank = %(bank)s
  AND (%(status)s = '' OR status = %(status)s)
  AND (%(service)s = '' OR service = %(service)s)
  AND (%(environment)s = '' OR environment = %(environment)s)
  AND (%(family)s = '' OR family = %(family)s)
GROUP BY signature
HAVING max(happened_at) <= %(before)s AND (max(happened_at) < %(before)s OR signature > %(after)s)
  AND (%(novelty)s = ''
       OR (%(novelty)s = 'known' AND count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded') > 0)
       OR (%(novelty)s = 'new' AND count(*) = 1
           AND count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded') = 0)
       OR (%(novelty)s = 'recurring' AND count(*) > 1
           AND count(*) FILTER (WHERE status = 'confirmed' AND result = 'succeeded') = 0))
ORDER BY max(happened_at) DESC, signature LIMIT %(limit)s

-- name: newest_of
SELECT * FROM caselore.cases
WHERE bank = %(bank)s AND md5(signature) = md5(%(signature)s) AND signature = %(signature)s AND happened_at = %(last)s
  AND (%(status)s = '' OR status = %(status)s)
  AND (%(service)s = '' OR service = %(service)s)
  AND (%(environment)s = '' OR environment = %(environment)s)
  AND (%(family)s = '' OR family = %(family)s)
ORDER BY id LIMIT 1

-- name: of_signature
SELECT * FROM caselore.cases WHERE bank = %(bank)s AND md5(signature) = md5(%(signature)s) AND signature = %(signature)s
ORDER BY happened_at DESC, id LIMIT %(limit)s

-- name: facets
SELECT status, service, environment, family, count(*) FROM caselore.cases WHERE bank = %(bank)s
GROUP BY status, service, environment, family

-- name: days
SELECT substr(happened_at, 1, 10), count(*) FROM caselore.cases
WHERE bank = %(bank)s AND happened_at >= %(since)s
GROUP BY substr(happened_at, 1, 10) ORDER BY substr(happened_at, 1, 10)

-- name: recurrence
SELECT count(*),
  count(*) FILTER (WHERE EXISTS (SELECT 1 FROM caselore.cases d WHERE d.bank = c.bank AND md5(d.signature) = md5(c.signature) AND d.signature = c.signature
    AND d.happened_at < c.happened_at)),
  count(*) FILTER (WHERE EXISTS (SELECT 1 FROM caselore.cases d WHERE d.bank = c.bank AND md5(d.signature) = md5(c.signature) AND d.signature = c.signature
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
