import { answerAtRest, type ExecutionFile, type ExecutionLayout, systemClock } from '@weave/runtime'
import { describeEvent } from 'weave-client'
import { goOnCommand } from '../go-on.ts'
import { openClient, type RunningServer } from '../steer/running-server.ts'

export interface GateDecision {
  /** Of the question. */
  readonly seq: number
  readonly decision: 'approve' | 'reject'
  readonly note: string | undefined
}

export type Said =
  | { readonly ok: true; readonly decided: object; readonly text: string }
  | { readonly ok: false; readonly message: string; readonly code?: string }

interface AskedExecution {
  readonly layout: ExecutionLayout
  readonly file?: ExecutionFile | undefined
}

const longestAnswer = 60_000

/** Says a decision to the server of an execution, or writes it down where nothing runs. */
export function answerGate(
  asked: AskedExecution,
  decision: GateDecision,
  server: RunningServer | undefined,
): Promise<Said> {
  return server ? overSocket(server, decision) : atRest(asked, decision)
}

async function overSocket(server: RunningServer, { note, ...answer }: GateDecision): Promise<Said> {
  const opened = await openClient(server, 'readandwrite', 'cli')
  if (!opened.ok) return opened
  const { client } = opened
  const said = await client.send(
    'gate.decide',
    { ...answer, ...(note !== undefined && { note }) },
    { timeoutMs: longestAnswer },
  )
  client.close()
  if (!said.ok) return said
  return { ok: true, decided: said.event.data, text: `${describeEvent(said.event)}` }
}

async function atRest({ layout, file }: AskedExecution, answer: GateDecision): Promise<Said> {
  const taken = await answerAtRest({ layout, environment: process.env, clock: systemClock }, answer)
  if (!taken.ok) return { ok: false, message: `${taken.message}\n${taken.cure}` }
  const goOn = goOnCommand({ dir: layout.dir, isRehearsal: file?.rehearsal ?? false })
  const { gateId, decision } = taken.decided
  return { ok: true, decided: taken.decided, text: `gate ${gateId} ${decision}\nGo on with: ${goOn}` }
}
