import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { heardTerminal } from '../../../../test/support/heard-terminal.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { checkpointsCommand } from '../../src/checkpoints/checkpoints.ts'
import { diffCommand } from '../../src/checkpoints/diff.ts'
import { gcCommand } from '../../src/checkpoints/gc.ts'
import { rollbackCommand } from '../../src/checkpoints/rollback.ts'
import type { FlagName } from '../../src/flags.ts'
import type { Arguments } from '../../src/parse-arguments.ts'

const command = {
  checkpoints: checkpointsCommand,
  diff: diffCommand,
  rollback: rollbackCommand,
  gc: gcCommand,
}

async function run(
  name: keyof typeof command,
  positionals: readonly string[],
  { switches = [], texts = {} }: { switches?: readonly FlagName[]; texts?: Arguments['texts'] } = {},
) {
  const terminal = heardTerminal()
  const code = await command[name]({ positionals, switches: new Set(switches), texts }, terminal)
  return { code, out: terminal.said.out, error: terminal.said.error.join('\n') }
}

describe('the commands on checkpoints', () => {
  test('want to know what to compare, where to go back to, and how old leftovers must be', async () => {
    expect(await run('diff', [])).toMatchObject({ code: 2, error: expect.stringContaining('weave diff <a>') })
    expect(await run('diff', ['a', 'b', 'c'])).toMatchObject({ code: 2 })
    expect(await run('diff', ['a'], { switches: ['stat', 'json'] })).toMatchObject({
      code: 2,
      error: '--stat and --json exclude each other.',
    })
    expect(await run('rollback', [])).toMatchObject({ code: 2, error: expect.stringContaining('--undo') })
    expect(await run('rollback', ['a'], { switches: ['undo'] })).toMatchObject({ code: 2 })
    expect(await run('gc', [], { texts: { prune: 'soon' } })).toMatchObject({
      code: 2,
      error: '--prune takes an age, such as 7d, 12h or 30m.',
    })
  })

  test('fail for what is no execution', async () => {
    const nothing = join(await tempDir({ inMemory: true }), 'nothing')
    const texts = { execution: nothing }
    const refusal = { code: 1, out: [], error: expect.stringContaining('is no execution') }
    expect(await run('checkpoints', [nothing])).toMatchObject(refusal)
    expect(await run('diff', ['a'], { texts })).toMatchObject(refusal)
    expect(await run('rollback', ['a'], { texts })).toMatchObject(refusal)
    expect(await run('gc', [nothing])).toMatchObject(refusal)
  })
})
