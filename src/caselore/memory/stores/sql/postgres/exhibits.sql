-- name: exhibit
SELECT * FROM caselore.exhibits WHERE bank = %(bank)s AND id = %(id)s

-- name: exhibit_known
-- `+ 0`: in the order of an index of seq every exhibit of the bank would be walked through
SELECT * FROM caselore.exhibits WHERE bank = %(bank)s AND known_as = %(known_as)s AND known_as <> '' ORDER BY seq + 0 LIMIT 1

-- name: exhibits_named
SELECT * FROM caselore.exhibits WHERE bank = %(bank)s AND id >= %(name)s AND id < %(beyond)s ORDER BY id LIMIT 50

-- name: exhibits_at
SELECT e.* FROM unnest(%(seqs)s::bigint[]) AS j(value)
JOIN caselore.exhibits e ON e.bank = %(bank)s AND e.seq = j.value

-- name: entries_of_some
SELECT l.*, p.salt, p.body FROM unnest(%(subjects)s::text[]) AS j(value) JOIN caselore.ledger l ON l.bank = %(bank)s AND l.subject = j.value
LEFT JOIN caselore.payloads p ON p.bank = l.bank AND p.seq = l.seq ORDER BY l.seq

-- name: exhibits_of
SELECT * FROM caselore.exhibits
WHERE bank = %(bank)s AND kind = %(kind)s AND md5(subject) = md5(%(subject)s) AND subject = %(subject)s
  AND (%(label)s = '' OR label = %(label)s)
  AND (%(status)s = '' OR status = %(status)s)
  AND (%(since)s = '' OR happened_at >= %(since)s)
  AND (%(until)s = '' OR happened_at <= %(until)s)
  AND (%(known)s = '' OR known_at <= %(known)s)
ORDER BY happened_at DESC, seq DESC LIMIT %(limit)s

-- name: exhibits_labelled
SELECT * FROM caselore.exhibits
WHERE bank = %(bank)s AND kind = %(kind)s AND md5(label) = md5(%(label)s) AND label = %(label)s
  AND (%(status)s = '' OR status = %(status)s)
  AND (%(since)s = '' OR happened_at >= %(since)s)
  AND (%(until)s = '' OR happened_at <= %(until)s)
  AND (%(known)s = '' OR known_at <= %(known)s)
ORDER BY happened_at DESC, seq DESC LIMIT %(limit)s

-- name: exhibits_any
SELECT * FROM caselore.exhibits
WHERE bank = %(bank)s AND kind = %(kind)s
  AND (%(status)s = '' OR status = %(status)s)
  AND (%(since)s = '' OR happened_at >= %(since)s)
  AND (%(until)s = '' OR happened_at <= %(until)s)
  AND (%(known)s = '' OR known_at <= %(known)s)
ORDER BY happened_at DESC, seq DESC LIMIT %(limit)s

-- name: exhibits_all
SELECT * FROM caselore.exhibits WHERE bank = %(bank)s ORDER BY seq

-- name: exhibit_subjects
SELECT subject, count(*) FROM caselore.exhibits
WHERE bank = %(bank)s AND kind = %(kind)s GROUP BY subject ORDER BY subject

-- name: exhibits_filed_last
SELECT coalesce(max(recorded_at), '') FROM caselore.exhibits WHERE bank = %(bank)s AND kind = %(kind)s

-- name: exhibit_counts
SELECT label, status, counts, trusted, count(*), CAST(coalesce(sum(origins), 0) AS BIGINT), max(happened_at),
       count(*) FILTER (WHERE happened_at >= %(recent)s),
       count(*) FILTER (WHERE happened_at >= %(recent)s AND impact >= %(grave)s)
FROM caselore.exhibits
WHERE bank = %(bank)s AND kind = %(kind)s AND md5(subject) = md5(%(subject)s) AND subject = %(subject)s
  AND (%(since)s = '' OR happened_at >= %(since)s)
  AND (%(until)s = '' OR happened_at <= %(until)s)
  AND (%(known)s = '' OR known_at <= %(known)s)
GROUP BY label, status, counts, trusted ORDER BY label, status, counts, trusted

-- name: words_seqs
SELECT seq FROM caselore.words WHERE bank = %(bank)s AND word = %(word)s ORDER BY seq DESC LIMIT %(limit)s

-- name: put_exhibits
INSERT INTO caselore.exhibits VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (bank, id) DO UPDATE SET
  seq = EXCLUDED.seq, kind = EXCLUDED.kind, subject = EXCLUDED.subject, label = EXCLUDED.label, known_as = EXCLUDED.known_as, title = EXCLUDED.title, url = EXCLUDED.url, happened_at = EXCLUDED.happened_at, known_at = EXCLUDED.known_at, recorded_at = EXCLUDED.recorded_at, actor = EXCLUDED.actor, impact = EXCLUDED.impact, private = EXCLUDED.private, status = EXCLUDED.status, beneath = EXCLUDED.beneath, counts = EXCLUDED.counts, trusted = EXCLUDED.trusted, origins = EXCLUDED.origins, reports = EXCLUDED.reports, verdict_seq = EXCLUDED.verdict_seq, said_seq = EXCLUDED.said_seq

-- name: put_words
INSERT INTO caselore.words VALUES (%s, %s, %s) ON CONFLICT DO NOTHING

-- name: forget_exhibits
DELETE FROM caselore.exhibits WHERE bank = %(bank)s AND id = %(subject)s

-- name: forget_words
DELETE FROM caselore.words WHERE bank = %(bank)s
  AND seq IN (SELECT seq FROM caselore.exhibits WHERE bank = %(bank)s AND id = %(subject)s)

-- name: all_exhibits
SELECT * FROM caselore.exhibits ORDER BY bank, id

-- name: all_words
SELECT * FROM caselore.words ORDER BY bank, word, seq

-- name: clear_exhibits
DELETE FROM caselore.exhibits WHERE bank = %(bank)s

-- name: clear_words
DELETE FROM caselore.words WHERE bank = %(bank)s
