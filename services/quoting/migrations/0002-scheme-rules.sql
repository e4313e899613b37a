-- The rules of the scheme, and what the velocity rules need to know of committed transfers.

-- Each iteration is the whole set; none is ever changed or deleted.
create table scheme_rules (
  iteration integer primary key check (iteration >= 1),
  -- JSON, as the operator sees it.
  rules text not null,
  changed_at timestamptz(3) not null,
  changed_by text not null
);

-- What a payer FSP has paid, by minute.
create table velocity (
  payer_fsp text collate "C" not null,
  currency text collate "C" not null,
  minute timestamptz(0) not null,
  transfers bigint not null check (transfers > 0),
  -- Ten-thousandths.
  amount numeric(40, 0) not null check (amount >= 0),
  primary key (payer_fsp, currency, minute)
);

create index velocity_by_minute on velocity (minute);

-- The transfers in it, so that none counts twice.
create table counted_transfers (
  month date not null,
  transfer_id text collate "C" not null,
  primary key (transfer_id, month)
) partition by range (month);
