/** What happens in an execution right now, for whoever looks on; the words are objects of the store, here are only their names. */
export const tails = `
-- Somebody looks on for the next half minute; answers with what turns showed lately. What was shown to earlier ones is forgotten.
create function fleet.look_on(x text) returns jsonb language plpgsql as $$
declare shown jsonb;
begin
  insert into fleet.tail as t (execution, until) values (x, clock_timestamp() + interval '30 seconds')
    on conflict (execution) do update set until = excluded.until,
      parts = case when t.until > clock_timestamp() then t.parts else '[]' end
    returning t.parts into shown;
  return shown;
end $$;

-- One part more of a turn; the last twenty are kept. False: nobody looks on any more, or the epoch is not the newest.
create function fleet.show_tail(x text, of_epoch bigint, part jsonb) returns boolean language plpgsql as $$
begin
  update fleet.tail t set parts = (
      select jsonb_agg(p.part order by p.n) from jsonb_array_elements(t.parts || jsonb_build_array(show_tail.part))
        with ordinality as p (part, n) where p.n > jsonb_array_length(t.parts) - 19)
    from fleet.execution e
    where t.execution = x and e.id = x and e.epoch = of_epoch and e.state = 'running' and t.until > clock_timestamp();
  return found;
end $$;
`
