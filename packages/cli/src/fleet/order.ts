import { type ExitCode, exitCodes } from '../program.ts'
import { plural } from '../terminal.ts'
import type { Asked, Deed } from './deed.ts'
import { whoAmI } from './settings.ts'
import type { OpenedFleet } from './with-fleet.ts'

/** What changes the course of things. */
export const orderDeeds: Readonly<Record<string, Deed>> = {
  cancel: {
    usage: '<batch|execution>',
    summary: 'end what is queued now, and what runs with its codon or at once with --now',
    flags: ['cancel-now'],
    words: [1, 1],
    run: cancel,
  },
  retry: {
    usage: '<batch|execution>',
    summary: 'queue again what failed; --dead and --cancelled, too',
    flags: ['retry-failed', 'retry-dead', 'retry-cancelled'],
    words: [1, 1],
    run: retry,
  },
  pause: {
    usage: '<batch>',
    summary: 'start nothing more of a batch; what runs goes on',
    flags: ['reason'],
    words: [1, 1],
    run: pause,
  },
  resume: {
    usage: '<batch>',
    summary: 'go on with a batch that was paused',
    flags: [],
    words: [1, 1],
    run: resume,
  },
  decide: {
    usage: '<execution> --approve | --reject',
    summary: 'answer at the gate where an execution waits; it goes on with its next turn',
    flags: ['approve', 'reject', 'gate', 'note'],
    words: [1, 1],
    run: decide,
  },
  drain: {
    usage: '<worker> | --all',
    summary: 'let workers end after the codons under way, or at once with --now',
    flags: ['drain-all', 'cancel-now'],
    words: [0, 1],
    run: drain,
  },
}

async function cancel({ target, args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const now = args.switches.has('cancel-now')
  const count = await library.cancel(fleet.engine, { target, now, by: whoAmI() })
  if (count === 0) {
    terminal.error(`Nothing of ${target} is queued, waiting or running: nothing was cancelled.`)
    return exitCodes.failed
  }
  terminal.error(`${plural(count, 'execution')} cancelled${now ? '' : '; what runs ends with its codon'}.`)
  return exitCodes.done
}

const retried = { 'retry-failed': 'failed', 'retry-dead': 'dead', 'retry-cancelled': 'cancelled' } as const

/** Without a word, what failed. */
async function retry({ target, args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const named = (Object.keys(retried) as (keyof typeof retried)[]).filter(name => args.switches.has(name))
  const states = named.length === 0 ? ['failed'] : named.map(name => retried[name])
  const count = await library.retry(fleet.engine, { target, states, by: whoAmI() })
  if (count === 0) {
    terminal.error(`Nothing of ${target} is ${states.join(' or ')}: nothing was queued.`)
    return exitCodes.failed
  }
  terminal.error(`${plural(count, 'execution')} queued again; each goes on from its head.`)
  return exitCodes.done
}

async function pause({ target, args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const done = await library.pause(fleet.engine, { target, by: whoAmI(), why: args.texts.reason })
  terminal.error(
    done ? `${target} is paused; what runs goes on.` : `${target} is not open: nothing was paused.`,
  )
  return done ? exitCodes.done : exitCodes.failed
}

async function resume({ target, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const done = await library.resume(fleet.engine, { target, by: whoAmI() })
  terminal.error(done ? `${target} goes on.` : `${target} is not paused.`)
  return done ? exitCodes.done : exitCodes.failed
}

const longestNote = 4_000
const atGate = /^person: gate (.+)$/s

async function decide({ target, args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const { gate: wanted, note } = args.texts
  const isYes = args.switches.has('approve')
  if (isYes === args.switches.has('reject') || (note ?? '').length > longestNote) {
    terminal.error(`Say --approve or --reject, and a note of at most ${longestNote} characters.`)
    return exitCodes.usage
  }
  const { state, reason } = await library.showExecution(fleet.engine, target)
  const [, gate] = state === 'waiting' ? (atGate.exec(reason ?? '') ?? []) : []
  if (gate === undefined || (wanted !== undefined && wanted !== gate)) {
    terminal.error(
      gate === undefined
        ? `${target} waits at no gate.`
        : `${target} waits at gate ${gate}, not at ${wanted}.`,
    )
    return exitCodes.failed
  }
  const answer = {
    gate,
    decision: isYes ? 'approve' : 'reject',
    ...(note !== undefined && { note }),
  } as const
  const done = await library.decide(fleet.engine, { target, by: whoAmI(), answer })
  terminal.error(
    done ? `gate ${gate} ${answer.decision}; ${target} is queued.` : `${target} waits at no gate.`,
  )
  return done ? exitCodes.done : exitCodes.failed
}

async function drain({ target, args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const isAll = args.switches.has('drain-all')
  if (isAll === (target !== '')) {
    terminal.error('Name one worker, or all of them: weave fleet drain <worker> | --all')
    return exitCodes.usage
  }
  const now = args.switches.has('cancel-now')
  const told = await library.drain(fleet.engine, { worker: isAll ? undefined : target, now, by: whoAmI() })
  if (told.length === 0) terminal.error('Nobody works.')
  for (const id of told)
    terminal.error(`${id} takes nothing more and ends${now ? ' at once' : ' with its codons'}.`)
  return exitCodes.done
}
