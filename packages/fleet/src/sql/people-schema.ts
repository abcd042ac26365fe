/** Tables and columns for what people see and order. */
export const peopleSchema = `
alter table fleet.batch add column not_before timestamptz;
alter table fleet.batch add column breaker jsonb not null default '{"window": 20, "share": 0.5}';
-- Ends before this moment do not count for the breaker: a person has seen them.
alter table fleet.batch add column seen timestamptz not null default '-infinity';

-- What the row of a matrix says beside the batch: model, maxCost.
alter table fleet.execution add column options jsonb not null default '{}';
alter table fleet.execution add column priority int not null default 0 check (priority between -100 and 100);
create index execution_ends on fleet.execution (batch, ended desc) where ended is not null;
create index execution_running on fleet.execution (worker) where state = 'running';

alter table fleet.worker add column started timestamptz not null default clock_timestamp();
alter table fleet.worker add column drain_now boolean not null default false;
alter table fleet.worker add column skew_ms bigint;

create index event_by_batch on fleet.event (batch, id);
create index event_by_execution on fleet.event (execution, id) where execution is not null;

-- Counting a million rows takes half a second, and everybody asks.
create table fleet.batch_count (
  batch text not null references fleet.batch (id),
  state text not null,
  n bigint not null,
  primary key (batch, state)
);
insert into fleet.batch_count select batch, state, count(*) from fleet.execution group by batch, state;

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
`
