import type { Figure } from './measure.ts'

/** TABLE of the goals of the plan that are met with a third to spare on a quiet machine: they are raised by a tenth. */
const ids: ReadonlySet<string> = new Set([
  'P1',
  'P3 all',
  'P3 first',
  'P3 memory',
  'P3 page',
  'P3 socket first',
  'P3 socket memory',
  'P4 100',
  'P4 1000',
  'P5 p50',
  'P5 p99',
  'P7 many',
  'P7 whole',
  'P10 floor',
  'P13 idle',
  'P13 screen cost',
  'P13 used',
  'P14 packages',
  'P16',
  'start',
  'A6 fetch',
  'A6 look',
  'A6 submit',
  'A6 turns',
  'A8 first',
  'A8 warm',
  'dash cancel',
  'dash find first',
  'dash find text',
  'dash find type',
  'dash heap',
  'dash idle',
  'dash jump',
  'dash live busy',
  'dash live late',
  'dash live latest',
  'dash nodes',
  'dash open',
  'dash picture',
  'dash script',
  'dash style',
])

const tenth = { 'at least': 1.1, 'at most': 0.9 }

/** A figure as it was measured, with the goal that it has now. */
export function withRaisedGoal(figure: Figure): Figure {
  const { id, goal } = figure
  if (!goal || !ids.has(id)) return figure
  return { ...figure, goal: { ...goal, ratio: Number((goal.ratio * tenth[goal.kind]).toPrecision(3)) } }
}
