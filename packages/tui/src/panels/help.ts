import { type KeyGroup, keysText, keyTable } from '../model/key-table.ts'
import { plainRows, type Rows } from '../model/rows.ts'
import { panels, type Question } from '../model/ui.ts'
import { type Line, line, span } from '../terminal/line.ts'
import { displayWidth, wrapped } from '../terminal/width.ts'

/** Columns for the keys: as many as the longest of them takes, and two more. */
const keyColumn = Math.max(...keyTable.map(row => displayWidth(keysText(row)))) + 2

/** All keys, from the table. `canSteer` false: those that steer are shown as out of reach. */
export function helpRows({ width, canSteer }: { readonly width: number; readonly canSteer: boolean }): Rows {
  const groups = [...new Set(keyTable.map(({ group }) => group))]
  return plainRows([
    ...(canSteer
      ? []
      : [line(span(' This screen only watches: keys that steer the run do nothing.', 'warn')), line('')]),
    ...groups.flatMap(group => groupLines(group, { width, canSteer })),
    line(span(' Panels', 'bold')),
    ...Object.values(panels).map(({ title, about }, index) =>
      line(span(`  ${index + 1} ${title}`.padEnd(keyColumn + 4), 'accent'), about),
    ),
  ])
}

function groupLines(
  group: KeyGroup,
  { width, canSteer }: { width: number; canSteer: boolean },
): readonly Line[] {
  const rows = keyTable.filter(row => row.group === group)
  return [
    line(span(` ${group}`, 'bold')),
    ...rows.flatMap(row => {
      const style = row.steers && !canSteer ? 'dim' : 'plain'
      const texts = wrapped(row.does, Math.max(10, width - keyColumn - 3))
      return texts.map((text, index) =>
        line(span(`  ${(index === 0 ? keysText(row) : '').padEnd(keyColumn)}`, 'accent'), span(text, style)),
      )
    }),
    line(''),
  ]
}

export function questionRows({ title, lines, answers }: Question, width: number): Rows {
  return plainRows([
    line(''),
    line(span(` ${title}`, 'bold')),
    line(''),
    ...lines.flatMap(text => wrapped(text, Math.max(10, width - 4)).map(each => line(`  ${each}`))),
    line(''),
    ...answers.map(({ key, does }) => line(span(`  ${key}`, 'accent'), `  ${does}`)),
    line(span('  n', 'accent'), '  no'),
  ])
}

/** A text of any length under its title. */
export function textRows(
  { title, text }: { readonly title: string; readonly text: string },
  width: number,
): Rows {
  const lines = wrapped(text, Math.max(10, width - 3), mostRows)
  return plainRows([line(span(` ${title}`, 'bold')), line(''), ...lines.map(each => line(`  ${each}`))])
}

const mostRows = 5_000
