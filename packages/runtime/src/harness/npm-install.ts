import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Failure, run } from '../kit/index.ts'
import { type HarnessWord, installableHarnesses, installLine } from './installable.ts'

export interface NpmOptions {
  /** Registry and proxy are npm's own settings, which it finds by this. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
}

/** Installs the packages of a harness into a folder that has a `package.json`. Says what failed, if anything did. */
export async function npmInstall(
  word: HarnessWord,
  folder: string,
  { environment, signal }: NpmOptions,
): Promise<Failure | undefined> {
  const { command, args } = npmProgram()
  const pins = Object.entries(installableHarnesses[word].packages).map(([name, pin]) => `${name}@${pin}`)
  // In the folder itself: npm reads the `.npmrc` of where it works, and the one of a downloaded hank is not the person's.
  const ended = await run(command, [...args, ...npmWords(folder), ...pins], {
    cwd: folder,
    env: environment,
    signal,
  })
  if (ended.stopped) return { message: 'Stopped: nothing was installed.', cure: installLine(word) }
  if (ended.outcome === 'exited' && ended.code === 0) return undefined
  if (ended.outcome === 'failed-to-start')
    return {
      message: `npm could not be started (${ended.error?.code ?? ended.error?.message}): it comes with Node.js and must be in the PATH.`,
      cure: installLine(word),
    }
  return npmFailure(word, ended.stderr)
}

/** No script of a package runs. Parts for this platform are optional packages, which some settings leave out. */
function npmWords(folder: string): readonly string[] {
  return [
    'install',
    `--prefix=${folder}`,
    '--global=false',
    '--ignore-scripts',
    '--save-exact',
    '--include=optional',
    '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=error',
    // npm's own would wait for more than a minute before it says that there is no network.
    '--fetch-retry-mintimeout=1000',
    '--fetch-retry-maxtimeout=4000',
  ]
}

/** The one in the PATH. On Windows that is no program but a script for a shell, so the one that came with this Node. */
function npmProgram(): { readonly command: string; readonly args: readonly string[] } {
  const script = join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js')
  if (process.platform === 'win32' && existsSync(script)) return { command: process.execPath, args: [script] }
  return { command: 'npm', args: [] }
}

const networkCodes =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)$/

/** What npm says at its end, in the words of this program. */
export function npmFailure(word: HarnessWord, stderr: string): Failure {
  const { title } = installableHarnesses[word]
  const lines = stderr.split('\n').flatMap(line => /^npm (?:error|ERR!) (.+)/.exec(line)?.[1]?.trim() ?? [])
  const code = lines.flatMap(line => /^code (\S+)/.exec(line)?.[1] ?? [])[0]
  const cure = installLine(word)
  if (code !== undefined && networkCodes.test(code)) {
    const message = `The registry of npm cannot be reached (${code}), so the ${title} was not installed: is this machine offline? Registry and proxy are npm's own settings ("npm config list").`
    return { message, cure }
  }
  const told = lines
    .filter(line => !/^(?:code|A complete log|errno|syscall|path|dest) ?/.test(line))
    .slice(0, 4)
  const said = told.length === 0 ? stderr.trim().split('\n').at(-1) : told.join(' ')
  return {
    message: `npm could not install the ${title}${code === undefined ? '' : ` (${code})`}: ${said}`,
    cure,
  }
}
