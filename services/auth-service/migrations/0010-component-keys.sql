-- The public keys of components: services of the hub and programs of the operator. Revoked ones stay,
-- so that signatures from before can be attributed and the key is not registered again.

create table component_keys (
  -- The thumbprint of the key, RFC 7638.
  key_id text collate "C" primary key check (length(key_id) = 43),
  bounded_context_id text collate "C" not null check (length(bounded_context_id) between 1 and 64),
  -- PEM
  public_key text not null,
  registered_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  revoked_by text,
  constraint who_revoked_and_when check (num_nulls(revoked_at, revoked_by) in (0, 2))
);

create index component_keys_by_context on component_keys (bounded_context_id);
create index component_keys_by_time on component_keys (registered_at desc, key_id);
