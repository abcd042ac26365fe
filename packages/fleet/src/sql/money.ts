/**
 * Money of batches, in millionths of a dollar. It is lent to epochs and never only checked: at every moment what is truly spent
 * is at most spent + doubt + granted, and that is at most the ceiling. Locks are taken on the execution first, then on its batch.
 */
export const money = `
create function fleet.has_ceiling(of_batch text) returns boolean language sql stable as $$
  select budget is not null from fleet.batch where id = of_batch
$$;

-- Lends an epoch what it needs, or as much as it wants to have at hand, and a good piece at once where there is plenty.
-- 0: there is not enough now; -1: the epoch is not the newest; -2: there cannot be enough, whatever others give back.
create function fleet.grant_money(x text, of_epoch bigint, need bigint, want bigint, has bigint) returns bigint
language plpgsql as $$
declare
  held fleet.execution;
  pool fleet.batch;
  piece bigint;
begin
  select * into held from fleet.execution e where e.id = x and e.epoch = of_epoch and e.state = 'running' for update;
  if not found then return -1; end if;
  select * into pool from fleet.batch b where b.id = held.batch for update;
  if pool.budget is null then return need; end if;
  select greatest(250000, least(5000000, pool.budget / (20 * greatest(coalesce(sum(w.slots), 1), 1)))) into piece
    from fleet.worker w;
  piece := least(pool.budget - pool.granted - pool.spent - pool.doubt, greatest(want, piece) - has);
  if piece < need or piece <= 0 then
    update fleet.execution set wants = need + has where id = x;
    return case when held.granted + need > pool.budget - pool.spent - pool.doubt then -2 else 0 end;
  end if;
  update fleet.batch set granted = granted + piece where id = held.batch;
  update fleet.execution set granted = granted + piece, wants = null where id = x;
  return piece;
end $$;

-- After the last request of an epoch: what it cost is spent, the rest goes back. -1: the epoch is not the newest.
create function fleet.settle(x text, of_epoch bigint, actual bigint) returns bigint language plpgsql as $$
declare
  held fleet.execution;
  pool fleet.batch;
  paid bigint;
begin
  select * into held from fleet.execution e where e.id = x and e.epoch = of_epoch and e.state = 'running' for update;
  if not found then return -1; end if;
  select * into pool from fleet.batch b where b.id = held.batch for update;
  -- A provider that charged more than it could by its prices: the ceiling is still what the books say at most.
  paid := case when pool.budget is null then actual
    else least(actual, pool.budget - (pool.granted - held.granted) - pool.spent - pool.doubt) end;
  if paid < actual then
    perform fleet.note(x, 'overspent', jsonb_build_object('micros', actual - paid));
  end if;
  update fleet.batch set granted = granted - held.granted, spent = spent + paid where id = held.batch;
  update fleet.execution set granted = 0, spent = spent + paid where id = x;
  return paid;
end $$;

-- With a head: what was certainly spent up to it is no longer lent, so that a death puts only in doubt what came after.
create function fleet.account(x text, of_epoch bigint, used bigint) returns void language plpgsql as $$
declare
  held fleet.execution;
  pool fleet.batch;
  moved bigint;
  paid bigint;
begin
  select * into held from fleet.execution e where e.id = x and e.epoch = of_epoch and e.state = 'running' for update;
  if not found or used <= 0 then return; end if;
  select * into pool from fleet.batch b where b.id = held.batch for update;
  moved := least(used, held.granted);
  paid := case when pool.budget is null then used
    else least(used, pool.budget - (pool.granted - moved) - pool.spent - pool.doubt) end;
  if paid < used then
    perform fleet.note(x, 'overspent', jsonb_build_object('micros', used - paid));
  end if;
  update fleet.batch set granted = granted - moved, spent = spent + paid where id = held.batch;
  update fleet.execution set granted = granted - moved, spent = spent + paid where id = x;
end $$;

-- What an epoch held that ended without a word may be spent, and what it still has under way will be: all of it is in doubt.
create function fleet.write_off() returns trigger language plpgsql as $$
begin
  update fleet.batch set granted = granted - old.granted, doubt = doubt + old.granted where id = old.batch;
  insert into fleet.event (batch, execution, epoch, worker, type, data)
    values (old.batch, old.id, old.epoch, old.worker, 'written-off', jsonb_build_object('micros', old.granted));
  new.doubt := old.doubt + old.granted;
  new.lost := old.lost + old.granted;
  new.granted := 0;
  return new;
end $$;
create trigger execution_written_off before update of epoch on fleet.execution
  for each row when (new.epoch > old.epoch and old.granted > 0) execute function fleet.write_off();

-- Those that were ended for want of money and can have now what they lacked, oldest first. Who calls this queues them.
create function fleet.wake(of_batch text) returns table (execution text, priority int) language plpgsql as $$
declare
  left_over bigint;
  each_one record;
begin
  select case when b.budget is null then 9223372036854775807 else b.budget - b.granted - b.spent - b.doubt end
    into left_over from fleet.batch b where b.id = of_batch for update;
  for each_one in
    select e.id, e.priority, coalesce(e.wants, 0) as wants from fleet.execution e
    where e.batch = of_batch and e.state = 'waiting' and e.reason like 'budget%' order by e.n for update skip locked
  loop
    exit when each_one.wants > left_over;
    left_over := left_over - each_one.wants;
    update fleet.execution set state = 'queued', reason = null, ended = null where id = each_one.id;
    execution := each_one.id;
    priority := each_one.priority;
    return next;
  end loop;
end $$;

-- For people: another ceiling. The check of the table refuses one below what is lent, spent and in doubt.
create function fleet.set_budget(of_batch text, new_budget bigint, by_whom text) returns void language plpgsql as $$
begin
  update fleet.batch set budget = new_budget where id = of_batch;
  insert into fleet.event (batch, type, data)
    values (of_batch, 'budget', jsonb_build_object('micros', new_budget, 'by', by_whom));
end $$;

-- For people who have seen the bill: what was in doubt of an execution cost this. False: it cannot have.
create function fleet.settle_doubt(x text, actual bigint, by_whom text) returns boolean language plpgsql as $$
declare
  held fleet.execution;
begin
  select * into held from fleet.execution e where e.id = x for update;
  if not found or actual > held.doubt then return false; end if;
  update fleet.batch set doubt = doubt - held.doubt, spent = spent + actual where id = held.batch;
  update fleet.execution set doubt = 0, spent = spent + actual, lost = lost - held.doubt + actual where id = x;
  perform fleet.note(x, 'settled', jsonb_build_object('micros', actual, 'by', by_whom));
  return true;
end $$;
`
