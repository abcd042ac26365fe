// Loaded before the clock of a test runs; the values are checked with it.
import '@weave/runtime'
import { expect, test } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { wrongFlagValues } from '../src/flag-values.ts'
import { parseArguments } from '../src/parse-arguments.ts'
import { withoutToken } from '../src/program.ts'

const allowed = ['port', 'max-cost', 'log-level', 'vendor-base-url', 'token', 'headless'] as const

async function wrong(...words: readonly string[]): Promise<readonly string[]> {
  const parsed = parseArguments(words, allowed)
  return parsed.ok ? wrongFlagValues(parsed.arguments) : [parsed.message]
}

verifies(
  ['d14/flag-value-usage'],
  'a value that cannot be is told with its flag and what is allowed',
  async () => {
    expect(await wrong('--port', 'abc', '--log-level=loud', 'hank')).toEqual([
      '--log-level: expected debug, info, warn, error; found "loud"',
      '--port: expected a whole number from 0 to 65535, found "abc"',
    ])
    expect(await wrong('--max-cost', '-1')).toEqual(['--max-cost: expected a number above 0, found -1'])
    expect(await wrong('--vendor-base-url', 'x')).toEqual([
      '--vendor-base-url: expected an address that starts with https://, or with http:// when it is on this machine, found "x"',
    ])
    expect(await wrong('--port', '0', '--max-cost', '2', '--log-level', 'warn', '--headless')).toEqual([])
  },
)

test('a number below zero is no value of a switch, and no flag takes two', async () => {
  expect(await wrong('--headless', '-1')).toEqual([expect.stringContaining('Unknown option')])
  expect(await wrong('--max-cost', '1', '-2')).toEqual([expect.stringContaining('Unknown option')])
})

verifies(['attack/token-hidden'], 'a token is taken out of the words that others can see', () => {
  expect(withoutToken(['run', '--token', 'abc', '--port', '1'])).toEqual([
    'run',
    '--token',
    '[hidden]',
    '--port',
    '1',
  ])
  expect(withoutToken(['--token=abc', 'x'])).toEqual(['--token=[hidden]', 'x'])
  expect(withoutToken(['x', '--tokens', 'abc'])).toEqual(['x', '--tokens', 'abc'])
})
