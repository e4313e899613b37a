-- Operators search the payments of one PISP or one DFSP, the newest first.
create index third_party_transactions_of_pisp
  on third_party_transactions (pisp, requested_at desc, id desc);
create index third_party_transactions_of_dfsp
  on third_party_transactions (dfsp, requested_at desc, id desc);
