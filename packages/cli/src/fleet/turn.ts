import {
  answerAtRest,
  createLeashedClock,
  executionLayout,
  type RunnerEnd,
  readGates,
  startLeash,
  systemClock,
} from '@weave/runtime'
import type { GateAnswer, TurnEnd, TurnJob } from 'weave-fleet'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { rehearseCommand } from '../run/rehearse.ts'
import { runHank } from '../run/run-hank.ts'
import type { Terminal } from '../terminal.ts'
import { openChannel } from './turn-channel.ts'
import { costsIn } from './turn-costs.ts'
import { openTurnGateway } from './turn-gateway.ts'

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
  const clock = createLeashedClock(systemClock, job.until)
  const leash = startLeash({
    until: job.until,
    file: `${job.execution}.leash`,
    longestStandMs: job.freezeMs,
    onStand: isStanding => channel.stands(isStanding),
    // Its agents end with it; what they did is kept on disk.
    onTooLong: () => process.exit(exitCodes.terminated),
  })
  channel.onFresh(until => {
    clock.extend(until)
    leash.extend(until)
  })
  if (job.answer) await answerGate(job.execution, job.answer)
  const opened = await openTurnGateway(channel, leash)
  if (!opened.ok) {
    leash.close()
    await channel.ended({ status: 'not-begun', reason: `${opened.message} ${opened.cure}` })
    return exitCodes.failed
  }
  const told = {
    border: { ...channel.borderOf(job), clock },
    dataHash: job.dataHash,
    gateway: opened.gateway,
    onOwned: (leaders: readonly number[]) => leash.hold(leaders),
    onRunner: (runner: { shutdown(reason: string): void }) => channel.onStop(why => runner.shutdown(why)),
    onEnd: (reached: RunnerEnd) => {
      end = reached
    },
  }
  const args = argumentsOf(job)
  const code = job.rehearse
    ? await rehearseCommand(args, terminal, told)
    : await run({ ...told, args, terminal, environment: process.env })
  await opened.close()
  leash.close()
  await channel.ended({ ...endOf(code, end, said), costs: await costsIn(job.execution) })
  return code
}

/** What a person said at the gate where the execution waits. One that has the answer already is not asked again. */
async function answerGate(execution: string, { gate, decision, note }: GateAnswer): Promise<void> {
  const layout = executionLayout(execution)
  const { waiting } = await readGates(layout)
  if (waiting?.data.gateId !== gate) return
  await answerAtRest(
    { layout, environment: process.env, clock: systemClock },
    { seq: waiting.seq, decision, note },
  )
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
