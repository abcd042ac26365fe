import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loadSdk, type Spawn } from '../../../src/harness/claude/sdk.ts'
import { commandOf } from '../../../src/harness/claude/warm-start.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

test('asking the SDK for its command leaves nothing in memory, and nobody with a rejection', async () => {
  const rejections: unknown[] = []
  const note = (reason: unknown): void => void rejections.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const sdk = await loadSdk()
  const standIns: WeakRef<object>[] = []
  const ask = () =>
    commandOf(sdk, spawn => {
      const watched: Spawn = wanted => {
        const standIn = spawn(wanted)
        standIns.push(new WeakRef(standIn))
        return standIn
      }
      return { cwd: process.cwd(), spawnClaudeCodeProcess: watched }
    })
  for (let turn = 0; turn < 5; turn++) expect(ask()?.args.length).toBeGreaterThan(0)
  expect(standIns).toHaveLength(5)
  const held = () => {
    collect()
    return standIns.filter(ref => ref.deref())
  }
  await vi.waitFor(() => expect(held()).toEqual([]), { timeout: 20_000 })
  expect(rejections).toEqual([])
})
