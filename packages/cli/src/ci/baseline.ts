import { readFile } from 'node:fs/promises'
import { wordsOf } from '@weave/runtime'
import { fingerprintName } from '../validate/formats/sarif.ts'
import type { Verdict } from '../validate/formats/verdict.ts'

export type Baseline =
  | { readonly ok: true; readonly known: ReadonlySet<string> }
  | { readonly ok: false; readonly message: string }

/** The problems that an earlier `--sarif` has written down: they are told of, but nothing fails because of them. */
export async function readBaseline(file: string): Promise<Baseline> {
  try {
    const found = fingerprintsIn(JSON.parse(await readFile(file, 'utf8')))
    if (found) return { ok: true, known: new Set(found) }
    return { ok: false, message: `${file} is no baseline: expected what weave ci validate --sarif writes.` }
  } catch (error) {
    const why = wordsOf(error).replace(/\.$/, '')
    return {
      ok: false,
      message: `The baseline cannot be read: ${why}. Write one: weave ci validate --sarif ${file}`,
    }
  }
}

function fingerprintsIn(document: unknown): readonly string[] | undefined {
  const runs = listAt(document, 'runs')
  return runs?.flatMap(run =>
    (listAt(run, 'results') ?? []).flatMap(result => {
      const print = valueAt(valueAt(result, 'partialFingerprints'), fingerprintName)
      return typeof print === 'string' ? [print] : []
    }),
  )
}

function listAt(value: unknown, key: string): readonly unknown[] | undefined {
  const list = valueAt(value, key)
  return Array.isArray(list) ? list : undefined
}

function valueAt(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined
}

export function withBaseline(verdict: Verdict, known: ReadonlySet<string>): Verdict {
  const problems = verdict.problems.map(problem => ({ ...problem, isKnown: known.has(problem.fingerprint) }))
  return { ...verdict, problems }
}

/** Whether nothing is wrong that is not known. */
export function passes({ ok, problems }: Verdict): boolean {
  return ok || problems.every(({ severity, isKnown }) => severity === 'warning' || isKnown === true)
}
