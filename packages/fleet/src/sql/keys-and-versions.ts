/**
 * Who may take what: a worker has the keys of the providers that a batch asks, and no worker goes on with what a newer program
 * has written.
 */
export const keysAndVersions = `
-- Providers whose keys somebody needs who works on it.
alter table fleet.batch add column providers text[] not null default '{}';
-- Those that it can ask; null: it did not say.
alter table fleet.worker add column providers text[];
-- The newest program that published it.
alter table fleet.execution add column weave_max text;

-- Major and minor number of a program.
create function fleet.release(version text) returns int[] language sql immutable as $$
  select string_to_array(substring(version from '^[0-9]+[.][0-9]+'), '.')::int[]
$$;

drop function fleet.next_batches(text[], int[], int);
-- Batches of which something may be started, the most deserving first.
create function fleet.next_batches(pools text[], formats int[], most int, keys text[] default null)
returns table (id text, hank jsonb, options jsonb, pool text, max_running int) language sql stable as $$
  select b.id, b.hank, b.options, b.pool, b.max_running
  from fleet.batch b
  cross join lateral (select fleet.live(b.id) as running) live
  cross join lateral (
    select coalesce(sum(c.n), 0) as open from fleet.batch_count c
    where c.batch = b.id and c.state in ('queued', 'running')
  ) counted
  where b.state = 'open' and b.pool = any (pools) and b.format = any (formats)
    and (keys is null or b.providers <@ keys)
    and (b.not_before is null or b.not_before <= clock_timestamp())
    -- One whose worker died is 'running' until another takes it over.
    and counted.open > live.running
    and (b.max_running is null or live.running < b.max_running)
  order by b.priority desc, (live.running + 1)::float / b.weight, b.created
  limit most
$$;

drop function fleet.has_work(text[], int[]);
-- Whether anything is queued or running that these may take.
create function fleet.has_work(pools text[], formats int[], keys text[] default null) returns boolean language sql stable as $$
  select exists (
    select 1 from fleet.batch b join fleet.batch_count c on c.batch = b.id
    where b.state = 'open' and b.pool = any (pools) and b.format = any (formats)
      and (keys is null or b.providers <@ keys)
      and (b.not_before is null or b.not_before <= clock_timestamp())
      and c.state in ('queued', 'running') and c.n > 0)
$$;

-- What keeps all of a batch that is queued from being taken; null: nothing.
create function fleet.waits_for(of_batch text) returns text language plpgsql stable as $$
declare
  b fleet.batch;
  lacking text[];
begin
  select * into b from fleet.batch where id = of_batch and state = 'open' and (not_before is null or not_before <= clock_timestamp());
  if not found then return null; end if;
  if not exists (select 1 from fleet.worker w where w.beat > clock_timestamp() - fleet.lease() and b.pool = any (w.pools)) then
    return 'a worker of the pool ' || b.pool;
  end if;
  if exists (select 1 from fleet.worker w where w.beat > clock_timestamp() - fleet.lease() and b.pool = any (w.pools)
    and (w.providers is null or b.providers <@ w.providers)) then return null; end if;
  select array_agg(p order by p) into lacking from unnest(b.providers) p where not exists (
    select 1 from fleet.worker w where w.beat > clock_timestamp() - fleet.lease() and b.pool = any (w.pools) and p = any (w.providers));
  return 'provider key ' || array_to_string(coalesce(lacking, b.providers), ' and ');
end $$;

drop function fleet.worker_up(text, text, int, text, text[], int, bigint);
create function fleet.worker_up(w text, at_host text, of_pid int, of_version text, in_pools text[], has_slots int, clock_ms bigint,
  has_keys text[] default null) returns void language sql as $$
  insert into fleet.worker (id, host, pid, version, pools, slots, skew_ms, providers) values
    (w, at_host, of_pid, of_version, in_pools, has_slots, clock_ms - (extract(epoch from clock_timestamp()) * 1000)::bigint, has_keys);
  insert into fleet.event (worker, type, data) values (w, 'worker-up', jsonb_build_object('host', at_host, 'slots', has_slots));
$$;

-- The only place where an epoch grows. Nothing comes back for what is not to be worked on, or not by this program.
create or replace function fleet.claim(x text, by_worker text, by_job uuid, max_barren int) returns setof fleet.execution
language plpgsql as $$
declare found fleet.execution;
begin
  select * into found from fleet.execution where id = x for update;
  if found.id is null or found.state not in ('queued', 'running') then return; end if;
  if found.cancel is not null then
    update fleet.execution set state = 'cancelled', reason = 'cancelled', epoch = epoch + 1, ended = clock_timestamp()
      where id = x;
    perform fleet.note(x, 'cancelled');
    return;
  end if;
  if fleet.release(found.weave_max) > (select fleet.release(w.version) from fleet.worker w where w.id = by_worker) then return; end if;
  if found.barren >= max_barren then
    update fleet.execution set state = 'dead', reason = barren || ' starts in a row without progress'
      || coalesce(': ' || reason, ''), epoch = epoch + 1,
      ended = clock_timestamp() where id = x;
    perform fleet.note(x, 'dead');
    return;
  end if;
  update fleet.execution set state = 'running', epoch = epoch + 1, worker = by_worker, job = by_job,
    starts = starts + 1, barren = barren + 1, started = coalesce(started, clock_timestamp()) where id = x;
  perform fleet.note(x, 'claimed');
  return query select * from fleet.execution where id = x;
end $$;

-- After a claim that gave nothing: the job that somebody else is to take.
create function fleet.still_open(x text) returns table (execution text, priority int) language sql stable as $$
  select e.id, e.priority from fleet.execution e where e.id = x and e.state in ('queued', 'running')
$$;

create or replace function fleet.publish(x text, of_epoch bigint, new_seq bigint, new_head jsonb, at_codon text, size bigint)
returns boolean language plpgsql as $$
declare by_version text;
begin
  select w.version into by_version from fleet.worker w join fleet.execution e on e.worker = w.id where e.id = x;
  update fleet.execution set head_seq = new_seq, head = new_head, barren = 0, reason = null, codon = at_codon,
    codons_done = codons_done + (case when at_codon is null then 0 else 1 end),
    weave_max = case when weave_max is null or fleet.release(by_version) > fleet.release(weave_max) then coalesce(by_version, weave_max)
      else weave_max end
    where id = x and epoch = of_epoch and state = 'running' and head_seq = new_seq - 1;
  if not found then return false; end if;
  insert into fleet.head (execution, seq, epoch, worker, codon, parts, bytes)
    select id, new_seq, epoch, worker, at_codon, new_head -> 'parts', size from fleet.execution where id = x;
  return true;
end $$;
`
