import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { HankFolder } from './hank-folder.ts'
import { attributesOf, type OtlpRequest, type OtlpSpan, spansIn, spansOf } from './otlp-collector.ts'

const python = '/usr/bin/python3'
const decoder = fileURLToPath(new URL('./decode-otlp.py', import.meta.url))

export interface EncodedRequest {
  readonly kind: 'traces' | 'metrics'
  readonly encoding: 'protobuf' | 'json'
  readonly body: Buffer
}

/** What requests hold, by a decoder that shares nothing with those who encoded them. */
export function decodedOtlp(requests: readonly EncodedRequest[]): readonly unknown[] {
  const lines = requests.map(each => JSON.stringify({ ...each, body: each.body.toString('base64') }))
  const options = { input: `${lines.join('\n')}\n`, encoding: 'utf8', maxBuffer: 1 << 28 } as const
  const { status, stdout, stderr } = spawnSync(python, [decoder], options)
  if (status !== 0) throw new Error(stderr)
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as unknown)
}

export function decodedSpans(requests: readonly Omit<EncodedRequest, 'kind'>[]): readonly OtlpSpan[] {
  const decoded = decodedOtlp(requests.map(each => ({ ...each, kind: 'traces' })))
  return decoded.flatMap(request => spansOf(request as OtlpRequest))
}

/** Where it is missing, the file of tests that is all about it says so. */
const canDecode =
  process.env['WEAVE_TEST_PROGRAMS'] === 'all' ||
  spawnSync(python, ['-c', 'import google.protobuf']).status === 0

/** The names of spans whose parent is not there. */
export function orphans(spans: readonly OtlpSpan[]): readonly string[] {
  const known = new Set(spans.map(({ spanId }) => spanId))
  return spans.flatMap(({ name, parentSpanId }) => (parentSpanId && !known.has(parentSpanId) ? [name] : []))
}

interface Costs {
  readonly codons: readonly {
    readonly codonId: string
    readonly cost: number
    readonly classes: readonly { readonly tokens: number }[]
  }[]
}

/** Exports an execution: nothing is lost, every parent is there, and what is spent is what the report says. */
export function expectWholeExport(at: HankFolder): void {
  const { status, stderr } = at.weave('export', '--otlp', '--file', 'whole.jsonl')
  expect(status, stderr).toBe(0)
  const text = readFileSync(at.path('whole.jsonl'), 'utf8')
  const written = spansIn(text)
  const lines = text.trimEnd().split('\n')
  const spans = canDecode
    ? decodedSpans(lines.map(line => ({ encoding: 'json', body: Buffer.from(line) })))
    : written
  expect(spans.map(({ spanId }) => spanId)).toEqual(written.map(({ spanId }) => spanId))
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
  expect(orphans(spans)).toEqual([])
  const { codons } = JSON.parse(at.weave('report', '--costs', '--json').stdout) as Costs
  expect(spentIn(spans)).toEqual(
    codons.map(({ codonId, cost, classes }) => ({
      codonId,
      cost,
      tokens: classes.reduce((sum, { tokens }) => sum + tokens, 0),
    })),
  )
}

/** What attempts add up to, by codon, in the order of the report. */
function spentIn(spans: readonly OtlpSpan[]) {
  const attempts = spans.filter(({ name }) => name.startsWith('invoke_agent')).map(attributesOf)
  const codons = [...new Set(attempts.map(each => String(each['weave.codon.id'])))]
  return codons.map(codonId => {
    const own = attempts.filter(each => each['weave.codon.id'] === codonId)
    const total = (name: string) => own.reduce((sum, each) => sum + Number(each[name] ?? 0), 0)
    return {
      codonId,
      cost: total('weave.cost.usd'),
      tokens: total('gen_ai.usage.input_tokens') + total('gen_ai.usage.output_tokens'),
    }
  })
}
