-- What settlements have posted is little among the transfers; it is compared with the settlements in the
-- order of its ids.

create index entries_settlement on entries (id) where kind = 'SETTLEMENT';

-- Debts that were brought forward without the batch in which they arose: nobody knows it.
update unpaid_debts set since = 0 where since is null and entry_id like 'brought-forward-%';
