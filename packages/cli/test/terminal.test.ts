import { expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { columns, terminalOn } from '../src/terminal.ts'

const hostile = '\x1b]52;c;ZXZpbA==\x07\x9b2J\r\u202e'
const spelled = '\\u{1b}]52;c;ZXZpbA==\\u{7}\\u{9b}2J\\u{d}\\u{202e}'

verifies(['attack/terminal-controls'], 'a terminal spells control characters out, whoever speaks', () => {
  const written: string[] = []
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0
  const terminal = terminalOn({ write }, { write })
  terminal.out(`a\n\tb ${hostile}`)
  terminal.error(hostile)
  terminal.json(JSON.stringify({ name: hostile }))
  terminal.raw('a,b\r\nc,d')
  expect(written).toEqual([
    `a\n\tb ${spelled}\n`,
    `${spelled}\n`,
    '{"name":"\\u001b]52;c;ZXZpbA==\\u0007\\u009b2J\\r\\u202e"}\n',
    'a,b\r\nc,d\n',
  ])
})

verifies(['attack/terminal-controls'], 'a cell of a table is one line, as wide as what is printed', () => {
  expect(
    columns(
      [
        ['a\nb', 'x'],
        [hostile, 'y'],
        ['c', 'z'],
      ],
      '',
    ),
  ).toEqual([`${'a b'.padEnd(spelled.length)}  x`, `${spelled}  y`, `${'c'.padEnd(spelled.length)}  z`])
})
