/** How the whole fleet stands, in numbers: one question, however many batches there are. */
export const figures = `
create function fleet.figures() returns jsonb language sql stable as $$
  select jsonb_build_object(
    'executions', coalesce((select jsonb_object_agg(s.state, s.n) from (
      select c.state, sum(c.n) as n from fleet.batch_count c join fleet.batch b on b.id = c.batch
      where b.state <> 'closed' group by c.state) s), '{}'),
    'queueAgeSeconds', (select greatest(coalesce(extract(epoch from clock_timestamp() - min(greatest(q.since, b.not_before))), 0), 0)
      from fleet.batch b cross join lateral (
        select min(e.queued) as since from fleet.execution e where e.batch = b.id and e.state = 'queued') q
      where b.state = 'open' and q.since is not null and (b.not_before is null or b.not_before <= clock_timestamp())),
    'providers', coalesce((select jsonb_agg(jsonb_build_object('key', t.key, 'refusals', t.refusals, 'blockedSeconds',
      greatest(extract(epoch from greatest(t.blocked_until, clock_timestamp()) - clock_timestamp()), 0)) order by t.key)
      from fleet.throttle t), '[]')
  ) || (select jsonb_build_object('grantedDollars', coalesce(sum(b.granted), 0) / 1e6, 'spentDollars', coalesce(sum(b.spent), 0) / 1e6,
    'doubtDollars', coalesce(sum(b.doubt), 0) / 1e6) from fleet.batch b)
$$;

create function fleet.note_queued() returns trigger language plpgsql as $$
begin
  new.queued := clock_timestamp();
  return new;
end $$;
create trigger execution_queued before update of state on fleet.execution
  for each row when (new.state = 'queued' and old.state <> 'queued') execute function fleet.note_queued();
`
