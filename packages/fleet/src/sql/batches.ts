import { queueNameInSql } from './queue-name.ts'

/**
 * Which batch deserves the next slot, what keeps one from being worked on, how many executions are in which state, and when one
 * is broken off.
 */
export const batches = `
-- How many of a batch somebody works on who is heard of.
create function fleet.live(of_batch text) returns bigint language plpgsql stable as $$
begin
  return (select count(*) from fleet.batch b
    join fleet.execution e on e.batch = b.id and e.state = 'running'
    join fleet.worker w on w.id = e.worker and w.beat > clock_timestamp() - fleet.lease()
    -- A worker may live and know nothing of it: the engine died with the answer to its claim, or before it could say that a turn
    -- had died. Then nobody keeps the job.
    join pgboss.job j on j.name = ${queueNameInSql('b')} and j.id = e.job and j.state = 'active'
    where b.id = of_batch);
end $$;

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

-- Whether one more of this batch may run; holds the question of others back until the transaction ends.
create function fleet.may_start(of_batch text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(of_batch, 0));
  return (select b.state = 'open' and (b.max_running is null or fleet.live(b.id) < b.max_running)
    from fleet.batch b where b.id = of_batch);
end $$;

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

-- One transaction may change counts several times, and two of them must not wait for each other: whoever changes a state has one
-- part of the counts of the batch to himself until he is through. Sixteen parts are more than the connections that are busy at once on most machines.
create function fleet.count_states() returns trigger language plpgsql as $$
declare mine int := pg_backend_pid() % 16;
begin
  if tg_op = 'INSERT' then
    perform pg_advisory_xact_lock(hashtextextended(c.batch, 1 + mine)) from (select distinct batch from new_rows order by batch) c;
    insert into fleet.count_part (batch, state, part, n)
      select batch, state, mine, count(*) from new_rows group by batch, state order by batch, state
      on conflict (batch, state, part) do update set n = count_part.n + excluded.n;
  else
    perform pg_advisory_xact_lock(hashtextextended(c.batch, 1 + mine)) from (
      select distinct n.batch from new_rows n join old_rows o using (id) where o.state <> n.state order by n.batch) c;
    if not found then return null; end if;
    insert into fleet.count_part (batch, state, part, n)
      select batch, state, mine, sum(n) from (
        select n.batch, n.state, 1 as n from new_rows n join old_rows o using (id) where o.state <> n.state
        union all
        select o.batch, o.state, -1 from new_rows n join old_rows o using (id) where o.state <> n.state
      ) changed group by batch, state having sum(n) <> 0 order by batch, state
      on conflict (batch, state, part) do update set n = count_part.n + excluded.n;
  end if;
  return null;
end $$;
create trigger count_new after insert on fleet.execution
  referencing new table as new_rows for each statement execute function fleet.count_states();
create trigger count_changed after update on fleet.execution
  referencing old table as old_rows new table as new_rows for each statement execute function fleet.count_states();

-- Too many ends of a batch failed for one and the same reason: whoever comes next would fail, too.
create function fleet.break_batch() returns trigger language plpgsql as $$
declare
  b fleet.batch;
  alike int;
  enough int;
begin
  select * into b from fleet.batch where id = new.batch;
  if b.state <> 'open' then return null; end if;
  select count(*) filter (where ends.state = 'failed' and ends.reason is not distinct from new.reason) into alike
    from (
      select e.state, e.reason from fleet.execution e
      where e.batch = new.batch and e.ended > b.seen and e.state in ('succeeded', 'failed', 'dead')
      order by e.ended desc limit (b.breaker ->> 'window')::int
    ) ends;
  enough := greatest(1, ceil((b.breaker ->> 'window')::int * (b.breaker ->> 'share')::numeric));
  if new.reason ~* '(authenticat|api key|unauthor|forbidden|billing|credit balance|payment)' then enough := least(enough, 3); end if;
  if alike < enough then return null; end if;
  update fleet.batch set state = 'paused', pause_reason = 'breaker: ' || alike || ' failed alike: ' || coalesce(new.reason, 'no reason'),
      notice = jsonb_build_object('id', gen_random_uuid(), 'failed', alike, 'at', clock_timestamp())
    where id = b.id and state = 'open';
  if found then
    insert into fleet.event (batch, type, data) values
      (b.id, 'paused', jsonb_build_object('reason', 'breaker', 'failed', alike, 'alike', new.reason));
  end if;
  return null;
end $$;
-- What is to be told of a batch, for who can tell it; nobody else gets it for the next five minutes, or ever when that one says so.
create function fleet.take_notice() returns table (batch text, name text, notice jsonb) language sql as $$
  update fleet.batch b set notice_until = clock_timestamp() + interval '5 minutes'
  where b.id = (
    select n.id from fleet.batch n where n.notice is not null and n.notice_until < clock_timestamp()
    order by n.id limit 1 for update skip locked)
  returning b.id, b.name, b.notice
$$;

create function fleet.notice_told(of_batch text, of_notice text) returns void language sql as $$
  update fleet.batch b set notice = null where b.id = of_batch and b.notice ->> 'id' = of_notice
$$;
create trigger break_batch after update on fleet.execution for each row
  when (new.state = 'failed' and old.state <> 'failed') execute function fleet.break_batch();
`
