import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon as codonOf, command, type HankFolder, hankFolder, rig } from '../support/hank-folder.ts'
import { type SteeringClient, steer } from '../support/steering-client.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

/** What each codon finds, noted beside the workspace by its end; then it uses one file of its rig up. */
const noteFiles = (id: string, then = 'true') => ({
  beforeCopy: [command(`find . -type f | sort > ../found-by-${id}; ${then}`)],
  copy: [`${id}.md`],
})

const codon = (id: string, fields: object = {}) => codonOf(id, { outputFiles: [noteFiles(id)], ...fields })

const copy = (from: string, to: string) => ({ type: 'copy', copy: { from, to } })

/** `a` makes a file in a directory into which the rig of `b` copies; all of it is outside of what is checkpointed. */
const items = [
  codon('a', rig('mkdir lib && echo mine > lib/mine.txt')),
  codon('b', {
    rigSetup: [copy('kit', 'rigged'), copy('library', 'lib'), command('echo once >> ../rig-runs')],
    archiveOnSuccess: ['rigged/parts/**'],
    outputFiles: [noteFiles('b', 'rm -f rigged/tool.sh')],
  }),
  codon('c', { rigSetup: [copy('library', 'of-c')] }),
]

const place = () =>
  hankFolder(items, {
    'kit/tool.sh': 'tool',
    'kit/readme': 'read',
    'kit/parts/wheel': 'wheel',
    'library/book': 'book',
  })

const rigFiles = [
  './lib/book',
  './lib/mine.txt',
  './rigged/parts/wheel',
  './rigged/readme',
  './rigged/tool.sh',
]

function foundBy(at: HankFolder, id: string): readonly string[] {
  const lines = readFileSync(at.execution(`found-by-${id}`), 'utf8')
    .trim()
    .split('\n')
  return lines.filter(line => !line.endsWith('.md'))
}

const isThere = (at: HankFolder, path: string) => existsSync(at.workspace(path))

interface Live {
  readonly steering: SteeringClient
  readonly shutdown: () => Promise<void>
}

/** The whole hank, and a client that steers what comes after it. */
async function finished(at: HankFolder): Promise<Live> {
  const run = await at.startScripted('--headless', '--keep-alive')
  await run.until('codon c completed')
  const steering = await steer(at.execution())
  await steering.until('server.idle', 0, ({ data }) => data.reason === 'all-codons-completed')
  return {
    steering,
    async shutdown() {
      await steering.client.send('server.shutdown')
      expect(await run.ended).toBe(0)
    },
  }
}

describe('a rollback to the start of a codon with a rig', () => {
  verifies(
    ['d14/rollback-rig-setup-keeps-rig', 'd7/after-rig-setup', '3/alias-start-rig-setup'],
    'while the server runs: the codon finds what its rig put there, archived and used up files too, and no rig runs',
    async () => {
      const at = await place()
      const { steering, shutdown } = await finished(at)
      expect(foundBy(at, 'b')).toEqual(rigFiles)
      expect(isThere(at, 'rigged/tool.sh')).toBe(false)
      rmSync(at.execution('found-by-b'))
      const from = steering.now()
      await steering.client.send('rollback.toCodon', {
        codonId: 'b',
        checkpointType: 'start',
        autoRestart: true,
      })
      const { data } = await steering.until('rollback.completed', from)
      expect(data).toMatchObject({ codonId: 'b', checkpointType: 'rig-setup' })
      await steering.until('server.idle', from, event => event.data.reason === 'all-codons-completed')
      await shutdown()
      expect(foundBy(at, 'b')).toEqual(rigFiles)
      expect(readFileSync(at.execution('rig-runs'), 'utf8')).toBe('once\n')
    },
    120_000,
  )

  verifies(
    ['d14/rollback-rig-setup-keeps-rig', 'd7/after-rig-setup', '3/alias-start-rig-setup'],
    'at rest: the preview says what comes back, and the next start finds it',
    async () => {
      const at = await place()
      expect(await at.scripted()).toMatchObject({ status: 0 })
      const preview = await at.scripted('rollback', 'b:start', '--preview')
      expect(preview.stdout).toContain('b, without its rig')
      expect(preview.stdout).toContain('put back from the archive: 1\n  rigged/parts/wheel')
      expect(preview.stdout).toContain('copy again (rig): 1\n  rigged/tool.sh')
      expect(preview.stdout).toContain('move out of the workspace (rig copies): 1\n  of-c')
      expect(await at.scripted('rollback', 'b:start', '-y')).toMatchObject({ status: 0 })
      expect(isThere(at, 'of-c')).toBe(false)
      expect(isThere(at, 'rigged/parts/wheel')).toBe(true)
      expect(await at.scripted()).toMatchObject({ status: 0 })
      expect(foundBy(at, 'b')).toEqual(rigFiles)
      expect(readFileSync(at.execution('rig-runs'), 'utf8')).toBe('once\n')
    },
    120_000,
  )
})

describe('a rollback to before a rig', () => {
  verifies(
    [
      'd14/rig-cleanup-own-files',
      'd14/rig-cleanup-named',
      'd7/rollback-leaves-other-files',
      'd7/rig-cleanup-list',
      '3/rollback-events',
      'd14/snapshot-after-rollback',
    ],
    'moves what the rig made aside and says where, leaves what others made, and shows clients the tree of then',
    async () => {
      const at = await place()
      const { steering, shutdown } = await finished(at)
      const root = at.workspace()
      writeFileSync(join(root, 'of-c/by-a-person.txt'), 'person')
      const from = steering.now()
      await steering.client.send('rollback.toCodon', { codonId: 'a', checkpointType: 'end' })
      await steering.until('rollback.completed', from)
      const snapshot = await steering.until('state.snapshot', from)
      const told = steering.events.slice(from)
      for (const type of ['started', 'progress', 'codonCheckpoint', 'rigCleanup', 'completed'])
        expect(told.map(event => event.type)).toContain(`rollback.${type}`)
      const cleanups = told.flatMap(event => (event.type === 'rollback.rigCleanup' ? [event.data] : []))
      const done = cleanups.filter(({ status }) => status === 'completed')
      expect(done).toMatchObject([
        { codonId: 'c', directories: ['of-c/book'], successfulCleanups: ['of-c/book'] },
        { codonId: 'b', directories: ['lib/book', 'rigged'], successfulCleanups: ['lib/book', 'rigged'] },
      ])
      const words = told.flatMap(event => (event.type === 'info' ? [event.data.message] : []))
      for (const { codonId, directories } of done) {
        const [, movedTo = ''] =
          new RegExp(`the rig of ${codonId} had made is now in (.*):`).exec(words.join('\n')) ?? []
        for (const path of directories) expect(existsSync(join(movedTo, path)), path).toBe(true)
      }
      expect(readFileSync(join(root, 'lib/mine.txt'), 'utf8')).toBe('mine\n')
      expect(readFileSync(join(root, 'of-c/by-a-person.txt'), 'utf8')).toBe('person')
      expect(isThere(at, 'rigged')).toBe(false)
      expect(snapshot.data.fileTree.map(({ name }) => name)).toEqual(['a.md'])
      await shutdown()
    },
    120_000,
  )

  verifies(
    ['d14/rig-cleanup-own-files', 'd14/rig-cleanup-named'],
    'at rest: the preview tells the truth, and the journal has the names',
    async () => {
      const at = await place()
      expect(await at.scripted()).toMatchObject({ status: 0 })
      const preview = await at.scripted('rollback', 'a', '--preview')
      const moved = 'move out of the workspace (rig copies): 3\n  of-c\n  lib/book\n  rigged'
      expect(preview.stdout).toContain(moved)
      expect(isThere(at, 'rigged')).toBe(true)
      expect(await at.scripted('rollback', 'a', '-y')).toMatchObject({ status: 0 })
      expect(isThere(at, 'rigged')).toBe(false)
      expect(isThere(at, 'lib/mine.txt')).toBe(true)
      const journal = await at.scripted('journal')
      expect(journal.stdout).toMatch(/rig cleanup of b completed: lib\/book, rigged/)
      expect(journal.stdout).toMatch(/the rig of b had made is now in .*removed\/\d+: lib\/book, rigged\./)
    },
    120_000,
  )
})

describe('an archived file whose bytes are others than those that were archived', () => {
  verifies(
    ['attack/archive-digest'],
    'is named when it is restored, with what differs',
    async () => {
      const at = await place()
      expect(await at.scripted()).toMatchObject({ status: 0 })
      writeFileSync(at.execution('rigArchive/b/rigged/parts/wheel'), '')
      const back = await at.scripted('rollback', 'b:start', '-y')
      expect(back.status).toBe(0)
      expect(`${back.stdout}${back.stderr}`).toMatch(
        /rigged\/parts\/wheel came back from the archive changed: 0 bytes with sha256 e3b0c44298fc, archived was sha256 [0-9a-f]{12}/,
      )
    },
    120_000,
  )
})
