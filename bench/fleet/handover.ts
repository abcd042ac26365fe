import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openParcel } from '../../packages/fleet/src/parcel/index.ts'
import { atMost, type Figure, median } from '../measure.ts'
import { type FleetHome, withFleetHome } from './home.ts'

const files = 2_000
const changed = 50
/** A head of the first codon is whole, and the sixteenth on top of it again. */
const codons = 14
const goalMs = 400
const goalRatio = 1.3

/**
 * A7: what a worker takes between two codons of which the second changed 50 of 2,000 files, on a store of files: from the end
 * of the codon to the head, by the journal of the execution. Needs a built command.
 */
export function handOverFigures(): Promise<readonly Figure[]> {
  return withFleetHome(async at => {
    const folder = hankIn(at.home)
    at.weave(['submit', '.', '--rehearse', '--skip-self-test'], folder)
    at.weave(['worker', '--slots', '1', '--until-idle'], folder)
    const times = (await publications(at)).slice(1, codons)
    const parcels = (await weighed(at)).slice(1, codons)
    const ratios = parcels.map(({ bytes, parts }) => bytes / parts)
    const kilobytes = parcels.map(({ bytes }) => bytes / 1024)
    const spread = (values: readonly number[], digits = 3) =>
      `(${values
        .toSorted((a, b) => a - b)
        .map(value => Number(value.toPrecision(digits)))
        .join(', ')})`
    return [
      {
        id: 'A7 hand-over',
        what: `hand-over, ${changed} of ${files.toLocaleString('en')} files changed, against ${goalMs} ms`,
        unit: 'ms',
        subject: median(times),
        floor: goalMs,
        spread: spread(times),
        goal: atMost(1),
      },
      {
        id: 'A7 parcel',
        what: `its parcel (${Math.round(median(kilobytes))} kB), against the sum of its gzipped parts`,
        unit: 'kB',
        subject: median(kilobytes),
        floor: median(kilobytes) / median(ratios),
        spread: spread(kilobytes),
        goal: atMost(goalRatio),
      },
    ]
  })
}

/** Each codon begins with a rig: the first makes the files, each of the others changes some of them. */
function hankIn(home: string): string {
  const folder = join(home, 'hand-over')
  mkdirSync(folder)
  const script = join(home, 'change.mjs')
  writeFileSync(script, program)
  const hank = Array.from({ length: codons }, (_, round) => ({
    id: `c${round}`,
    name: `c${round}`,
    model: 'sonnet',
    continuationMode: 'fresh',
    promptText: 'Say ok.',
    checkpointedFiles: ['src/**'],
    rigSetup: [{ type: 'command', command: { run: `"${process.execPath}" "${script}" ${round}` } }],
  }))
  writeFileSync(join(folder, 'hank.json'), JSON.stringify({ $schema: 'x', hank }))
  return folder
}

/** Ten kilobytes of words for each file, 20 MB in all, the same in every run; a change is a few lines of a file. */
const program = `import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
const round = Number(process.argv[2])
let state = 7 + round
const chance = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
const word = () => Math.floor(chance() ** 2 * 9000).toString(36) + 'e'
const line = () => Array.from({ length: 12 }, word).join(' ')
const path = at => 'src/' + (at % 40) + '/' + at + '.txt'
if (round === 0) {
  for (let at = 0; at < 40; at++) mkdirSync('src/' + at, { recursive: true })
  for (let at = 0; at < ${files}; at++) writeFileSync(path(at), Array.from({ length: 220 }, line).join('\\n') + '\\n')
} else {
  for (let n = 0; n < ${changed}; n++) {
    const file = path((round * 97 + n * 37) % ${files})
    const lines = readFileSync(file, 'utf8').split('\\n')
    for (let i = 0; i < 5; i++) lines[Math.floor(chance() * 200)] = line()
    writeFileSync(file, lines.join('\\n'))
  }
}
`

/** How long each head took, in milliseconds, as the journal says. */
async function publications({ home, fleet, weave }: FleetHome): Promise<readonly number[]> {
  const [row] = await fleet.engine.database.query<{ id: string; state: string }>(
    'select id, state from fleet.execution',
  )
  if (row?.state !== 'succeeded') throw new Error(`the execution ${row?.state}`)
  const dir = mkdtempSync(join(home, 'pulled-'))
  rmSync(dir, { recursive: true })
  weave(['fleet', 'pull', row.id, dir], home)
  return weave(['journal', dir, '--json'], home)
    .split('\n')
    .filter(Boolean)
    .map(text => JSON.parse(text) as { readonly type: string; readonly data: { readonly ms?: number } })
    .filter(({ type }) => type === 'fleet.published')
    .map(({ data }) => data.ms ?? Number.NaN)
}

/** Each parcel, and what its parts would be if each were compressed alone. */
async function weighed({ fleet }: FleetHome) {
  const heads = await fleet.engine.database.query<{ sha: string }>(
    'select parts ->> -1 as sha from fleet.head order by seq',
  )
  const found: { readonly bytes: number; readonly parts: number }[] = []
  for (const { sha } of heads) {
    const bytes = await fleet.store.get(sha)
    const { entries } = await openParcel(bytes)
    const parts = entries.reduce(
      (sum, entry) => sum + (entry.bytes.length > 0 ? gzipSync(entry.bytes).length : 0),
      0,
    )
    found.push({ bytes: bytes.length, parts })
  }
  return found
}
