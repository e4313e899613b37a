-- Funds in and out are few among the transfers; they are listed by time, the newest first.

create index entries_funds on entries (created_at desc, id desc)
  where kind in ('FUNDS_IN', 'FUNDS_OUT');
