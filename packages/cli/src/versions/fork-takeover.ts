import { homedir } from 'node:os'
import { basename } from 'node:path'
import { type HankTakeover, hankHash, prepare, type ReadPlace } from '@weave/runtime'
import { type Arguments, settingValues } from '../parse-arguments.ts'
import { report } from '../validate/report.ts'

export type Wanted =
  | { readonly ok: true; readonly takeover?: HankTakeover }
  | { readonly ok: false; readonly lines: readonly string[] }

/** The hank that takes over, when one is named, or another model for the one that is there. Keys are checked when it runs. */
export async function takeoverOf({ file }: ReadPlace, args: Arguments): Promise<Wanted> {
  const { texts } = args
  const hank = texts['fork-hank']
  const prepared = await prepare({
    hank: hank ?? file.hankPath,
    flags: settingValues(args),
    runtimeConfig: texts['runtime-config'],
    skipSelfTest: true,
    environment: process.env,
    workingDirectory: process.cwd(),
    home: homedir(),
  })
  const { plan, preflight, loaded } = prepared
  if (!plan || !preflight || !loaded.source)
    return { ok: false, lines: report(prepared, { verbose: false, environment: {} }) }
  const { path } = loaded.source
  const hankName = loaded.hank?.meta?.name ?? basename(path, '.json')
  return { ok: true, takeover: { plan, hankPath: path, hankHash: hankHash(loaded.source), hankName } }
}
