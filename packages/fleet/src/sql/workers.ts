/** Who takes turns, and who of them is heard of. */
export const workers = `
create function fleet.lease() returns interval language sql stable as $$
  select coalesce((select value::int from fleet.meta where key = 'lease'), 120) * interval '1 second'
$$;

create function fleet.worker_up(w text, at_host text, of_pid int, of_version text, in_pools text[], has_slots int, clock_ms bigint,
  has_keys text[] default null) returns void language sql as $$
  insert into fleet.worker (id, host, pid, version, pools, slots, skew_ms, providers) values
    (w, at_host, of_pid, of_version, in_pools, has_slots, clock_ms - (extract(epoch from clock_timestamp()) * 1000)::bigint, has_keys);
  insert into fleet.event (worker, type, data) values (w, 'worker-up', jsonb_build_object('host', at_host, 'slots', has_slots));
$$;

-- What is wanted of a worker, at which of its executions somebody looks on, and whether people are to be told something.
create function fleet.orders_for(by_worker text)
returns table (drain boolean, drain_now boolean, watched text[], has_notice boolean)
language sql stable as $$
  select w.drain, w.drain_now, array(
    select t.execution from fleet.tail t join fleet.execution e on e.id = t.execution
    where t.until > clock_timestamp() and e.worker = w.id and e.state = 'running'),
    exists (select 1 from fleet.batch b where b.notice is not null and b.notice_until < clock_timestamp())
  from fleet.worker w where w.id = by_worker
$$;

create function fleet.worker_gone(w text) returns void language plpgsql as $$
begin
  delete from fleet.worker where id = w;
  if found then insert into fleet.event (worker, type) values (w, 'worker-gone'); end if;
end $$;

-- Those who were silent for ten leases will not come back under this name.
create function fleet.bury_workers() returns setof text language plpgsql as $$
declare w text;
begin
  for w in delete from fleet.worker where beat < clock_timestamp() - 10 * fleet.lease() returning id loop
    insert into fleet.event (worker, type, data) values (w, 'worker-gone', '{"reason": "silent"}');
    return next w;
  end loop;
end $$;
`
