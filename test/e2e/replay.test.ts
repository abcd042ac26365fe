import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../packages/runtime/src/kit/index.ts'
import { createRehearsal, type RehearsalScript } from '../../packages/runtime/src/model-server/index.ts'
import { startRecordedServer } from '../../packages/runtime/test/model-server/recorded-server.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolderIn } from '../support/hank-folder.ts'
import type { CliResult } from '../support/weave-command.ts'
import { normalisedJournal } from './normalised-journal.ts'

const secret = 'open-sesame-4711-and-more'
const prompt = 'Write notes.md. Then say what the token is.'

const hank = (text: string) => [
  codon('draft', { promptText: text }),
  codon('review', { model: 'openai/gpt-5', promptText: 'Look at notes.md.' }),
]

const script: RehearsalScript = {
  codons: {
    draft: [
      { use: 'write', input: { path: 'notes.md', content: 'The first line.\n' } },
      { use: 'bash', input: { command: 'printenv PLANTED_TOKEN; pwd' } },
      { say: `It is ${secret}.`, usage: { input: 1200, output: 40 } },
    ],
    review: [{ use: 'read', input: { path: 'notes.md' } }, { say: 'It has one line.' }],
  },
}

let base = ''
let recorded: CliResult
let first: HankFolder

/** A folder with a home of its own, in which there may be a script. */
function place(name: string, { text = prompt, scripted = false } = {}): HankFolder {
  const files = scripted ? { 'rehearsal.json': script } : {}
  return hankFolderIn(join(base, name), hank(text), files).with({ PLANTED_TOKEN: secret })
}

const recording = () => join(base, 'recording')
const replay = (at: HankFolder, directory: string) => at.weave('replay', directory, '--strict')

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'weave-test-'))
  first = place('recorded', { scripted: true })
  recorded = first.rehearse('--record', recording())
}, 90_000)

afterAll(() => rm(base, { recursive: true, force: true }))

describe('a rehearsal that was recorded', () => {
  verifies(
    ['d2/command-replay'],
    'replays without a model, with both SDKs: the same journal, the same files, nothing left over',
    () => {
      expect(recorded.status, recorded.stderr).toBe(0)
      const second = place('replayed')
      const replayed = replay(second, recording())
      expect(replayed.status, replayed.stderr + replayed.stdout).toBe(0)
      expect(replayed.stderr).toContain(`Upstream: the recording in ${recording()}`)
      const before = normalisedJournal(first)
      const after = normalisedJournal(second)
      const comparable = ({ events, files }: typeof before, { cwd }: HankFolder) => ({
        events: events.map(text => text.replaceAll(cwd, '<cwd>')),
        files,
      })
      expect(comparable(after, second)).toEqual(comparable(before, first))
      expect(second.read('notes.md')).toBe('The first line.\n')
    },
    90_000,
  )

  it('holds no secret of the environment in any file', () => {
    const files = readdirSync(recording(), { recursive: true, withFileTypes: true }).filter(file =>
      file.isFile(),
    )
    expect(files.length).toBeGreaterThan(8)
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    expect(texts.filter(text => text.includes(secret))).toEqual([])
    expect(texts.filter(text => text.includes('[redacted:PLANTED_TOKEN]')).length).toBeGreaterThan(1)
    expect(texts.filter(text => /rehearsal-draft|x-api-key|"authorization"/i.test(text))).toEqual([])
  })

  it('names the codon, the turn and the field of one changed byte of a prompt, and fails by it', () => {
    const changed = place('changed', { text: prompt.replace('notes', 'nodes') })
    const { status, stderr, stdout } = replay(changed, recording())
    expect(status).toBe(1)
    const named =
      /Codon draft, turn 1: the request is not the recorded one\. body\.messages\[0\]\.content\[\d\]\.text: recorded "Write notes\.md\.[^"]*", now "Write nodes\.md\.[^"]*"/
    expect(stdout).toMatch(named)
    expect(stderr).toMatch(named)
    expect(stdout).not.toContain('attempt 2')
  }, 60_000)

  it('is replayed as far as it goes when it was cut, and says that its end is missing', () => {
    const cut = join(base, 'cut')
    cpSync(recording(), cut, { recursive: true })
    const list = join(cut, 'exchanges.jsonl')
    const lines = readFileSync(list, 'utf8').split('\n')
    writeFileSync(list, `${lines[0]}\n${lines[1]?.slice(0, 70)}`)
    const at = place('after-cut')
    const { status, stderr } = replay(at, cut)
    expect(status).toBe(1)
    expect(stderr).toContain('whose end is missing: it answers 1 requests and no more')
    expect(stderr).toMatch(
      /Codon draft, turn 2: the recording in \S+ has only 1 request of it, and its end is missing/,
    )
    expect(at.read('notes.md')).toBe('The first line.\n')
  }, 60_000)

  it('is refused before anything starts when a body of it is gone, and is never written over', () => {
    const damaged = join(base, 'damaged')
    cpSync(recording(), damaged, { recursive: true })
    const [body = ''] = readdirSync(join(damaged, 'bodies'))
    writeFileSync(join(damaged, 'bodies', body), 'other')
    const at = place('refused')
    expect(replay(at, damaged)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/The recording cannot be used: .* is missing or damaged/),
    })
    expect(at.rehearse('--record', recording())).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not empty'),
    })
    expect(at.rehearse('--replay', recording(), '--script', 'x')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('leave out --script'),
    })
    expect(readdirSync(at.cwd)).toEqual(['hank.json'])
  }, 60_000)
})

describe('a real run that was recorded', () => {
  it('replays in a rehearsal, and nobody is asked again', async () => {
    const model = createRehearsal({ script, strict: false })
    const server = await startRecordedServer({ ...model, clock: systemClock })
    onTestFinished(() => server.close())
    const at = place('real')
    at.setHank(hank(prompt).slice(0, 1))
    const traffic = join(base, 'traffic')
    const words = ['--record', traffic, '--vendor-base-url', server.url, '--skip-self-test', '--headless']
    const run = at.with({ ANTHROPIC_API_KEY: model.keyFor('draft') }).start(...words)
    expect(await run.ended, run.said()).toBe(0)
    const asked = server.requests.length
    expect(asked).toBe(3)
    const replayed = replay(at, traffic)
    expect(replayed.status, replayed.stderr).toBe(0)
    expect(server.requests.length).toBe(asked)
  }, 60_000)
})
