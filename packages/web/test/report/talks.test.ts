import type { ReportEvents } from '@weave/protocol'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { talksOf } from '../../src/report/talks.ts'

const types = ['codon.started', 'assistant.action', 'tool.result', 'codon.completed', 'info']
const rows = [
  { type: 0, line: 'codon a started', more: 'Do it.' },
  { type: 1, line: 'Bash {"command":"ls"}', isTool: true },
  { type: 4, line: 'a note' },
  { type: 2, line: 'Bash answered: x', more: 'x\ny' },
  { type: 1, line: 'Done.' },
  { type: 3, line: 'codon a failed' },
  { type: 0, line: 'codon a started', more: 'Do it.' },
  { type: 1, line: 'Again.' },
]
const events: ReportEvents = {
  leftOut: 0,
  types,
  codons: ['a'],
  startMs: 1_000,
  seq: rows.map((_, at) => at + 1),
  at: rows.map((_, at) => at * 10),
  type: rows.map(({ type }) => type),
  codon: rows.map(() => 0),
  line: rows.map(({ line }) => line),
  tools: rows.flatMap(({ isTool }, at) => (isTool ? [at + 1] : [])),
  more: Object.fromEntries(rows.flatMap(({ more }, at) => (more === undefined ? [] : [[at + 1, more]]))),
}

verifies(
  ['repair/report-conversation'],
  'each attempt has its own part of the conversation, in order',
  () => {
    expect(talksOf(events)).toEqual([
      {
        codon: 'a',
        startMs: 1_000,
        turns: [
          { kind: 'prompt', text: 'Do it.' },
          { kind: 'tool', text: 'Bash {"command":"ls"}' },
          { kind: 'result', text: 'x\ny' },
          { kind: 'agent', text: 'Done.' },
          { kind: 'end', text: 'codon a failed' },
        ],
      },
      {
        codon: 'a',
        startMs: 1_060,
        turns: [
          { kind: 'prompt', text: 'Do it.' },
          { kind: 'agent', text: 'Again.' },
        ],
      },
    ])
  },
)
