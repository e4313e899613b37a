-- A client certificate identifies its FSP while it is registered here and not revoked. Those that the hub
-- issued are registered from the start, others by an operator.
alter table certificates
  -- SHA-256 of the certificate, which a connection shows.
  add column fingerprint text collate "C" not null generated always as (
    encode(
      sha256(decode(regexp_replace(certificate, '-----[A-Z ]+-----|\s', '', 'g'), 'base64')),
      'hex'
    )
  ) stored,
  add column origin text not null default 'ISSUED' check (origin in ('ISSUED', 'REGISTERED')),
  add column revoked_at timestamptz(3),
  add column revoked_by text,
  add constraint certificates_revoked check ((revoked_at is null) = (revoked_by is null));

create unique index certificates_fingerprint on certificates (fingerprint);
