import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { keysText, keyTable } from '../../src/model/key-table.ts'

test('no key means two things', () => {
  const keys = keyTable.flatMap(row => row.keys)
  expect(new Set(keys).size).toBe(keys.length)
})

test('the page about the terminal has the table of keys as it is', () => {
  const page = readFileSync(new URL('../../../../docs/terminal.md', import.meta.url), 'utf8')
  const groups = [...new Set(keyTable.map(({ group }) => group))]
  const table = [
    '| key | what it does |',
    '|---|---|',
    ...groups.flatMap(group => [
      `| **${group}** | |`,
      ...keyTable.filter(row => row.group === group).map(row => `| \`${keysText(row)}\` | ${row.does} |`),
    ]),
  ]
  expect(page).toContain(table.join('\n'))
})
