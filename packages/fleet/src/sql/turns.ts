/**
 * What turns may do. Each takes the epoch of the turn and does nothing for any other: the queue says who may try, these say
 * who may write.
 */
export const turns = `
create function fleet.note(x text, type text, data jsonb default null) returns void language sql as $$
  insert into fleet.event (batch, execution, epoch, worker, type, data)
  select e.batch, e.id, e.epoch, e.worker, note.type, note.data from fleet.execution e where e.id = x
$$;

-- Major and minor number of a program.
create function fleet.release(version text) returns int[] language sql immutable as $$
  select string_to_array(substring(version from '^[0-9]+[.][0-9]+'), '.')::int[]
$$;

-- The only place where an epoch grows. Nothing comes back for what is not to be worked on, or not by this program.
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
  if fleet.release(found.weave_max) > (select fleet.release(w.version) from fleet.worker w where w.id = by_worker) then return; end if;
  if found.barren >= max_barren then
    update fleet.execution set state = 'dead', reason = barren || ' starts in a row without progress'
      || coalesce(': ' || reason, ''), epoch = epoch + 1,
      ended = clock_timestamp() where id = x;
    perform fleet.note(x, 'dead');
    return;
  end if;
  update fleet.execution set state = 'running', epoch = epoch + 1, worker = by_worker, job = by_job,
    starts = starts + 1, barren = barren + 1, started = coalesce(started, clock_timestamp()),
    taken_over = found.state = 'running' where id = x;
  -- One that is still running has a turn that ended without a word.
  perform fleet.note(x, 'claimed', case when found.state = 'running' then jsonb_build_object('from', found.worker) end);
  return query select * from fleet.execution where id = x;
end $$;

-- After a claim that gave nothing: the job that somebody else is to take.
create function fleet.still_open(x text) returns table (execution text, priority int) language sql stable as $$
  select e.id, e.priority from fleet.execution e where e.id = x and e.state in ('queued', 'running')
$$;

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

create function fleet.note_head() returns trigger language plpgsql as $$
begin
  insert into fleet.event (batch, execution, epoch, worker, type, data)
    select e.batch, e.id, new.epoch, new.worker, 'published',
      jsonb_build_object('seq', new.seq, 'codon', new.codon, 'bytes', new.bytes)
    from fleet.execution e where e.id = new.execution;
  return null;
end $$;
create trigger note_head after insert on fleet.head for each row execute function fleet.note_head();

create function fleet.head_of(x text) returns table (head jsonb, epoch bigint) language sql stable as $$
  select e.head, e.epoch from fleet.execution e where e.id = x
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
  update fleet.execution set reason = why, state = 'queued' where id = x and epoch = of_epoch and state = 'running'
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

create function fleet.forget_answer() returns trigger language plpgsql as $$
begin
  new.answer := null;
  return new;
end $$;
create trigger execution_answered before update of head_seq on fleet.execution
  for each row when (new.head_seq > old.head_seq and old.answer is not null) execute function fleet.forget_answer();
`
