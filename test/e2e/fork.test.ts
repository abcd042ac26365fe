import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import {
  bash,
  codon,
  type HankFolder,
  hankFolder,
  journalOf,
  lightAgents,
  lightCodon,
  rig,
} from '../support/hank-folder.ts'
import { isProof, tally } from '../support/proof.ts'
import { treeDigest } from '../support/tree-digest.ts'

interface ForkJson {
  readonly dir: string
  readonly next: { readonly codonId: string; readonly model: string } | null
  readonly isRehearsal: boolean
  readonly notes: readonly string[]
  readonly origin: {
    readonly id: string
    readonly prefix: { readonly events: number }
    readonly inheritedCost: number
    readonly rewritten: { readonly places: number; readonly left: number }
    readonly from: { readonly name: string }
  }
}

const place = (...ids: readonly string[]) =>
  hankFolder(
    ids.map(id => codon(id, { promptText: id === 'hanging' ? 'Then hang.' : `Work on ${id}.` })),
    {},
    { inMemory: true },
  )

/** The codons that an execution has run, those that it inherited included. */
const workedIn = (dir: string) =>
  journalOf(dir)
    .filter(({ type }) => type === 'codon.started')
    .map(({ data }) => data['codonId'])

async function forked(at: HankFolder, ...words: readonly string[]): Promise<ForkJson> {
  const { status, stdout, stderr } = await at.scripted('fork', '--json', ...words)
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout) as ForkJson
}

describe('weave fork', () => {
  verifies(
    ['fork/run-at-once'],
    'goes on at once, here or in a session of its own',
    async () => {
      const at = await hankFolder([lightCodon('a'), lightCodon('b')], { 'weave.json': lightAgents })
      expect(at.rehearse('--headless').status).toBe(0)
      const source = at.execution()
      const here = at.weave('fork', '--at', 'a', '--run', '--headless', '-e', at.path('here'))
      expect([here.status, here.stdout], here.stderr).toEqual([
        0,
        expect.stringContaining('codon b completed'),
      ])
      expect(here.stdout + here.stderr).not.toMatch(/Run it:|--fork|--at /)
      expect(workedIn(at.path('here'))).toEqual(['a', 'b'])
      const away = at.weave('fork', '--at', 'a', '--detach', '-e', at.path('away'))
      expect([away.status, away.stdout], away.stderr).toEqual([
        0,
        expect.stringContaining('It goes on without this terminal.'),
      ])
      expect(at.weave('wait', at.path('away'))).toMatchObject({ status: 0 })
      expect(workedIn(at.path('away'))).toEqual(['a', 'b'])
      expect(at.executions()).toEqual([source])
    },
    120_000,
  )

  verifies(
    ['fork/money'],
    'holds what it goes on with to limits that count what it inherited',
    async () => {
      const at = await hankFolder(
        ['a', 'b', 'c'].map(id => lightCodon(id)),
        { 'weave.json': lightAgents },
      )
      expect(at.rehearse('--headless').status).toBe(0)
      const fork = (name: string) => {
        const { status, stdout, stderr } = at.weave('fork', '--at', 'b', '--json', '-e', at.path(name))
        expect(status, stderr).toBe(0)
        return (JSON.parse(stdout) as ForkJson).origin.inheritedCost
      }
      const inherited = fork('tight')
      expect(inherited).toBeGreaterThan(0)
      const breaches = (name: string, dollars: number) => {
        const limit = String(Number(dollars.toFixed(6)))
        expect(at.rehearse('-e', at.path(name), '--headless', '--max-cost', limit).status).toBe(0)
        return journalOf(at.path(name)).filter(({ type }) => type === 'budget.exceeded')
      }
      // A quarter of what both codons took is left for the third, which needs a half.
      expect(breaches('tight', inherited * 1.25)).toHaveLength(1)
      fork('wide')
      expect(breaches('wide', inherited * 2)).toEqual([])
    },
    120_000,
  )

  verifies(
    ['fork/source-unchanged'],
    'begins with files that are probably meant before it has read the journal, and believes only the journal',
    async () => {
      const write = (id: string) =>
        lightCodon(id, { ...rig(`echo ${id} >> words`), checkpointedFiles: ['words'] })
      const at = await hankFolder([write('a'), write('b')], { 'weave.json': lightAgents })
      expect(at.rehearse('--headless').status).toBe(0)
      const source = at.execution()
      const stateFile = join(source, '.weave/state.json')
      const [, a = '', b = ''] =
        /("completed":"[0-9a-f]{40}").*("completed":"[0-9a-f]{40}")/.exec(readFileSync(stateFile, 'utf8')) ??
        []
      expect(a).not.toBe(b)
      const states = {
        right: (text: string) => text,
        wrong: (text: string) => text.replace(a, b),
        'none such': (text: string) => text.replace(a, `"completed":"${'1'.repeat(40)}"`),
        'no name': (text: string) => text.replace(a, '"completed":"--help"'),
        damaged: (text: string) => text.slice(0, 100),
      }
      const text = readFileSync(stateFile, 'utf8')
      for (const [name, changed] of Object.entries(states)) {
        writeFileSync(stateFile, changed(text))
        const { status, stderr } = at.weave('fork', '--at', 'a', '-e', at.path(name))
        expect(status, stderr).toBe(0)
        expect(readFileSync(join(at.path(name), 'agentRoot/words'), 'utf8'), name).toBe('a\n')
      }
      writeFileSync(stateFile, text)
      const refused = at.weave('fork', '--at', 'a', '-e', at.path('right'))
      expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('is there already')])
      // Nothing of what was begun is left.
      const parts = [at.path('.'), dirname(source)].flatMap(folder => readdirSync(folder))
      expect(parts.filter(name => /part$|^index/.test(name))).toEqual([])
    },
    120_000,
  )

  verifies(
    ['fork/output', 'fork/goes-on', 'fork/own-objects', 'fork/origin', 'fork/money', 'fork/source-unchanged'],
    'begins another execution at a checkpoint, which goes on when its source is gone',
    async () => {
      const at = await place('a', 'b', 'c')
      await at.scripted()
      const source = at.execution()
      const before = treeDigest(source)
      const said = await at.scripted('fork', '--at', 'a')
      expect(said.status, said.stderr).toBe(0)
      const [made = ''] = at.executions().filter(dir => dir !== source)
      expect(said.stdout).toMatch(
        new RegExp(
          `^Forked {2}${basename(made)} {2}from ${basename(source)} at a completed, [0-9a-f]{8}\nNext {4}b \\(.+\\) · .* inherited\nRun it: weave -e ${made}\n$`,
        ),
      )
      expect(treeDigest(source)).toBe(before)
      const list = JSON.parse((await at.scripted('list', '--json')).stdout) as readonly {
        dir: string
        cost: number
      }[]
      expect(list.find(({ dir }) => dir === made)?.cost).toBe(0)
      const origin = JSON.parse(readFileSync(join(made, '.weave/origin.json'), 'utf8')) as ForkJson['origin']
      const [first] = journalOf(source)
      expect(origin).toMatchObject({
        version: 1,
        kind: 'fork',
        id: first?.id,
        from: { name: basename(source) },
        at: { codonId: 'a', type: 'completed' },
      })
      expect(journalOf(made).slice(0, origin.prefix.events)).toEqual(
        journalOf(source).slice(0, origin.prefix.events),
      )
      const limits = journalOf(made).filter(({ type }) => type === 'info')
      expect(limits.at(-1)?.data['message']).toContain(`Forked from ${basename(source)} at a completed`)
      rmSync(source, { recursive: true })
      const run = await at.scripted('-e', made)
      expect(run.status, run.stderr).toBe(0)
      expect(run.stdout).toContain('codon b started')
      expect(run.stdout).not.toContain('codon a started')
      expect(
        readdirSync(join(made, 'agentRoot'))
          .filter(name => name.endsWith('.md'))
          .sort(),
      ).toEqual(['a.md', 'b.md', 'c.md'])
      expect((await at.scripted('rollback', 'a', '-y', '-e', made)).status).toBe(0)
    },
    120_000,
  )

  verifies(
    ['fork/names', 'fork/goes-on', 'fork/old-parts'],
    'takes every name of a checkpoint, also of a live execution, and no safety checkpoint',
    async () => {
      const at = await hankFolder(
        [codon('a'), codon('b', rig('echo rig > rig.md')), codon('hanging', { promptText: 'Then hang.' })],
        {},
        { inMemory: true },
      )
      const run = await at.startScripted()
      await run.until('codon hanging started')
      const source = at.execution()
      expect(await forked(at, basename(source), '--at', 'start')).toMatchObject({ next: { codonId: 'a' } })
      expect(await forked(at, basename(source), '--at', 'b')).toMatchObject({ next: { codonId: 'hanging' } })
      const rigged = await forked(at, basename(source), '--at', 'b:start')
      expect(rigged).toMatchObject({ next: { codonId: 'b' } })
      expect(readFileSync(join(rigged.dir, 'agentRoot/rig.md'), 'utf8')).toBe('rig\n')
      expect(await run.kill('SIGINT')).toBe(130)
      expect((await at.scripted('rollback', 'a', '-y', '-e', source)).status).toBe(0)
      const rows = JSON.parse((await at.scripted('checkpoints', '--json', '-e', source)).stdout) as readonly {
        sha: string
        type: string
        codonId: string
        isUndone: boolean
      }[]
      const undone = rows.find(({ isUndone, codonId }) => isUndone && codonId === 'b')
      expect(await forked(at, basename(source), '--at', undone?.sha.slice(0, 10) ?? '')).toMatchObject({
        next: expect.any(Object),
      })
      const safety = rows.find(({ type }) => type === 'safety')
      expect(
        await at.scripted('fork', basename(source), '--at', safety?.sha.slice(0, 10) ?? ''),
      ).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(
          'A safety checkpoint has no place in the plan. Roll back to it first.',
        ),
      })
      expect(await at.scripted('fork', basename(source), '--at', 'zzz')).toMatchObject({ status: 1 })
      expect(await at.scripted('fork', basename(source))).toMatchObject({ status: 2 })
      expect(await at.scripted('fork', basename(source), '--at', 'a', '-e', source)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('is there already'),
      })

      const [old, young] = ['.x.part', '.y.part'].map(name => join(at.executionsDir, name))
      for (const part of [old, young]) mkdirSync(join(part ?? '', '.weave'), { recursive: true })
      utimesSync(old ?? '', 1, 1)
      expect((await at.scripted('list')).stdout).not.toContain('.part')
      await at.scripted('gc')
      expect([old, young].map(part => existsSync(part ?? ''))).toEqual([false, true])
    },
    240_000,
  )

  verifies(
    ['fork/untracked', 'fork/data-and-archive', 'fork/rehearsal'],
    'leaves behind what is in no checkpoint and says so, has the data and the archive, and rehearses only when asked to',
    async () => {
      const at = await hankFolder(
        [
          codon('a', {
            archiveOnSuccess: ['old.txt'],
            checkpointedFiles: ['*.md'],
            rigSetup: [{ type: 'command', command: { run: 'echo old > old.txt' } }],
          }),
          codon('b'),
        ],
        { 'data/x.txt': 'data' },
        { inMemory: true },
      )
      expect((await at.scripted('hank.json', 'data')).status).toBe(0)
      mkdirSync(at.workspace('node_modules/x'), { recursive: true })
      writeFileSync(at.workspace('node_modules/x/index.js'), 'x')
      writeFileSync(at.workspace('node_modules/y.js'), 'y')
      const plain = await forked(at, '--at', 'a', '-e', at.path('forks/one'))
      expect(plain.notes).toEqual([
        '2 files of the workspace are in no checkpoint and stay behind (node_modules); --with-untracked copies them as they are now.',
      ])
      expect(existsSync(join(plain.dir, 'agentRoot/node_modules'))).toBe(false)
      expect(readlinkSync(join(plain.dir, 'agentRoot/read_only_data_source'))).toBe(at.path('data'))
      expect(readFileSync(join(plain.dir, 'rigArchive/a/old.txt'), 'utf8')).toBe('old\n')
      expect(plain.isRehearsal).toBe(false)
      const whole = await forked(
        at,
        at.execution(),
        '--at',
        'a',
        '--with-untracked',
        '--rehearse',
        '-e',
        at.path('forks/two'),
      )
      expect(readFileSync(join(whole.dir, 'agentRoot/node_modules/x/index.js'), 'utf8')).toBe('x')
      expect(whole.isRehearsal).toBe(true)
      expect((await forked(at, whole.dir, '--at', 'a', '-e', at.path('forks/three'))).isRehearsal).toBe(true)
    },
    120_000,
  )

  verifies(
    ['fork/other-hank', 'fork/model'],
    'lets another hank or model go on by the rule of --adopt',
    async () => {
      const at = await place('draft', 'outline', 'review')
      await at.scripted()
      at.write({
        'other/hank.json': {
          $schema: 'x',
          hank: [codon('draft', { promptText: 'Other.' }), codon('outline'), codon('polish')],
        },
        'clash/hank.json': { $schema: 'x', hank: [codon('draft'), codon('plan')] },
        'talk/hank.json': {
          $schema: 'x',
          hank: [codon('draft'), codon('outline'), codon('go', { continuationMode: 'continue-previous' })],
        },
      })
      const other = await forked(at, '--at', 'outline', '--hank', 'other')
      expect(other).toMatchObject({
        next: { codonId: 'polish' },
        notes: ['Other in the new hank, and not run again: draft.'],
      })
      expect(
        await at.scripted('fork', basename(at.execution()), '--at', 'outline', '--hank', 'clash'),
      ).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(
          'The hank cannot take over after outline: here draft, outline have run; it begins with draft, plan.',
        ),
      })
      const opus = await forked(at, basename(at.execution()), '--at', 'outline', '-m', 'opus')
      expect(opus.next).toMatchObject({ codonId: 'review', model: expect.stringContaining('opus') })
      const source = basename(at.execution())
      expect((await at.scripted('fork', source, '--at', 'outline', '--hank', 'talk')).status).toBe(0)
      expect(
        await at.scripted('fork', source, '--at', 'outline', '--hank', 'talk', '-m', 'opus'),
      ).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('continues the conversation of outline'),
      })
      const run = await at.scripted('-e', opus.dir)
      expect(run.status, run.stderr).toBe(0)
    },
    120_000,
  )

  verifies(
    ['fork/conversations', 'fork/signed-thinking'],
    'goes on with the conversation of its source with both SDKs, and writes only inside of itself',
    async () => {
      const at = await hankFolder(
        [
          codon('first', { promptText: 'The word is marigold.' }),
          codon('second', { continuationMode: 'continue-previous', promptText: 'Go on.' }),
          codon('third', { model: 'openai/gpt-5', promptText: 'The word is larkspur.' }),
          codon('fourth', {
            model: 'openai/gpt-5',
            continuationMode: 'continue-previous',
            promptText: 'Go on.',
          }),
        ],
        {
          'rehearsal.json': {
            codons: Object.fromEntries(
              ['first', 'second', 'third', 'fourth'].map(id => [
                id,
                [bash(`pwd > ${id}.md`), { say: `${id} is done.` }],
              ]),
            ),
          },
        },
      )
      expect(at.rehearse('--headless').status).toBe(0)
      const source = at.execution()
      const before = treeDigest(source)
      for (const [point, word, next] of [
        ['first', 'marigold', 'second'],
        ['third', 'larkspur', 'fourth'],
      ] as const) {
        const made = JSON.parse(at.weave('fork', source, '--at', point, '--json').stdout) as ForkJson
        expect(made).toMatchObject({ isRehearsal: true, next: { codonId: next } })
        expect(made.origin.rewritten.places).toBeGreaterThan(0)
        const run = at.rehearse('-e', made.dir, '--headless')
        expect(run.status, run.stderr).toBe(0)
        expect(run.stdout).not.toContain(`codon ${point} started`)
        expect(readFileSync(join(made.dir, 'agentRoot', `${next}.md`), 'utf8')).toBe(
          `${join(made.dir, 'agentRoot')}\n`,
        )
        const sessions = readdirSync(join(made.dir, '.weave/agents'), { recursive: true, encoding: 'utf8' })
          .filter(name => name.endsWith('.jsonl'))
          .map(name => readFileSync(join(made.dir, '.weave/agents', name), 'utf8'))
        const own = sessions.filter(text => text.includes(`pwd > ${next}.md`) && text.includes(word))
        expect(own.length).toBeGreaterThan(0)
        for (const text of sessions) expect(text).not.toContain(join(source, 'agentRoot'))
        expect(treeDigest(source)).toBe(before)
        rmSync(made.dir, { recursive: true })
      }
    },
    240_000,
  )

  verifies(
    ['fork/kill-safe'],
    'is whole or not there when it is killed at any moment',
    async () => {
      const many = rig('for i in $(seq 300); do echo $i > many-$i.md; done')
      const at = await hankFolder([codon('a'), codon('b', many)], {}, { inMemory: true })
      await at.scripted()
      const source = at.execution()
      const began = Date.now()
      const first = await forked(at, basename(source), '--at', 'b')
      const whole = Date.now() - began
      const wanted = treeDigest(join(first.dir, 'agentRoot'))
      // A list keeps an index of the journal for the next reader.
      await at.scripted('list')
      const before = treeDigest(source)
      const kills = isProof ? 120 : 6
      let left = 0
      for (let kill = 0; kill < kills; kill++) {
        const run = await at.startScripted('fork', basename(source), '--at', 'b')
        await new Promise(resolve => setTimeout(resolve, (whole * (kill + 1)) / kills))
        await run.kill('SIGKILL')
        const listed = JSON.parse((await at.scripted('list', '--json')).stdout) as readonly {
          dir: string
          status: string
        }[]
        for (const { dir, status } of listed) {
          if (dir === source) continue
          expect(status).toBe('stopped')
          expect(treeDigest(join(dir, 'agentRoot'))).toBe(wanted)
          expect(existsSync(join(dir, '.weave/origin.json'))).toBe(true)
        }
        left += readdirSync(dirname(source)).filter(name => name.endsWith('.part')).length > 0 ? 1 : 0
      }
      tally('forks killed', kills)
      expect(treeDigest(source)).toBe(before)
      if (isProof) expect(left).toBeGreaterThan(0)
    },
    isProof ? 1_800_000 : 240_000,
  )
})
