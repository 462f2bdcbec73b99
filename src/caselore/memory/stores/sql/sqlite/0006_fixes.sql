-- Who confirmed which fix of a signature is counted for every precedent: from here alone, without a look at the cases.
CREATE INDEX cases_by_fix ON cases (bank, signature, status, fix, result, confirmed_by, confirmed_at, outcome_seq)
  WHERE status = 'confirmed';
