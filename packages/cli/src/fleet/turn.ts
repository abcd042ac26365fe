import {
  type BorderPorts,
  executionLayout,
  type PutOnRecord,
  type RunnerEnd,
  readCosts,
} from '@weave/runtime'
import type { CodonCosts, FromTurn, ToTurn, TurnEnd, TurnJob, TurnStep, TurnWord } from 'weave-fleet'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { rehearseCommand } from '../run/rehearse.ts'
import { runHank } from '../run/run-hank.ts'
import type { Terminal } from '../terminal.ts'

/** Not for people: the process of one turn. A worker starts it, tells it what to run, and is asked after every codon. */
export function fleetTurnCommand(_: Arguments, terminal: Terminal): Promise<ExitCode> {
  return runTurn(terminal, runHank)
}

/** The same with another way to run a hank. */
export async function runTurn(given: Terminal, run: typeof runHank): Promise<ExitCode> {
  const channel = openChannel()
  const job = await channel.job
  let end: RunnerEnd | undefined
  let said = ''
  const terminal: Terminal = {
    ...given,
    error(text, paint) {
      said = text
      given.error(text, paint)
    },
  }
  const told = {
    border: channel.borderOf(job),
    dataHash: job.dataHash,
    onEnd: (reached: RunnerEnd) => {
      end = reached
    },
  }
  const args = argumentsOf(job)
  const code = job.rehearse
    ? await rehearseCommand(args, terminal, told)
    : await run({ ...told, args, terminal, environment: process.env })
  await channel.ended({ ...endOf(code, end, said), costs: await costsIn(job.execution) })
  return code
}

/** What the execution has cost up to now, by codon and model. What cannot be read costs nobody his result. */
async function costsIn(dir: string): Promise<readonly CodonCosts[]> {
  const found = await readCosts(executionLayout(dir)).catch(() => undefined)
  return (found?.codons ?? []).map(({ codonId, provider, model, attempts, cost, costUnknown, classes }) => {
    const tokens = (name: string) => classes.find(each => each.class === name)?.tokens ?? 0
    return {
      codon: codonId,
      model: provider === undefined ? model : `${provider}/${model}`,
      attempts,
      in: tokens('input'),
      out: tokens('output'),
      cacheWrite: tokens('cacheWrite'),
      cacheRead: tokens('cacheRead'),
      dollars: cost,
      isKnown: !costUnknown,
    }
  })
}

/** Without an end nothing was left to do, or nothing began. A rehearsal may fail after its run: a script with steps left over. */
function endOf(code: ExitCode, end: RunnerEnd | undefined, said: string): TurnEnd {
  if (code === exitCodes.done) return end ?? { status: 'completed' }
  if (!end) return { status: 'not-begun', reason: said }
  return end.status === 'completed' ? { status: 'failed', reason: said } : end
}

function argumentsOf({ hank, data, execution, outputs, model, maxCost, maxTime }: TurnJob): Arguments {
  return {
    positionals: data === undefined ? [hank] : [hank, data],
    switches: new Set(['headless', 'skip-self-test', 'overwrite-output', 'no-notify', 'yes']),
    texts: {
      execution,
      output: outputs,
      'on-gate': 'exit',
      ...(model !== undefined && { model }),
      ...(maxCost !== undefined && { 'max-cost': maxCost }),
      ...(maxTime !== undefined && { 'max-time': maxTime }),
    },
  }
}

/** What the worker says, and what is said to it. When it is gone, so is the right to go on. */
function openChannel() {
  const waiting = new Map<number, (word: TurnWord) => void>()
  let take: (job: TurnJob) => void = () => undefined
  const job = new Promise<TurnJob>(resolve => {
    take = resolve
  })
  let next = 1
  const send = (message: FromTurn): Promise<void> =>
    new Promise(resolve => {
      if (process.connected && process.send) process.send(message, undefined, undefined, () => resolve())
      else resolve()
    })
  const onGone = (): void => process.exit(exitCodes.terminated)
  process.on('disconnect', onGone)
  process.on('message', (message: ToTurn) => {
    if (message.type === 'job') take(message.job)
    if (message.type === 'word') {
      waiting.get(message.id)?.(message.word)
      waiting.delete(message.id)
    }
  })
  void send({ type: 'ready' })
  const asked = (step: TurnStep, signal: AbortSignal): Promise<TurnWord> =>
    new Promise(resolve => {
      const id = next++
      waiting.set(id, resolve)
      signal.addEventListener('abort', () => resolve({ kind: 'go' }))
      void send({ type: 'hand-over', id, step })
    })
  return {
    job,
    borderOf({ turn, execution }: TurnJob): BorderPorts {
      let put: PutOnRecord = () => undefined
      return {
        opened(given) {
          put = given
          put('fleet.turn', turn)
        },
        async handOver({ codonId, attempt }, signal) {
          const word = await asked({ codonId, attempt, costs: await costsIn(execution) }, signal)
          if (word.published) put('fleet.published', word.published)
          else if (word.kind === 'leave') put('fleet.lost', { why: word.reason })
          return word
        },
      }
    },
    async ended(end: TurnEnd): Promise<void> {
      process.off('disconnect', onGone)
      await send({ type: 'ended', end })
      process.disconnect?.()
    },
  }
}
