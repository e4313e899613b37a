-- What the story of a transfer needs beside its row, and how the operator finds it.

-- When the hub had the last byte of the message; the ledger holds that against the expiry.
alter table messages add column received_at timestamptz(3);

-- Messages about a transfer that changed nothing: another content, too late, from a stranger.
create table refused_messages (
  month date not null,
  event_id uuid not null,
  transfer_id text collate "C" not null,
  kind text not null check (kind in ('PREPARE', 'FULFIL', 'REJECT')),
  fsp_id text collate "C" not null,
  received_at timestamptz(3) not null,
  reason text not null,
  -- What the transfer was then; null when there was none.
  state text,
  primary key (event_id, month)
) partition by range (month);

create index refused_messages_of_transfer on refused_messages (transfer_id);

-- None of these columns changes when a transfer is reserved or committed. The one of refusals is not on
-- the state, which does.
create index transfers_by_time on transfers (received_at, id);
create index transfers_of_payer on transfers (payer_fsp, received_at, id);
create index transfers_of_payee on transfers (payee_fsp, received_at, id);
create index transfers_refused on transfers (received_at, id) where reason is not null;
