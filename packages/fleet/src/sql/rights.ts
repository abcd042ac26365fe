/**
 * Who may call which function. A function that is named nowhere is only for others: they run as their owner, and find nothing
 * by a search path.
 */
const workers = `
  meta_of settle_meta object_put object_get
  worker_up worker_gone orders_for beat
  next_batches may_start has_work claim still_open
  head_of publish note_costs finish stumble give_back
  has_ceiling grant_money account settle wake
  take return_tokens pushed_back slot_take slot_free
  figures show_tail take_notice notice_told`
const viewers = 'meta_of lease live waits_for figures'
const people = `${viewers}
  settle_meta object_put object_get ordered wake has_ceiling
  cancel retry pause resume drain decide set_budget settle_doubt set_throttle look_on`

/** The three roles. Safe to run again; it must be, after functions were made anew. */
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
    execute format('revoke all on function %s from public, weave_worker, weave_submit, weave_view', f);
  end loop;
  ${granted('weave_worker', workers)}
  ${granted('weave_submit', people)}
  ${granted('weave_view', viewers)}
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
-- To lock the row of a batch takes the right to change something of it.
grant update (name) on fleet.batch to weave_submit;
`

function granted(role: string, names: string): string {
  const list = names
    .trim()
    .split(/\s+/)
    .map(name => `'${name}'`)
    .join(', ')
  return `for f in select p.oid::regprocedure from pg_proc p
    where p.pronamespace = 'fleet'::regnamespace and p.proname in (${list}) loop
    execute format('grant execute on function %s to ${role}', f);
  end loop;`
}
