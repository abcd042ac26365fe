import { type Problem, shapeProblems } from '../kit/index.ts'
import { type SettingField, settingKinds } from './fields.ts'
import type { Layer, Origin } from './layer.ts'
import { fields } from './schema.ts'

export interface LayerResult {
  /** Holds what was right, also when something else was wrong. */
  readonly layer: Layer
  readonly problems: readonly Problem[]
}

export interface GivenValue {
  readonly field: SettingField
  /** The variable or flag that gave the value: how problems and origins name it. */
  readonly origin: Origin
  readonly value: string | number | boolean
}

/**
 * Checks values that came one by one, as text or ready, by the rules of `weave.json`. A number may be written as text;
 * a text for anything else stays one. Of two values for one setting the later one counts.
 */
export function readValues(values: readonly GivenValue[]): LayerResult {
  const results = values.map(readValue)
  return {
    layer: Object.assign({}, ...results.map(result => result.layer)) as Layer,
    problems: results.flatMap(result => result.problems),
  }
}

function readValue({ field, origin, value: given }: GivenValue): LayerResult {
  const schema = fields[field]
  const value = settingKinds[field] === 'number' && typeof given === 'string' ? numberFrom(given) : given
  const checked = schema.safeParse(value)
  // The key is the setting whose schema has just accepted the value.
  if (checked.success) return { layer: { [field]: { value: checked.data, origin } }, problems: [] }
  const problems = shapeProblems(checked.error, { value }, { schema })
  return { layer: {}, problems: problems.map(problem => ({ ...problem, where: origin })) }
}

/** Only what everybody would read as a decimal number; anything else stays text, for the check to complain about. */
function numberFrom(text: string): number | string {
  return /^[+-]?\d{1,400}(?:\.\d{1,400})?(?:e[+-]?\d{1,4})?$/i.test(text.trim()) ? Number(text) : text
}
