import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder, loop, rig } from '../support/hank-folder.ts'
import { isProof, tally } from '../support/proof.ts'

/** Codons that each leave a file `<id>.md`. */
const place = (count: number, files: Readonly<Record<string, string>> = {}) =>
  hankFolder(
    Array.from({ length: count }, (_, at) => codon(`c${at}`)),
    files,
    { inMemory: true },
  )

/** With a directory for temporary files of its own, so that what is left can be counted. */
function searching(at: HankFolder): HankFolder {
  return at.with({ TMPDIR: at.path('tmp') })
}

async function ran(at: HankFolder): Promise<HankFolder> {
  at.write({ 'tmp/.keep': '' })
  const { status, stderr } = await at.scripted()
  expect(status, stderr).toBe(0)
  return searching(at)
}

const leftIn = (at: HankFolder) => readdirSync(at.path('tmp')).filter(name => name !== '.keep')

function marked(): readonly string[] {
  return readdirSync('/proc').filter(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes('\0WEAVE_BISECT=')
    } catch {
      return false
    }
  })
}

const json = (text: string) =>
  JSON.parse(text) as {
    outcome: string
    checks: number
    bad?: { codonId: string }
    versions: readonly { codonId: string; type: string; verdict: string | null }[]
  }

describe('weave bisect', () => {
  verifies(
    ['bisect/finds', 'bisect/few-checks', 'bisect/json', 'bisect/advice', 'bisect/apart'],
    'finds a fault that was planted among 64 codons with 8 checks at most, says where, and touches nothing',
    async () => {
      const at = await ran(await place(64))
      const journal = readFileSync(
        at.execution(
          '.weave/journal',
          readdirSync(at.execution('.weave/journal')).find(name => name.endsWith('.jsonl')) ?? '',
        ),
      )
      for (const fault of ['c37', 'c0', 'c63']) {
        const found = await at.scripted('bisect', '--json', '--', 'test', '!', '-e', `${fault}.md`)
        expect(found.status, found.stderr).toBe(0)
        expect(json(found.stdout)).toMatchObject({
          outcome: 'found',
          bad: { codonId: fault, type: 'completed' },
          files: [{ path: `${fault}.md` }],
        })
        expect(json(found.stdout).checks).toBeLessThanOrEqual(8)
      }
      const said = (await at.scripted('bisect', '--', 'test', '!', '-e', 'c5.md')).stdout
      expect(said).toMatch(/^good {2}the beginning, [0-9a-f]{8} /)
      expect(said).toMatch(
        /The first bad checkpoint is c5 completed, [0-9a-f]{8}; c4 completed is good\. {3}\d checks, /,
      )
      expect(said).toMatch(/c5 c5 · .* · run 1, attempt 1 · 1 file, \+\d+ -0: c5\.md/)
      const [diff = '', look = ''] = said.split('\n').filter(line => line.startsWith('  weave '))
      expect((await at.scripted(...diff.trim().split(' ').slice(1))).stdout).toContain('+++ b/c5.md')
      expect((await at.scripted(...look.trim().split(' ').slice(1))).stdout).toContain('c5')
      expect(said).toContain(`weave fork ${basename(at.execution())} --at c4`)
      expect(leftIn(at)).toEqual([])
      expect(
        journal.equals(
          readFileSync(
            at.execution(
              '.weave/journal',
              readdirSync(at.execution('.weave/journal')).find(name => name.endsWith('.jsonl')) ?? '',
            ),
          ),
        ),
      ).toBe(true)
    },
    240_000,
  )

  verifies(
    ['bisect/candidates'],
    'tests different files only, rigs only when asked to, and of a loop each iteration',
    async () => {
      const at = await ran(
        await hankFolder(
          [
            codon('a', { ...rig('echo rig > rig.md'), checkpointedFiles: ['a.md', 'rig.md'] }),
            codon('same', { checkpointedFiles: ['a.md'] }),
            loop('rounds', [codon('b', { checkpointedFiles: ['b*.md'] })]),
          ],
          {},
          { inMemory: true },
        ),
      )
      const row = async (...words: readonly string[]) =>
        json(
          (await at.scripted('bisect', '--all', '--json', ...words, '--', 'test', '!', '-e', 'b#1.md'))
            .stdout,
        ).versions.map(({ codonId, type }) => `${codonId} ${type}`)
      expect(await row()).toEqual([' start', 'a completed', 'b#0 completed', 'b#1 completed'])
      expect(await row('--rigs')).toContain('a rig-setup')
      expect(await row('--good', 'a', '--bad', 'b#0')).toEqual(['a completed', 'b#0 completed'])
      expect(await at.scripted('bisect', '--good', 'b#1', '--bad', 'a', '--', 'true')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('--good b#1 comes after --bad a.'),
      })
    },
    120_000,
  )

  verifies(
    ['bisect/surroundings'],
    'gives the command the data, what is linked, a setup, and the name of the version',
    async () => {
      const at = await ran(await place(3, { 'data/x.txt': 'data' }))
      writeFileSync(
        at.workspace('tool.sh'),
        'test "$WEAVE_BISECT_CODON" != c1 && test "$WEAVE_BISECT_TYPE" && test -n "$WEAVE_BISECT_SHA" && test -e made\n',
      )
      symlinkSync(at.path('data'), at.workspace('folder'))
      const words = ['bisect', '--link', 'tool.sh', '--link', 'folder', '--setup', 'cat folder/x.txt > made']
      const found = await at.scripted(...words, '--json', '--all', '--', 'sh', 'tool.sh')
      expect(json(found.stdout).versions.map(({ verdict }) => verdict)).toEqual([
        'good',
        'good',
        'bad',
        'good',
      ])
      expect(existsSync(at.workspace('made'))).toBe(false)
      const skipped = await at.scripted('bisect', '--setup', 'exit 3', '--', 'true')
      expect(skipped).toMatchObject({ status: 1, stdout: expect.stringContaining('the setup ended with 3') })
      expect(await at.scripted('bisect', '--link', '../x', '--', 'true')).toMatchObject({ status: 2 })
      expect(await at.scripted('bisect', '--link', 'gone', '--', 'true')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('There is no gone in the workspace to link'),
      })
    },
    120_000,
  )

  verifies(
    ['bisect/exit-codes', 'bisect/skip', 'bisect/nothing-to-find', 'bisect/repeat', 'bisect/all'],
    'goes by the exit code of the command as git does',
    async () => {
      const at = await ran(await place(6))
      const bisect = (script: string, ...words: readonly string[]) =>
        at.scripted('bisect', ...words, '--', 'sh', '-c', script)
      expect(await bisect('exit 1')).toMatchObject({
        status: 1,
        stdout: expect.stringMatching(
          /The command fails at the beginning, too: nothing to find\.\nc0\.md is in no checkpoint before c0 completed; --good c0 may help\./,
        ),
      })
      expect(await bisect('exit 0')).toMatchObject({
        status: 1,
        stdout: expect.stringContaining('The command succeeds at the end, too: nothing to find.'),
      })
      expect(await bisect('test -e c2.md || exit 0; test -e c4.md || exit 125; exit 1')).toMatchObject({
        status: 1,
        stdout: expect.stringMatching(
          /Only skipped checkpoints are left\.[\s\S]*c2 completed[\s\S]*c3 completed[\s\S]*c4 completed/,
        ),
      })
      expect(await bisect('exit 125')).toMatchObject({
        status: 1,
        stdout: expect.stringContaining('Every checkpoint was skipped'),
      })
      expect(await bisect('test "$WEAVE_BISECT_TYPE" = start && exit 125; test ! -e c3.md')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('is c3 completed'),
      })
      expect(await at.scripted('bisect', '--', 'no-such-program')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('The command cannot be run: '),
      })
      expect(await bisect('exit 127')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('cannot be run'),
      })
      expect(await bisect('kill -SEGV $$')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('SIGSEGV'),
      })
      expect(await bisect('test ! -e c2.md || sleep 60', '--timeout', '0.5')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('is c2 completed'),
      })
      const flaky =
        'test ! -e c3.md || { n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; test $n -lt 3; }'
      expect(await bisect(flaky)).toMatchObject({ status: 1 })
      expect(await bisect(flaky, '--repeat', '5')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('is c3 completed'),
      })
      expect((await bisect('test ! -e c1.md || test -e c2.md && test ! -e c4.md', '--all')).stdout).toContain(
        'The verdict changes 3 times in the row',
      )
      expect(await at.scripted('bisect', 'npm', 'test')).toMatchObject({ status: 2 })
      expect(await bisect('true', '--repeat', 'x')).toMatchObject({ status: 2 })
      expect(leftIn(at)).toEqual([])
    },
    240_000,
  )

  test('searches an execution in which a server is at work', async () => {
    const at = await hankFolder(
      [codon('a'), codon('b'), codon('hanging', { promptText: 'Then hang.' })],
      {},
      { inMemory: true },
    )
    const run = await at.startScripted()
    await run.until('codon hanging started')
    expect(await at.scripted('bisect', '--', 'test', '!', '-e', 'b.md')).toMatchObject({ status: 0 })
    expect(await run.kill('SIGINT')).toBe(130)
  }, 120_000)

  verifies(
    ['bisect/nothing-left'],
    'leaves neither processes nor directories after a signal at any moment',
    async () => {
      const at = await ran(await place(4))
      at.write({ 'slow.sh': '(sleep 300 &) ; setsid sleep 300 & trap "" TERM; sleep 0.2; exit 0\n' })
      chmodSync(at.path('slow.sh'), 0o755)
      const kills = isProof ? 100 : 6
      for (let kill = 0; kill < kills; kill++) {
        const run = await at.startScripted('bisect', '--repeat', '50', '--', 'sh', at.path('slow.sh'))
        const wait = (kill * 1_200) / kills
        await new Promise(resolve => setTimeout(resolve, wait))
        const code = await run.kill(kill % 2 === 0 ? 'SIGINT' : 'SIGTERM')
        // Before the program has begun to listen the signal ends it.
        expect([130, 143, null]).toContain(code)
        expect(leftIn(at)).toEqual([])
        expect(marked()).toEqual([])
      }
      tally('searches cut off', kills)
    },
    isProof ? 1_200_000 : 120_000,
  )
})
