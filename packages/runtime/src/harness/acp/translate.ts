import { type Clock, fieldOf, isObject, listOf, numberOf, textOf } from '../../kit/index.ts'
import type { HarnessEvent } from '../harness.ts'

interface OpenTool {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly isTold: boolean
  readonly since: number
  /** What a command has written so far, where that is told piece by piece. */
  readonly written: string
}

interface OpenText {
  readonly type: 'text' | 'thinking'
  readonly messageId: string | undefined
  readonly text: string
}

const kinds: Readonly<Record<string, 'text' | 'thinking'>> = {
  agent_message_chunk: 'text',
  agent_thought_chunk: 'thinking',
}

/** Puts the pieces of a text together again: those of one message, or all up to something else. */
function createTexts() {
  let open: OpenText | undefined

  function flush(): readonly HarnessEvent[] {
    const whole = open
    open = undefined
    return whole && whole.text !== '' ? [{ type: whole.type, text: whole.text }] : []
  }

  return {
    flush,
    chunk(type: OpenText['type'], update: unknown): readonly HarnessEvent[] {
      const text = textOf(fieldOf(fieldOf(update, 'content'), 'text')) ?? ''
      const messageId = textOf(fieldOf(update, 'messageId'))
      const isSame = open?.type === type && (open.messageId === messageId || messageId === undefined)
      const before = isSame ? [] : flush()
      open = { type, messageId: messageId ?? open?.messageId, text: (open?.text ?? '') + text }
      return before
    },
  }
}

/** What an agent says of its work, in the words that all harnesses share. */
export function createTranslate(clock: Pick<Clock, 'monotonic'>) {
  const tools = new Map<string, OpenTool>()
  /** Some agents go on about a tool that is done. */
  const done = new Set<string>()
  const { chunk, flush } = createTexts()

  function tool(update: unknown): readonly HarnessEvent[] {
    const id = textOf(fieldOf(update, 'toolCallId')) ?? ''
    const status = textOf(fieldOf(update, 'status'))
    if (done.has(id)) return []
    const known = tools.get(id)
    const next = {
      name: known?.name ?? nameIn(update, id),
      input: inputIn(update) ?? known?.input ?? {},
      written: (known?.written ?? '') + writtenIn(update),
      since: known?.since ?? clock.monotonic(),
      isTold: known?.isTold ?? false,
    }
    const isDone = status === 'completed' || status === 'failed'
    const isTime = Object.keys(next.input).length > 0 || (status !== undefined && status !== 'pending')
    const isNew = isTime && !next.isTold
    const { name } = next
    const input = Object.keys(next.input).length > 0 ? next.input : titleIn(update)
    const call: readonly HarnessEvent[] = isNew ? [{ type: 'tool-call', id, name, input }] : []
    if (!isDone) {
      tools.set(id, { ...next, isTold: next.isTold || isNew })
      return call
    }
    tools.delete(id)
    done.add(id)
    return [
      ...call,
      resultOf(id, next, {
        output: outputIn(update) || next.written,
        isError: status === 'failed' || hasFailed(update),
      }),
    ]
  }

  function resultOf(
    id: string,
    { name, since }: Pick<OpenTool, 'name' | 'since'>,
    { output, isError }: { readonly output: string; readonly isError: boolean },
  ): HarnessEvent {
    const durationMs = Math.round(clock.monotonic() - since)
    return { type: 'tool-result', id, name, output, isError, durationMs }
  }

  return {
    /** One update of a session. Kinds that are not known are signs of life. */
    heard(update: unknown): readonly HarnessEvent[] {
      const kind = textOf(fieldOf(update, 'sessionUpdate')) ?? ''
      const type = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
      if (type !== undefined) return chunk(type, update)
      if (kind === 'tool_call' || kind === 'tool_call_update') return [...flush(), ...tool(update)]
      return []
    },
    /** The turn is over: what is open is closed, tools as errors. */
    end(): readonly HarnessEvent[] {
      const left = [...tools].flatMap(([id, each]): readonly HarnessEvent[] => {
        const { name, input, isTold } = each
        const call: readonly HarnessEvent[] = isTold ? [] : [{ type: 'tool-call', id, name, input }]
        return [...call, resultOf(id, each, { output: 'The agent did not say how it ended.', isError: true })]
      })
      tools.clear()
      return [...flush(), ...left]
    },
  }
}

/** The name that the agent itself has for a tool, wherever it puts that; else the kind of the tool. */
function nameIn(update: unknown, id: string): string {
  const keys = ['toolName', 'tool_name', 'tool']
  const [ofMeta] = metaOf(update).flatMap(place => keys.flatMap(key => textOf(fieldOf(place, key)) ?? []))
  const title = textOf(fieldOf(update, 'title')) ?? ''
  const kind = textOf(fieldOf(update, 'kind'))
  return (
    textOf(fieldOf(update, 'name')) ??
    ofMeta ??
    /^([a-z]\w*?)__/.exec(id)?.[1] ??
    (/^[\w.-]{1,64}$/.test(title) ? title : undefined) ??
    (kind === 'other' ? undefined : kind) ??
    'unknown'
  )
}

/** What agents say beside the protocol, each under a name of its own. */
function metaOf(update: unknown): readonly unknown[] {
  const meta = fieldOf(update, '_meta')
  return [meta, ...Object.values(isObject(meta) ? meta : {})]
}

function titleIn(update: unknown): Readonly<Record<string, unknown>> {
  const title = textOf(fieldOf(update, 'title'))
  return title === undefined ? {} : { title }
}

function writtenIn(update: unknown): string {
  const meta = fieldOf(update, '_meta')
  const pieces = ['terminal_output_delta', 'terminal_output'].map(key => fieldOf(fieldOf(meta, key), 'data'))
  return pieces.flatMap(piece => textOf(piece) ?? []).join('')
}

function inputIn(update: unknown): Readonly<Record<string, unknown>> | undefined {
  const raw = fieldOf(update, 'rawInput')
  // Where a tool works is said before what it is to do.
  if (isObject(raw)) return Object.keys(raw).some(key => key !== 'cwd') ? raw : undefined
  if (raw !== undefined && raw !== null && raw !== '') return { input: raw }
  const locations = listOf(fieldOf(update, 'locations'))
  return locations.length > 0 ? { locations } : undefined
}

function outputIn(update: unknown): string {
  const texts = listOf(fieldOf(update, 'content')).flatMap(each => {
    const text = textOf(fieldOf(fieldOf(each, 'content'), 'text'))
    return text ?? textOf(fieldOf(each, 'path')) ?? []
  })
  if (texts.length > 0) return texts.join('\n')
  const raw = fieldOf(update, 'rawOutput')
  if (raw === undefined || raw === null) return ''
  return typeof raw === 'string' ? raw : (textOf(fieldOf(raw, 'output')) ?? JSON.stringify(raw))
}

/** A command that ended with another code than 0, though its tool is said to have completed. */
function hasFailed(update: unknown): boolean {
  const raw = fieldOf(update, 'rawOutput')
  const places = [raw, fieldOf(raw, 'metadata'), ...metaOf(update)]
  const codes = places.flatMap(place =>
    ['exit_code', 'exitCode', 'exit'].map(key => numberOf(fieldOf(place, key))),
  )
  return codes.some(code => code !== undefined && code !== 0)
}
