/** Addresses of the dashboard: everything that can be selected is in one. Pure. */
export const panels = [
  'stream',
  'timeline',
  'files',
  'checkpoints',
  'budgets',
  'sentinels',
  'gates',
  'costs',
  'settings',
] as const
export type Panel = (typeof panels)[number]

/** What is selected: `at`, `q`, `type`, `codon`, … ; an empty value is no value. */
export type Parameters = Readonly<Record<string, string>>

export type Route =
  | { readonly page: 'executions'; readonly parameters: Parameters }
  | {
      readonly page: 'run'
      readonly name: string
      readonly panel: Panel
      readonly parameters: Parameters
    }
  | { readonly page: 'compare'; readonly parameters: Parameters }
  | { readonly page: 'fleet'; readonly parameters: Parameters }
  | { readonly page: 'batch'; readonly batch: string; readonly parameters: Parameters }
  | { readonly page: 'nowhere'; readonly parameters: Parameters }

/** What a browser says of where it is. */
interface Address {
  readonly pathname: string
  readonly search: string
}

export function routeOf({ pathname, search }: Address): Route {
  const parameters = Object.fromEntries([...new URLSearchParams(search)].filter(([, value]) => value !== ''))
  const [first = '', second = '', third, more] = pathname.replace(/^\//, '').split('/').map(decoded)
  if (pathname === '/') return { page: 'executions', parameters }
  if (first === 'compare' && second === '') return { page: 'compare', parameters }
  if (first === 'fleet' && third === undefined)
    return second === '' ? { page: 'fleet', parameters } : { page: 'batch', batch: second, parameters }
  const panel = third === undefined || third === '' ? 'stream' : panels.find(name => name === third)
  if (first === 'e' && second !== '' && panel && more === undefined)
    return { page: 'run', name: second, panel, parameters }
  return { page: 'nowhere', parameters }
}

export function addressOf(route: Route): string {
  const given = Object.entries(route.parameters).filter(([, value]) => value !== '')
  const search = given.length > 0 ? `?${new URLSearchParams(given).toString()}` : ''
  if (route.page === 'run') return `/e/${encodeURIComponent(route.name)}/${route.panel}${search}`
  if (route.page === 'batch') return `/fleet/${encodeURIComponent(route.batch)}${search}`
  return `${bare[route.page] ?? '/'}${search}`
}

const bare: Readonly<Partial<Record<Route['page'], string>>> = { compare: '/compare', fleet: '/fleet' }

/** The route with other parameters; the rest stay. */
export function withParameters<R extends Route>(
  route: R,
  changes: Readonly<Record<string, string | undefined>>,
): R {
  const next: Record<string, string> = { ...route.parameters }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') delete next[name]
    else next[name] = value
  }
  return { ...route, parameters: next }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
