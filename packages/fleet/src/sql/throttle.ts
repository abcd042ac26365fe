/**
 * Limits of providers for the whole fleet. A bucket of requests and one of tokens, filled by the clock of the database; after a
 * refusal nobody sends until its end, and the rate grows back slowly. Keys are a provider, or a provider and one of its models.
 */
export const throttle = `
-- As many requests as may go out now, of those that are asked for, and for how long to wait for the next.
create function fleet.take(of_provider text, of_model text, most int, of_tokens float8)
returns table (got int, wait_ms int) language plpgsql as $$
declare
  now_is timestamptz;
  row_of fleet.throttle;
  passed float8;
begin
  got := most;
  wait_ms := 0;
  perform 1 from fleet.throttle t where t.key in (of_provider, of_provider || '/' || of_model) order by t.key for update;
  -- Only now: the lock may have taken its time.
  now_is := clock_timestamp();
  for row_of in select * from fleet.throttle t where t.key in (of_provider, of_provider || '/' || of_model) order by t.key
  loop
    passed := greatest(extract(epoch from now_is - row_of.at), 0);
    if row_of.rpm is not null then
      row_of.limit_now := least(row_of.rpm, row_of.limit_now + row_of.rpm * 0.01 * passed);
      row_of.requests := least(greatest(row_of.rpm / 60, 1), row_of.requests + passed * row_of.limit_now / 60);
    end if;
    if row_of.tpm is not null then
      row_of.tokens := least(row_of.tpm / 4, row_of.tokens + passed * row_of.tpm / 60);
    end if;
    update fleet.throttle t set at = now_is, limit_now = row_of.limit_now, requests = row_of.requests, tokens = row_of.tokens
      where t.key = row_of.key;
    if row_of.blocked_until > now_is then
      got := 0;
      wait_ms := greatest(wait_ms, ceil(extract(epoch from row_of.blocked_until - now_is) * 1000)::int);
    elsif row_of.rpm is not null and row_of.requests < most then
      got := least(got, floor(row_of.requests)::int);
      wait_ms := greatest(wait_ms, ceil((floor(row_of.requests) + 1 - row_of.requests) * 60000 / row_of.limit_now)::int);
    end if;
    -- One that is larger than the bucket goes out when the bucket is full, and leaves a debt.
    if row_of.tpm is not null and row_of.tokens < least(of_tokens, row_of.tpm / 4) then
      got := 0;
      wait_ms := greatest(wait_ms, ceil((least(of_tokens, row_of.tpm / 4) - row_of.tokens) * 60000 / row_of.tpm)::int);
    end if;
  end loop;
  if got > 0 then
    update fleet.throttle t set requests = requests - got, tokens = tokens - of_tokens
      where t.key in (of_provider, of_provider || '/' || of_model);
  end if;
  return next;
end $$;

-- An answer used fewer tokens than it could have.
create function fleet.return_tokens(of_provider text, of_model text, unused float8) returns void language sql as $$
  update fleet.throttle t set tokens = least(t.tpm / 4, t.tokens + unused)
  where t.key in (of_provider, of_provider || '/' || of_model) and t.tpm is not null
$$;

-- The provider refused: nobody sends for so long. Refusals of what was under way meanwhile lower the rate once.
create function fleet.pushed_back(of_provider text, of_model text, for_ms float8) returns void language plpgsql as $$
declare
  now_is timestamptz;
  that text;
begin
  select t.key into that from fleet.throttle t where t.key = of_provider || '/' || of_model;
  that := coalesce(that, of_provider);
  insert into fleet.throttle (key) values (that) on conflict do nothing;
  perform 1 from fleet.throttle t where t.key = that for update;
  now_is := clock_timestamp();
  update fleet.throttle t set
    limit_now = case when t.blocked_until > now_is then t.limit_now else greatest(t.limit_now * 0.7, t.rpm * 0.05) end,
    requests = 0,
    blocked_until = greatest(t.blocked_until, now_is + for_ms * interval '1 millisecond'),
    refusals = t.refusals + 1
    where t.key = that;
  insert into fleet.event (type, data) values ('pushed-back', jsonb_build_object('key', that, 'ms', for_ms));
end $$;

-- Places for codons at a provider; a place of an epoch that is over is free.
create function fleet.slot_take(of_provider text, of_model text, x text, of_epoch bigint) returns boolean
language plpgsql as $$
declare
  limited record;
  taken int;
begin
  for limited in select t.key, t.running from fleet.throttle t
    where t.key in (of_provider, of_provider || '/' || of_model) and t.running is not null order by t.key for update
  loop
    select count(*) into taken from fleet.provider_slot s
      join fleet.execution e on e.id = s.execution and e.epoch = s.epoch and e.state = 'running'
      where s.key = limited.key and s.execution <> x;
    if taken >= limited.running then
      delete from fleet.provider_slot s where s.execution = x and s.epoch = of_epoch;
      return false;
    end if;
    insert into fleet.provider_slot (key, execution, epoch) values (limited.key, x, of_epoch)
      on conflict (key, execution) do update set epoch = excluded.epoch;
  end loop;
  return true;
end $$;

create function fleet.slot_free(x text, of_epoch bigint) returns void language sql as $$
  delete from fleet.provider_slot s where s.execution = x and s.epoch = of_epoch
$$;

-- For people. What is null has no limit.
create function fleet.set_throttle(of_key text, new_running int, new_rpm float8, new_tpm float8, by_whom text) returns void
language plpgsql as $$
begin
  insert into fleet.throttle as t (key, running, rpm, tpm, limit_now, requests, tokens)
    values (of_key, new_running, new_rpm, new_tpm, new_rpm, greatest(new_rpm / 60, 1), coalesce(new_tpm / 4, 0))
    on conflict (key) do update set running = excluded.running, rpm = excluded.rpm, tpm = excluded.tpm,
      limit_now = excluded.rpm, requests = least(t.requests, greatest(excluded.rpm / 60, 1)),
      tokens = coalesce(least(t.tokens, excluded.tpm / 4), 0);
  insert into fleet.event (type, data) values ('throttle', jsonb_build_object('key', of_key, 'running', new_running,
    'rpm', new_rpm, 'tpm', new_tpm, 'by', by_whom));
end $$;
`
