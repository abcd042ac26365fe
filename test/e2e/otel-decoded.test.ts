import { beforeAll, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { decodedOtlp, decodedSpans, orphans } from '../support/decoded-otlp.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'
import { attributesOf, otlpCollector, spansIn } from '../support/otlp-collector.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

verifies(
  ['otel/live', 'otel/live-metrics', 'otel/sums', 'otel/whole-tree', 'otel/json-bytes'],
  "what a run sends and what is exported afterwards is the same to Google's decoder with the project's own messages",
  async () => {
    const { endpoint, traces, metrics } = await otlpCollector()
    const place = await hankFolder([codon('draft'), codon('review')], {}, { inMemory: true })
    const at = place.with({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '50' })
    const run = await at.startScripted('--headless', '--otel')
    expect(await run.ended, run.said()).toBe(0)

    const sent = decodedSpans(traces().map(({ body }) => ({ encoding: 'protobuf', body })))
    const { stdout } = at.weave('export', '--otlp', '--file', '-')
    const lines = stdout.trimEnd().split('\n')
    const exported = decodedSpans(lines.map(line => ({ encoding: 'json', body: Buffer.from(line) })))
    expect(sent).toEqual(exported)
    expect(exported).toHaveLength(spansIn(stdout).length)
    expect(orphans(sent)).toEqual([])

    const last = metrics().at(-1)
    const [told] = decodedOtlp(last ? [{ kind: 'metrics', encoding: 'protobuf', body: last.body }] : [])
    const chats = sent.filter(({ name }) => name.startsWith('chat')).map(attributesOf)
    const used = (name: string) => chats.reduce((sum, each) => sum + Number(each[name]), 0)
    expect(tokensIn(told as MetricsRequest)).toEqual({
      input: used('gen_ai.usage.input_tokens'),
      output: used('gen_ai.usage.output_tokens'),
    })
    expect(used('gen_ai.usage.output_tokens')).toBeGreaterThan(0)
  },
  120_000,
)

interface MetricsRequest {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly {
        readonly name: string
        readonly histogram?: { readonly dataPoints: readonly DataPoint[] }
      }[]
    }[]
  }[]
}

type DataPoint = Parameters<typeof attributesOf>[0] & { readonly sum: number }

function tokensIn({ resourceMetrics }: MetricsRequest): Readonly<Record<string, number>> {
  const all = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  const points = all
    .filter(({ name }) => name === 'gen_ai.client.token.usage')
    .flatMap(({ histogram }) => histogram?.dataPoints ?? [])
  const sums: Record<string, number> = {}
  for (const point of points) {
    const type = String(attributesOf(point)['gen_ai.token.type'])
    sums[type] = (sums[type] ?? 0) + point.sum
  }
  return sums
}
