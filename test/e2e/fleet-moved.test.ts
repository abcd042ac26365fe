import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { type FleetHome, fleetHome } from '../support/fleet-home.ts'
import { bash, codon, command, type HankFolder, journalOf, loop } from '../support/hank-folder.ts'
import { hookMs, isProof, tally } from '../support/proof.ts'
import { launcher, runCli } from '../support/weave-command.ts'

let at: FleetHome
const longest = isProof ? 1_800_000 : 240_000
const restFiles = isProof ? 100_000 : 200

beforeAll(async () => {
  at = await fleetHome()
}, hookMs(120_000))

afterAll(() => at.close(), hookMs(120_000))

const kept = { checkpointedFiles: ['notes/**'] }
const pi = { ...kept, model: 'openai/gpt-5' }
const sdk = { ...kept, model: 'sonnet' }
const dates = 'GIT_AUTHOR_DATE=@1700000000+0000 GIT_COMMITTER_DATE=@1700000000+0000'

/** Files in checkpoints, a repository with a change that is not committed, a link, and many others. */
const made = [
  'mkdir -p notes many && cp read_only_data_source/name notes/name',
  `git init -q repo && echo one > repo/one && git -C repo add one && ${dates} git -C repo -c user.name=x -c user.email=x commit -q -m first && echo two > repo/one`,
  'ln -s ../notes/name many/link',
  `cd many && for d in $(seq ${restFiles / 100}); do mkdir d$d && cd d$d && seq 100 | split -l 1 - f && cd ..; done`,
].join(' && ')

/** Both kinds of agents go on with a conversation; there are a loop, an archive and outputs. */
const hank = [
  codon('read', { ...sdk, rigSetup: [command(made)] }),
  codon('apply', { ...sdk, continuationMode: 'continue-previous', archiveOnSuccess: ['notes/draft'] }),
  codon('start', pi),
  loop('polish', [
    codon('round', {
      ...pi,
      continuationMode: 'continue-previous',
      outputFiles: [{ copy: ['notes/*.md'] }],
    }),
  ]),
]

const script = {
  codons: {
    read: [bash('cat notes/name > notes/draft'), { say: 'The rules are read.' }],
    apply: [
      bash('cp notes/draft notes/applied.md; git -C repo status --short >> notes/applied.md'),
      { say: 'Applied.' },
    ],
    start: [bash('echo begun > notes/polished.md'), { say: 'Begun.' }],
    'round#0': [bash('ls many/d1 | wc -l >> notes/polished.md'), { say: 'Once.' }],
    'round#1': [bash('cat many/link >> notes/polished.md'), { say: 'Twice.' }],
  },
}

const turns = ['read', 'apply', 'start', 'round#0', 'round#1']

function place(setting: object): HankFolder {
  // More than the default lets move: that counts the repository and the link, too.
  const rest = { files: 2 * restFiles }
  return at.place(hank, ['one'], { fleet: { ...setting, rest }, 'rehearsal.json': script })
}

const env = (): Readonly<Record<string, string>> => ({ HOME: at.home })

function submitted({ cwd }: HankFolder): string {
  const words = ['submit', '.', '--data-glob', 'sets/*', '--rehearse', '--lease', '30', '--json']
  const said = runCli(words, { cwd, env: env() })
  expect(said.status, said.stderr).toBe(0)
  return `${(JSON.parse(said.stdout) as { batch: string }).batch}.1`
}

const mayRename = spawnSync('unshare', ['--uts', 'true']).status === 0

/** A worker on a machine of this name, to its end. */
function work({ cwd }: HankFolder, host: string, ...words: readonly string[]): void {
  const weave = [process.execPath, launcher, 'worker', '--slots', '1', ...words]
  const named = ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', host, ...weave]
  const [program = '', ...rest] = mayRename ? named : weave
  const said = spawnSync(program, rest, {
    cwd,
    env: { PATH: process.env['PATH'], ...env(), USER: host, LOGNAME: host },
    encoding: 'utf8',
  })
  expect(said.status, said.stderr).toBe(0)
}

function pulled(id: string, name: string): string {
  const dir = join(at.home, name)
  const said = runCli(['fleet', 'pull', id, dir], { env: env() })
  expect(said.status, said.stderr).toBe(0)
  return dir
}

/** Every file with its content, but for what git writes down of times and inodes. */
function filesBelow(dir: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const path of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const stats = lstatSync(join(dir, path))
    if (path.endsWith('.git/index') || path === 'read_only_data_source') continue
    if (stats.isFile()) found[path] = readFileSync(join(dir, path), 'latin1')
    if (stats.isSymbolicLink()) found[path] = `to ${readlinkSync(join(dir, path))}`
  }
  return found
}

function endOf(dir: string): object {
  const ended = journalOf(dir).filter(({ type }) => type === 'codon.completed')
  return {
    workspace: filesBelow(join(dir, 'agentRoot')),
    outputs: filesBelow(join(dir, 'outputs')),
    archive: filesBelow(join(dir, 'rigArchive')),
    codons: ended.map(({ data }) => data['codonId']),
    status: spawnSync('git', ['-C', join(dir, 'agentRoot/repo'), 'status', '--short'], { encoding: 'utf8' })
      .stdout,
  }
}

/** Whether one conversation of an agent has all of these prompts in it. */
function isOneConversation(dir: string, ...prompts: readonly string[]): boolean {
  const agents = join(dir, '.weave/agents')
  const logs = readdirSync(agents, { recursive: true, encoding: 'utf8' }).filter(path =>
    path.endsWith('.jsonl'),
  )
  return logs.some(path => {
    const text = readFileSync(join(agents, path), 'utf8')
    return prompts.every(prompt => text.includes(prompt))
  })
}

describe('an execution that moves after every codon', () => {
  verifies(
    ['fleet/moved', 'fleet/pull'],
    'to machines that have never seen it ends as one that stays, and what is pulled can be worked with',
    () => {
      const stays = place({})
      const first = submitted(stays)
      work(stays, 'home', '--until-idle')
      const moves = place({ turnHours: 0.000_001 })
      const second = submitted(moves)
      for (const turn of turns) {
        rmSync(at.root, { recursive: true, force: true })
        mkdirSync(at.root, { mode: 0o700 })
        work(moves, `machine-${turn.replace('#', '-')}`, '--once')
      }
      const [stayed, moved] = [pulled(first, 'stayed'), pulled(second, 'moved')]
      const end = endOf(moved)
      expect(end).toEqual(endOf(stayed))
      expect(end).toMatchObject({ codons: turns, status: ' M one\n' })
      expect(readdirSync(join(moved, 'agentRoot/many')).length).toBe(restFiles / 100 + 1)
      const hosts = journalOf(moved).filter(({ type }) => type === 'fleet.turn')
      const names = hosts.map(({ data }) => String(data['worker']).split('.')[0])
      expect(names).toHaveLength(turns.length)
      if (mayRename) expect(new Set(names).size).toBe(turns.length)
      for (const dir of [stayed, moved]) {
        expect(isOneConversation(dir, 'Work on read.', 'Work on apply.')).toBe(true)
        expect(isOneConversation(dir, 'Work on start.', 'Work on round.')).toBe(true)
      }
      expectUsable(moved)
      tally('files of the rest that moved', restFiles * (turns.length - 1))
    },
    longest,
  )
})

/** What people do with an execution that they have pulled. */
function expectUsable(dir: string): void {
  const weave = (...words: readonly string[]) => {
    const said = runCli(words, { cwd: at.home, env: env() })
    expect(said.status, `${words.join(' ')}: ${said.stderr}`).toBe(0)
    return said.stdout
  }
  expect(weave('diff', 'read', 'apply', '--stat', '-e', dir)).toContain('applied.md')
  weave('report', dir, '-o', join(at.home, 'report.html'))
  expect(readFileSync(join(at.home, 'report.html'), 'utf8')).toContain('polished.md')
  weave('rollback', 'apply', '-y', '-e', dir)
  expect(existsSync(join(dir, 'agentRoot/notes/polished.md'))).toBe(false)
  expect(existsSync(join(dir, 'agentRoot/notes/applied.md'))).toBe(true)
}
