import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { agentFigures } from './agents.ts'
import { broadcastFigures } from './broadcast.ts'
import { checkpointFigures } from './checkpoint.ts'
import { dashboardFigures } from './dashboard.ts'
import { dashboardCostFigures } from './dashboard-cost.ts'
import { fleetFigures } from './fleet.ts'
import { fleetSimulationFigures } from './fleet-simulation.ts'
import { journalFigures } from './journal.ts'
import { type Figure, ratioOf, verdictOn } from './measure.ts'
import { memoryFigures } from './memory.ts'
import { otelFigures } from './otel.ts'
import { overheadFigures } from './overhead.ts'
import { packageFigures } from './package.ts'
import { proxyFigures } from './proxy.ts'
import { withRaisedGoal } from './raised-goals.ts'
import { ruleFigures } from './rules.ts'
import { sentinelFigures } from './sentinels.ts'
import { startupFigures } from './startup.ts'
import { terminalFigures } from './terminal.ts'
import { toolFigures } from './tools.ts'
import { versionFigures } from './versions.ts'
import { wholeCheckpointFigures } from './whole-checkpoint.ts'
import { wholeRunFigures } from './whole-run.ts'

// Node reads what this variable names each time it starts, which takes longer than the rest of a start: not ours to be measured.
delete process.env['NODE_EXTRA_CA_CERTS']

/**
 * `npm run bench [-- journal …]`: figures as ratios to floors taken in the same run; a table, and a JSON file. What was
 * committed last stands beside them. `--keep` puts them into the committed file, beside those that were not taken again.
 */
const suites: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  checkpoint: checkpointFigures,
  'whole-checkpoint': wholeCheckpointFigures,
  'whole-run': wholeRunFigures,
  memory: memoryFigures,
  journal: journalFigures,
  broadcast: broadcastFigures,
  startup: startupFigures,
  overhead: overheadFigures,
  proxy: proxyFigures,
  sentinels: sentinelFigures,
  rules: ruleFigures,
  otel: otelFigures,
  versions: versionFigures,
  agents: agentFigures,
  terminal: terminalFigures,
  tools: toolFigures,
  package: packageFigures,
  dashboard: dashboardFigures,
  'dashboard-cost': dashboardCostFigures,
  fleet: fleetFigures,
  'fleet-simulation': fleetSimulationFigures,
}

const wanted = process.argv.slice(2).filter(word => word !== '--keep')
const figures: Figure[] = []
for (const [name, suite] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`measuring ${name} …`)
  figures.push(...(await suite()).map(withRaisedGoal))
}

const committed = 'bench/results/latest.json'
const before = committedFigures()

console.table(
  figures.map(figure => ({
    goal: figure.id,
    what: figure.what,
    measured: `${round(figure.subject)} ${figure.unit} ${figure.spread}`,
    floor: `${round(figure.floor)} ${figure.unit}`,
    ratio: round(ratioOf(figure)),
    before: ratioBefore(figure),
    ...verdictOn(figure),
  })),
)

const machine = {
  node: process.version,
  platform: process.platform,
  arch: process.arch,
  cores: cpus().length,
}
mkdirSync('bench/results', { recursive: true })
writeFileSync(
  'bench/results/local.json',
  `${JSON.stringify({ date: new Date().toISOString(), machine, figures }, null, 2)}\n`,
)
console.log('written to bench/results/local.json')
if (process.argv.includes('--keep')) {
  const others = before.filter(({ id }) => figures.every(figure => figure.id !== id))
  writeFileSync(
    committed,
    `${JSON.stringify({ date: new Date().toISOString(), machine, figures: [...others, ...figures] }, null, 2)}\n`,
  )
  console.log(`kept in ${committed}`)
}

function committedFigures(): readonly Figure[] {
  try {
    return (JSON.parse(readFileSync(committed, 'utf8')) as { readonly figures: readonly Figure[] }).figures
  } catch {
    return []
  }
}

function ratioBefore({ id }: Figure): number | string {
  const figure = before.find(each => each.id === id)
  return figure ? round(ratioOf(figure)) : 'none'
}

function round(value: number): number {
  return Number(value.toPrecision(3))
}
