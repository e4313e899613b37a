-- The tables of keys, as its migrations leave them. `npm run docs` writes this file.

-- The keys of months that messages of the host are encrypted with: auth-service makes no other key for such
-- a month.
CREATE TABLE message_keys (
  -- The first day.
  month date NOT NULL,
  thumbprint bytea NOT NULL,
  first_used_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT message_keys_pkey PRIMARY KEY (month, thumbprint),
  CONSTRAINT message_keys_month_check CHECK (EXTRACT(day FROM month) = 1),
  CONSTRAINT message_keys_thumbprint_check CHECK (length(thumbprint) = 8)
);
