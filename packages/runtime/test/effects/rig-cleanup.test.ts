import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import {
  forgetRigRecord,
  moveOutOfWorkspace,
  openRigRecord,
  type RigEntry,
  readRigRecord,
  rigLeftovers,
} from '../../src/effects/index.ts'
import { type ExecutionLayout, executionLayout } from '../../src/workspace/index.ts'

async function place(): Promise<ExecutionLayout> {
  const layout = executionLayout(await tempDir({ inMemory: true }))
  mkdirSync(layout.agentRoot)
  mkdirSync(layout.internals)
  return layout
}

function put({ agentRoot }: ExecutionLayout, ...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(join(agentRoot, path, '..'), { recursive: true })
    writeFileSync(join(agentRoot, path), path)
  }
}

const file = (path: string, made = true): RigEntry => ({ path, kind: 'file', made })
const directory = (path: string): RigEntry => ({ path, kind: 'directory', made: true })
const nothing = () => false

describe('what a rig made', () => {
  test('is on record through attempts and runs, without what its own commands took away, until it is forgotten', async () => {
    const layout = await place()
    put(layout, 'lib/a', 'lib/b')
    const first = await openRigRecord(layout, 'review#0')
    for (const entry of [directory('lib'), file('lib/a'), file('lib/temporary')]) first.add(entry)
    first.close()
    const second = await openRigRecord(layout, 'review#0')
    for (const entry of [file('lib/a', false), file('lib/b', false)]) second.add(entry)
    second.close()
    appendFileSync(join(layout.internals, 'rigs/review#0.jsonl'), '{"path":"cut o')
    expect(await readRigRecord(layout, 'review#0')).toEqual([
      directory('lib'),
      file('lib/a'),
      file('lib/b', false),
    ])
    expect(await readRigRecord(layout, 'review#1')).toEqual([])
    forgetRigRecord(layout, 'review#0')
    expect(await readRigRecord(layout, 'review#0')).toEqual([])
  })

  verifies(
    ['d14/rig-cleanup-own-files'],
    'goes as whole directories where nothing else is in them, and never what was there before or came since',
    async () => {
      const layout = await place()
      put(layout, 'own/deep/x', 'own/y', 'mixed/of-rig', 'mixed/of-person', 'replaced', 'held')
      const entries = [
        directory('own'),
        directory('own/deep'),
        file('own/deep/x'),
        file('own/y'),
        directory('mixed'),
        file('mixed/of-rig'),
        file('replaced', false),
        file('held'),
        file('missing'),
      ]
      expect(await rigLeftovers(layout, entries, nothing)).toEqual(['held', 'mixed/of-rig', 'own'])
      expect(await rigLeftovers(layout, entries, path => path === 'held' || path.startsWith('own'))).toEqual([
        'mixed/of-rig',
      ])
    },
  )

  verifies(['d14/rig-cleanup-named'], 'lies under its old path where the cleanup says', async () => {
    const layout = await place()
    put(layout, 'own/deep/x', 'other')
    const { movedTo, failures } = moveOutOfWorkspace(layout, ['own', 'missing'], new Date(5))
    expect(movedTo).toBe(join(layout.internals, 'removed/5'))
    expect(failures).toEqual([{ directory: 'missing', error: 'no such file or directory (ENOENT)' }])
    expect(readFileSync(join(movedTo, 'own/deep/x'), 'utf8')).toBe('own/deep/x')
    expect(existsSync(join(layout.agentRoot, 'own'))).toBe(false)
    expect(existsSync(join(layout.agentRoot, 'other'))).toBe(true)
  })
})
