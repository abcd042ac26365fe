import { effect, signal } from '@preact/signals'

/** What a person prefers, remembered for this origin. */
export const preferences = {
  theme: remembered('theme', ['auto', 'light', 'dark'] as const),
  zone: remembered('zone', ['local', 'utc'] as const),
  /** Single letters as commands can be turned off, for people whose tools type letters. */
  letters: remembered('letters', ['on', 'off'] as const),
  diff: remembered('diff', ['unified', 'split'] as const),
}

export function startPreferences(page: Document): void {
  effect(() => {
    page.documentElement.dataset['theme'] = preferences.theme.value
  })
}

function remembered<const Values extends readonly [string, ...string[]]>(name: string, values: Values) {
  const key = `weave-${name}`
  const found = values.find(value => value === readStored(key))
  const value = signal<Values[number]>(found ?? values[0])
  effect(() => {
    try {
      localStorage.setItem(key, value.value)
    } catch {
      // A browser that keeps nothing still shows the page.
    }
  })
  return value
}

function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
