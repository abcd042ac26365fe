import { homedir } from 'node:os'
import { resolve } from 'node:path'
import {
  hankHash,
  hashData,
  noDataHash,
  type OpenedExecution,
  openExecution,
  type Prepared,
  storeInlineData,
  systemClock,
} from '@weave/runtime'
import type { Arguments } from '../parse-arguments.ts'
import { version } from '../program.ts'

export type OpenedRun =
  | { readonly ok: true; readonly execution: OpenedExecution; readonly notes: readonly string[] }
  | { readonly ok: false; readonly message: string }

export interface OpenRunOptions {
  readonly prepared: Prepared
  /** The data, as it stands on the command line. */
  readonly named: string | undefined
  readonly args: Arguments
  readonly rehearsal: boolean
  /** Of its content, when that is known already. */
  readonly dataHash?: string | undefined
}

/** From the data on the command line to the execution that this start will use. */
export async function openRun(options: OpenRunOptions): Promise<OpenedRun> {
  const { prepared, named, args, rehearsal, dataHash } = options
  const data = await dataPath(named, args)
  if (!data.ok) return data
  const known = dataHash === undefined ? undefined : ({ ok: true, hash: dataHash, warnings: [] } as const)
  const hashed = known ?? (await hashOf(data.path, prepared))
  if (!hashed.ok) return hashed
  const { loaded, paths } = prepared
  const { switches, texts } = args
  const opened = await openExecution({
    hankPath: loaded.source?.path ?? '',
    hankHash: loaded.source ? hankHash(loaded.source) : '',
    hankName: loaded.hank?.meta?.name,
    data: data.path,
    dataHash: hashed.hash,
    executionBaseDir: paths.executionBaseDir,
    execution: texts.execution === undefined ? undefined : resolve(texts.execution),
    startNew: switches.has('start-new'),
    mustExist: switches.has('adopt'),
    force: switches.has('force'),
    wipe: !switches.has('no-wipe'),
    copy: switches.has('copy'),
    rehearsal,
    weaveVersion: version,
    clock: systemClock,
  })
  if (opened.kind === 'problem') return { ok: false, message: `${opened.message}\n${opened.cure}` }
  return { ok: true, execution: opened, notes: hashed.warnings }
}

async function dataPath(
  named: string | undefined,
  { texts }: Arguments,
): Promise<{ readonly ok: true; readonly path?: string } | { readonly ok: false; readonly message: string }> {
  if (texts.input !== undefined) return storeInlineData(texts.input, { home: homedir() })
  if (named === '-') return storeInlineData(process.stdin, { home: homedir() })
  return named === undefined ? { ok: true } : { ok: true, path: resolve(named) }
}

async function hashOf(path: string | undefined, { settings, paths }: Prepared) {
  if (path === undefined) return { ok: true, hash: noDataHash, warnings: [] } as const
  return hashData({
    path,
    timeLimit: settings.settings.dataHashTimeLimit,
    clock: systemClock,
    exclude: [paths.executionBaseDir, paths.outputDirectory],
  })
}
