-- name: exhibit
SELECT * FROM exhibits WHERE bank = :bank AND id = :id

-- name: exhibit_known
-- `+ 0`: in the order of an index of seq every exhibit of the bank would be walked through
SELECT * FROM exhibits WHERE bank = :bank AND known_as = :known_as AND known_as <> '' ORDER BY seq + 0 LIMIT 1

-- name: exhibits_named
SELECT * FROM exhibits WHERE bank = :bank AND id >= :name AND id < :beyond ORDER BY id LIMIT 50

-- name: exhibits_at
SELECT e.* FROM json_each(:seqs) j
CROSS JOIN exhibits e ON e.bank = :bank AND e.seq = j.value

-- name: entries_of_some
SELECT l.*, p.salt, p.body FROM json_each(:subjects) j CROSS JOIN ledger l ON l.bank = :bank AND l.subject = j.value
LEFT JOIN payloads p ON p.bank = l.bank AND p.seq = l.seq ORDER BY l.seq

-- name: exhibits_of
SELECT * FROM exhibits
WHERE bank = :bank AND kind = :kind AND subject = :subject
  AND (:label = '' OR label = :label)
  AND (:status = '' OR status = :status)
  AND (:since = '' OR happened_at >= :since)
  AND (:until = '' OR happened_at <= :until)
  AND (:known = '' OR known_at <= :known)
ORDER BY happened_at DESC, seq DESC LIMIT :limit

-- name: exhibits_labelled
SELECT * FROM exhibits
WHERE bank = :bank AND kind = :kind AND label = :label
  AND (:status = '' OR status = :status)
  AND (:since = '' OR happened_at >= :since)
  AND (:until = '' OR happened_at <= :until)
  AND (:known = '' OR known_at <= :known)
ORDER BY happened_at DESC, seq DESC LIMIT :limit

-- name: exhibits_any
SELECT * FROM exhibits
WHERE bank = :bank AND kind = :kind
  AND (:status = '' OR status = :status)
  AND (:since = '' OR happened_at >= :since)
  AND (:until = '' OR happened_at <= :until)
  AND (:known = '' OR known_at <= :known)
ORDER BY happened_at DESC, seq DESC LIMIT :limit

-- name: exhibits_all
SELECT * FROM exhibits WHERE bank = :bank ORDER BY seq

-- name: exhibit_subjects
SELECT subject, count(*) FROM exhibits
WHERE bank = :bank AND kind = :kind GROUP BY subject ORDER BY subject

-- name: exhibits_filed_last
SELECT coalesce(max(recorded_at), '') FROM exhibits WHERE bank = :bank AND kind = :kind

-- name: exhibit_counts
SELECT label, status, counts, trusted, count(*), CAST(coalesce(sum(origins), 0) AS BIGINT), max(happened_at),
       count(*) FILTER (WHERE happened_at >= :recent),
       count(*) FILTER (WHERE happened_at >= :recent AND impact >= :grave)
FROM exhibits
WHERE bank = :bank AND kind = :kind AND subject = :subject
  AND (:since = '' OR happened_at >= :since)
  AND (:until = '' OR happened_at <= :until)
  AND (:known = '' OR known_at <= :known)
GROUP BY label, status, counts, trusted ORDER BY label, status, counts, trusted

-- name: words_seqs
SELECT seq FROM words WHERE bank = :bank AND word = :word ORDER BY seq DESC LIMIT :limit

-- name: put_exhibits
INSERT OR REPLACE INTO exhibits VALUES
  (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_words
INSERT OR REPLACE INTO words VALUES (?, ?, ?)

-- name: forget_exhibits
DELETE FROM exhibits WHERE bank = :bank AND id = :subject

-- name: forget_words
DELETE FROM words WHERE bank = :bank
  AND seq IN (SELECT seq FROM exhibits WHERE bank = :bank AND id = :subject)

-- name: all_exhibits
SELECT * FROM exhibits ORDER BY bank, id

-- name: all_words
SELECT * FROM words ORDER BY bank, word, seq

-- name: clear_exhibits
DELETE FROM exhibits WHERE bank = :bank

-- name: clear_words
DELETE FROM words WHERE bank = :bank
