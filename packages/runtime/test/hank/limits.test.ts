import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codon, loadValue, loop } from './fixture.ts'

const messages = async (item: object) =>
  (await loadValue({ hank: [item] })).problems.flatMap(({ severity, message }) =>
    severity === 'error' ? [message] : [],
  )

verifies(['d14/command-length'], 'a command has at most 131,071 bytes, not characters', async () => {
  const rigged = (run: string) => codon({ rigSetup: [{ type: 'command', command: { run } }] })
  const tooLong = [expect.stringContaining('the command is longer than 131071 bytes')]
  expect(await messages(rigged('x'.repeat(131_071)))).toEqual([])
  expect(await messages(rigged('x'.repeat(131_072)))).toEqual(tooLong)
  expect(await messages(rigged('é'.repeat(65_536)))).toEqual(tooLong)
})

verifies(['d14/path-length'], 'a path has at most 4,096 characters', async () => {
  const target = (length: number) =>
    codon({ rigSetup: [{ type: 'copy', copy: { from: 'hank.json', to: 'p'.repeat(length) } }] })
  expect(await messages(target(4_096))).toEqual([])
  expect(await messages(target(4_097))).toEqual([expect.stringContaining('is longer than 4096 characters')])
  expect(await messages(codon({ promptFile: 'p'.repeat(4_097) }))).toEqual([
    expect.stringContaining('is longer than 4096 characters'),
  ])
})

verifies(['attack/id-control-characters'], 'an id has no control character', async () => {
  for (const character of ['\0', '\n', '\x1b', '\x7f', '\x9b']) {
    const expected = [expect.stringContaining('has a control character')]
    expect(await messages(codon({ id: `a${character}` }))).toEqual(expected)
    expect(await messages(loop({ id: `a${character}` }))).toEqual(expected)
  }
  expect(await messages(codon({ id: 'ü b#c' }))).toEqual([])
})
