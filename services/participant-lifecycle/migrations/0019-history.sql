-- The history of an account is read backwards in slices of batches. The journal is written in the order
-- of its batches, so that a summary of each block range finds the slice; within it the blooms leave out
-- the ranges that do not touch the account. Unlike a tree it costs the writer next to nothing.

create index journal_history on journal using brin (batch int8_minmax_ops, at timestamptz_minmax_ops,
  debit_account_id int4_bloom_ops, credit_account_id int4_bloom_ops) with (pages_per_range = 32);
