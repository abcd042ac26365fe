import { mkdirSync, writeFileSync } from 'node:fs'
import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fill, watched } from './watch-fixture.ts'

/** Milliseconds that a thing asked of the event loop may have to wait (safety I18). */
const longestLag = 500

function lagMeter(): IntervalHistogram {
  const meter = monitorEventLoopDelay({ resolution: 5 })
  meter.enable()
  onTestFinished(() => void meter.disable())
  return meter
}

const lagOf = (meter: IntervalHistogram) => meter.max / 1e6

async function makeFiles(root: string, count: number): Promise<void> {
  for (let file = 0; file < count; file++) {
    if (file % 500 === 0) {
      mkdirSync(join(root, `d${file / 500}`))
      await setImmediate()
    }
    writeFileSync(join(root, `d${Math.floor(file / 500)}`, `f${file}`), `content ${file}`)
  }
}

describe('a burst', () => {
  it('of 20,000 files is told completely, each file once, without holding up the event loop', async () => {
    const workspace = await watched({ inMemory: true, isRealTime: true, listen: 'to the system' })
    const { root, watch, updates, trees, settled } = workspace
    await makeFiles(root, 20_000)
    const meter = lagMeter()
    expect(await watch.settle()).toBe(true)
    expect(lagOf(meter)).toBeLessThan(longestLag)
    expect(updates).toHaveLength(20_000)
    expect(new Set(updates.map(({ path }) => path)).size).toBe(20_000)
    const wrong = updates.filter(
      ({ action, filename, content }) => action !== 'created' || content !== `content ${filename.slice(1)}`,
    )
    expect(wrong).toEqual([])
    expect(trees.length).toBeLessThan(10)
    workspace.told()

    meter.reset()
    expect(await settled()).toEqual([])
    await rm(join(root, 'd1'), { recursive: true })
    meter.reset()
    expect(await settled()).toHaveLength(500)
    expect(lagOf(meter)).toBeLessThan(longestLag)
  }, 60_000)

  it('of deletions, for which nothing is read, lets others have a turn', async () => {
    let [turn, isRunning] = [0, true]
    const turns = new Set<number>()
    const { root, settled } = await watched({ inMemory: true, onChange: () => void turns.add(turn) })
    await makeFiles(root, 2_000)
    await settled()
    await rm(root, { recursive: true })
    turns.clear()
    const counting = (async () => {
      for (; isRunning; turn++) await setImmediate()
    })()
    expect(await settled()).toHaveLength(2_000)
    isRunning = false
    await counting
    expect(turns.size).toBeGreaterThan(10)
  })

  it('of large files holds few of them at a time', async () => {
    let [open, most] = [0, 0]
    const onChange = async () => {
      most = Math.max(most, ++open)
      await setImmediate()
      open--
    }
    const { root, settled } = await watched({ inMemory: true, onChange })
    for (let file = 0; file < 40; file++) await fill(root, { [`f${file}`]: 'x'.repeat(1024 * 1024) })
    expect(await settled()).toHaveLength(40)
    expect(most).toBe(1)
  })

  it('of bytes in one huge file does not hold up the event loop', async () => {
    const { root, settled, updates } = await watched({ inMemory: true })
    const bytes = 256 * 1024 * 1024
    await fill(root, { huge: 'text' })
    await truncate(join(root, 'huge'), bytes)
    const meter = lagMeter()
    expect(await settled()).toEqual(['created huge'])
    expect(lagOf(meter)).toBeLessThan(longestLag)
    expect(updates[0]).toMatchObject({
      content: '',
      bytes,
      omitted: 'binary',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })
})
