-- Of an exclusion of cover by percentage that follows the deposit: the percentage, in ten-thousandths of a
-- percent. Null: what is excluded is the amount in `excluded`, which a reservation has fixed.
alter table accounts add column excluded_percentage balance check (excluded_percentage <= 1000000);
