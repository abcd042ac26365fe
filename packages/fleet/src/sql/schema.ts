/** The tables. All times are the database's. */
export const schema = `
create schema fleet;

create table fleet.meta (key text primary key, value text not null);

create table fleet.batch (
  id text primary key,
  name text not null,
  hank jsonb not null,
  format int not null,
  pool text not null default 'default',
  priority int not null default 0 check (priority between -100 and 100),
  weight int not null default 1 check (weight between 1 and 1000),
  max_running int check (max_running > 0),
  state text not null default 'open' check (state in ('open', 'paused', 'closed')),
  pause_reason text,
  submitted_by text,
  idempotency_key text unique,
  options jsonb not null default '{}',
  created timestamptz not null default clock_timestamp()
);

create table fleet.execution (
  id text primary key,
  batch text not null references fleet.batch (id),
  n int not null,
  name text not null,
  data jsonb,
  state text not null default 'queued' check
    (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'waiting', 'dead')),
  reason text,
  epoch bigint not null default 0,
  worker text,
  job uuid,
  starts int not null default 0,
  barren int not null default 0,
  head_seq bigint not null default 0,
  head jsonb,
  cancel text check (cancel in ('border', 'now')),
  codon text,
  codons_done int not null default 0,
  created timestamptz not null default clock_timestamp(),
  started timestamptz,
  ended timestamptz,
  unique (batch, n)
);
create index execution_by_state on fleet.execution (batch, state);

create table fleet.head (
  execution text not null references fleet.execution (id),
  seq bigint not null,
  epoch bigint not null,
  worker text not null,
  codon text,
  parts jsonb not null,
  bytes bigint not null,
  at timestamptz not null default clock_timestamp(),
  primary key (execution, seq)
);

create table fleet.event (
  id bigserial primary key,
  at timestamptz not null default clock_timestamp(),
  batch text,
  execution text,
  epoch bigint,
  worker text,
  type text not null,
  data jsonb
);

create table fleet.worker (
  id text primary key,
  host text not null,
  pid int not null,
  version text not null,
  pools text[] not null,
  slots int not null,
  beat timestamptz not null default clock_timestamp(),
  drain boolean not null default false
);

create table fleet.object (
  sha text primary key,
  bytes bytea not null,
  at timestamptz not null default clock_timestamp()
);
alter table fleet.object alter column bytes set storage external;
`
