import { describe, expect, it, vi } from 'vitest'
import { processStartTime, start } from '../../src/kit/index.ts'
import { processTable, tableFromPs } from '../../src/kit/process-table.ts'
import { patience } from './fixture.ts'

describe.each([
  ['the table', processTable],
  ['the table that ps writes', tableFromPs],
])('%s', (_name, table) => {
  it('knows a process by its parent and its group', async () => {
    const started = start('sleep', ['30'])
    const pid = started.pid ?? 0
    const found = (await table()).find(row => row.pid === pid)
    expect(found).toMatchObject({ pid, parent: process.pid, group: pid, session: pid })
    started.kill('enough')
    await started.done
    expect((await table()).some(row => row.pid === pid)).toBe(false)
  })

  it('leaves out those who have ended and wait to be collected', async () => {
    const started = start('sh', ['-c', 'sleep 0.01 & exec sleep 30'])
    await vi.waitFor(async () => {
      const group = (await table()).filter(row => row.group === started.pid)
      expect(group.map(row => row.pid)).toEqual([started.pid])
    }, patience)
    started.kill('enough')
    await started.done
  })
})

it('a row tells the start time that its process is known by', async () => {
  const own = (await processTable()).find(row => row.pid === process.pid)
  expect(own?.startTime).toBe(processStartTime(process.pid))
})
