import { useEffect, useState } from 'preact/hooks'
import { codonOf, type EventPage, isFailure, type WindowEvent } from 'weave-client'
import { executionAddress } from '../addresses.ts'
import { grouped } from '../grouped.ts'
import { ask } from '../host.ts'
import { place, select } from '../place.ts'
import { lineOf } from '../stream-rows.ts'
import { CopyButton, Moment, Notice } from './small.tsx'

/** One event whole, and for a tool what it was given beside what it answered. */
export function EventPane({ name, seq }: { readonly name: string; readonly seq: number }) {
  const [event, setEvent] = useState<WindowEvent | undefined>(undefined)
  const [other, setOther] = useState<WindowEvent | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  useEffect(() => {
    const closing = new AbortController()
    setOther(undefined)
    const read = async (): Promise<void> => {
      const found = await readOne(name, seq, closing.signal)
      if (closing.signal.aborted) return
      setProblem(found ? undefined : `There is no event ${grouped(seq)}.`)
      setEvent(found)
      if (found) setOther(await otherHalf(name, found, closing.signal))
    }
    void read()
    return () => closing.abort()
  }, [name, seq])
  return (
    <aside class="side" aria-label="Event">
      <div class="side-head">
        <h2>Event {grouped(seq)}</h2>
        <button
          type="button"
          class="icon-button"
          aria-label="Close"
          onClick={() => select({ at: undefined })}
        >
          ×
        </button>
      </div>
      {problem !== undefined && <Notice kind="problem">{problem}</Notice>}
      {event && <EventFacts event={event} other={other} />}
    </aside>
  )
}

function EventFacts({
  event,
  other,
}: {
  readonly event: WindowEvent
  readonly other: WindowEvent | undefined
}) {
  const codon = codonOf(event)
  const halves = toolHalves(event, other)
  return (
    <div class="side-body">
      <dl class="facts">
        <dt>Type</dt>
        <dd>{event.type}</dd>
        <dt>Time</dt>
        <dd>
          <Moment at={event.timestamp} parts="fine" />
        </dd>
        {codon !== undefined && <dt>Codon</dt>}
        {codon !== undefined && <dd>{codon}</dd>}
      </dl>
      <div class="buttons">
        <CopyButton label="Copy as JSON" text={JSON.stringify(event, null, 2)} />
        <CopyButton label="Copy link" text={`${location.origin}${location.pathname}?at=${event.seq}`} />
      </div>
      {halves ? (
        <div class="halves">
          <h3>{halves.tool} was given</h3>
          <pre>{halves.input ?? 'Not found nearby.'}</pre>
          <h3>{halves.isError ? 'and failed' : 'and answered'}</h3>
          <pre data-failed={halves.isError}>{halves.result ?? 'No answer yet.'}</pre>
        </div>
      ) : (
        <pre data-failed={isFailure(event)}>{textOf(event)}</pre>
      )}
      {place.value.page === 'run' && (
        <details>
          <summary>As it is in the journal</summary>
          <pre>{JSON.stringify(event, null, 2)}</pre>
        </details>
      )}
    </div>
  )
}

/** The text that a person wants to read, whole. */
function textOf(event: WindowEvent): string {
  const { content, message, text } = fieldsOf(event.data)
  const own = [content, message, text].find(value => typeof value === 'string' && value !== '')
  return typeof own === 'string' ? own : lineOf(event)
}

interface Halves {
  readonly tool: string
  readonly input: string | undefined
  readonly result: string | undefined
  readonly isError: boolean
}

function toolHalves(event: WindowEvent, other: WindowEvent | undefined): Halves | undefined {
  const pair = [event, ...(other ? [other] : [])]
  const call = pair.find(
    ({ type, data }) => type === 'assistant.action' && fieldsOf(data)['action'] === 'tool_use',
  )
  const result = pair.find(({ type }) => type === 'tool.result')
  if (!call && !result) return undefined
  const [given, answered] = [fieldsOf(call?.data), fieldsOf(result?.data)]
  const name = answered['toolName'] ?? given['toolName']
  return {
    tool: typeof name === 'string' ? name : 'The tool',
    input: call && inputText(given['toolInput'] ?? given['content']),
    result: result && inputText(answered['result']),
    isError: answered['isError'] === true,
  }
}

function fieldsOf(data: unknown): Readonly<Record<string, unknown>> {
  return Object(data) as Readonly<Record<string, unknown>>
}

/** A text, or one field alone, is shown as it is; several as JSON. */
function inputText(input: unknown): string {
  if (typeof input === 'string') return input
  const values = Object.values(fieldsOf(input))
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : JSON.stringify(input, null, 2)
}

async function readOne(name: string, seq: number, signal: AbortSignal): Promise<WindowEvent | undefined> {
  const address = executionAddress(name, 'events', { after: String(seq - 1), limit: '1' })
  const answer = await ask<EventPage>(address, signal)
  return answer.ok ? answer.value.events.find(event => event.seq === seq) : undefined
}

/** The answer of a call, or the call of an answer, among the events near it. */
async function otherHalf(
  name: string,
  event: WindowEvent,
  signal: AbortSignal,
): Promise<WindowEvent | undefined> {
  const { toolUseId } = Object(event.data) as { readonly toolUseId?: unknown }
  if (typeof toolUseId !== 'string') return undefined
  const isCall = event.type === 'assistant.action'
  const near = isCall ? { after: String(event.seq) } : { before: String(event.seq) }
  const answer = await ask<EventPage>(executionAddress(name, 'events', { ...near, limit: '200' }), signal)
  if (!answer.ok) return undefined
  const type = isCall ? 'tool.result' : 'assistant.action'
  return answer.value.events.find(
    each => each.type === type && (Object(each['data']) as { toolUseId?: unknown }).toolUseId === toolUseId,
  )
}
