import type { ProviderLimits } from 'weave-fleet'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { columns, plural } from '../terminal.ts'
import type { Asked, Deed } from './deed.ts'
import { dollars } from './money-lines.ts'
import { microsOf } from './numbers.ts'
import { whoAmI } from './settings.ts'
import type { OpenedFleet } from './with-fleet.ts'

/** What may be spent and asked. */
export const limitDeeds: Readonly<Record<string, Deed>> = {
  budget: {
    usage: '<batch>',
    summary: 'another ceiling with --max-cost, or what an execution cost whose worker died',
    flags: ['batch-max-cost', 'settle', 'spent'],
    words: [1, 1],
    run: budget,
  },
  throttle: {
    usage: '[provider[/model]]',
    summary: 'limits of a provider for all workers together; without a flag, those that hold',
    flags: ['provider-running', 'rpm', 'tpm', 'throttle-off', 'json'],
    words: [0, 1],
    run: throttle,
  },
}

async function budget({ target, args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const { settle, spent, 'batch-max-cost': most } = args.texts
  const micros = microsOf(settle === undefined ? most : spent)
  if (micros === undefined || (settle === undefined && micros === 0)) {
    const [flag, word] = settle === undefined ? ['--max-cost', most] : ['--spent', spent]
    if (word !== undefined)
      terminal.error(`${flag}: expected an amount in dollars; found ${JSON.stringify(word)}`)
    terminal.error('Say an amount: weave fleet budget <batch> --max-cost <dollars>')
    terminal.error('Or, when the bill is known: --settle <execution> --spent <dollars>')
    return exitCodes.usage
  }
  const by = whoAmI()
  if (settle !== undefined) {
    await library.settleDoubt(fleet.engine, { execution: settle, micros, by })
    terminal.error(`${settle} cost ${dollars(micros)}; nothing of it is in doubt any more.`)
    return exitCodes.done
  }
  const woken = await library.setBudget(fleet.engine, { batch: target, micros, by })
  terminal.error(`Ceiling    ${dollars(micros)}; ${plural(woken, 'execution')} queued again`)
  return exitCodes.done
}

const flags = { running: 'provider-running', rpm: 'rpm', tpm: 'tpm' } as const
type Limit = keyof typeof flags

async function throttle(
  { target, args, terminal }: Asked,
  { fleet, library }: OpenedFleet,
): Promise<ExitCode> {
  const wish = wishIn(args)
  if (typeof wish === 'string' || (wish && target === '')) {
    terminal.error(
      typeof wish === 'string' ? wish : 'Name a provider: weave fleet throttle anthropic --rpm 600',
    )
    return exitCodes.usage
  }
  if (wish) await library.setThrottle(fleet.engine, { key: target, by: whoAmI(), ...wish })
  const all = await library.listThrottles(fleet.engine)
  const shown = target === '' ? all : all.filter(({ key }) => key === target)
  if (args.switches.has('json')) terminal.json(JSON.stringify(shown))
  else if (shown.length === 0) terminal.error('There are no limits.')
  else for (const line of columns(shown.map(rowOf))) terminal.out(line)
  return exitCodes.done
}

/** Undefined: nothing is to be changed. A text: what is wrong. */
function wishIn({ texts, switches }: Arguments): Partial<Record<Limit, number>> | string | undefined {
  const given = (Object.keys(flags) as Limit[]).filter(name => texts[flags[name]] !== undefined)
  if (switches.has('throttle-off')) return given.length > 0 ? '--off goes with no other limit' : {}
  const bad = given.find(name => {
    const value = Number(texts[flags[name]])
    return !(Number.isInteger(value) && value > 0)
  })
  if (bad) return `--${bad}: expected a whole number above 0; found ${JSON.stringify(texts[flags[bad]])}`
  if (given.length === 0) return undefined
  return Object.fromEntries(given.map(name => [name, Number(texts[flags[name]])]))
}

function rowOf({ key, running, rpm, tpm, limitNow, blockedSeconds, refusals }: ProviderLimits): string[] {
  const limits = [
    ...(running === null ? [] : [`${running} codons at once`]),
    ...(rpm === null ? [] : [`${rpm} requests a minute`]),
    ...(tpm === null ? [] : [`${tpm} tokens a minute`]),
  ]
  const lowered = limitNow !== null && rpm !== null && limitNow < rpm ? `now ${Math.floor(limitNow)}` : ''
  const blocked = blockedSeconds > 0 ? `nobody sends for ${blockedSeconds} s` : ''
  return [key, limits.join(', ') || 'no limits', `${refusals} refusals`, lowered, blocked]
}
