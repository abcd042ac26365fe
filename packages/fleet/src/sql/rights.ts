/**
 * What workers need of the tables without having any right to them: everything goes through functions, which run as their
 * owner and find nothing by a search path.
 */
export const rightsFunctions = `
create function fleet.meta_of(wanted text) returns text language sql stable as $$
  select value from fleet.meta where key = wanted
$$;

-- The first to say it wins; answers with what holds.
create function fleet.settle_meta(wanted text, wish text) returns text language plpgsql as $$
begin
  if wanted not in ('root', 'lease', 'store', 'key_check') then
    raise insufficient_privilege using message = wanted || ' is not for everybody to say';
  end if;
  insert into fleet.meta (key, value) values (wanted, wish) on conflict do nothing;
  return (select value from fleet.meta where key = wanted);
end $$;

create function fleet.orders_for(by_worker text) returns table (drain boolean, drain_now boolean) language sql stable as $$
  select w.drain, w.drain_now from fleet.worker w where w.id = by_worker
$$;

create function fleet.head_of(x text) returns table (head jsonb, epoch bigint) language sql stable as $$
  select e.head, e.epoch from fleet.execution e where e.id = x
$$;

create function fleet.object_put(name text, content bytea) returns void language sql as $$
  insert into fleet.object (sha, bytes) values (name, content) on conflict (sha) do update set at = clock_timestamp()
$$;

create function fleet.object_get(name text) returns bytea language sql stable as $$
  select bytes from fleet.object where sha = name
$$;
`

/** The three roles. Safe to run again; it must be, after functions were replaced. */
export const roles = `
do $$
declare
  name text;
  f regprocedure;
begin
  foreach name in array array['weave_worker', 'weave_submit', 'weave_view'] loop
    if not exists (select 1 from pg_roles where rolname = name) then execute format('create role %I nologin', name); end if;
  end loop;
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'fleet'::regnamespace loop
    execute format('alter function %s security definer set search_path = pg_catalog, pg_temp', f);
    execute format('revoke all on function %s from public', f);
  end loop;
  -- Workers may call all but what only people order.
  for f in select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'fleet'::regnamespace and p.prorettype <> 'trigger'::regtype
      and p.proname not in ('note', 'ordered', 'cancel', 'retry', 'pause', 'resume', 'drain', 'bury_workers', 'set_budget', 'settle_doubt', 'set_throttle', 'decide')
  loop
    execute format('grant execute on function %s to weave_worker', f);
  end loop;
end $$;
revoke all on schema fleet from public;
revoke all on all tables in schema fleet from public;
grant usage on schema fleet to weave_worker, weave_submit, weave_view;
grant usage on schema pgboss to weave_worker, weave_submit, weave_view;
grant select on all tables in schema pgboss to weave_view;
grant select, insert, update, delete on all tables in schema pgboss to weave_worker, weave_submit;
grant execute on all functions in schema pgboss to weave_worker, weave_submit;
grant select on all tables in schema fleet to weave_view, weave_submit;
revoke select on fleet.object from weave_view;
grant insert on fleet.batch, fleet.execution to weave_submit;
grant execute on function fleet.meta_of(text), fleet.lease(), fleet.live(text), fleet.waits_for(text) to weave_view, weave_submit;
-- To lock the row of a batch takes the right to change something of it.
grant update (name) on fleet.batch to weave_submit;
do $$
declare f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'fleet'::regnamespace and p.proname in
    ('settle_meta', 'object_put', 'object_get', 'ordered', 'cancel', 'retry', 'pause', 'resume', 'drain', 'wake', 'has_ceiling',
     'set_budget', 'settle_doubt', 'set_throttle', 'decide')
  loop
    execute format('grant execute on function %s to weave_submit', f);
  end loop;
end $$;
`
