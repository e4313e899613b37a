-- Quotes that a transaction request came before: of a payee's FSP, or of a PISP. The condition of such a
-- quote leads from a transfer to the request. Both indexes hold nothing of other quotes.

alter table quotes add column transaction_request_id text collate "C";
alter table quotes add column condition text collate "C";

create index quotes_of_transaction_request on quotes (transaction_request_id)
  where transaction_request_id is not null;
create index quotes_by_condition on quotes (condition) where transaction_request_id is not null;
