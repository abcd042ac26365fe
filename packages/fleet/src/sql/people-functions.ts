/** What people order, each with an event that says who; and what keeps counts, events and the breaker. */
export const peopleFunctions = `
create function fleet.lease() returns interval language sql stable as $$
  select coalesce((select value::int from fleet.meta where key = 'lease'), 120) * interval '1 second'
$$;

-- In the order of states: two transactions that change the same two rows must not wait for each other.
create function fleet.count_states() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into fleet.batch_count (batch, state, n)
      select batch, state, count(*) from new_rows group by batch, state order by batch, state
      on conflict (batch, state) do update set n = batch_count.n + excluded.n;
  else
    insert into fleet.batch_count (batch, state, n)
      select batch, state, sum(n) from (
        select n.batch, n.state, 1 as n from new_rows n join old_rows o using (id) where o.state <> n.state
        union all
        select o.batch, o.state, -1 from new_rows n join old_rows o using (id) where o.state <> n.state
      ) changed group by batch, state having sum(n) <> 0 order by batch, state
      on conflict (batch, state) do update set n = batch_count.n + excluded.n;
  end if;
  return null;
end $$;
create trigger count_new after insert on fleet.execution
  referencing new table as new_rows for each statement execute function fleet.count_states();
create trigger count_changed after update on fleet.execution
  referencing old table as old_rows new table as new_rows for each statement execute function fleet.count_states();

create function fleet.note_head() returns trigger language plpgsql as $$
begin
  insert into fleet.event (batch, execution, epoch, worker, type, data)
    select e.batch, e.id, new.epoch, new.worker, 'published',
      jsonb_build_object('seq', new.seq, 'codon', new.codon, 'bytes', new.bytes)
    from fleet.execution e where e.id = new.execution;
  return null;
end $$;
create trigger note_head after insert on fleet.head for each row execute function fleet.note_head();

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
  update fleet.batch set state = 'paused', pause_reason = 'breaker: ' || alike || ' failed alike: ' || coalesce(new.reason, 'no reason')
    where id = b.id and state = 'open';
  if found then
    insert into fleet.event (batch, type, data) values
      (b.id, 'paused', jsonb_build_object('reason', 'breaker', 'failed', alike, 'alike', new.reason));
  end if;
  return null;
end $$;
create trigger break_batch after update on fleet.execution for each row
  when (new.state = 'failed' and old.state <> 'failed') execute function fleet.break_batch();

-- How many of a batch somebody works on who is heard of.
create function fleet.live(of_batch text) returns bigint language sql stable as $$
  select count(*) from fleet.execution e join fleet.worker w on w.id = e.worker
  where e.batch = of_batch and e.state = 'running' and w.beat > clock_timestamp() - fleet.lease()
$$;

drop function fleet.next_batches(text[], int[], int);
-- Batches of which something may be started, the most deserving first.
create function fleet.next_batches(pools text[], formats int[], most int)
returns table (id text, hank jsonb, options jsonb, pool text, max_running int) language sql stable as $$
  select b.id, b.hank, b.options, b.pool, b.max_running
  from fleet.batch b
  cross join lateral (select fleet.live(b.id) as running) live
  cross join lateral (
    select coalesce(sum(c.n), 0) as open from fleet.batch_count c
    where c.batch = b.id and c.state in ('queued', 'running')
  ) counted
  where b.state = 'open' and b.pool = any (pools) and b.format = any (formats)
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
create function fleet.has_work(pools text[], formats int[]) returns boolean language sql stable as $$
  select exists (
    select 1 from fleet.batch b join fleet.batch_count c on c.batch = b.id
    where b.state = 'open' and b.pool = any (pools) and b.format = any (formats)
      and (b.not_before is null or b.not_before <= clock_timestamp())
      and c.state in ('queued', 'running') and c.n > 0)
$$;

-- Why a turn came to nothing; the next one tries again.
create or replace function fleet.stumble(x text, of_epoch bigint, why text) returns void language sql as $$
  update fleet.execution set reason = why, state = 'queued' where id = x and epoch = of_epoch and state = 'running'
$$;

create function fleet.note_costs(x text, of_epoch bigint, costs jsonb) returns void language sql as $$
  insert into fleet.cost (execution, codon, model, attempts, tokens_in, tokens_out, tokens_cache_write, tokens_cache_read, dollars, is_known)
  select e.id, c.codon, c.model, c.attempts, c."in", c."out", c."cacheWrite", c."cacheRead", c.dollars, c."isKnown"
  from fleet.execution e, jsonb_to_recordset(costs) as c
    (codon text, model text, attempts int, "in" bigint, "out" bigint, "cacheWrite" bigint, "cacheRead" bigint, dollars float, "isKnown" boolean)
  where e.id = x and e.epoch = of_epoch
  on conflict (execution, codon, model) do update set attempts = excluded.attempts, tokens_in = excluded.tokens_in,
    tokens_out = excluded.tokens_out, tokens_cache_write = excluded.tokens_cache_write,
    tokens_cache_read = excluded.tokens_cache_read, dollars = excluded.dollars, is_known = excluded.is_known
$$;

create function fleet.ordered(target text, type text, data jsonb) returns void language sql as $$
  insert into fleet.event (batch, execution, type, data)
  select coalesce((select e.batch from fleet.execution e where e.id = target), target),
    (select e.id from fleet.execution e where e.id = target), ordered.type, ordered.data
$$;

-- Ends what is queued or waiting now, and what runs at its next border or at once.
create function fleet.cancel(target text, how text, who text) returns bigint language plpgsql as $$
declare hit bigint;
begin
  update fleet.execution set cancel = how, state = case state when 'running' then state else 'cancelled' end,
    reason = 'cancelled', ended = case state when 'running' then null else clock_timestamp() end
    where (batch = target or id = target) and state in ('queued', 'running', 'waiting');
  get diagnostics hit = row_count;
  if hit > 0 then
    perform fleet.ordered(target, 'cancelled', jsonb_build_object('by', who, 'how', how, 'executions', hit));
  end if;
  return hit;
end $$;

-- Who calls this adds the jobs, in the same transaction.
create function fleet.retry(target text, states text[], who text)
returns table (id text, batch text, pool text, priority int) language plpgsql as $$
begin
  return query
    with hit as (
      update fleet.execution e set state = 'queued', reason = null, cancel = null, barren = 0, ended = null
      where (e.batch = target or e.id = target) and e.state = any (states)
        and exists (select 1 from fleet.batch b where b.id = e.batch and b.state <> 'closed') returning e.id, e.batch, e.n, e.priority
    )
    select hit.id, hit.batch, b.pool, hit.priority from hit join fleet.batch b on b.id = hit.batch order by hit.n;
  if found then perform fleet.ordered(target, 'retried', jsonb_build_object('by', who, 'states', states)); end if;
end $$;

create function fleet.pause(of_batch text, why text, who text) returns boolean language plpgsql as $$
begin
  update fleet.batch set state = 'paused', pause_reason = why where id = of_batch and state = 'open';
  if found then perform fleet.ordered(of_batch, 'paused', jsonb_build_object('by', who, 'reason', why)); return true; end if;
  return false;
end $$;

create function fleet.resume(of_batch text, who text) returns boolean language plpgsql as $$
begin
  update fleet.batch set state = 'open', pause_reason = null, seen = clock_timestamp()
    where id = of_batch and state = 'paused';
  if found then perform fleet.ordered(of_batch, 'resumed', jsonb_build_object('by', who)); return true; end if;
  return false;
end $$;

-- Of one worker, or of all when none is named.
create function fleet.drain(of_worker text, at_once boolean, who text) returns setof text language plpgsql as $$
begin
  return query update fleet.worker w set drain = true, drain_now = w.drain_now or at_once
    where (of_worker is null or w.id = of_worker) returning w.id;
  if found then
    insert into fleet.event (worker, type, data) values (of_worker, 'drained', jsonb_build_object('by', who, 'now', at_once));
  end if;
end $$;

create function fleet.worker_up(w text, at_host text, of_pid int, of_version text, in_pools text[], has_slots int, clock_ms bigint)
returns void language sql as $$
  insert into fleet.worker (id, host, pid, version, pools, slots, skew_ms) values
    (w, at_host, of_pid, of_version, in_pools, has_slots, clock_ms - (extract(epoch from clock_timestamp()) * 1000)::bigint);
  insert into fleet.event (worker, type, data) values (w, 'worker-up', jsonb_build_object('host', at_host, 'slots', has_slots));
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
