import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { codon, hankFolder, rig } from '../support/hank-folder.ts'
import { root, scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

interface Example {
  /** Resolves when it has said that, this many times. */
  readonly until: (words: string, times?: number) => Promise<void>
  readonly say: (words: string) => void
  readonly said: () => string
  readonly ended: Promise<number | null>
}

/** An example as it stands in the repository, with the client from its source. */
function start(name: string, url: string): Example {
  const program = join(root, 'examples/clients', name)
  const child = spawn(process.execPath, ['--conditions=weave-source', '--import', 'tsx', program, url], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let said = ''
  const looks = new Set<() => void>()
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8')
    for (const look of looks) look()
  })
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill('SIGKILL')
    await ended
  })
  const until = (words: string, times = 1): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (said.split(words).length > times) resolve()
      }
      looks.add(look)
      look()
      void ended.then(code =>
        reject(new Error(`${name} ended with ${code} before it said ${words}:\n${said}`)),
      )
    })
  return { until, say: words => void child.stdin.write(`${words}\n`), said: () => said, ended }
}

/** Its rig fails once. */
const secondTry = {
  onFailure: 'retry',
  retryConfig: { maxAttempts: 2, delayMs: 1 },
  ...rig('test -e tried || { touch tried; exit 1; }'),
}

test('the three examples drive a run to its end, watch it and add it up', async () => {
  const run = await (await hankFolder([codon('draft'), codon('review', secondTry)])).serve()
  const url = `ws://localhost:${run.port}`
  const [watch, costs, drive] = [start('watch.mjs', url), start('costs.mjs', url), start('drive.mjs', url)]
  await Promise.all([watch.until('started'), drive.until('quit?')])

  drive.say('next')
  await drive.until('draft is done')
  await drive.until('quit?', 2)
  drive.say('jump')
  await drive.until('I know: next')
  await drive.until('quit?', 3)
  drive.say('next')
  await drive.until('review is done')
  await drive.until('All codons are done.')
  await drive.until('quit?', 4)
  drive.say('next')
  await drive.until('quit?', 5)
  drive.say('quit')
  expect(await drive.ended).toBe(0)

  expect(await costs.ended).toBe(0)
  // What an attempt used stands in its own row, and nowhere else.
  expect(costs.said()).toMatch(/'review' │ 'failed' {4}│ '\$0\.0000' │ 0 {5}│ 0 {2}/)
  expect(costs.said()).toMatch(/'review' │ 'completed' │ '\$0\.0000' │ [1-9]\d* +│ 40 /)
  await watch.until('codon review completed')
  expect(watch.said()).toMatch(/^ {5}1 /)
  expect(await run.kill('SIGTERM')).toBe(0)
}, 60_000)
