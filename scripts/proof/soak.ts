import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startHub } from '../../bench/dashboard-stage.ts'
import { root } from '../repository.mjs'
import type { Proof } from './kept-proofs.ts'
import { soakClients } from './soak-clients.ts'
import { soakFiles } from './soak-hank.ts'
import { judge, type Sample } from './soak-judge.ts'
import { openSoakPage } from './soak-page.ts'
import { type SoakServer, sampleOf, startSoakServer } from './soak-server.ts'

const everySeconds = 10
const visitEvery = 6
const samplesFile = join(root, 'bench/results/soak.json')

export interface SoakOptions {
  readonly hours: number
  /** The command of an older build, for the first half; without it both halves are of this build. */
  readonly from?: string | undefined
  readonly isKept: boolean
}

/**
 * One execution that works for hours, with both agents, the proxy, a sentinel, a gate after every twenty codons, a page of the
 * dashboard, a client that stays and clients that come and go. In the middle it is stopped and resumed by another build. Memory, open files and processes
 * are sampled every ten seconds; a slope means a leak.
 */
export async function soak(
  options: SoakOptions,
): Promise<{ readonly code: number; readonly result?: Proof }> {
  const { hours, from, isKept } = options
  if (!(hours > 0)) {
    console.error('How long? For example: npm run proof:load -- --hours 8')
    return { code: 2 }
  }
  const built = spawnSync(process.execPath, [join(root, 'scripts/bundle.mjs')], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(built.stderr)
  const dir = mkdtempSync(join(tmpdir(), 'weave-soak-'))
  for (const [name, value] of Object.entries(soakFiles)) writeFileSync(join(dir, name), JSON.stringify(value))
  const hub = await startHub(join(dir, 'home/.weave-executions'), join(dir, 'home'))
  const clients = soakClients()
  const page = await openSoakPage(await hub.link('/'))
  const place = { dir, hubPid: hub.pid, seconds: (hours * 3_600) / 2 }
  const halves: Sample[][] = []
  try {
    for (const weave of [from, undefined]) {
      const server = await startSoakServer(place, weave)
      clients.join(server.url)
      await page.show(server.name())
      halves.push(await watch(server, { clients, began: halves.flat().at(-1)?.seconds ?? 0, ...place }))
      clients.stopping()
      await server.stop()
    }
  } finally {
    clients.close()
    await page.close()
    await hub.close()
    rmSync(dir, { recursive: true, force: true })
  }
  const { heard, completed, visits, approved, faults } = clients.seen()
  faults.push(...page.faults)
  const judged = halves.map(judge)
  // A server that ended by itself was not soaked.
  for (const half of halves)
    if ((half.at(-1)?.seconds ?? 0) - (half[0]?.seconds ?? 0) < place.seconds * 0.9)
      faults.push(`the server ended after ${half.length} samples`)
  console.log(
    [
      '',
      `${completed} codons, ${approved} gates, ${visits} visits`,
      ...judged.flatMap(({ words }) => words),
    ].join('\n'),
  )
  console.log(faults.slice(0, 20).join('\n'))
  const isWell = judged.every(({ ok }) => ok) && completed > 0 && faults.length === 0
  if (isKept && isWell)
    writeFileSync(samplesFile, `${JSON.stringify({ halves: halves.map(thinned) }, null, 2)}\n`)
  const counts = { codons: completed, 'events heard': heard, visits, gates: approved, upgrades: 1 }
  return {
    code: isWell ? 0 : 1,
    result: { holds: 'memory, open files', seconds: Math.round(hours * 3_600), counts },
  }
}

/** One a minute is enough for a picture. */
function thinned(half: readonly Sample[]): readonly Sample[] {
  return half.filter(({ heap }) => heap !== undefined)
}

interface Watched {
  readonly clients: ReturnType<typeof soakClients>
  readonly hubPid: number
  /** How long, and how long it took before. */
  readonly seconds: number
  readonly began: number
}

async function watch(server: SoakServer, { clients, hubPid, seconds, began }: Watched): Promise<Sample[]> {
  const samples: Sample[] = []
  const start = performance.now()
  for (let turn = 1; !server.isOver() && performance.now() - start < seconds * 1_000; turn++) {
    await pause(everySeconds * 1_000)
    // Collecting garbage is looked at once a minute, so that the server is mostly left alone.
    const heap = turn % visitEvery === 0 ? await server.heap() : undefined
    const at = began + Math.round((performance.now() - start) / 1_000)
    const sample = sampleOf(server.pid, hubPid, at)
    if (!sample) break
    samples.push({ ...sample, ...(heap !== undefined && { heap }) })
    if (turn % visitEvery === 0) await clients.visit()
    const { heard, completed, approved } = clients.seen()
    const memory = `${Math.round(sample.rss / 1024)} MB, heap ${heap === undefined ? '–' : Math.round(heap / 1024)} MB, hub ${Math.round(sample.hub / 1024)} MB`
    console.log(
      `${at} s: ${memory}, ${sample.files} open files, ${sample.processes} processes, ${completed} codons, ${approved} gates, ${heard} events`,
    )
  }
  return samples
}
