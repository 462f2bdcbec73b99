-- name: add_job
INSERT INTO caselore.jobs
SELECT %(bank)s, %(id)s, (SELECT coalesce(max(seq), 0) + 1 FROM caselore.jobs WHERE bank = %(bank)s), %(kind)s, %(lock)s, %(once)s, %(place)s, %(about)s,
  %(due_at)s, 'waiting', 0, '', '', ''
WHERE %(once)s = '' OR NOT EXISTS (
  SELECT 1 FROM caselore.jobs WHERE bank = %(bank)s AND once = %(once)s AND once <> '' AND state = 'waiting')
RETURNING id

-- name: jobs_due
SELECT EXISTS (SELECT 1 FROM caselore.jobs WHERE bank = %(bank)s AND state = 'waiting' AND due_at <= %(now)s)
  OR EXISTS (SELECT 1 FROM caselore.jobs WHERE bank = %(bank)s AND state = 'running' AND until < %(now)s)

-- name: forget_stalled
UPDATE caselore.jobs SET state = 'waiting', holder = '', until = '', error = %(words)s
WHERE bank = %(bank)s AND state = 'running' AND until < %(now)s

-- name: take_jobs
UPDATE caselore.jobs SET state = 'running', holder = %(holder)s, until = %(until)s, tries = tries + 1
WHERE bank = %(bank)s AND id IN (
  SELECT id FROM caselore.jobs AS one
  WHERE bank = %(bank)s AND state = 'waiting' AND due_at <= %(now)s AND place IN ('', %(place)s)
    AND kind = ANY(%(kinds)s::text[])
    AND (lock = '' OR NOT EXISTS (
      SELECT 1 FROM caselore.jobs AS other
      WHERE other.bank = one.bank AND other.lock = one.lock AND other.lock <> '' AND other.state <> 'failed'
        AND (other.state = 'running' OR other.seq < one.seq)))
  ORDER BY due_at, seq LIMIT %(limit)s)
RETURNING *

-- name: forget_until
UPDATE caselore.jobs SET until = %(until)s WHERE bank = %(bank)s AND state = 'running' AND holder = %(holder)s

-- name: forget_job
DELETE FROM caselore.jobs WHERE bank = %(bank)s AND id = %(id)s AND holder = %(holder)s AND tries = %(tries)s AND state = 'running'

-- name: forget_take
UPDATE caselore.jobs SET state = %(state)s, holder = '', until = '', due_at = %(due_at)s, tries = tries - %(back)s, error = %(error)s
WHERE bank = %(bank)s AND id = %(id)s AND holder = %(holder)s AND tries = %(tries)s AND state = 'running'

-- name: jobs_in
SELECT * FROM caselore.jobs WHERE bank = %(bank)s AND state = %(state)s ORDER BY seq LIMIT %(limit)s

-- name: forget_failure
UPDATE caselore.jobs SET state = 'waiting', tries = 0, due_at = %(now)s WHERE bank = %(bank)s AND id = %(id)s AND state = 'failed'

-- name: forget_old_failures
DELETE FROM caselore.jobs WHERE bank = %(bank)s AND state = 'failed' AND due_at < %(before)s

-- name: schedule
SELECT last_at FROM caselore.schedules WHERE bank = %(bank)s AND name = %(name)s

-- name: put_schedule
INSERT INTO caselore.schedules VALUES (%s, %s, %s)
ON CONFLICT (bank, name) DO UPDATE SET last_at = EXCLUDED.last_at
