-- A call is accounted for before it is made, too: one that was killed has cost at most that.
DROP INDEX ledger_asked;
CREATE INDEX ledger_asked ON ledger (bank, at) WHERE action IN ('ask', 'asking');
