-- Interchange fees, and what participant-lifecycle is still to be told of a model: the accounts that it
-- needs and its fee.

alter table settlement_models
  -- Ten-thousandths of a percent of each transfer, owed by the payer's FSP to the payee's.
  add column fee_percentage numeric(40, 0)
    check (fee_percentage between 1 and 1000000),
  add constraint fee_is_netted check (
    fee_percentage is null or (ledger_account_type = 'INTERCHANGE_FEE' and delay = 'DEFERRED'));
