-- Lines in no window are looked up by their transfers: verify asks whether each has the one that it must have.

create index lines_outside_windows on lines (transfer_id) where window_id = 0;
