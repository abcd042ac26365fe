/**
 * Tables, columns and indices, in steps that run once each, in order. What a release applied is never edited; what changes
 * comes as a further step. All times are the database's; money is in millionths of a dollar.
 */
const first = `
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
  created timestamptz not null default clock_timestamp(),
  not_before timestamptz,
  breaker jsonb not null default '{"window": 20, "share": 0.5}',
  -- Ends before this moment do not count for the breaker: a person has seen them.
  seen timestamptz not null default '-infinity',
  -- Providers whose keys somebody needs who works on it.
  providers text[] not null default '{}',
  budget bigint check (budget > 0),
  granted bigint not null default 0 check (granted >= 0),
  spent bigint not null default 0 check (spent >= 0),
  doubt bigint not null default 0 check (doubt >= 0),
  constraint batch_within_budget check (budget is null or granted + spent + doubt <= budget)
);

-- Counting a million rows takes half a second, and everybody asks.
create table fleet.batch_count (
  batch text not null references fleet.batch (id),
  state text not null,
  n bigint not null,
  primary key (batch, state)
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
  -- What the row of a matrix says beside the batch: model, maxCost.
  options jsonb not null default '{}',
  priority int not null default 0 check (priority between -100 and 100),
  granted bigint not null default 0 check (granted >= 0),
  spent bigint not null default 0 check (spent >= 0),
  doubt bigint not null default 0 check (doubt >= 0),
  -- What it lacked when it was ended for want of money.
  wants bigint,
  -- What turns spent at most that ended without a word, less what bills said: for budgets of the execution itself.
  lost bigint not null default 0,
  -- The newest program that published it.
  weave_max text,
  -- What a person said at the gate where it waits, until a head has it.
  answer jsonb,
  unique (batch, n)
);
create index execution_by_state on fleet.execution (batch, state);
create index execution_ends on fleet.execution (batch, ended desc) where ended is not null;
create index execution_running on fleet.execution (worker) where state = 'running';

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

-- What each codon of an execution has cost so far, as its journal says.
create table fleet.cost (
  execution text not null references fleet.execution (id),
  codon text not null,
  model text not null,
  attempts int not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  tokens_cache_write bigint not null,
  tokens_cache_read bigint not null,
  dollars double precision not null,
  is_known boolean not null,
  primary key (execution, codon, model)
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
create index event_by_batch on fleet.event (batch, id);
create index event_by_execution on fleet.event (execution, id) where execution is not null;

create table fleet.worker (
  id text primary key,
  host text not null,
  pid int not null,
  version text not null,
  pools text[] not null,
  slots int not null,
  beat timestamptz not null default clock_timestamp(),
  drain boolean not null default false,
  started timestamptz not null default clock_timestamp(),
  drain_now boolean not null default false,
  skew_ms bigint,
  -- Providers that it can ask; null: it did not say.
  providers text[]
);

create table fleet.throttle (
  key text primary key,
  running int check (running > 0),
  rpm float8 check (rpm > 0),
  tpm float8 check (tpm > 0),
  -- Requests a minute at the moment; less than rpm for a while after a refusal.
  limit_now float8,
  requests float8 not null default 0,
  tokens float8 not null default 0,
  at timestamptz not null default clock_timestamp(),
  blocked_until timestamptz not null default '-infinity',
  refusals bigint not null default 0
);

create table fleet.provider_slot (
  key text not null,
  execution text not null references fleet.execution (id),
  epoch bigint not null,
  primary key (key, execution)
);

create table fleet.object (
  sha text primary key,
  bytes bytea not null,
  at timestamptz not null default clock_timestamp()
);
alter table fleet.object alter column bytes set storage external;
`

/** What the numbers of a fleet, live events and notices need. */
const second = `
-- Since when it is queued, or when it was queued last. What is queued already counts from now.
alter table fleet.execution add column queued timestamptz not null default now();
alter table fleet.execution alter column queued set default clock_timestamp();
-- Whether its newest turn went on after one that ended without a word.
alter table fleet.execution add column taken_over boolean not null default false;
create index execution_queue on fleet.execution (batch, queued) where state = 'queued';

-- What people are to be told of it, until somebody has told them; and until when nobody else need try.
alter table fleet.batch add column notice jsonb;
alter table fleet.batch add column notice_until timestamptz not null default '-infinity';
create index batch_notice on fleet.batch (id) where notice is not null;

-- Executions that somebody looks on at, and the objects with what happened in them lately.
create table fleet.tail (
  execution text primary key references fleet.execution (id),
  until timestamptz not null,
  parts jsonb not null default '[]'
);
create index tail_until on fleet.tail (until);
`

/** Counts that many can change at the same time. */
const third = `
lock table fleet.execution, fleet.head in access exclusive mode;
-- How many of a batch are in which state, in parts: each connection has one of them, so that those who change states of the same
-- batch do not wait for each other's disk.
alter table fleet.batch_count rename to count_part;
alter table fleet.count_part rename constraint batch_count_pkey to count_part_pkey;
alter table fleet.count_part add column part int not null default 0;
alter table fleet.count_part drop constraint count_part_pkey, add primary key (batch, state, part);
create view fleet.batch_count as
  select batch, state, sum(n)::bigint as n from fleet.count_part group by batch, state;
`

/** The number of the first step: those before it were never released. */
const firstNumber = 7
const steps: readonly string[] = [first, second, third]

/** The number of the newest step. */
export const newestStep = firstNumber + steps.length - 1

/** What is to be done on tables at this step, in order; 0: there are none. Undefined: they were made before the first release. */
export function stepsAfter(applied: number): readonly string[] | undefined {
  if (applied === 0) return steps
  return applied < firstNumber ? undefined : steps.slice(applied - firstNumber + 1)
}
