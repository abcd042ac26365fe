/** Numbers that a random choice is made of, so that a seed repeats it. */
export interface Chance {
  readonly which: number
  readonly where: number
  readonly how: number
}

/** Takes away, doubles or changes a piece of a text. */
export function mutated(text: string, where: number, how: number): string {
  const words = [...text.matchAll(/"[^"\n]*"|[{}[\],:]|-?\d+(?:\.\d+)?|true|false/g)]
  const word = words[where % words.length]
  if (!word) return text
  const [start, end] = [word.index, word.index + word[0].length]
  const others = [
    '"x"',
    '-1',
    '[]',
    '{}',
    '""',
    '"../a"',
    'null',
    '"\u{1f9f6}"',
    '1e9',
    word[0].slice(0, -2) || '0',
  ]
  const inner = how % 12
  if (inner === 10) return text.slice(0, start) + text.slice(end)
  if (inner === 11) return text.slice(0, end) + word[0] + text.slice(end)
  return text.slice(0, start) + (others[inner] ?? '') + text.slice(end)
}

type Fields = Record<string, unknown>

export interface Slipped {
  readonly hank: unknown
  /** Without the field at all: what is wrong with this is not the matter of how the field is called or where it is. */
  readonly bare: unknown
}

/** One slip of a person who writes a hank: a misspelt word, a field that is missing or in the wrong place, a limit too high. */
export function slipped(hank: unknown, chance: Chance): Slipped {
  const whole = structuredClone(hank)
  const bare = structuredClone(hank)
  slip(whole, chance)
  const { object, key } = chosen(bare, chance)
  if (key !== undefined) delete object[key]
  return { hank: whole, bare }
}

function chosen(whole: unknown, { where, how }: Chance) {
  const objects = objectsIn(whole)
  const object = objects[where % objects.length] ?? {}
  const keys = Object.keys(object)
  return { objects, object, key: keys[how % keys.length] }
}

function slip(whole: unknown, chance: Chance): void {
  const { which, how } = chance
  const { objects, object, key } = chosen(whole, chance)
  if (key === undefined) return
  const value = object[key]
  const slips = [
    () => renamed(object, key, misspelt(key, how)),
    () => renamed(object, key, otherWords[how % otherWords.length] ?? key),
    () => {
      if (typeof value === 'string') object[key] = misspelt(value, how)
      if (typeof value === 'number') object[key] = value * 1_000
    },
    () => void delete object[key],
    () => moved({ from: object, to: objects[how % objects.length] ?? object, key }),
    () => moved({ from: object, to: whole as Fields, key }),
    () => {
      if ('continuationMode' in object) object['continuationMode'] = 'continue-previous'
    },
  ]
  slips[which % slips.length]?.()
}

/** Words of people who come from elsewhere. */
const otherWords = [
  'prompt',
  'systemPrompt',
  'trackedFiles',
  'setup',
  'cleanup',
  'environment',
  'outputs',
  'mode',
  'maxCost',
  'timeLimit',
  'maxTokens',
  'maxIterations',
  'steps',
]

function objectsIn(value: unknown): readonly Fields[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(objectsIn)
  return Array.isArray(value) ? inner : [value as Fields, ...inner]
}

/** In its old place among the fields. */
function renamed(object: Fields, key: string, name: string): void {
  const entries = Object.entries(object)
  for (const [field] of entries) delete object[field]
  for (const [field, value] of entries) object[field === key ? name : field] = value
}

function moved({
  from,
  to,
  key,
}: {
  readonly from: Fields
  readonly to: Fields
  readonly key: string
}): void {
  if (from === to || key in to || objectsIn(from[key]).includes(to)) return
  to[key] = from[key]
  delete from[key]
}

function misspelt(word: string, how: number): string {
  const at = how % Math.max(1, word.length)
  const [before, letter, after] = [word.slice(0, at), word.slice(at, at + 1), word.slice(at + 1)]
  const others = [
    before + after,
    before + letter + letter + after,
    `${before}${after.slice(0, 1)}${letter}${after.slice(1)}`,
  ]
  return others[how % others.length] ?? word
}
