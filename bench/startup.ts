import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atMost, type Figure, interleaved } from './measure.ts'

const root = new URL('..', import.meta.url).pathname
const launcher = join(root, 'packages/cli/bin/weave.cjs')

/** How fast the built command answers, against a bare `node -e 0` (goal P9), and how validating grows (goal P10). */
export async function startupFigures(): Promise<readonly Figure[]> {
  const built = spawnSync(process.execPath, [join(root, 'scripts/bundle.mjs')], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(built.stderr)
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  try {
    return [...(await answers(base)), ...(await growth(base))]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

async function answers(base: string): Promise<readonly Figure[]> {
  const bare = () => milliseconds(['-e', '0'])
  const hank = writeHank(join(base, 'three'), 3)
  const validate = ['--validate', '--skip-self-test', hank]
  const measure = (words: readonly string[]) =>
    interleaved(25, bare, () => milliseconds([launcher, ...words]))
  return [
    {
      id: 'P9 version',
      what: 'weave --version',
      unit: 'ms',
      ...(await measure(['--version'])),
      goal: atMost(1.3),
    },
    { id: 'P9 help', what: 'weave --help', unit: 'ms', ...(await measure(['--help'])), goal: atMost(1.5) },
    {
      id: 'P9 validate',
      what: 'validating three codons',
      unit: 'ms',
      ...(await measure(validate)),
      goal: atMost(2.2),
    },
    { id: 'P9 list', what: 'weave list', unit: 'ms', ...(await measure(['list'])), goal: atMost(2.2) },
  ]
}

/** The process itself is taken out of both sides: what is left is the work on the codons. */
async function growth(base: string): Promise<readonly Figure[]> {
  const hanks = [0.001, 1, 2].map(times =>
    writeHank(join(base, `many-${times}`), Math.max(1, times * 10_000)),
  )
  const [one = '', ten = '', twenty = ''] = hanks
  const start = await interleaved(
    5,
    () => milliseconds(['-e', '0']),
    () => validating(one),
  )
  const doubled = await interleaved(
    5,
    () => validating(ten),
    () => validating(twenty),
  )
  const net = { ...doubled, floor: doubled.floor - start.subject, subject: doubled.subject - start.subject }
  const against = await interleaved(
    5,
    () => plainReading(join(base, 'many-1')),
    () => validating(ten),
  )
  return [
    { id: 'P10 linear', what: '20,000 codons against 10,000', unit: 'ms', ...net, goal: atMost(2.2) },
    {
      id: 'P10 floor',
      what: '10,000 codons against JSON.parse and reading the prompts',
      unit: 'ms',
      ...against,
      subject: against.subject - start.subject,
      goal: atMost(12),
    },
  ]
}

const validating = (hank: string) => milliseconds([launcher, 'validate', '--skip-self-test', '--json', hank])

/** The floor: a program that parses the file and reads every prompt, without the start of the process. */
function plainReading(dir: string): number {
  const program = `const fs=require('node:fs');const t=performance.now();
    const h=JSON.parse(fs.readFileSync('hank.json','utf8'));for(const c of h.hank)fs.readFileSync(c.promptFile);
    process.stdout.write(String(performance.now()-t))`
  return Number(spawnSync(process.execPath, ['-e', program], { cwd: dir, encoding: 'utf8' }).stdout)
}

function milliseconds(words: readonly string[]): number {
  const started = performance.now()
  const { status, stderr } = spawnSync(process.execPath, [...words], {
    env,
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
  return performance.now() - started
}

const env = {
  PATH: process.env['PATH'],
  HOME: join(tmpdir(), 'weave-bench-nobody'),
  ANTHROPIC_API_KEY: 'placeholder-key',
}

function writeHank(dir: string, codons: number): string {
  mkdirSync(join(dir, 'prompts'), { recursive: true })
  const hank = Array.from({ length: codons }, (_, at) => {
    writeFileSync(join(dir, `prompts/p${at % 500}.md`), `Do the work of part ${at % 500}.\n`)
    return {
      id: `codon-${at}`,
      name: `Part ${at} of a long piece of work`,
      description: 'One of many codons, with the fields that people use.',
      model: 'sonnet',
      continuationMode: 'fresh',
      promptFile: `prompts/p${at % 500}.md`,
      checkpointedFiles: ['src/**', '!src/generated/**', 'docs/*.md'],
      onFailure: 'retry',
      retryConfig: { maxAttempts: 3, delayMs: 1000 },
      budget: { maxDollars: 1.5, maxTimeSeconds: 600 },
      rigSetup: [{ type: 'command', command: { run: 'npm ci --ignore-scripts' }, allowFailure: true }],
    }
  })
  const file = join(dir, 'hank.json')
  writeFileSync(file, JSON.stringify({ $schema: 'x', hank }))
  return file
}
