import { readGates, readLock, systemClock } from '@weave/runtime'
import { type CommandType, describeEvent } from 'weave-client'
import type { Arguments } from '../../parse-arguments.ts'
import { openClient, type RunningServer, runningServer } from '../../steer/running-server.ts'
import { type Answer, failure, value } from '../answers.ts'
import { unconfirmed } from '../confirm.ts'
import { executionNamed, type NamedExecution } from '../places.ts'
import type { Run, Surroundings } from '../tool.ts'
import { executionView } from './executions.ts'
import type { Inputs } from './inputs.ts'

const steps = {
  next: 'codon.next',
  redo: 'codon.redo',
  skip: 'codon.skip',
  forceStop: 'codon.forceStop',
} as const satisfies Record<string, CommandType>

/** What makes a codon start, and so a model be asked; the plan goes on behind one that is skipped. */
const starting: ReadonlySet<string> = new Set(['next', 'redo', 'skip'])

const longestAnswer = 60_000

export const steerRun: Run<Inputs['steer_run']> = async (input, at, call) => {
  const { action, token } = input
  const live = await liveServer(input.execution, at)
  if (!live.ok) return live.answer
  const { named, server } = live
  if (starting.has(action) && named.file?.rehearsal !== true && !at.groups.has('run'))
    return failure(
      'NOT_ALLOWED',
      `${action} lets a model be asked, which costs money. It needs: weave mcp --allow run,steer --max-cost <dollars>`,
    )
  const { waiting } = await readGates(named.layout)
  // To the server it is an approval.
  if (action === 'next' && waiting)
    return failure(
      'NOT_ALLOWED',
      `${named.name} waits at gate ${waiting.data.gateId}. Only a person goes on from there: decide_gate, or weave gate approve ${named.name}`,
    )
  const matter = matterOf('steer_run', named, { what: action, server })
  const message = `Tell the run of ${named.name}: ${action}?`
  const refused = unconfirmed({ matter, message, token }, at, call)
  if (refused) return refused
  const opened = await openClient(server, 'readandwrite')
  if (!opened.ok) return failure('INSUFFICIENT_PERMISSIONS', opened.message)
  const answer = await opened.client.send(steps[action], {}, { timeoutMs: longestAnswer })
  opened.client.close()
  if (!answer.ok) return failure(answer.code, answer.message)
  return value({ execution: named.name, action, untrusted: { line: describeEvent(answer.event) } })
}

/** Longer than a server gives itself for a graceful end. */
const longestEnd = 35_000
const pollMs = 50

export const stopRun: Run<Inputs['stop_run']> = async ({ execution, token }, at, call) => {
  const live = await liveServer(execution, at)
  if (!live.ok) return live.answer
  const { named, server } = live
  const matter = matterOf('stop_run', named, { what: 'stop', server })
  const message = `Stop the run of ${named.name}? The codon that runs is given up; it can be gone on with.`
  const refused = unconfirmed({ matter, message, token }, at, call)
  if (refused) return refused
  const opened = await openClient(server, 'readonly')
  if (!opened.ok) return failure('INSUFFICIENT_PERMISSIONS', opened.message)
  const reason = 'stop_run of weave mcp'
  const answer = await opened.client.send('server.shutdown', { reason }, { timeoutMs: longestEnd })
  const isGone = answer.ok && (await gone(named))
  opened.client.close()
  if (!answer.ok) return failure(answer.code, answer.message)
  if (!isGone) return failure('EXECUTION_BUSY', `It does not end. Stop it: weave stop ${named.name} --now`)
  return value({ execution: named.name, ...statusOf(await executionView(named)) })
}

function statusOf(view: object): object {
  return { status: (view as { readonly status?: string }).status }
}

async function gone({ layout }: NamedExecution): Promise<boolean> {
  const deadline = systemClock.monotonic() + longestEnd
  while ((await readLock(layout.lockFile, systemClock)).kind === 'held') {
    if (systemClock.monotonic() > deadline) return false
    await systemClock.sleep(pollMs)
  }
  return true
}

type Live =
  | { readonly ok: true; readonly named: NamedExecution; readonly server: RunningServer }
  | { readonly ok: false; readonly answer: Answer }

async function liveServer(word: string, at: Surroundings): Promise<Live> {
  const named = await executionNamed(word, at)
  if (!named.ok) return named
  const noArguments: Arguments = { positionals: [], switches: new Set(), texts: {} }
  const server = await runningServer(named.layout, noArguments)
  if (server) return { ok: true, named, server }
  const message = `Nothing runs in ${named.name}. Go on with it: resume_run, or weave resume ${named.name}`
  return { ok: false, answer: failure('UNKNOWN_RUN', message) }
}

/** A yes is one to this server of this run; another one has begun at another time. */
function matterOf(
  tool: string,
  { layout }: NamedExecution,
  { what, server }: { readonly what: string; readonly server: RunningServer },
) {
  const { pid, startTime } = server.record
  return { tool, execution: layout.dir, what, at: `${pid} ${startTime}` }
}
