-- The requests for many parties by their requestId, for ever: what comes again is answered as before,
-- and other content under the same id is refused.

create table batch_requests (
  request_id text collate "C" primary key,
  requester_fsp text collate "C" not null check (length(requester_fsp) between 1 and 32),
  -- SHA-256 of the canonical body.
  request_hash bytea not null check (length(request_hash) = 32),
  -- The event that the id belongs to: a redelivery of it is no repeat.
  event_id uuid not null,
  -- The parties that were refused, [{"at", "reason", "detail"}]; null until it is worked on.
  refusals json
);
