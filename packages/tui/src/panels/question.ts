import { plainRows, type Rows } from '../model/rows.ts'
import type { Question } from '../model/ui.ts'
import { line, span } from '../terminal/line.ts'
import { wrapped } from '../terminal/width.ts'

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
