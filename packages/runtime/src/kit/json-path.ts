/** The way to a value inside a JSON document: keys of objects and numbers of list items. */
export type JsonPath = readonly PropertyKey[]

/** As people write it: `steps[2].file`, `env["a b"]`, or '' for the document itself. */
export function formatPath(path: JsonPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    const key = String(step)
    if (!isPlainKey(key)) return `${text}[${shown(key)}]`
    return text === '' ? key : `${text}.${key}`
  }, '')
}

/** A key in a sentence: as it is when it looks like a name, in quotes and shortened when it does not. */
export function formatKey(key: string): string {
  return isPlainKey(key) ? key : shown(key)
}

/** What lies at the end of the way, or undefined. Sees only what the document itself holds, never what is inherited. */
export function valueAt(root: unknown, path: JsonPath): unknown {
  let value = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = Reflect.get(value, step)
  }
  return value
}

/** A text in quotes, on one line, with control characters made visible, and not longer than a line of a message. */
export function shown(text: string): string {
  const short = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
  return JSON.stringify(short)
}

const longestShown = 60

function isPlainKey(key: string): boolean {
  return key.length <= longestShown && /^[A-Za-z_$][\w$-]*$/.test(key)
}
