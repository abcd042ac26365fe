import {
  codonSeconds,
  codonsEach,
  dollarsOfCodon,
  lease,
  type Outcome,
  type Scenario,
  simulate,
  slotsEach,
  worth,
} from './fleet/simulated-fleet.ts'
import type { Figure } from './measure.ts'

const scenarios: readonly Scenario[] = [
  { name: '10,000', executions: 10_000, machines: 100, daysToDeath: 7 },
  { name: '10,000, spot', executions: 10_000, machines: 100, daysToDeath: 1 },
  { name: '1,000,000', executions: 1_000_000, machines: 1_000, daysToDeath: 7 },
]

const callsOfCodon = 120
/** A worker takes ten requests at a time from the rate of a provider. */
const callsAtOnce = 10
const takesOfCodon = callsOfCodon / callsAtOnce
/** What one PostgreSQL on two busy cores does of each in a second. */
const measured = { publish: 1_552, grant: 665, take: 698, beat: 426 }

/**
 * `npm run bench -- fleet-simulation`: executions of 30 codons of 20 minutes on machines with 8 slots that die and come back,
 * event by event. Prints a table for `docs/proof.md`; its figures are how much longer it took than without deaths and idle slots.
 */
export async function fleetSimulationFigures(): Promise<readonly Figure[]> {
  const columns: (readonly Row[])[] = []
  const figures: Figure[] = []
  for (const scenario of scenarios) {
    const began = performance.now()
    const outcome = simulate(scenario)
    const took = `(simulated in ${((performance.now() - began) / 1000).toFixed(1)} s)`
    columns.push(rowsOf(scenario, outcome))
    figures.push({
      id: `fleet ${scenario.name}`,
      what: `days for ${count(scenario.executions)} executions, machines die after ${scenario.daysToDeath}, simulated, against no deaths`,
      unit: 'days',
      subject: outcome.seconds / 86_400,
      floor: idealDays(scenario),
      spread: took,
    })
  }
  console.log(tableOf(columns))
  return figures
}

type Row = readonly [name: string, value: string]

function rowsOf(scenario: Scenario, outcome: Outcome): readonly Row[] {
  const { seconds, codons } = outcome
  const rates = ratesOf(scenario, outcome)
  const each = Object.values(rates).map(rate => rate.toPrecision(2))
  return [
    ['machines of 8 slots, days to a death', `${count(scenario.machines)}, ${scenario.daysToDeath}`],
    ['days (without deaths)', `${(seconds / 86_400).toFixed(1)} (${idealDays(scenario).toFixed(1)})`],
    ['deaths, take-overs', `${count(outcome.deaths)}, ${count(outcome.takeOvers)}`],
    ['lost work', `${((100 * outcome.lostSeconds) / outcome.workSeconds).toFixed(2)} %`],
    ['spent', dollars(codons * dollarsOfCodon)],
    ['more for codons that were cut off', dollars(worth(outcome.lostSeconds))],
    ['in doubt at most', dollars(outcome.doubt)],
    [`${Object.keys(rates).join(', ')} a second`, each.join(', ')],
    ['operations a second in the first minute', count(Math.round(burstOf(outcome)))],
    ['share of one PostgreSQL', `${(100 * shareOf(rates)).toFixed(1)} %`],
    ['uploaded, downloaded', `${bytes(outcome.uploaded)}, ${bytes(outcome.downloaded)}`],
    ['uploaded a second', `${(outcome.uploaded / seconds / 1e6).toFixed(2)} MB`],
    ['turns, rows of heads', `${count(outcome.turns)}, ${count(outcome.heads)}`],
  ]
}

function idealDays({ executions, machines }: Scenario): number {
  return (executions * codonsEach * codonSeconds) / (machines * slotsEach) / 86_400
}

function ratesOf({ machines }: Scenario, { codons, seconds, heads }: Outcome) {
  return {
    publish: heads / seconds,
    grant: codons / seconds,
    take: (codons * takesOfCodon) / seconds,
    beat: machines / (lease / 6),
  }
}

function shareOf(rates: ReturnType<typeof ratesOf>): number {
  return (
    rates.publish / measured.publish +
    rates.grant / measured.grant +
    rates.take / measured.take +
    rates.beat / measured.beat
  )
}

/** All that the first codon of each turn asks for counts for the minute in which it began. */
function burstOf({ claimsInFirstMinute }: Outcome): number {
  return (claimsInFirstMinute * (2 + takesOfCodon)) / 60
}

function tableOf(columns: readonly (readonly Row[])[]): string {
  const [first = []] = columns
  const head = ['', ...scenarios.map(({ name }) => name)]
  const rows = first.map(([name], at) => [name, ...columns.map(column => column[at]?.[1] ?? '')])
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

function count(value: number): string {
  return value.toLocaleString('en')
}

function dollars(value: number): string {
  return `$${count(Math.round(value))}`
}

function bytes(value: number): string {
  return value < 1e12 ? `${Math.round(value / 1e9)} GB` : `${(value / 1e12).toFixed(1)} TB`
}
