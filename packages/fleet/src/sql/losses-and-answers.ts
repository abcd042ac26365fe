/** What died with machines counts for the execution, and what a person answered at a gate waits for its next turn. */
export const lossesAndAnswers = `
-- What turns spent at most that ended without a word, less what bills said: for budgets of the execution itself.
alter table fleet.execution add column lost bigint not null default 0;
update fleet.execution set lost = doubt;
-- The answer to the question it waits at, until a head has it.
alter table fleet.execution add column answer jsonb;

-- One transaction may change counts several times, and two of them must not wait for each other: whoever changes a state has the
-- counts of the batch to himself until he is through.
create or replace function fleet.count_states() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform pg_advisory_xact_lock(hashtextextended(c.batch, 1)) from (select distinct batch from new_rows order by batch) c;
    insert into fleet.batch_count (batch, state, n)
      select batch, state, count(*) from new_rows group by batch, state order by batch, state
      on conflict (batch, state) do update set n = batch_count.n + excluded.n;
  else
    perform pg_advisory_xact_lock(hashtextextended(c.batch, 1)) from (
      select distinct n.batch from new_rows n join old_rows o using (id) where o.state <> n.state order by n.batch) c;
    if not found then return null; end if;
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

create or replace function fleet.write_off() returns trigger language plpgsql as $$
begin
  update fleet.batch set granted = granted - old.granted, doubt = doubt + old.granted where id = old.batch;
  insert into fleet.event (batch, execution, epoch, worker, type, data)
    values (old.batch, old.id, old.epoch, old.worker, 'written-off', jsonb_build_object('micros', old.granted));
  new.doubt := old.doubt + old.granted;
  new.lost := old.lost + old.granted;
  new.granted := 0;
  return new;
end $$;

create or replace function fleet.settle_doubt(x text, actual bigint, by_whom text) returns boolean language plpgsql as $$
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

create function fleet.forget_answer() returns trigger language plpgsql as $$
begin
  new.answer := null;
  return new;
end $$;
create trigger execution_answered before update of head_seq on fleet.execution
  for each row when (new.head_seq > old.head_seq and old.answer is not null) execute function fleet.forget_answer();

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
`
