-- name: add_job
INSERT INTO jobs
SELECT :bank, :id, (SELECT coalesce(max(seq), 0) + 1 FROM jobs WHERE bank = :bank), :kind, :lock, :once, :place, :about,
  :due_at, 'waiting', 0, '', '', ''
WHERE :once = '' OR NOT EXISTS (
  SELECT 1 FROM jobs WHERE bank = :bank AND once = :once AND once <> '' AND state = 'waiting')
RETURNING id

-- name: jobs_due
SELECT EXISTS (SELECT 1 FROM jobs WHERE bank = :bank AND state = 'waiting' AND due_at <= :now)
  OR EXISTS (SELECT 1 FROM jobs WHERE bank = :bank AND state = 'running' AND until < :now)

-- name: forget_stalled
UPDATE jobs SET state = 'waiting', holder = '', until = '', error = :words
WHERE bank = :bank AND state = 'running' AND until < :now

-- name: take_jobs
UPDATE jobs SET state = 'running', holder = :holder, until = :until, tries = tries + 1
WHERE bank = :bank AND id IN (
  SELECT id FROM jobs AS one
  WHERE bank = :bank AND state = 'waiting' AND due_at <= :now AND place IN ('', :place)
    AND kind IN (SELECT value FROM json_each(:kinds))
    AND (lock = '' OR NOT EXISTS (
      SELECT 1 FROM jobs AS other
      WHERE other.bank = one.bank AND other.lock = one.lock AND other.lock <> '' AND other.state <> 'failed'
        AND (other.state = 'running' OR other.seq < one.seq)))
  ORDER BY due_at, seq LIMIT :limit)
RETURNING *

-- name: forget_until
UPDATE jobs SET until = :until WHERE bank = :bank AND state = 'running' AND holder = :holder

-- name: forget_job
DELETE FROM jobs WHERE bank = :bank AND id = :id AND holder = :holder AND tries = :tries AND state = 'running'

-- name: forget_take
UPDATE jobs SET state = :state, holder = '', until = '', due_at = :due_at, tries = tries - :back, error = :error
WHERE bank = :bank AND id = :id AND holder = :holder AND tries = :tries AND state = 'running'

-- name: jobs_in
SELECT * FROM jobs WHERE bank = :bank AND state = :state ORDER BY seq LIMIT :limit

-- name: forget_failure
UPDATE jobs SET state = 'waiting', tries = 0, due_at = :now WHERE bank = :bank AND id = :id AND state = 'failed'

-- name: forget_old_failures
DELETE FROM jobs WHERE bank = :bank AND state = 'failed' AND due_at < :before

-- name: schedule
SELECT last_at FROM schedules WHERE bank = :bank AND name = :name

-- name: put_schedule
INSERT OR REPLACE INTO schedules VALUES (?, ?, ?)
