import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Mutant } from '../../test/mutants/mutant.ts'
import { root } from '../repository.mjs'
import { tool } from '../tool.mjs'

/** A copy of the source in which tests run, so that breaking it harms nobody. */
export interface WorkCopy {
  /** The tests of these files that fail, each with its file. */
  readonly failedTests: (files: readonly string[]) => Promise<readonly FailedTest[]>
  /** The same with one mutant in place. `onlyCiting`: tests that cite other rules than the broken one are left out. */
  readonly failedTestsWith: (mutant: Mutant, options?: { readonly onlyCiting?: boolean }) => Promise<number>
  readonly close: () => void
}

export interface FailedTest {
  readonly file: string
  readonly name: string
}

export function openWorkCopy(): WorkCopy {
  const folder = mkdtempSync(join(tmpdir(), 'weave-mutants-'))
  // Tests of what another user may do start the program as one.
  chmodSync(folder, 0o755)
  for (const file of trackedFiles()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  linkPackages(join(root, 'node_modules'), join(folder, 'node_modules'))
  const failedTests = (files: readonly string[], rule?: string) => runTests(folder, files, rule)
  return {
    failedTests,
    async failedTestsWith({ rule, file, find, replace, killedBy }, { onlyCiting = false } = {}) {
      const path = join(folder, file)
      const source = readFileSync(path, 'utf8')
      if (source.split(find).length !== 2)
        throw new Error(`${file} does not have the text of its mutant exactly once:\n${find}`)
      writeFileSync(
        path,
        source.replace(find, () => replace),
      )
      try {
        return (await failedTests(killedBy, onlyCiting ? rule : undefined)).length
      } finally {
        writeFileSync(path, source)
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function trackedFiles(): readonly string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  return list.split('\0').filter(file => file !== '' && existsSync(join(root, file)))
}

/** Packages of others are taken from the repository. Our own workspaces are relative links, which lead into the copy. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.name === '@weave') linkPackages(source, target)
    else symlinkSync(source, target)
  }
}

interface TestResults {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

async function runTests(
  folder: string,
  files: readonly string[],
  rule?: string,
): Promise<readonly FailedTest[]> {
  if (files.some(file => file.startsWith('test/')) && (await run(folder, ['scripts/bundle.mjs'])) !== 0)
    throw new Error('The mutant cannot be built: it must break a rule, not the program.')
  const results = join(folder, 'test-results.json')
  rmSync(results, { force: true })
  const env = rule === undefined ? {} : { WEAVE_PROOF_RULE: rule }
  await run(folder, tool('vitest', 'run', '--reporter=json', `--outputFile=${results}`, ...files), env)
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as TestResults
  const tests = testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({
      file: relative(folder, path),
      name: fullName,
      status,
    })),
  )
  if (!tests.some(({ status }) => status === 'failed' || status === 'passed'))
    throw new Error(`No test ran: ${files.join(', ')}`)
  return tests.filter(({ status }) => status === 'failed')
}

function run(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    child.once('error', reject).once('close', code => resolve(code ?? 1))
  })
}
