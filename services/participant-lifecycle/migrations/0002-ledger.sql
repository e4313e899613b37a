-- The double-entry ledger. One row per id for ever; what it did to accounts is in the journal.

create domain entry_kind as text
  check (value in ('TRANSFER', 'FUNDS_IN', 'FUNDS_OUT', 'SETTLEMENT', 'OPENING'));
create domain entry_outcome as text
  check (value in ('REFUSED', 'RESERVED', 'POSTED', 'VOIDED'));
create domain settles as text check (value in ('NET', 'GROSS_IMMEDIATE', 'GROSS_DEFERRED'));
create domain journal_step as text
  check (value in ('RESERVE', 'POST', 'VOID', 'MOVE', 'GROSS_PAYER', 'GROSS_PAYEE'));
create domain evidence as bytea check (octet_length(value) <= 16384);

create table entries (
  -- Unique over transfers, funds and settlement movements.
  id text collate "C" primary key,
  kind entry_kind not null,
  outcome entry_outcome not null,
  reason text not null default '',
  -- The terms; a tombstone has none.
  payer_fsp text,
  payee_fsp text,
  amount amount,
  currency text collate "C",
  expires_at timestamptz(3),
  -- Null when nobody has the name.
  payer_id integer,
  payee_id integer,
  -- The accounts that move; null when nothing ever did.
  debit_account_id integer,
  credit_account_id integer,
  model_id integer,
  settles settles,
  window_id integer,
  -- The facts that the limit was held against.
  position numeric(40, 0),
  cover numeric(40, 0),
  cap numeric(40, 0),
  evidence evidence,
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  constraint terms_are_whole check (num_nulls(payer_fsp, payee_fsp, amount, currency) in (0, 4)),
  constraint accounts_are_known check (outcome not in ('RESERVED', 'POSTED')
    or num_nulls(amount, debit_account_id, credit_account_id) = 0),
  constraint completed_when_final check ((outcome = 'RESERVED') = (completed_at is null)),
  constraint posted_in_one_window_or_gross check (
    (window_id is not null) = (outcome = 'POSTED' and kind = 'TRANSFER'
      and settles is distinct from 'GROSS_IMMEDIATE'))
);

create index entries_reserved on entries (expires_at) where outcome = 'RESERVED';

-- One row per step of an entry: amount from one account to another, pending or posted.
create table journal (
  month date not null,
  entry_id text collate "C" not null,
  step journal_step not null,
  debit_account_id integer not null,
  credit_account_id integer not null,
  amount amount not null,
  at timestamptz(3) not null,
  primary key (entry_id, step, month)
) partition by range (month);

-- The window that posts are stamped with: one row, switched by rotation.
create table current_window (
  is_current boolean primary key default true check (is_current),
  window_id integer not null check (window_id > 0)
) with (fillfactor = 50);

insert into current_window (window_id) values (1);

create table window_net (
  window_id integer not null,
  model_id integer not null,
  account_id integer not null,
  -- Payer's side plus, payee's side minus.
  net numeric(40, 0) not null,
  transfers_count bigint not null,
  primary key (window_id, model_id, account_id)
) with (fillfactor = 50);

create table window_rotations (
  request_id text collate "C" primary key check (length(request_id) between 1 and 64),
  window_id integer not null unique,
  next_window_id integer not null unique,
  rotated_at timestamptz(3) not null,
  check (next_window_id > window_id)
);
