-- What was spent on models today is asked before each call.
CREATE INDEX ledger_asked ON caselore.ledger (bank, at) WHERE action = 'ask';
