import { signal } from '@preact/signals'
import { addressOf, type Panel, type Parameters, type Route, routeOf, withParameters } from './routes.ts'

/** Where the person is. Changed only by `go` and by the browser's own buttons. */
export const place = signal<Route>({ page: 'nowhere', parameters: {} })

export function startPlace(page: Window): void {
  place.value = routeOf(page.location)
  page.addEventListener('popstate', () => {
    place.value = routeOf(page.location)
  })
  page.document.addEventListener('click', event => followLink(page, event))
}

export function go(route: Route, { replace = false }: { readonly replace?: boolean } = {}): void {
  const address = addressOf(route)
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  place.value = route
}

/** Selects something on the same page: a step back in the browser leads past it. */
export function select(changes: Readonly<Record<string, string | undefined>>): void {
  go(withParameters(place.value, changes), { replace: true })
}

export function panelRoute(name: string, panel: Panel, parameters: Parameters = {}): Route {
  return { page: 'run', name, panel, parameters }
}

/** A link to this origin is followed without loading the page anew. */
function followLink(page: Window, event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (!link || !isPlain || link.origin !== page.location.origin || link.target !== '') return
  if (link.pathname.startsWith('/api/')) return
  event.preventDefault()
  go(routeOf(link))
}
