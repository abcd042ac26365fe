import { join, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import {
  archiveDirectory,
  executionLayout,
  sentinelDirectory,
  sessionLog,
} from '../../src/workspace/index.ts'

const layout = executionLayout('/base/one')

describe('the paths of an execution', () => {
  it('are those of the contract', () => {
    expect(layout).toEqual({
      dir: '/base/one',
      agentRoot: '/base/one/agentRoot',
      dataSource: '/base/one/agentRoot/read_only_data_source',
      rigArchive: '/base/one/rigArchive',
      internals: '/base/one/.weave',
      lockFile: '/base/one/.weave/lock.json',
      notifiedFile: '/base/one/.weave/notified.json',
      runLog: '/base/one/.weave/logs/run.log',
      executionFile: '/base/one/.weave/execution.json',
      stateFile: '/base/one/.weave/state.json',
      journal: '/base/one/.weave/journal',
      checkpoints: '/base/one/.weave/checkpoints',
      sessions: '/base/one/.weave/sessions',
      logs: '/base/one/.weave/logs',
      serverLog: '/base/one/.weave/logs/server.log',
      sentinels: '/base/one/.weave/sentinels',
      agents: '/base/one/.weave/agents',
      archiveManifest: '/base/one/.weave/archive.json',
      originFile: '/base/one/.weave/origin.json',
      tracesFile: '/base/one/.weave/otel.json',
    })
    expect(sessionLog(layout, 'run_1', 'review#0')).toBe('/base/one/.weave/sessions/run_1/review#0.jsonl')
    expect(sentinelDirectory(layout, 'narrator')).toBe('/base/one/.weave/sentinels/narrator')
  })

  verifies(['d3/codon-archive-iteration'], 'write the # of an iteration as - in an archive', () => {
    expect(archiveDirectory(layout, 'review#12')).toBe('/base/one/rigArchive/review-12')
    expect(archiveDirectory(layout, 'draft')).toBe('/base/one/rigArchive/draft')
  })
})

describe('an id that is no file name', () => {
  it.each([
    '..',
    '../../../etc/passwd',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'C:evil',
    'nul\0inside',
    '',
    '.hidden',
    'ends with a dot.',
    'line\nbreak',
    'lone \ud800 surrogate',
    'x'.repeat(5_000),
    '界'.repeat(5_000),
  ])('stays one entry of its directory: %j', id => {
    for (const [path, base] of [
      [archiveDirectory(layout, id), layout.rigArchive],
      [sentinelDirectory(layout, id), layout.sentinels],
      [sessionLog(layout, 'run', id), join(layout.sessions, 'run')],
    ] as const) {
      expect(path.startsWith(`${base}${sep}`)).toBe(true)
      const name = path.slice(base.length + 1)
      expect(name).not.toMatch(/[/\\\0\n:]/)
      expect(name.startsWith('.')).toBe(false)
      expect(Buffer.from(name).toString()).toBe(name)
      expect(Buffer.byteLength(name)).toBeLessThan(200)
    }
  })

  it('never shares a name with another id', () => {
    const long = 'x'.repeat(5_000)
    const ids = ['a/b', 'a%2fb', 'a%252fb', '', '%', '%25', '..', '%2e.', long, `${long}y`, 'ü', 'u\u0308']
    const names = ids.map(id => sentinelDirectory(layout, id))
    expect(new Set(names).size).toBe(ids.length)
  })
})
