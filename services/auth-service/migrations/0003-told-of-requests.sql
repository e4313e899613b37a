-- Where a person is told of what waits for a decision, and of what became of it.
alter table operators add column email text check (email is null or kind = 'PERSON');

-- To reject needs a privilege of its own; whoever could approve could reject, and still can.
update roles
set privileges = (
  select json_agg(one order by place)::text
  from (
    select one, place * 2 as place
    from json_array_elements_text(privileges::json) with ordinality as given (one, place)
    union all
    select 'REJECT_' || substr(one, 9), place * 2 + 1
    from json_array_elements_text(privileges::json) with ordinality as given (one, place)
    where one like 'APPROVE\_%'
  ) as both_of_them
)
where privileges like '%"APPROVE\_%';

update roles set description = 'Approves or rejects what another one proposed.' where id = 'checker';
