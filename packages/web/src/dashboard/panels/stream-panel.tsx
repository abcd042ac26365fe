import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { describedTypes } from 'weave-client'
import type { Execution } from '../execution.ts'
import { grouped } from '../grouped.ts'
import { onKey } from '../keys.ts'
import { Notice } from '../parts/small.tsx'
import { place, select } from '../place.ts'
import { planOf } from '../plan-model.ts'
import { preferences } from '../preferences.ts'
import type { Parameters } from '../routes.ts'
import { createStream, type Stream, type StreamFacts } from '../stream.ts'
import { filterOf, isEmptyFilter } from '../stream-filter.ts'

const noFacts: StreamFacts = { rows: 0, fresh: 0, isFollowing: true, isSearching: false, problem: undefined }

/** Every event of the execution, one line each. */
export function StreamPanel({ execution }: { readonly execution: Execution }) {
  const { parameters } = place.value
  const filter = filterOf(parameters)
  const holder = useRef<HTMLDivElement>(null)
  const stream = useRef<Stream | undefined>(undefined)
  const facts = useSignal(noFacts)
  const at = Number(parameters['at']) || undefined

  // Before the browser draws: the host is asked a frame sooner.
  useLayoutEffect(() => {
    const made = createStream({
      name: execution.name,
      filter,
      at,
      onFacts: next => {
        facts.value = next
      },
      onChoose: seq => select({ at: String(seq) }),
    })
    stream.current = made
    holder.current?.replaceChildren(made.node)
    const stop = execution.watch({ filter, hear: made.hear, hearing: made.hearing })
    const stopKeys = onKey('stream', made.key)
    return () => {
      stop()
      stopKeys()
      made.close()
    }
  }, [execution, JSON.stringify(filter)])
  useEffect(() => stream.current?.choose(at), [at])
  useEffect(() => stream.current?.redraw(), [preferences.zone.value])

  return (
    <section class="panel stream" aria-label="Stream">
      <FilterBar execution={execution} parameters={parameters} facts={facts} />
      <Trouble facts={facts} />
      <div class="stream-list" ref={holder} />
      <Emptiness facts={facts} isFiltered={!isEmptyFilter(filter)} />
      <NewEvents facts={facts} follow={() => stream.current?.follow()} />
    </section>
  )
}

/** Changes with every event of a live run: who reads it is drawn again ten times a second, and nothing else is. */
type Facts = { readonly facts: ReadonlySignal<StreamFacts> }

function Trouble({ facts }: Facts) {
  const { problem } = facts.value
  return problem === undefined ? null : <Notice kind="problem">{problem}</Notice>
}

function Emptiness({ facts, isFiltered }: Facts & { readonly isFiltered: boolean }) {
  const { rows, problem, isSearching } = facts.value
  if (rows > 0 || problem !== undefined) return null
  return (
    <Notice>
      {isSearching ? 'Searching …' : isFiltered ? 'Nothing fits the filter.' : 'No events yet.'}
    </Notice>
  )
}

function NewEvents({ facts, follow }: Facts & { readonly follow: () => void }) {
  const { fresh, isFollowing } = facts.value
  if (isFollowing || fresh === 0) return null
  return (
    <button type="button" class="new-events" onClick={follow}>
      {grouped(fresh)} new ↓
    </button>
  )
}

/** Said aloud when a search ends, but not while rows come by themselves. */
function RowCount({ facts }: Facts) {
  const { rows, isSearching, isFollowing } = facts.value
  return (
    <span class="row-count quiet" role={isFollowing ? undefined : 'status'}>
      {grouped(rows)}
      {isSearching ? ' found, searching …' : ' events'}
    </span>
  )
}

function Following({ facts }: Facts) {
  const { isFollowing } = facts.value
  return (
    <span class="following" data-on={isFollowing}>
      {isFollowing ? 'following' : 'not following'}
    </span>
  )
}

interface FilterBarProps extends Facts {
  readonly execution: Execution
  readonly parameters: Parameters
}

/** Everything but what only programs need. */
const forPeople = [...describedTypes]
  .filter(
    type => !/^(?:state|server|filetree|token|preflight|history)\.|^pong$|^sentinel\.triggered$/.test(type),
  )
  .sort()

const groups: readonly (readonly [string, string])[] = [
  ['', 'All types'],
  [forPeople.join(','), 'For people'],
  ['assistant.action,tool.result', 'Agent and tools'],
  ['assistant.action', 'Agent'],
  ['tool.result', 'Tool results'],
  ['sentinel.output,sentinel.error,rule.fired', 'Sentinels'],
  ['file.updated', 'Files'],
]

function FilterBar({ execution, parameters, facts }: FilterBarProps) {
  const head = execution.head.value
  const q = parameters['q'] ?? ''
  const [words, setWords] = useState(q)
  // What is typed while the address is still that of words before must not be taken back: only others change the field.
  const asked = useRef(q)
  useEffect(() => {
    if (q === asked.current) return
    asked.current = q
    setWords(q)
  }, [q])
  useEffect(() => {
    const timer = setTimeout(() => {
      if (words === q) return
      asked.current = words
      select({ q: words, at: undefined })
    }, 250)
    return () => clearTimeout(timer)
  }, [words])
  const codons = head
    ? planOf(head)
        .flatMap(line => (line.kind === 'loop' ? line.codons : [line]))
        .map(({ id }) => id)
    : []
  const codon = parameters['codon'] ?? ''
  return (
    <search class="filter-bar">
      <input
        type="search"
        id="search"
        placeholder="Search events"
        aria-label="Search events"
        value={words}
        onInput={event => setWords(event.currentTarget.value)}
      />
      <select
        id="type"
        aria-label="Type"
        value={parameters['type'] ?? ''}
        onChange={event => select({ type: event.currentTarget.value })}
      >
        {groups.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        <optgroup label="One type">
          {[...describedTypes].sort().map(type => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </optgroup>
      </select>
      <select
        aria-label="Codon"
        value={codon}
        onChange={event => select({ codon: event.currentTarget.value })}
      >
        <option value="">All codons</option>
        {[...new Set([...codons, ...(codon === '' ? [] : [codon])])].map(id => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      <label class="option">
        <input
          type="checkbox"
          checked={parameters['failed'] !== undefined}
          onChange={event => select({ failed: event.currentTarget.checked ? '1' : undefined })}
        />
        Failures
      </label>
      <RowCount facts={facts} />
      {head?.live && <Following facts={facts} />}
    </search>
  )
}
