import type { EventData, JournaledEvent } from '@weave/protocol'
import { passedOver } from './fold.ts'

/**
 * Lines of which a long journal consists, read by their form: parsing each of a million lines takes most of the time of an
 * export. A line that is not just as this program writes it is left to the parser, so this may know less than there is, but
 * says nothing else.
 */
export function glance(line: Buffer, type: string): JournaledEvent | 'passed over' | undefined {
  switch (type) {
    case 'token.usage':
      return usageIn(line.toString('latin1'))
    case 'tool.result':
      return answerIn(line)
    case 'state.transition': {
      const text = line.toString('latin1')
      return text.includes(passedMark) ? 'passed over' : costsIn(text)
    }
    default:
      return undefined
  }
}

const passedMark = `"type":"state.transition","data":{"transitionType":"${passedOver}"`

/** A text without escapes and of ASCII alone: its bytes are its characters. */
const plain = '([^"\\\\\\x80-\\xff]*)'
const count = '(\\d{1,15})'
const dollars = '(\\d[\\d.e+-]*)'

function form(type: string, data: string): RegExp {
  return new RegExp(
    `^"seq":${count},"id":"${plain}","timestamp":"${plain}","type":"${type}","data":\\{${data}`,
  )
}

const tokens = `"inputTokens":${count},"outputTokens":${count},"cacheCreationTokens":${count},"cacheReadTokens":${count}`

const usageForm = form(
  'token\\.usage',
  `"codonId":"${plain}",${tokens},"totalCost":${dollars}(?:,"modelId":"${plain}")?` +
    `(?:,"modelUsage":\\{"[^{}]*\\{[^{}]*\\}\\})?(?:,"startedAt":"${plain}")?\\}\\}$`,
)

function usageIn(text: string): JournaledEvent | undefined {
  const found = usageForm.exec(text)
  if (!found) return undefined
  const [, seq, id, timestamp, codonId, input, output, created, read, cost, modelId, startedAt] = found
  const data: EventData<'token.usage'> = {
    codonId: codonId ?? '',
    ...countsOf([input, output, created, read]),
    totalCost: Number(cost),
    modelId,
    startedAt,
  }
  return eventOf('token.usage', [seq, id, timestamp], data)
}

const costsForm = form(
  'state\\.transition',
  `"transitionType":"CostsUpdated",(?:"runId":"${plain}",)?(?:"codonId":"${plain}",)?` +
    `"transition":\\{"type":"CostsUpdated","data":\\{"codonId":"${plain}","cost":${dollars},"tokens":\\{${tokens}\\}\\}\\},` +
    `"resultingState":\\{"currentRunId":"${plain}","runCount":${count},"totalCost":${dollars},"currentRunCost":${dollars}\\}\\}\\}$`,
)

function costsIn(text: string): JournaledEvent | undefined {
  const found = costsForm.exec(text)
  if (!found) return undefined
  const [, seq, id, timestamp, , , codonId, cost, input, output, created, read, ...state] = found
  const [currentRunId = '', runCount, totalCost, currentRunCost] = state
  const used = { codonId, cost: Number(cost), tokens: countsOf([input, output, created, read]) }
  return eventOf('state.transition', [seq, id, timestamp], {
    transitionType: 'CostsUpdated',
    transition: { type: 'CostsUpdated', data: used },
    resultingState: {
      currentRunId,
      runCount: Number(runCount),
      totalCost: Number(totalCost),
      currentRunCost: Number(currentRunCost),
    },
  })
}

const answerForm = form(
  'tool\\.result',
  `"codonId":"${plain}","toolUseId":"${plain}","toolName":"${plain}","result":"`,
)
/** No text can hold this: in a text, the quotes would be escaped. */
const answerEnd = new RegExp(
  `","truncated":(true|false),"originalLength":${count},"executionTimeMs":${count},"isError":(true|false)\\}\\}$`,
)
const headBytes = 512
const tailBytes = 128

/** Without what the tool answered, which may be long. */
function answerIn(line: Buffer): JournaledEvent | undefined {
  const head = answerForm.exec(line.toString('latin1', 0, Math.min(line.length, headBytes)))
  const tail = answerEnd.exec(line.toString('latin1', Math.max(0, line.length - tailBytes)))
  if (!head || !tail) return undefined
  const [, seq, id, timestamp, codonId = '', toolUseId = '', toolName = ''] = head
  const [, truncated, originalLength, executionTimeMs, isError] = tail
  return eventOf('tool.result', [seq, id, timestamp], {
    codonId,
    toolUseId,
    toolName,
    result: '',
    truncated: truncated === 'true',
    originalLength: Number(originalLength),
    executionTimeMs: Number(executionTimeMs),
    isError: isError === 'true',
  })
}

type Texts = readonly (string | undefined)[]

function countsOf([input, output, created, read]: Texts) {
  return {
    inputTokens: Number(input),
    outputTokens: Number(output),
    cacheCreationTokens: Number(created),
    cacheReadTokens: Number(read),
  }
}

function eventOf<T extends JournaledEvent['type']>(
  type: T,
  [seq, id, timestamp]: Texts,
  data: EventData<T>,
): JournaledEvent {
  return { seq: Number(seq), id, timestamp, type, data } as JournaledEvent
}
