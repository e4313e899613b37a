-- The interchange fee of a transfer is held with it: what a participant owes in fees needs cover like what
-- it owes by transfers.

-- Null: none, or a release held the transfer that charged the fee with the post.
alter table entries add column fee amount;
alter table entries add column fee_model_id integer;

-- FEE_RESERVE makes the fee pending, FEE_VOID takes that back; a fee that is charged is an entry of its own.
alter domain journal_step drop constraint journal_step_check;
alter domain journal_step add constraint journal_step_known check (value in ('RESERVE', 'POST', 'VOID',
  'MOVE', 'GROSS_PAYER', 'GROSS_PAYEE', 'FEE_RESERVE', 'FEE_VOID'));
