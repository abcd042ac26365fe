import type { Prepared } from '@weave/runtime'
import type { Arguments } from '../../parse-arguments.ts'
import { prepareRun } from '../../prepare-run.ts'
import { forecastOf } from '../../validate/sections.ts'
import { earlierOf, verdictJson } from '../../validate/verdict-json.ts'
import { type Answer, failure, value } from '../answers.ts'
import { type FoundPlace, type HankWords, hankNamed } from '../places.ts'
import type { Run, Surroundings } from '../tool.ts'
import type { Inputs } from './inputs.ts'

interface Asked {
  readonly hank: string
  readonly data?: string | undefined
  readonly model?: string | undefined
}

export type CheckedHank = FoundPlace<{ readonly words: HankWords; readonly prepared: Prepared }>

/** As `weave validate --skip-self-test`: no request leaves, and the file stays as it is. */
export async function checkedHank(asked: Asked, at: Surroundings): Promise<CheckedHank> {
  const words = await hankNamed(asked, at)
  if (!words.ok) return words
  const { hank, data } = words
  const args: Arguments = {
    positionals: data === undefined ? [hank] : [hank, data],
    switches: new Set(['skip-self-test']),
    texts: {
      ...(asked.model !== undefined && { model: asked.model }),
      ...(at.runtimeConfig !== undefined && { 'runtime-config': at.runtimeConfig }),
    },
  }
  const run = await prepareRun(args, { checksData: true })
  if (!run.ok) return { ok: false, answer: failure('INVALID_HANK', run.usage) }
  return { ok: true, words: { hank, data }, prepared: run.prepared }
}

export const validateHank: Run<Inputs['validate_hank']> = async (input, at) => {
  const checked = await checkedHank(input, at)
  if (!checked.ok) return checked.answer
  const { ok, loaded, problems, plan } = checked.prepared
  const worst = plan && forecastOf(plan, await earlierOf(checked.prepared))
  return value({
    valid: ok,
    file: loaded.source?.path,
    problems,
    counts: loaded.counts,
    ...(worst && { worstCase: { dollars: worst.dollars, seconds: worst.seconds } }),
  })
}

export const planHank: Run<Inputs['plan_hank']> = async (input, at) => {
  const checked = await checkedHank(input, at)
  if (!checked.ok) return checked.answer
  const { prepared } = checked
  if (!prepared.plan) return invalidHank(prepared)
  // What a person's environment holds is not for whoever asks.
  const { valid, file, structure, forecast, ceilings, models } = (await verdictJson(prepared, {})) as Record<
    string,
    unknown
  >
  return value({ valid, file, structure, forecast, ceilings, models })
}

const mostProblems = 50

export function invalidHank({ problems, loaded }: Prepared): Answer {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const [first] = errors
  const count = errors.length === 1 ? 'one problem' : `${errors.length} problems`
  return failure(
    'INVALID_HANK',
    `${loaded.source?.path ?? 'The hank'} has ${count}: ${first?.message ?? ''} validate_hank shows all.`,
    { problems: errors.slice(0, mostProblems) },
  )
}
