import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { agentFigures } from './agents.ts'
import { broadcastFigures } from './broadcast.ts'
import { checkpointFigures } from './checkpoint.ts'
import { journalFigures } from './journal.ts'
import { type Figure, meets, ratioOf } from './measure.ts'
import { overheadFigures } from './overhead.ts'
import { startupFigures } from './startup.ts'

/** `npm run bench [-- journal …]`: figures as ratios to floors taken in the same run; a table and a JSON file. */
const suites: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  checkpoint: checkpointFigures,
  journal: journalFigures,
  broadcast: broadcastFigures,
  startup: startupFigures,
  overhead: overheadFigures,
  agents: agentFigures,
}

const wanted = process.argv.slice(2)
const figures: Figure[] = []
for (const [name, suite] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`measuring ${name} …`)
  figures.push(...(await suite()))
}

console.table(
  figures.map(figure => ({
    goal: figure.id,
    what: figure.what,
    measured: `${round(figure.subject)} ${figure.unit} ${figure.spread}`,
    floor: `${round(figure.floor)} ${figure.unit}`,
    ratio: round(ratioOf(figure)),
    wanted: `${figure.goal.kind} ${figure.goal.ratio}`,
    met: meets(figure) ? 'yes' : 'NO',
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

function round(value: number): number {
  return Number(value.toPrecision(3))
}
