import type { EventData } from '@weave/protocol'
import { type Draft, type FoldGround, notBefore } from './draft.ts'
import { names } from './names.ts'
import { type Attributes, attributesOf, contentAttributes, failureOf } from './span.ts'

export interface ToolPlace {
  readonly runId: string
  readonly index: number
  readonly parentId: string
}

type Call = EventData<'assistant.action'>

/** The tools that were used in one attempt. Tools at work at the same time are siblings. */
export function createTools(place: ToolPlace, ground: FoldGround) {
  const seen = createSeen()
  let open: Call[] = []
  let count = 0

  /** By its id; an older journal has none, and then it is the oldest call of that tool. */
  const callOf = ({ toolUseId, toolName }: EventData<'tool.result'>): Call | undefined => {
    const found =
      open.find(call => call.toolUseId === toolUseId) ??
      open.find(call => call.toolUseId === undefined && call.toolName === toolName)
    open = open.filter(call => call !== found)
    return found
  }

  return {
    get count(): number {
      return count
    },
    called(call: Call): void {
      if (ground.content !== 'none') open.push(call)
    },
    answered(data: EventData<'tool.result'>, time: number): Draft {
      const { toolUseId, toolName, executionTimeMs, isError } = data
      count++
      const before = seen(toolUseId)
      const again = before === 0 ? [] : [before]
      const start = time - executionTimeMs
      return {
        subject: 'tool',
        name: `execute_tool ${toolName}`,
        kind: 'internal',
        spanId: ground.idOf(['tool', place.runId, place.index, toolUseId, ...again]),
        parentId: place.parentId,
        start,
        end: notBefore(start, time),
        attributes: {
          ...attributesOf({
            [names.operation]: 'execute_tool',
            [names.tool]: toolName,
            [names.toolCallId]: toolUseId,
            [names.toolType]: 'function',
            [names.errorType]: isError ? 'tool_error' : undefined,
          }),
          ...(ground.content === 'none' ? {} : exchanged(callOf(data), data)),
        },
        events: [],
        links: [],
        // What a tool answered may hold anything, also when it failed: it goes only where content goes.
        failure: isError ? failureOf('tool_error', '') : undefined,
        runId: place.runId,
      }
    },
  }
}

/** How often an id came before. At least a thousand of the newest are known: an agent may use tools all day. */
function createSeen(): (id: string) => number {
  let [recent, older] = [new Map<string, number>(), new Map<string, number>()]
  return id => {
    const before = recent.get(id) ?? older.get(id) ?? 0
    recent.set(id, before + 1)
    if (recent.size >= 1_000) [recent, older] = [new Map<string, number>(), recent]
    return before
  }
}

export type Tools = ReturnType<typeof createTools>

function exchanged(call: Call | undefined, { result }: EventData<'tool.result'>): Attributes {
  const input = call?.toolInput
  return contentAttributes({
    [names.toolArguments]: input === undefined ? undefined : JSON.stringify(input),
    [names.toolResult]: result,
  })
}
