-- Log-ins that an OpenID provider is to end. The state is known to the browser that began.
create table oidc_log_ins (
  -- SHA-256 of the state.
  state_hash bytea primary key,
  nonce text not null,
  code_verifier text not null,
  expires_at timestamptz(3) not null
);

create index oidc_log_ins_expires_at on oidc_log_ins (expires_at);
