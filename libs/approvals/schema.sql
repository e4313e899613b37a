-- The tables of approvals, as its migrations leave them. `npm run docs` writes this file.

-- Changes that one person requests and another one decides, in the schema of the service that makes them.
CREATE TABLE approvals (
  request_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  -- JSON in the form of the kind, without secrets.
  content text NOT NULL,
  -- The secrets of the content, encrypted; deleted with the decision.
  sealed bytea,
  -- JSON: what the change replaces, as it was at the request; null: nothing that must stay the same.
  replaces text,
  -- Of pending requests with the same text there is one; null: any number.
  turn text COLLATE "C",
  -- It only takes something away.
  withdraws boolean NOT NULL,
  state text NOT NULL DEFAULT 'PEND-APPROVAL',
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  decided_by text,
  decided_at timestamptz(3),
  note text,
  CONSTRAINT approvals_pkey PRIMARY KEY (request_id),
  CONSTRAINT another_person_decides CHECK (decided_by <> created_by),
  CONSTRAINT approvals_kind_check CHECK (length(kind) >= 1 AND length(kind) <= 64),
  CONSTRAINT approvals_request_id_check CHECK (length(request_id) >= 1 AND length(request_id) <= 64),
  CONSTRAINT approvals_state_check CHECK (state IN ('PEND-APPROVAL', 'APPROVED', 'REJECTED')),
  CONSTRAINT decided_with_person_and_time CHECK (num_nulls(decided_by, decided_at) = CASE WHEN state = 'PEND-APPROVAL' THEN 2 ELSE 0 END),
  CONSTRAINT secrets_only_while_pending CHECK (sealed IS NULL OR state = 'PEND-APPROVAL')
);
CREATE INDEX approvals_by_time ON approvals (created_at DESC, request_id DESC);
CREATE UNIQUE INDEX one_pending_of_a_turn ON approvals (turn) WHERE state = 'PEND-APPROVAL';
CREATE INDEX pending_approvals ON approvals (created_at) WHERE state = 'PEND-APPROVAL';
