/** What people order, each with an event that says who. */
export const orders = `
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

-- For people: an answer at the gate where an execution waits. Who calls this adds the job, in the same transaction.
create function fleet.decide(x text, of_answer jsonb, who text)
returns table (id text, batch text, pool text, priority int) language plpgsql as $$
begin
  return query
    with hit as (
      update fleet.execution e set state = 'queued', reason = null, ended = null, answer = of_answer
      where e.id = x and e.state = 'waiting' and e.reason like 'person: %' returning e.id, e.batch, e.priority
    )
    select hit.id, hit.batch, b.pool, hit.priority from hit join fleet.batch b on b.id = hit.batch;
  if found then
    perform fleet.ordered(x, 'decided', of_answer || jsonb_build_object('by', who));
  end if;
end $$;

create function fleet.pause(of_batch text, why text, who text) returns boolean language plpgsql as $$
begin
  update fleet.batch set state = 'paused', pause_reason = why where id = of_batch and state = 'open';
  if found then perform fleet.ordered(of_batch, 'paused', jsonb_build_object('by', who, 'reason', why)); return true; end if;
  return false;
end $$;

create function fleet.resume(of_batch text, who text) returns boolean language plpgsql as $$
begin
  update fleet.batch set state = 'open', pause_reason = null, seen = clock_timestamp(), notice = null, notice_until = '-infinity'
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
`
