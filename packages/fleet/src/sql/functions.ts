/**
 * What workers may do. Each takes the epoch of the turn and does nothing for any other: the queue says who may try, these say
 * who may write.
 */
export const functions = `
create function fleet.note(x text, type text, data jsonb default null) returns void language sql as $$
  insert into fleet.event (batch, execution, epoch, worker, type, data)
  select e.batch, e.id, e.epoch, e.worker, note.type, note.data from fleet.execution e where e.id = x
$$;

-- Batches that may be worked on, the most deserving first.
create function fleet.next_batches(pools text[], formats int[], most int) returns table (id text, hank jsonb, options jsonb)
language sql stable as $$
  select b.id, b.hank, b.options
  from fleet.batch b
  cross join lateral (
    select count(*) filter (where e.state = 'running') as running, count(*) filter (where e.state = 'queued') as queued
    from fleet.execution e where e.batch = b.id and e.state in ('running', 'queued')
  ) counted
  where b.state = 'open' and b.pool = any (pools) and b.format = any (formats)
    -- One whose worker died is 'running' until another takes it over.
    and counted.queued + counted.running > 0
    and (b.max_running is null or counted.running < b.max_running or counted.queued = 0)
  order by b.priority desc, (counted.running + 1)::float / b.weight, b.created
  limit most
$$;

-- The only place where an epoch grows.
create function fleet.claim(x text, by_worker text, by_job uuid, max_barren int) returns setof fleet.execution
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

-- Which of these turns are still this worker's, and what is wanted of them.
create function fleet.beat(by_worker text, xs text[], epochs bigint[])
returns table (id text, cancel text, drain boolean) language plpgsql as $$
declare drained boolean;
begin
  update fleet.worker w set beat = clock_timestamp() where w.id = by_worker returning w.drain into drained;
  return query
    select e.id, e.cancel, coalesce(drained, false)
    from unnest(xs, epochs) as mine (x, epoch)
    join fleet.execution e on e.id = mine.x and e.epoch = mine.epoch and e.state = 'running';
end $$;

create function fleet.publish(x text, of_epoch bigint, new_seq bigint, new_head jsonb, at_codon text, size bigint)
returns boolean language plpgsql as $$
begin
  update fleet.execution set head_seq = new_seq, head = new_head, barren = 0, reason = null, codon = at_codon,
    codons_done = codons_done + (case when at_codon is null then 0 else 1 end)
    where id = x and epoch = of_epoch and state = 'running' and head_seq = new_seq - 1;
  if not found then return false; end if;
  insert into fleet.head (execution, seq, epoch, worker, codon, parts, bytes)
    select id, new_seq, epoch, worker, at_codon, new_head -> 'parts', size from fleet.execution where id = x;
  return true;
end $$;

create function fleet.finish(x text, of_epoch bigint, new_state text, why text) returns boolean
language plpgsql as $$
begin
  update fleet.execution set state = new_state, reason = why, ended = clock_timestamp()
    where id = x and epoch = of_epoch and state = 'running';
  if not found then return false; end if;
  perform fleet.note(x, case new_state when 'succeeded' then 'finished' else new_state end,
    case when why is null then null else jsonb_build_object('reason', why) end);
  return true;
end $$;

-- Why a turn came to nothing; the next one tries again.
create function fleet.stumble(x text, of_epoch bigint, why text) returns void language sql as $$
  update fleet.execution set reason = why where id = x and epoch = of_epoch and state = 'running'
$$;

-- Another turn goes on with it. That is no failure.
create function fleet.give_back(x text, of_epoch bigint, why text) returns boolean language plpgsql as $$
begin
  update fleet.execution set state = 'queued', reason = why, barren = greatest(barren - 1, 0)
    where id = x and epoch = of_epoch and state = 'running';
  if not found then return false; end if;
  perform fleet.note(x, 'drained', jsonb_build_object('reason', why));
  return true;
end $$;
`
