import { didYouMean, formatKey, type JsonPath, nearestNames } from '../kit/index.ts'
import { settingFields } from './fields.ts'

/** What people write who mean a setting with another name; the letters alone would not lead there. */
const othersCallIt: Readonly<Record<string, string>> = {
  proxy: 'withoutProxy',
  enableProxy: 'withoutProxy',
  baseUrl: 'vendorBaseUrl',
  output: 'outputDirectory',
  outputDir: 'outputDirectory',
  executionDir: 'executionBaseDir',
  costLimit: 'budget.maxDollars',
  maxBudget: 'budget.maxDollars',
  maxCost: 'budget.maxDollars',
  maxTime: 'budget.maxTimeSeconds',
  maxDuration: 'budget.maxTimeSeconds',
  maxDurationSeconds: 'budget.maxTimeSeconds',
  timeLimit: 'budget.maxTimeSeconds',
}

/** The message about a key that `weave.json` does not know at this place: what may have been meant, and what is valid. */
export function unknownSetting(_path: JsonPath, key: string, validKeys: readonly string[]): string {
  const known = Object.hasOwn(othersCallIt, key) ? othersCallIt[key] : undefined
  const here = nearestNames(key, validKeys)
  const meant = known !== undefined ? [known] : here.length > 0 ? here : elsewhere(key)
  return `Unknown field ${formatKey(key)}.${didYouMean(meant)} Valid fields here: ${validKeys.join(', ')}`
}

/** Settings that are called so, or nearly, but live in another object: `maxDollars` is `budget.maxDollars`. */
function elsewhere(key: string): readonly string[] {
  const byName = new Map<string, string>(
    settingFields.map(field => [field.slice(field.lastIndexOf('.') + 1), field]),
  )
  const exact = byName.get(key)
  if (exact !== undefined) return [exact]
  return nearestNames(key, [...byName.keys()]).flatMap(name => byName.get(name) ?? [])
}
