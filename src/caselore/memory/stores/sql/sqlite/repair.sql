-- name: change
SELECT * FROM changes WHERE bank = :bank AND id = :id

-- name: changes_in
SELECT bank, id, seq, url, project, iid, state, pipeline_fail_count, max_attempts, worker, head, updated_at, ''
FROM changes
WHERE bank = :bank AND (:state = '' OR state = :state OR (:state = 'live' AND state <> 'done'))
  AND id > :after ORDER BY id LIMIT :limit

-- name: attempts_of
SELECT * FROM attempts WHERE bank = :bank AND change = :change ORDER BY place

-- name: attempts_some
SELECT * FROM (
  SELECT * FROM (SELECT * FROM attempts WHERE bank = :bank AND change = :change ORDER BY place DESC LIMIT :newest)
  UNION SELECT * FROM (
    SELECT * FROM attempts WHERE bank = :bank AND change = :change AND delivered = 1 ORDER BY place DESC LIMIT :counted)
  UNION SELECT * FROM attempts WHERE bank = :bank AND change = :change AND pipeline IN (SELECT value FROM json_each(:pipelines))
) AS known ORDER BY place

-- name: changes_due
SELECT c.bank, c.id, c.seq, c.url, c.project, c.iid, c.state, c.pipeline_fail_count, c.max_attempts, c.worker, c.head, c.updated_at, ''
FROM changes AS c LEFT JOIN looks AS l ON l.bank = c.bank AND l.change = c.id
WHERE c.bank = :bank AND c.state <> 'done' AND (l.due_at IS NULL OR l.due_at <= :now) AND c.id > :after
ORDER BY c.id LIMIT :limit

-- name: changes_by_id
SELECT bank, id, seq, url, project, iid, state, pipeline_fail_count, max_attempts, worker, head, updated_at, ''
FROM changes WHERE bank = :bank AND id IN (SELECT value FROM json_each(:ids)) AND state <> 'done' ORDER BY id

-- name: put_looks
INSERT OR REPLACE INTO looks VALUES (?, ?, ?)

-- name: outgoing_open
SELECT * FROM outbox WHERE bank = :bank AND change = :change AND status = 'waiting' ORDER BY seq, id, target

-- name: outgoing
SELECT * FROM outbox WHERE bank = :bank AND status = 'waiting' AND (:target = '' OR target = :target) AND seq > :after
ORDER BY seq, id, target LIMIT :limit

-- name: outgoing_of
SELECT * FROM outbox WHERE bank = :bank AND change = :change ORDER BY seq, id, target

-- name: outgoing_one
SELECT * FROM outbox WHERE bank = :bank AND id = :id ORDER BY target DESC

-- name: put_inbox
INSERT INTO inbox VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (bank, source, key) DO NOTHING

-- name: heard
SELECT * FROM inbox WHERE bank = :bank AND attended_at = '' ORDER BY received_at, source, key LIMIT :limit

-- name: forget_heard
UPDATE inbox SET attended_at = :at WHERE bank = :bank AND attended_at = ''
  AND change = :change AND received_at <= :until

-- name: forget_old_inbox
DELETE FROM inbox WHERE bank = :bank AND attended_at <> '' AND attended_at < :before

-- name: lease
SELECT * FROM leases WHERE bank = :bank AND name = :name

-- name: put_leases
INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?)

-- name: forget_lease
UPDATE leases SET until = '' WHERE bank = :bank AND name = :name AND fence = :fence

-- name: put_changes
INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: all_changes
SELECT * FROM changes ORDER BY bank, id

-- name: clear_changes
DELETE FROM changes WHERE bank = :bank

-- name: put_attempts
INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: all_attempts
SELECT * FROM attempts ORDER BY bank, change, key

-- name: clear_attempts
DELETE FROM attempts WHERE bank = :bank

-- name: put_outbox
INSERT OR REPLACE INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: all_outbox
SELECT * FROM outbox ORDER BY bank, id, target

-- name: clear_outbox
DELETE FROM outbox WHERE bank = :bank

-- name: forget_changes
DELETE FROM changes WHERE bank = :bank AND id = :subject

-- name: forget_attempts
DELETE FROM attempts WHERE bank = :bank AND change = :subject

-- name: forget_outbox
DELETE FROM outbox WHERE bank = :bank AND change = :subject

-- name: forget_looks
DELETE FROM looks WHERE bank = :bank AND change = :subject

-- name: changes_telling
SELECT change FROM outbox WHERE bank = :bank AND instr(document, :text) > 0
UNION SELECT change FROM attempts WHERE bank = :bank AND instr(document, :text) > 0
UNION SELECT id FROM changes WHERE bank = :bank AND instr(document, :text) > 0
ORDER BY 1
