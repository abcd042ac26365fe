/** Facts about the whole fleet, and objects of the store that is a table. */
export const records = `
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

create function fleet.object_put(name text, content bytea) returns void language sql as $$
  insert into fleet.object (sha, bytes) values (name, content) on conflict (sha) do update set at = clock_timestamp()
$$;

create function fleet.object_get(name text) returns bytea language sql stable as $$
  select bytes from fleet.object where sha = name
$$;
`
