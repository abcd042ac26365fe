import { createHistory, executionIdOf, type History, type ReadProblem } from '../journal/index.ts'
import type { Redactor } from '../kit/index.ts'
import {
  createFold,
  type EndedSpan,
  type FoldOptions,
  pastEvents,
  readSentNote,
  readTraceparent,
  traceIdOf,
  withPrompts,
} from '../otel/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

export interface SpansQuery extends Pick<FoldOptions, 'names' | 'content' | 'rehearsal'> {
  readonly layout: ExecutionLayout
  /** A server is at work in it: what is open is not over. */
  readonly isLive: boolean
  readonly redactor: Redactor
  /** Hears of each place that is not as it was written. */
  readonly onDamage: (problem: ReadProblem) => void
}

export interface ReadSpans {
  readonly traceId: string
  /** In the order in which they were over, as far as each part of the journal tells. Rejects with what the disk says. */
  spans(): AsyncGenerator<readonly EndedSpan[]>
}

/** The spans of an execution, live or at rest; undefined when nothing has happened in it yet. Changes nothing. */
export async function readSpans(query: SpansQuery): Promise<ReadSpans | undefined> {
  const { layout, names, content, rehearsal } = query
  const history = createHistory({ dir: layout.journal })
  const executionId = await executionIdOf(history, layout.originFile)
  if (executionId === undefined) return undefined
  const { startedBy: starters } = await readSentNote(layout.tracesFile)
  const startedBy = (runId: string) => readTraceparent(starters[runId])
  const fold = { executionId, names, content, rehearsal, startedBy }
  return { traceId: traceIdOf(executionId), spans: () => folded(history, fold, query) }
}

async function* folded(
  history: History,
  options: FoldOptions,
  query: SpansQuery,
): AsyncGenerator<readonly EndedSpan[]> {
  const fold = createFold(options)
  for await (const { events, problems } of pastEvents(history, { content: options.content })) {
    for (const problem of problems) query.onDamage(problem)
    const spans: EndedSpan[] = []
    for (const event of events) for (const span of fold.add(event)) spans.push(span)
    if (spans.length > 0) yield await finished(spans, query)
  }
  const rest = query.isLive ? [] : fold.abandon()
  if (rest.length > 0) yield await finished(rest, query)
}

/** With prompts, where content is wanted; and without anything that is a secret here. */
async function finished(spans: readonly EndedSpan[], query: SpansQuery): Promise<readonly EndedSpan[]> {
  const { content, layout, redactor } = query
  if (content !== 'all') return spans.map(span => (isPlain(span, content) ? span : redactor.json(span)))
  const asked = await Promise.all(spans.map(async span => withPrompts(span, layout)))
  return asked.map(span => redactor.json(span))
}

/** Names of models and tools, ids and numbers: nothing that anybody wrote. */
function isPlain({ subject, failure }: EndedSpan, content: SpansQuery['content']): boolean {
  return content === 'none' && failure === undefined && (subject === 'chat' || subject === 'tool')
}
