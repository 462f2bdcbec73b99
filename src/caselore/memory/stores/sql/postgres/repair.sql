-- name: change
SELECT * FROM caselore.changes WHERE bank = %(bank)s AND id = %(id)s

-- name: changes_in
SELECT bank, id, seq, url, project, iid, state, pipeline_fail_count, max_attempts, worker, head, updated_at, ''
FROM caselore.changes
WHERE bank = %(bank)s AND (%(state)s = '' OR state = %(state)s OR (%(state)s = 'live' AND state <> 'done'))
  AND id > %(after)s ORDER BY id LIMIT %(limit)s

-- name: attempts_of
SELECT * FROM caselore.attempts WHERE bank = %(bank)s AND change = %(change)s ORDER BY place

-- name: attempts_some
SELECT * FROM (
  SELECT * FROM (SELECT * FROM caselore.attempts WHERE bank = %(bank)s AND change = %(change)s ORDER BY place DESC LIMIT %(newest)s)
  UNION SELECT * FROM (
    SELECT * FROM caselore.attempts WHERE bank = %(bank)s AND change = %(change)s AND delivered = 1 ORDER BY place DESC LIMIT %(counted)s)
  UNION SELECT * FROM caselore.attempts WHERE bank = %(bank)s AND change = %(change)s AND pipeline = ANY(%(pipelines)s::text[])
) AS known ORDER BY place

-- name: changes_due
SELECT c.bank, c.id, c.seq, c.url, c.project, c.iid, c.state, c.pipeline_fail_count, c.max_attempts, c.worker, c.head, c.updated_at, ''
FROM caselore.changes AS c LEFT JOIN caselore.looks AS l ON l.bank = c.bank AND l.change = c.id
WHERE c.bank = %(bank)s AND c.state <> 'done' AND (l.due_at IS NULL OR l.due_at <= %(now)s) AND c.id > %(after)s
ORDER BY c.id LIMIT %(limit)s

-- name: changes_by_id
SELECT bank, id, seq, url, project, iid, state, pipeline_fail_count, max_attempts, worker, head, updated_at, ''
FROM caselore.changes WHERE bank = %(bank)s AND id = ANY(%(ids)s::text[]) AND state <> 'done' ORDER BY id

-- name: put_looks
INSERT INTO caselore.looks VALUES (%s, %s, %s)
ON CONFLICT (bank, change) DO UPDATE SET due_at = EXCLUDED.due_at

-- name: outgoing_open
SELECT * FROM caselore.outbox WHERE bank = %(bank)s AND change = %(change)s AND status = 'waiting' ORDER BY seq, id, target

-- name: outgoing
SELECT * FROM caselore.outbox WHERE bank = %(bank)s AND status = 'waiting' AND (%(target)s = '' OR target = %(target)s) AND seq > %(after)s
ORDER BY seq, id, target LIMIT %(limit)s

-- name: outgoing_of
SELECT * FROM caselore.outbox WHERE bank = %(bank)s AND change = %(change)s ORDER BY seq, id, target

-- name: outgoing_one
SELECT * FROM caselore.outbox WHERE bank = %(bank)s AND id = %(id)s ORDER BY target DESC

-- name: put_inbox
INSERT INTO caselore.inbox VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (bank, source, key) DO NOTHING

-- name: heard
SELECT * FROM caselore.inbox WHERE bank = %(bank)s AND attended_at = '' ORDER BY received_at, source, key LIMIT %(limit)s

-- name: forget_heard
UPDATE caselore.inbox SET attended_at = %(at)s WHERE bank = %(bank)s AND attended_at = ''
  AND change = %(change)s AND received_at <= %(until)s

-- name: forget_old_inbox
DELETE FROM caselore.inbox WHERE bank = %(bank)s AND attended_at <> '' AND attended_at < %(before)s

-- name: lease
SELECT * FROM caselore.leases WHERE bank = %(bank)s AND name = %(name)s

-- name: put_leases
INSERT INTO caselore.leases VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (bank, name) DO UPDATE SET holder = EXCLUDED.holder, fence = EXCLUDED.fence, until = EXCLUDED.until, tries = EXCLUDED.tries

-- name: forget_lease
UPDATE caselore.leases SET until = '' WHERE bank = %(bank)s AND name = %(name)s AND fence = %(fence)s

-- name: put_changes
INSERT INTO caselore.changes VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (bank, id) DO UPDATE SET seq = EXCLUDED.seq, url = EXCLUDED.url, project = EXCLUDED.project, iid = EXCLUDED.iid, state = EXCLUDED.state, pipeline_fail_count = EXCLUDED.pipeline_fail_count, max_attempts = EXCLUDED.max_attempts, worker = EXCLUDED.worker, head = EXCLUDED.head, updated_at = EXCLUDED.updated_at, document = EXCLUDED.document

-- name: all_changes
SELECT * FROM caselore.changes ORDER BY bank, id

-- name: clear_changes
DELETE FROM caselore.changes WHERE bank = %(bank)s

-- name: put_attempts
INSERT INTO caselore.attempts VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (bank, change, key) DO UPDATE SET seq = EXCLUDED.seq, place = EXCLUDED.place, number = EXCLUDED.number, delivered = EXCLUDED.delivered, verdict = EXCLUDED.verdict, kind = EXCLUDED.kind, head = EXCLUDED.head, pipeline = EXCLUDED.pipeline, at = EXCLUDED.at, decision = EXCLUDED.decision, document = EXCLUDED.document

-- name: all_attempts
SELECT * FROM caselore.attempts ORDER BY bank, change, key

-- name: clear_attempts
DELETE FROM caselore.attempts WHERE bank = %(bank)s

-- name: put_outbox
INSERT INTO caselore.outbox VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (bank, id, target) DO UPDATE SET seq = EXCLUDED.seq, change = EXCLUDED.change, type = EXCLUDED.type, at = EXCLUDED.at, status = EXCLUDED.status, document = EXCLUDED.document

-- name: all_outbox
SELECT * FROM caselore.outbox ORDER BY bank, id, target

-- name: clear_outbox
DELETE FROM caselore.outbox WHERE bank = %(bank)s

-- name: forget_changes
DELETE FROM caselore.changes WHERE bank = %(bank)s AND id = %(subject)s

-- name: forget_attempts
DELETE FROM caselore.attempts WHERE bank = %(bank)s AND change = %(subject)s

-- name: forget_outbox
DELETE FROM caselore.outbox WHERE bank = %(bank)s AND change = %(subject)s

-- name: forget_looks
DELETE FROM caselore.looks WHERE bank = %(bank)s AND change = %(subject)s

-- name: changes_telling
SELECT change FROM caselore.outbox WHERE bank = %(bank)s AND strpos(document, %(text)s) > 0
UNION SELECT change FROM caselore.attempts WHERE bank = %(bank)s AND strpos(document, %(text)s) > 0
UNION SELECT id FROM caselore.changes WHERE bank = %(bank)s AND strpos(document, %(text)s) > 0
ORDER BY 1
