import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { RigOutcome } from '../../src/effects/index.ts'
import type { RigOperation } from '../../src/hank/index.ts'
import { codonEnvironment } from '../../src/settings/index.ts'
import { preparedWorkspace, put, treeOf } from '../workspace/prepared-workspace.ts'
import { command, copy, runIn } from './rig-runs.ts'

const stdoutOf = (outcome: RigOutcome) =>
  outcome.operations.map(result => (result.type === 'command' ? result.stdout.trim() : result.type))

describe('the operations of a rig', () => {
  verifies(['d8/rig-sequential'], 'run one after another in the listed order', async () => {
    const workspace = await preparedWorkspace()
    await put(workspace.hankDir, { 'kit/b': 'copied\n' })
    const outcome = await runIn(workspace, [
      command('echo begun >> log; cat missing 2>/dev/null; echo ended >> log; echo made > a'),
      copy('kit', 'kit'),
      command('cat a kit/b >> log; rm a; echo last >> log'),
    ])
    expect(outcome).toMatchObject({ ok: true, copied: ['kit'] })
    expect(await treeOf(workspace.agentRoot)).toEqual({
      log: 'begun\nended\nmade\ncopied\nlast\n',
      'kit/b': 'copied\n',
    })
    expect(outcome.operations.every(result => result.durationMs >= 0)).toBe(true)
  })

  it('are none: nothing happens', async () => {
    expect(await runIn(await preparedWorkspace(), [])).toEqual({ ok: true, operations: [], copied: [] })
  })

  verifies(
    ['2.4/allow-failure-default'],
    'end at the first that fails, when nothing allows it to',
    async () => {
      const workspace = await preparedWorkspace()
      const outcome = await runIn(workspace, [
        command('echo one'),
        command('echo trying; echo "disk on fire" >&2; exit 3'),
        command('touch never'),
      ])
      expect(outcome).toMatchObject({
        ok: false,
        kind: 'failed',
        operation: 1,
        exit: { type: 'error', code: 3 },
        operations: [
          { outcome: 'succeeded' },
          { outcome: 'failed', stdout: 'trying\n', stderr: 'disk on fire\n' },
        ],
      })
      expect(outcome).toHaveProperty(
        'message',
        'command "echo trying; echo "disk on fire" >&2; exit 3" ended with code 3: disk on fire',
      )
      expect(await treeOf(workspace.agentRoot)).toEqual({})
    },
  )

  verifies(
    ['2.4/allow-failure-true'],
    'go on after one that is allowed to fail, each by itself or all together',
    async () => {
      const workspace = await preparedWorkspace()
      const alone = [
        command('exit 1', { allowFailure: true }),
        copy('missing', 'x', true),
        command('echo on'),
      ]
      const outcome = await runIn(workspace, alone)
      expect(outcome).toMatchObject({ ok: true })
      expect(outcome.operations.map(result => result.outcome)).toEqual(['failed', 'failed', 'succeeded'])
      const together = [command('exit 1'), copy('missing', 'x'), command('echo on', { allowFailure: false })]
      expect(await runIn(workspace, together, { ignoreFailures: true })).toMatchObject({ ok: true })
    },
  )

  it('tell the signal that ended a command, and what could not even start', async () => {
    const workspace = await preparedWorkspace()
    expect(await runIn(workspace, [command('kill -9 $$')])).toMatchObject({
      ok: false,
      exit: { type: 'killed', signal: 'SIGKILL' },
      message: 'command "kill -9 $$" was ended by SIGKILL',
    })
    await rm(workspace.agentRoot, { recursive: true })
    const outcome = await runIn(workspace, [command('true')])
    expect(outcome).toMatchObject({
      ok: false,
      kind: 'failed',
      message: expect.stringContaining('does not exist'),
    })
    expect(outcome).not.toHaveProperty('exit')
  })
})

describe('the surroundings of a command', () => {
  verifies(['2.4/command-run', 'd8/rig-shell'], 'are those of /bin/sh -c', async () => {
    const outcome = await runIn(await preparedWorkspace(), [
      command('echo "$0" $((2 + 3)) | tr a-z A-Z && echo "$#"'),
    ])
    expect(stdoutOf(outcome)).toEqual(['/BIN/SH 5\n0'])
  })

  verifies(
    ['2.4/working-directory-default', '2.4/working-directory-project'],
    'have the agent workspace as the working directory',
    async () => {
      const workspace = await preparedWorkspace()
      await put(workspace.hankDir, { 'kit/b': '' })
      const operations = [copy('kit', 'kit'), command('pwd -P'), command('pwd -P', { in: 'project' })]
      expect(stdoutOf(await runIn(workspace, operations))).toEqual([
        'copy',
        workspace.agentRoot,
        workspace.agentRoot,
      ])
    },
  )

  verifies(
    ['2.4/working-directory-last-copied'],
    'have the target of the latest copy where that is asked for, or the directory of a copied file',
    async () => {
      const workspace = await preparedWorkspace()
      await put(workspace.hankDir, { 'kit/b': '', file: '' })
      const here = command('pwd -P', { in: 'lastCopied' })
      const operations = [copy('kit', 'one'), copy('kit', 'deep/two'), here, copy('file', 'other/name'), here]
      const outcome = await runIn(workspace, operations)
      expect(stdoutOf(outcome).filter(text => text !== 'copy')).toEqual([
        join(workspace.agentRoot, 'deep/two'),
        join(workspace.agentRoot, 'other'),
      ])
    },
  )

  it.each<[string, readonly RigOperation[], RegExp]>([
    ['that failed', [copy('kit', 'a'), copy('missing', 'b', true)], /the copy to b failed/],
    ['that is gone again', [copy('kit', 'a'), command('rm -r a')], /a does not exist any more/],
    [
      'that became a link',
      [copy('kit', 'a'), command('mv a c; ln -s c a')],
      /not in the agent workspace any more/,
    ],
    ['that never was', [], /nothing was copied before it/],
  ])('do not stand in for the target of a copy %s', async (_what, before, message) => {
    const workspace = await preparedWorkspace()
    await put(workspace.hankDir, { 'kit/b': '' })
    const outcome = await runIn(workspace, [...before, command('touch trace', { in: 'lastCopied' })])
    expect(outcome).toMatchObject({ ok: false, kind: 'failed', message: expect.stringMatching(message) })
    expect(Object.keys(await treeOf(workspace.agentRoot)).filter(path => path.includes('trace'))).toEqual([])
  })

  verifies(
    ['2.3/env-visible-to-rig'],
    'hold the variables of the codon and the markers, and nothing else',
    async () => {
      const workspace = await preparedWorkspace()
      const markers = { WEAVE_EXECUTION_ID: 'exec-1', WEAVE_CODON_ID: 'draft#0' }
      const environment = { PATH: process.env['PATH'], WEAVE_TOKEN: 'secret' }
      const env = codonEnvironment({ environment, codon: { GREETING: 'hello there' }, markers })
      const line = 'echo "$GREETING|$WEAVE_EXECUTION_ID|$WEAVE_CODON_ID|$HOME|$WEAVE_TOKEN"'
      const outcome = await runIn(workspace, [command(line)], { env, marker: 'WEAVE_EXECUTION_ID=exec-1' })
      expect(stdoutOf(outcome)).toEqual(['hello there|exec-1|draft#0||'])
    },
  )

  it('have a closed stdin and a process group of their own', async () => {
    const line = 'cat; read -r fields < /proc/$$/stat; echo "$fields" | cut -d" " -f1,5'
    const [ids] = stdoutOf(await runIn(await preparedWorkspace(), [command(line)]))
    const [pid, group] = (ids ?? '').split(' ')
    expect(group).toBe(pid)
    expect(Number(pid)).not.toBe(process.pid)
  })
})

it('a workspace that is reached by a link is the workspace', async () => {
  const workspace = await preparedWorkspace()
  await put(workspace.hankDir, { 'kit/b': 'b' })
  const way = join(workspace.outside, 'way')
  await symlink(workspace.agentRoot, way)
  const outcome = await runIn({ ...workspace, layout: { ...workspace.layout, agentRoot: way } }, [
    copy('kit', 'kit'),
    command('cat kit/b'),
  ])
  expect(outcome).toMatchObject({ ok: true, operations: [{}, { stdout: 'b' }] })
})
