import type { JournalReader } from '@weave/runtime'
import type * as z from 'zod'
import type { Answer, Rows } from './answers.ts'
import type { Confirmations } from './confirmations.ts'
import type { Group } from './groups.ts'
import type { StartedRuns } from './started-runs.ts'

/** What all tools of a server work with. */
export interface Surroundings {
  readonly executionBaseDir: string
  /** Real paths; a hank and its data are inside of one of them. */
  readonly hankDirs: readonly string[]
  readonly workingDirectory: string
  readonly runtimeConfig: string | undefined
  /** In dollars, for each run. */
  readonly maxCost: number | undefined
  readonly groups: ReadonlySet<Group>
  readonly confirmations: Confirmations
  readonly started: StartedRuns
  /** Of executions that were read before, by their directories. */
  readonly journals: Map<string, JournalReader>
  /** Whether the client said at its handshake that it can ask its person; newer ones say it with every request. */
  readonly canAsk: () => boolean
  /** Work that must not be cut off half-way, if it can be helped. */
  readonly whole: <T>(work: Promise<T>) => Promise<T>
}

/** One call of a tool. */
export interface Call {
  readonly signal: AbortSignal
  /** Tells a client that listens what has happened meanwhile. */
  readonly progress: (message: string) => void
  /** Whether the client can ask its person. */
  readonly canAsk: boolean
  /** What the person said when asked, and the state that was sent along. */
  readonly said:
    | {
        readonly yes: boolean
        readonly isAccepted: boolean
        readonly content: Readonly<Record<string, unknown>>
        readonly state: string | undefined
      }
    | undefined
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly group: Group
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: z.ZodObject
  readonly rows?: Rows
  readonly changes?: 'nothing' | 'something' | 'destructive'
  readonly idempotent?: true
  /** Whether it makes somebody else be asked: a model. */
  readonly openWorld?: true
  /** Loaded when it is called for the first time. */
  readonly load: () => Promise<Run<Input>>
}

export type Run<Input extends z.ZodObject = z.ZodObject> = (
  input: z.output<Input>,
  at: Surroundings,
  call: Call,
) => Promise<Answer>

/** A row of the table of tools. What its schema has read is what it is run with. */
export function tool<Input extends z.ZodObject>(row: Tool<Input>): Tool {
  return row
}
