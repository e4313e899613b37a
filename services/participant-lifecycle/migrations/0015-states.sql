-- What a participant is, and its state: what a state permits is a setting. `is_active` is whether the
-- state permits transfers, because that is asked with every reservation.

alter table participants add column type text not null default 'DFSP'
  check (type in ('DFSP', 'PISP', 'HUB'));
alter table participants add column state text not null default 'INACTIVE'
  check (length(state) between 1 and 32);

update participants set type = 'HUB' where id = 1;
update participants set state = 'ACTIVE' where is_active;

-- The request that opened the account, so that the same request is answered with the same accounts.
alter table accounts add column request_id text collate "C" check (length(request_id) between 1 and 64);
