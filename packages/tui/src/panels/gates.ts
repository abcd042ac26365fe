import { clockText, decisionText, durationText, type GateView, harmlessLine } from 'weave-client'
import { gateKey } from '../model/questions.ts'
import { plainRows, type Rows, rowsOf } from '../model/rows.ts'
import { line, span } from '../terminal/line.ts'
import { type PanelContext, spread } from './panel.ts'

/** What the run waits for, what it was asked before, and holds to come; newest first. */
export function gateRows({ view, width, now }: PanelContext): Rows {
  const rows = view.gates.toReversed().flatMap(gate => {
    const key = gateKey(gate)
    const left = line(' ', span(isOpen(gate) ? '? ' : '  ', 'warn'), span(harmlessLine(titleOf(gate), 300)))
    const right = line(span(`${standing(gate, now)} `, isOpen(gate) ? 'warn' : 'dim'))
    const more = isOpen(gate) ? detailsOf(gate) : []
    return [
      { key, part: 0, line: spread(left, right, width) },
      ...more.map((text, index) => ({
        key,
        part: index + 1,
        line: line(span(`     ${harmlessLine(text, 300)}`, 'dim')),
      })),
    ]
  })
  if (rows.length > 0) return rowsOf(rows)
  return plainRows([line(span(' The run has not come to a gate.', 'dim'))])
}

function isOpen({ asked, decided }: GateView): boolean {
  return asked !== undefined && decided === undefined
}

function titleOf({ gateId, asked, armed }: GateView): string {
  if (asked) return `${gateId} before ${asked.next ?? 'the end'}`
  return `${gateId} before ${armed?.before ?? 'the next codon'}`
}

function standing({ asked, decided, time }: GateView, now: number): string {
  if (decided) return `${decisionText(decided)} · ${clockText(time)}`
  if (!asked) return 'asked for'
  return `waits for ${durationText(Math.max(0, now - Date.parse(time)))}`
}

const shownFiles = 12

function detailsOf({ asked }: GateView): readonly string[] {
  const { message, files = [], deadline, round = 1 } = asked ?? {}
  return [
    ...(message === undefined ? [] : [message]),
    ...files.slice(0, shownFiles).map(({ path, action }) => `${action} ${path}`),
    ...(files.length > shownFiles ? [`and ${files.length - shownFiles} more`] : []),
    ...(round > 1 ? [`asked ${round} times`] : []),
    ...(deadline === undefined ? [] : [`rejected by itself at ${clockText(deadline)}`]),
    'Enter decides: y approves, N rejects',
  ]
}
