import fc from 'fast-check'
import { beforeAll, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { otlpCollector, spansIn } from '../support/otlp-collector.ts'
import { isProof, proofSeed, tally } from '../support/proof.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const kills = isProof ? 50 : 3
const seed = proofSeed ?? 1
const ids = ['draft', 'review', 'publish']

/** Milliseconds that a run takes at least from its first codon to its end. */
const longest = 1_500

verifies(
  ['otel/live-resume', 'otel/live', 'otel/crash'],
  `a run that is killed ${kills} times and goes on has sent what an export afterwards holds, under the same ids (seed ${seed})`,
  async () => {
    const moments = fc.sample(fc.double({ min: 0, max: longest, noNaN: true }), { numRuns: kills, seed })
    for (const moment of moments) await survives(moment)
    tally('kills with spans', kills)
  },
  60_000 + kills * 30_000,
)

async function survives(moment: number): Promise<void> {
  const { env, spans } = await otlpCollector()
  const at = (
    await hankFolder(
      ids.map(id => codon(id)),
      {},
      { inMemory: true },
    )
  ).with(env)
  const run = await at.startScripted('--headless', '--otel')
  await run.until('codon draft started')
  const timer = setTimeout(() => run.child.kill('SIGKILL'), moment)
  await run.ended
  clearTimeout(timer)
  const again = await at.startScripted('--headless', '--otel', '-e', at.execution())
  const code = await again.ended
  expect(code, again.said()).toBe(0)
  const exported = spansIn(at.weave('export', '--otlp', '--file', '-', at.execution()).stdout)
  const sent = new Map(spans().map(span => [span.spanId, span]))
  for (const span of exported) expect(sent.get(span.spanId), `${span.name} after ${moment} ms`).toEqual(span)
  expect(sent.size).toBe(exported.length)
}
