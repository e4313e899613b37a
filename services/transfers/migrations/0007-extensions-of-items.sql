-- What the payee FSP added to its result for an item of a bulk: its extensionList, JSON.

alter table transfers add column extension_list text,
  add constraint extensions_of_ended_items check (
    extension_list is null or (bulk_id is not null and state in ('COMMITTED', 'ABORTED'))) not valid;
